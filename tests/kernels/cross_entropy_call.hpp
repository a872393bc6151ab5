// One cross_entropy call over guarded memory of the built-in host machine, described by a plain struct.
#pragma once

#include "kernels/catalog.hpp"
#include "reference/dtype.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace plusmax::tests {

using CrossEntropyVariant = KernelVariant<cross_entropy::Params>;

enum class Gradient { none, in_place, elsewhere, other_phase };
enum class Upstream { none, one, per_row };

struct CrossEntropyCall {
  plusmax_dtype dtype = PLUSMAX_F32;
  std::size_t rows = 5, cols = 100, gap = 0, phase = 0;
  cross_entropy::Options options;
  bool weighted = false, argmax = true, int32_targets = false, normalizer = false, reduced = true;
  Upstream upstream = Upstream::none;
  Gradient gradient = Gradient::in_place;
  std::size_t target_stride = 1;
  // Made by fill(), open to change afterwards; logits rounded to dtype when they are written.
  std::vector<std::vector<double>> logits;
  std::vector<std::int64_t> targets;
  std::vector<float> weights, upstreams;
  double divisors[2] = {3.5, 4};

  void fill(double spread = 3, unsigned seed = 1) {
    logits.assign(rows, std::vector<double>(cols));
    targets.resize(rows);
    upstreams.resize(rows);
    weights.resize(cols);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t col = 0; col < cols; ++col)
        logits[row][col] = spread * std::sin(double(row * 131 + col * 17 + seed * 7) * 1.37);
      targets[row] = std::int64_t((row * 7919 + seed) % cols);
      upstreams[row] = 0.5f + float(row % 5);
    }
    for (std::size_t col = 0; col < cols; ++col) weights[col] = 0.25f + float(col % 7) * 0.5f;
  }
};

// What came back: values widened, and every output's bytes.
struct CrossEntropyResults {
  std::vector<double> loss_rows, z_loss, lse, row_state, dlogits;
  std::vector<std::int64_t> argmax;
  double loss = 0;
  std::int64_t num_valid = -1, bad_targets = -1;
  std::vector<unsigned char> row_bytes, gradient_bytes;
};

class CrossEntropyRun {
 public:
  explicit CrossEntropyRun(const CrossEntropyCall& call) : call_(call) {
    const std::size_t size = reference::size_of(call.dtype);
    const std::size_t stride = (call.cols + call.gap) * size, line = call.cols * size;
    logits_ = rows_of("logits", stride, line, call.phase);
    for (std::size_t row = 0; row < call.rows; ++row) write_logits(row);
    if (call.gradient == Gradient::elsewhere) dlogits_ = rows_of("dlogits", stride, line, call.phase);
    if (call.gradient == Gradient::other_phase) dlogits_ = rows_of("dlogits", stride + size, line, call.phase + size);
    targets_ = device().allocate({.name = "targets",
                                  .lines = call.rows,
                                  .line_bytes = target_size(),
                                  .line_stride = call.target_stride * target_size(),
                                  .read_only = true});
    for (std::size_t row = 0; row < call.rows; ++row) {
      const auto narrow = static_cast<std::int32_t>(call.targets[row]);
      const void* from = call.int32_targets ? static_cast<const void*>(&narrow) : &call.targets[row];
      targets_->write(row * call.target_stride * target_size(), from, target_size());
    }
    weights_ = input("weights", call.weights.data(), call.cols * 4);
    upstream_ = input("upstream", call.upstreams.data(), call.rows * 4);
    normalizer_ = input("normalizer", call.divisors, 16);
    const std::size_t real = call.dtype == PLUSMAX_F64 ? 8 : 4;
    for (auto* each : {&loss_rows_, &z_loss_, &lse_}) *each = output("results", call.rows * real);
    row_state_ = output("row_state", call.rows * 2 * real);
    argmax_ = output("argmax", call.rows * 8);
    loss_ = output("loss", real);
    num_valid_ = output("num_valid", 8);
    bad_targets_ = output("bad_targets", 8);
  }

