// One linear_cross_entropy call over guarded memory of the built-in host machine, described by a plain struct.
#pragma once

#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "reference/dtype.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace plusmax::tests {

using Values = std::vector<double>;

struct LinearCall {
  plusmax_dtype dtype = PLUSMAX_F32, dweight_type = PLUSMAX_F32;
  std::size_t tokens = 9, vocab = 67, features = 21, gap = 1;
  cross_entropy::Options options;
  linear_cross_entropy::PlanOptions plan;
  std::size_t budget = 0;
  bool biased = false, weighted = false, int32_targets = false, normalizer = false, gradient = true, argmax = true;
  bool add = false;                 // to 1, 2, 3, ... in dweight and dbias
  std::size_t upstream_stride = 0;  // 0 without upstreams: none
  // Made by fill(), open to change afterwards; rounded to dtype when they are written.
  Values hidden, weight, bias;
  std::vector<std::int64_t> targets;
  std::vector<float> class_weights, upstreams;
  double divisors[2] = {3.5, 4};

  // Logits of about `spread`.
  void fill(double spread = 3) {
    const auto wave = [](std::size_t count, double height, double step) {
      Values values(count);
      for (std::size_t i = 0; i < count; ++i) values[i] = height * std::sin(step * double(i + 1));
      return values;
    };
    hidden = wave(tokens * features, spread / std::sqrt(double(features)), 1.37);
    weight = wave(vocab * features, 2, 2.11);
    bias = wave(vocab, 1, 0.77);
    targets.resize(tokens);
    for (std::size_t i = 0; i < tokens; ++i) targets[i] = std::int64_t(i * 7919 % vocab);
    class_weights.resize(vocab);
    for (std::size_t i = 0; i < vocab; ++i) class_weights[i] = 0.25f + float(i % 7) * 0.5f;
  }
  double before(std::size_t i) const { return add ? double(i % 5 + 1) : NAN; }
};

struct LinearResults {
  Values loss_rows, z_loss, lse, dhidden, dweight, dbias;
  std::vector<std::int64_t> argmax;
  double loss = 0;
  std::int64_t num_valid = -1, bad_targets = -1, excess_tokens = -1;
  std::vector<unsigned char> bytes;  // of all of them
};

class LinearRun {
 public:
  explicit LinearRun(const LinearCall& call) : call_(call) {
    const bool wide = !call.int32_targets;
    hidden_ = matrix("hidden", call.dtype, call.tokens, call.features, call.hidden);
    weight_ = matrix("weight", call.dtype, call.vocab, call.features, call.weight);
    bias_ = matrix("bias", call.dtype, 1, call.vocab, call.bias);
    targets_ = device().allocate({.name = "targets", .line_bytes = call.tokens * (wide ? 8 : 4), .read_only = true});
    const std::vector<std::int32_t> narrow(call.targets.begin(), call.targets.end());
    targets_->write(0, wide ? static_cast<const void*>(call.targets.data()) : narrow.data(),
                    call.tokens * (wide ? 8 : 4));
    class_weights_ = input("class_weights", call.class_weights.data(), call.class_weights.size() * 4);
    upstream_ = input("upstream", call.upstreams.data(), call.upstreams.size() * 4);
    normalizer_ = input("normalizer", call.divisors, 16);
    dhidden_ = matrix("dhidden", call.dtype, call.tokens, call.features, {});
    dweight_ = matrix("dweight", call.dweight_type, call.vocab, call.features, {});
    dbias_ = matrix("dbias", call.dweight_type, 1, call.vocab, {});
    for (auto* each : {&loss_rows_, &z_loss_, &lse_}) *each = output("results", call.tokens * 4);
    argmax_ = output("argmax", call.tokens * 8);
    loss_ = output("loss", 4);
    for (auto* each : {&num_valid_, &bad_targets_, &excess_}) *each = output("counts", 8);
    const Status status = linear_cross_entropy::make_plan(params(), call.plan, call.budget, plan_);
    if (!status.ok()) throw std::runtime_error(status.message);
  }

