// A few rows in guarded memory of the built-in host machine, and one variant run over them.
#pragma once

#include "kernels/catalog.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace plusmax::tests {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

inline std::vector<const KernelVariant<logsumexp::Params>*> variants() {
  const auto all = plusmax_module()->logsumexp;
  return {all.begin(), all.end()};
}

// Those that take f32 rows of so many neighbouring columns.
inline std::vector<const KernelVariant<logsumexp::Params>*> variants(std::size_t cols) {
  logsumexp::Params p;
  p.rows = 1;
  p.cols = p.row_stride = static_cast<std::int64_t>(cols);
  std::vector<const KernelVariant<logsumexp::Params>*> those;
  for (const auto* each : variants())
    if (each->supports(p).ok()) those.push_back(each);
  return those;
}

inline const KernelVariant<logsumexp::Params>& variant(const std::string& name) {
  for (const auto* each : variants())
    if (each->name == name) return *each;
  throw std::runtime_error("no variant " + name);
}

// f32 rows with `gap` unused elements between them, starting `phase` bytes after a 256-byte boundary.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t cols, std::size_t gap = 0, std::size_t phase = 0)
      : rows_(rows), cols_(cols), stride_(cols + gap) {
    logits_ = device().allocate({.name = "logits",
                                 .lines = rows,
                                 .line_bytes = cols * sizeof(float),
                                 .line_stride = stride_ * sizeof(float),
                                 .phase = phase,
                                 .read_only = true});
    lse_ = device().allocate({.name = "lse", .line_bytes = rows * sizeof(float)});
  }

  static Device& device() { return *plusmax_module()->device; }

  void set(std::size_t row, const std::vector<float>& values) {
    logits_->write(row * stride_ * sizeof(float), values.data(), values.size() * sizeof(float));
  }

  logsumexp::Params params() const {
    logsumexp::Params p;
    p.rows = static_cast<std::int64_t>(rows_);
    p.cols = static_cast<std::int64_t>(cols_);
    p.row_stride = static_cast<std::int64_t>(stride_);
    p.logits = logits_->data();
    p.lse = lse_->data();
    return p;
  }

  // Results of one launch; the guards must have held.
  std::vector<float> run(const KernelVariant<logsumexp::Params>& with, unsigned char workspace_fill = 0xa5) {
    return run(with, params(), workspace_fill);
  }
  std::vector<float> run(const KernelVariant<logsumexp::Params>& with, const logsumexp::Params& p,
                         unsigned char workspace_fill = 0xa5) {
    logits_->seal();
    lse_->fill(0x55);
    const std::size_t bytes = with.workspace_bytes(p);
    const auto workspace = device().allocate({.name = "workspace", .line_bytes = bytes > 0 ? bytes : 1});
    workspace->fill(workspace_fill);
    const Status status = with.launch(p, bytes > 0 ? workspace->data() : nullptr, device().stream());
    if (!status.ok()) throw std::runtime_error(status.message);
    device().synchronize();
    for (const DeviceBuffer* buffer : {logits_.get(), lse_.get(), workspace.get()})
      if (const std::string words = buffer->violation(); !words.empty()) throw std::runtime_error(words);
    std::vector<float> results(rows_);
    lse_->read(0, results.data(), rows_ * sizeof(float));
    return results;
  }

 private:
  std::size_t rows_, cols_, stride_;
  std::unique_ptr<DeviceBuffer> logits_, lse_;
};

// Values that differ from each other and are no round numbers.
inline std::vector<float> wavy(std::size_t cols, float offset = 0) {
  std::vector<float> values(cols);
  for (std::size_t i = 0; i < cols; ++i) values[i] = offset + 3 * std::sin(static_cast<float>(i) * 1.7f);
  return values;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace plusmax::tests
