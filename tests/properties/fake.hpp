// A machine of plain memory and a kernel of plain C++ that can be told to make one mistake: shows that each check can fail.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/check.hpp"
#include "properties/subject.hpp"
#include "reference/dtype.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

namespace plusmax::properties::fake {

using Params = plusmax::logsumexp::Params;

class Buffer : public DeviceBuffer {
 public:
  explicit Buffer(const BufferSpec& spec) : spec_(spec), memory_(kMargin * 3 + spec.phase + bytes(), kGuard) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) + kMargin;
    first_ = (address + kMargin - 1) / kMargin * kMargin - reinterpret_cast<std::uintptr_t>(memory_.data()) + spec.phase;
  }
  void* data() const override { return const_cast<unsigned char*>(memory_.data()) + first_; }
  void write(std::size_t offset, const void* from, std::size_t size) override { std::memcpy(memory_.data() + first_ + offset, from, size); }
  void read(std::size_t offset, void* to, std::size_t size) const override { std::memcpy(to, memory_.data() + first_ + offset, size); }
  void fill(unsigned char byte) override {
    for (std::size_t line = 0; line < spec_.lines; ++line)
      std::memset(memory_.data() + first_ + line * spec_.line_stride, byte, spec_.line_bytes);
  }
  void seal() override {}
  std::string violation() const override {
    for (std::size_t k = 0; k < memory_.size(); ++k)
      if (!inside(k) && memory_[k] != kGuard) return std::string(spec_.name) + ": a byte beside it was written";
    return {};
  }

 private:
  static constexpr std::size_t kMargin = 256;
  static constexpr unsigned char kGuard = 0xC3;
  std::size_t bytes() const { return (spec_.lines - 1) * spec_.line_stride + spec_.line_bytes; }
  bool inside(std::size_t k) const {
    if (k < first_ || k >= first_ + bytes()) return false;
    return spec_.line_stride == 0 || (k - first_) % spec_.line_stride < spec_.line_bytes;
  }
  BufferSpec spec_;
  std::vector<unsigned char> memory_;
  std::size_t first_ = 0;
};

struct Machine : Device {
  const char* backend() const override { return "fake"; }
  std::string description() const override { return "a machine made for tests"; }
  bool available() const override { return present; }
  bool detects_races() const override { return false; }
  std::unique_ptr<DeviceBuffer> allocate(const BufferSpec& spec) override {
    if (full) throw std::bad_alloc();
    return std::make_unique<Buffer>(spec);
  }
  void configure(Schedule, std::uint64_t, float) override {}
  void* stream() override { return nullptr; }
  void synchronize() override {
    if (faulty) throw DeviceError("logits: read 4 bytes at offset 4012, behind its 4012 bytes");
  }
  std::size_t free_bytes() const override { return 12345; }
  bool present = true, full = false, faulty = false;
};

enum class Mistake {
  none, no_maximum, folded_shift, first_column_lost, long_rows_lose_half, doubled_logarithm, masked_counts, capped, base_2, stride_of_cols,
  rows_matter, calls_matter, padding_read, written_beside, last_column_lost, nan_dropped, wide_bound, no_bound
};

struct Kernel {
  Mistake mistake;

  float logit(const Params& p, std::int64_t row, std::int64_t column) const {
    const std::int64_t stride = mistake == Mistake::stride_of_cols ? p.cols : p.row_stride;
    float x;
    std::memcpy(&x, static_cast<const float*>(p.logits) + row * stride + column * p.col_stride, sizeof x);
    if (mistake == Mistake::nan_dropped && std::isnan(x)) x = -INFINITY;
    return x;
  }

  // Four chains of floats: the depth that error_shape() states.
  float row(const Params& p, std::int64_t r) const {
    const std::int64_t first = mistake == Mistake::first_column_lost && p.cols > 1 ? 1 : 0;
    std::int64_t end = mistake == Mistake::last_column_lost && p.cols > 1 ? p.cols - 1 : p.cols;
    if (mistake == Mistake::long_rows_lose_half && p.cols > 1200) end /= 2;
    if (mistake == Mistake::padding_read && p.row_stride > p.cols) ++end;
    float maximum = -INFINITY, chain[4] = {};
    for (std::int64_t j = first; j < end; ++j) maximum = std::fmax(maximum, logit(p, r, j));
    const float shift = std::isinf(maximum) ? 0 : maximum;
    for (std::int64_t j = first; j < end; ++j) chain[j % 4] += term(logit(p, r, j), shift);
    return result(shift, (chain[0] + chain[1]) + (chain[2] + chain[3]));
  }
  float term(float x, float shift) const {
    if (mistake == Mistake::masked_counts && x == -INFINITY) return 1e-3f;
    if (mistake == Mistake::folded_shift) return std::exp2(std::fma(x, 1.44269504f, -shift * 1.44269504f));
    return std::exp(x - shift);
  }
  float result(float shift, float sum) const {
    switch (mistake) {
      case Mistake::no_maximum: return std::log(sum);
      case Mistake::doubled_logarithm: return shift + 2 * std::log(sum);
      case Mistake::base_2: return shift + std::log2(sum);
      case Mistake::capped: return std::fmin(shift + std::log(sum), 20.0f);
      default: return shift + std::log(sum);
    }
  }
};

inline int calls = 0;

template <Mistake kMistake>
Status launch(const Params& p, void*, void*) {
  ++calls;
  float* lse = static_cast<float*>(p.lse);
  for (std::int64_t r = 0; r < p.rows; ++r) {
    float value = Kernel{kMistake}.row(p, r);
    if (kMistake == Mistake::rows_matter && p.rows > 1) value = std::nextafter(value, 0.0f);
    if (kMistake == Mistake::calls_matter && calls % 2) value = std::nextafter(value, 0.0f);
    lse[r * p.lse_stride] = value;
    if (kMistake == Mistake::written_beside) lse[r * p.lse_stride + 1] = 1;
  }
  return {};
}

inline Status supports(const Params& p) {
  if (p.cols <= 100000) return {};
  return Status::error(PLUSMAX_UNSUPPORTED, "fake: cols %lld > 100000", static_cast<long long>(p.cols));
}
inline std::size_t no_workspace(const Params&) { return 0; }
inline double no_bytes(const Params&) { return 0; }
template <Mistake kMistake>
ErrorShape error_shape(const Params& p) {
  const double depth = static_cast<double>(p.cols / 4 + 3);
  return {0x1p-24, kMistake == Mistake::wide_bound ? 40 * depth : kMistake == Mistake::no_bound ? 1e9 : depth, 0, 2, 1.3, 2, 0, 0x1p-126};
}

template <Mistake kMistake>
inline constexpr KernelVariant<Params> variant = {
    "fake", dtype_bit(PLUSMAX_F32), supports, no_workspace, launch<kMistake>, no_bytes, error_shape<kMistake>};

// A module with one variant that makes one mistake.
template <Mistake kMistake>
struct World {
  Machine machine;
  const KernelVariant<Params>* variants[1] = {&variant<kMistake>};
  Module module = made();

  Module made() {
    Module of{};
    of.logsumexp = variants;
    of.device = &machine;
    return of;
  }
  Subject subject() {
    return subjects_of(module, "logsumexp", "").front();
  }
  Record run(std::string_view check, std::string_view line) {
    Subject of = subject();
    return run_check(*find_check("logsumexp", check), parse_case(line), of);
  }
};

}  // namespace plusmax::properties::fake