  static Device& device() { return *plusmax_module()->device; }
  const linear_cross_entropy::Plan& plan() const { return *plan_; }

  linear_cross_entropy::Params params() const {
    const auto stride = static_cast<std::int64_t>(call_.features + call_.gap);
    linear_cross_entropy::Params p;
    p.dtype = call_.dtype;
    p.tokens = static_cast<std::int64_t>(call_.tokens);
    p.vocab = static_cast<std::int64_t>(call_.vocab);
    p.features = static_cast<std::int64_t>(call_.features);
    p.hidden_stride = p.weight_stride = p.dhidden_stride = p.dweight_stride = stride;
    p.hidden = hidden_->data();
    p.weight = weight_->data();
    if (call_.biased) p.bias = bias_->data();
    p.target_type = call_.int32_targets ? PLUSMAX_INT32 : PLUSMAX_INT64;
    p.targets = targets_->data();
    if (call_.weighted) p.class_weights = static_cast<const float*>(class_weights_->data());
    if (!call_.upstreams.empty()) p.upstream = static_cast<const float*>(upstream_->data());
    p.upstream_stride = static_cast<std::int64_t>(call_.upstream_stride);
    if (call_.normalizer) p.normalizer = static_cast<const double*>(normalizer_->data());
    p.options = call_.options;
    p.dweight_type = call_.dweight_type;
    p.add_to_dweight = call_.add;
    if (call_.gradient) {
      p.dhidden = dhidden_->data();
      p.dweight = dweight_->data();
      p.dbias = dbias_->data();
    }
    p.loss_rows = static_cast<float*>(loss_rows_->data());
    p.z_loss = static_cast<float*>(z_loss_->data());
    p.lse = static_cast<float*>(lse_->data());
    if (call_.argmax) p.argmax = static_cast<std::int64_t*>(argmax_->data());
    if (call_.options.reduction != PLUSMAX_NONE) p.loss = static_cast<float*>(loss_->data());
    p.num_valid = static_cast<std::int64_t*>(num_valid_->data());
    p.bad_targets = static_cast<std::int64_t*>(bad_targets_->data());
    p.excess_tokens = static_cast<std::int64_t*>(excess_->data());
    p.plan = plan_.get();
    return p;
  }

  LinearResults run(unsigned char workspace_fill = 0xff) {   // NaN in every type
    for (const auto* each : outputs()) (*each)->fill(0xff);  // NaN in every type
    if (call_.add) {
      prefill(*dweight_, call_.vocab, call_.features);
      prefill(*dbias_, 1, call_.vocab);
    }
    const auto workspace = device().allocate({.name = "workspace", .line_bytes = plan_->workspace_bytes});
    workspace->fill(workspace_fill);
    const Status status = plan_->variant->launch(params(), workspace->data(), device().stream());
    if (!status.ok()) throw std::runtime_error(status.message);
    device().synchronize();
    for (const auto* each : outputs())
      if (const std::string words = (*each)->violation(); !words.empty()) throw std::runtime_error(words);
    if (const std::string words = workspace->violation(); !words.empty()) throw std::runtime_error(words);
    return results();
  }

 private:
  using Buffer = std::unique_ptr<DeviceBuffer>;