  static Device& device() { return *plusmax_module()->device; }
  DeviceBuffer& logits() { return *logits_; }

  cross_entropy::Params params() const {
    cross_entropy::Params p;
    p.dtype = call_.dtype;
    p.rows = static_cast<std::int64_t>(call_.rows);
    p.cols = static_cast<std::int64_t>(call_.cols);
    p.row_stride = p.dlogits_stride = static_cast<std::int64_t>(call_.cols + call_.gap);
    p.logits = logits_->data();
    p.target_type = call_.int32_targets ? PLUSMAX_INT32 : PLUSMAX_INT64;
    p.target_stride = static_cast<std::int64_t>(call_.target_stride);
    p.targets = targets_->data();
    if (call_.weighted) p.weights = static_cast<const float*>(weights_->data());
    if (call_.upstream != Upstream::none) p.upstream = static_cast<const float*>(upstream_->data());
    p.upstream_stride = call_.upstream == Upstream::per_row ? 1 : 0;
    if (call_.normalizer) p.normalizer = static_cast<const double*>(normalizer_->data());
    p.options = call_.options;
    if (call_.gradient == Gradient::in_place) p.dlogits = logits_->data();
    if (dlogits_ != nullptr) p.dlogits = dlogits_->data();
    if (call_.gradient == Gradient::other_phase) ++p.dlogits_stride;
    p.loss_rows = loss_rows_->data();
    p.z_loss = z_loss_->data();
    p.lse = lse_->data();
    p.row_state = row_state_->data();
    if (call_.argmax) p.argmax = static_cast<std::int64_t*>(argmax_->data());
    if (!call_.reduced) return p;
    if (call_.options.reduction != PLUSMAX_NONE) p.loss = loss_->data();
    p.num_valid = static_cast<std::int64_t*>(num_valid_->data());
    p.bad_targets = static_cast<std::int64_t*>(bad_targets_->data());
    return p;
  }

  // Only dlogits, from the row_state of the run before.
  cross_entropy::Params backward_params() const {
    cross_entropy::Params p = params();
    p.backward = true;
    p.loss_rows = p.z_loss = p.lse = p.loss = nullptr;
    p.argmax = p.num_valid = p.bad_targets = nullptr;
    return p;
  }

  CrossEntropyResults run(const CrossEntropyVariant& variant, unsigned char workspace_fill = 0xa5) {
    for (const auto* each : {&loss_rows_, &z_loss_, &lse_, &row_state_, &argmax_, &loss_, &num_valid_, &bad_targets_})
      (*each)->fill(0x55);
    if (dlogits_ != nullptr) dlogits_->fill(0x55);
    if (call_.gradient == Gradient::in_place)
      for (std::size_t row = 0; row < call_.rows; ++row) write_logits(row);
    return launch(variant, params(), workspace_fill);
  }

  CrossEntropyResults launch(const CrossEntropyVariant& variant, const cross_entropy::Params& p,
                             unsigned char workspace_fill = 0xa5) {
    const std::size_t bytes = variant.workspace_bytes(p);
    const auto workspace = device().allocate({.name = "workspace", .line_bytes = bytes > 0 ? bytes : 1});
    workspace->fill(workspace_fill);
    const Status status = variant.launch(p, bytes > 0 ? workspace->data() : nullptr, device().stream());
    if (!status.ok()) throw std::runtime_error(status.message);
    device().synchronize();
    for (const auto* each : {&logits_, &dlogits_, &loss_rows_, &z_loss_, &lse_, &row_state_, &argmax_, &loss_})
      if (*each != nullptr)
        if (const std::string words = (*each)->violation(); !words.empty()) throw std::runtime_error(words);
    if (const std::string words = workspace->violation(); !words.empty()) throw std::runtime_error(words);
    return results();
  }

  void write_logits(std::size_t row) {
    const std::size_t size = reference::size_of(call_.dtype);
    std::vector<unsigned char> line(call_.cols * size);
    for (std::size_t col = 0; col < call_.cols; ++col)
      reference::encode(call_.dtype, call_.logits[row][col], line.data() + col * size);
    logits_->write(row * (call_.cols + call_.gap) * size, line.data(), line.size());
  }

 private:
  using Buffer = std::unique_ptr<DeviceBuffer>;

  std::size_t target_size() const { return call_.int32_targets ? 4 : 8; }
  Buffer rows_of(const char* name, std::size_t stride, std::size_t line, std::size_t phase) const {
    return device().allocate(
        {.name = name, .lines = call_.rows, .line_bytes = line, .line_stride = stride, .phase = phase});
  }
  static Buffer input(const char* name, const void* from, std::size_t bytes) {
    Buffer buffer = device().allocate({.name = name, .line_bytes = bytes, .read_only = true});
    buffer->write(0, from, bytes);
    buffer->seal();
    return buffer;
  }
  static Buffer output(const char* name, std::size_t bytes) {
    return device().allocate({.name = name, .line_bytes = bytes});
  }

  std::vector<double> reals(const DeviceBuffer& from, std::size_t count, std::vector<unsigned char>& bytes) const {
    std::vector<double> values(count);
    const std::size_t real = call_.dtype == PLUSMAX_F64 ? 8 : 4, start = bytes.size();
    bytes.resize(start + count * real);
    from.read(0, bytes.data() + start, count * real);
    for (std::size_t i = 0; i < count; ++i)
      values[i] =
          reference::decode(call_.dtype == PLUSMAX_F64 ? PLUSMAX_F64 : PLUSMAX_F32, bytes.data() + start + i * real);
    return values;
  }

  CrossEntropyResults results() const {
    CrossEntropyResults r;
    r.loss_rows = reals(*loss_rows_, call_.rows, r.row_bytes);
    r.z_loss = reals(*z_loss_, call_.rows, r.row_bytes);
    r.lse = reals(*lse_, call_.rows, r.row_bytes);
    r.row_state = reals(*row_state_, call_.rows * 2, r.row_bytes);
    std::vector<unsigned char> unused;
    r.loss = reals(*loss_, 1, unused)[0];
    r.argmax.resize(call_.rows);
    argmax_->read(0, r.argmax.data(), call_.rows * 8);
    num_valid_->read(0, &r.num_valid, 8);
    bad_targets_->read(0, &r.bad_targets, 8);
    if (call_.gradient == Gradient::none) return r;
    const DeviceBuffer& from = dlogits_ == nullptr ? *logits_ : *dlogits_;
    const std::size_t size = reference::size_of(call_.dtype), line = call_.cols * size;
    const std::size_t stride = line + call_.gap * size + (call_.gradient == Gradient::other_phase ? size : 0);
    r.gradient_bytes.resize(call_.rows * line);
    for (std::size_t row = 0; row < call_.rows; ++row)
      from.read(row * stride, r.gradient_bytes.data() + row * line, line);
    for (std::size_t i = 0; i < call_.rows * call_.cols; ++i)
      r.dlogits.push_back(reference::decode(call_.dtype, r.gradient_bytes.data() + i * size));
    return r;
  }

  CrossEntropyCall call_;
  Buffer logits_, dlogits_, targets_, weights_, upstream_, normalizer_;
  Buffer loss_rows_, z_loss_, lse_, row_state_, argmax_, loss_, num_valid_, bad_targets_;
};

inline std::vector<const CrossEntropyVariant*> cross_entropy_variants(const CrossEntropyCall& call) {
  std::vector<const CrossEntropyVariant*> those;
  const cross_entropy::Params p = CrossEntropyRun(call).params();
  for (const auto* each : plusmax_module()->cross_entropy)
    if ((each->dtypes & dtype_bit(call.dtype)) != 0 && each->supports(p).ok()) those.push_back(each);
  return those;
}

inline const CrossEntropyVariant& cross_entropy_variant(const std::string& name) {
  for (const auto* each : plusmax_module()->cross_entropy)
    if (each->name == name) return *each;
  throw std::runtime_error("no variant " + name);
}

}  // namespace plusmax::tests