  std::vector<const Buffer*> outputs() const {
    return {&dhidden_, &dweight_, &dbias_,     &loss_rows_,   &z_loss_, &lse_,
            &argmax_,  &loss_,    &num_valid_, &bad_targets_, &excess_};
  }
  Buffer matrix(const char* name, plusmax_dtype dtype, std::size_t lines, std::size_t cols, const Values& values) {
    const std::size_t size = reference::size_of(dtype), stride = (cols + call_.gap) * size;
    Buffer buffer = device().allocate(
        {.name = name, .lines = lines, .line_bytes = cols * size, .line_stride = stride, .read_only = !values.empty()});
    for (std::size_t line = 0; line < lines && !values.empty(); ++line)
      write_line(*buffer, dtype, line * stride, values.data() + line * cols, cols);
    buffer->seal();
    return buffer;
  }
  static void write_line(DeviceBuffer& to, plusmax_dtype dtype, std::size_t offset, const double* from,
                         std::size_t cols) {
    std::vector<unsigned char> line(cols * reference::size_of(dtype));
    for (std::size_t i = 0; i < cols; ++i)
      reference::encode(dtype, from[i], line.data() + i * reference::size_of(dtype));
    to.write(offset, line.data(), line.size());
  }
  void prefill(DeviceBuffer& to, std::size_t lines, std::size_t cols) const {
    Values line(cols);
    for (std::size_t i = 0; i < lines; ++i) {
      for (std::size_t j = 0; j < cols; ++j) line[j] = call_.before(i * cols + j);
      write_line(to, call_.dweight_type, i * (cols + call_.gap) * reference::size_of(call_.dweight_type), line.data(),
                 cols);
    }
  }
  static Buffer input(const char* name, const void* from, std::size_t bytes) {
    Buffer buffer = device().allocate({.name = name, .line_bytes = bytes > 0 ? bytes : 1, .read_only = true});
    if (bytes > 0) buffer->write(0, from, bytes);
    buffer->seal();
    return buffer;
  }
  static Buffer output(const char* name, std::size_t bytes) {
    return device().allocate({.name = name, .line_bytes = bytes});
  }

  static Values read(const DeviceBuffer& from, plusmax_dtype dtype, std::size_t lines, std::size_t cols,
                     std::size_t gap, std::vector<unsigned char>& bytes) {
    const std::size_t size = reference::size_of(dtype);
    Values values;
    for (std::size_t line = 0; line < lines && cols > 0; ++line) {
      const std::size_t start = bytes.size();
      bytes.resize(start + cols * size);
      from.read(line * (cols + gap) * size, bytes.data() + start, cols * size);
      for (std::size_t i = 0; i < cols; ++i)
        values.push_back(reference::decode(dtype, bytes.data() + start + i * size));
    }
    return values;
  }
  LinearResults results() const {
    LinearResults r;
    r.loss_rows = read(*loss_rows_, PLUSMAX_F32, 1, call_.tokens, 0, r.bytes);
    r.z_loss = read(*z_loss_, PLUSMAX_F32, 1, call_.tokens, 0, r.bytes);
    r.lse = read(*lse_, PLUSMAX_F32, 1, call_.tokens, 0, r.bytes);
    r.loss = read(*loss_, PLUSMAX_F32, 1, 1, 0, r.bytes)[0];
    r.dhidden = read(*dhidden_, call_.dtype, call_.tokens, call_.features, call_.gap, r.bytes);
    r.dweight = read(*dweight_, call_.dweight_type, call_.vocab, call_.features, call_.gap, r.bytes);
    r.dbias = read(*dbias_, call_.dweight_type, 1, call_.vocab, 0, r.bytes);
    r.argmax.resize(call_.tokens);
    if (call_.tokens > 0) argmax_->read(0, r.argmax.data(), call_.tokens * 8);
    num_valid_->read(0, &r.num_valid, 8);
    bad_targets_->read(0, &r.bad_targets, 8);
    excess_->read(0, &r.excess_tokens, 8);
    return r;
  }

  LinearCall call_;
  Buffer hidden_, weight_, bias_, targets_, class_weights_, upstream_, normalizer_, dhidden_, dweight_, dbias_;
  Buffer loss_rows_, z_loss_, lse_, argmax_, loss_, num_valid_, bad_targets_, excess_;
  std::unique_ptr<linear_cross_entropy::Plan> plan_;
};

}  // namespace plusmax::tests
