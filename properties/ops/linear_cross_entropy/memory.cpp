#include "properties/ops/linear_cross_entropy/memory.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::vector<unsigned char> encoded(plusmax_dtype dtype, std::span<const double> values) {
  const std::size_t size = reference::size_of(dtype);
  std::vector<unsigned char> bytes(values.size() * size);
  for (std::size_t k = 0; k < values.size(); ++k) reference::encode(dtype, values[k], bytes.data() + k * size);
  return bytes;
}

}  // namespace

Memory::Buffer Memory::targets() const {
  const auto stride = static_cast<std::size_t>(call_.options.target_stride);
  if (!call_.options.int32_targets)
    return buffers_.input("targets", call_.targets.data(), call_.targets.size(), sizeof(std::int64_t), stride);
  const std::vector<std::int32_t> narrow(call_.targets.begin(), call_.targets.end());
  return buffers_.input("targets", narrow.data(), narrow.size(), sizeof(std::int32_t), stride);
}

Memory::Buffer Memory::bias() const {
  const auto bytes = encoded(call_.dtype(), call_.bias);
  return buffers_.input("bias", bytes.data(), call_.bias.size(), reference::size_of(call_.dtype()), 1);
}

Memory::Buffer Memory::gradient(const char* name, plusmax_dtype dtype, const Buffers::Rectangle& of,
                                const std::vector<double>& before) const {
  const std::size_t size = reference::size_of(dtype);
  Buffer buffer = buffers_.matrix(name, of, size);
  const auto bytes = encoded(dtype, before);
  const std::size_t line = static_cast<std::size_t>(of.cols) * size;
  for (std::size_t r = 0; r * line < bytes.size(); ++r)
    buffer->write(r * static_cast<std::size_t>(of.stride) * size, bytes.data() + r * line, line);
  return buffer;
}

Memory::Memory(Device& device, const Call& call, const Execution& execution)
    : buffers_(device, execution),
      call_(call),
      execution_(execution),
      hidden_storage_(*call.hidden, call.hidden_layout, execution, false, "hidden"),
      weight_storage_(*call.weight, call.weight_layout, execution, false, "weight") {
  const Options& o = call.options;
  const std::int64_t tokens = call.tokens(), vocab = call.vocab(), features = call.features();
  hidden_ = hidden_storage_.place(device);
  weight_ = weight_storage_.place(device);
  targets_ = targets();
  if (!call.bias.empty()) bias_ = bias();
  if (!call.class_weights.empty())
    class_weights_ =
        buffers_.input("class_weights", call.class_weights.data(), call.class_weights.size(), sizeof(float), 1);
  if (!call.upstream.empty())
    upstream_ = buffers_.input("upstream", call.upstream.data(), call.upstream.size(), sizeof(float), 1);
  if (o.normalizer) {
    const double both[] = {o.normalizer->first, o.normalizer->second};
    normalizer_ = buffers_.input("normalizer", both, 2, sizeof(double), 1);
  }
  if (o.gradients & kDhidden)
    dhidden_ = gradient("dhidden", call.dtype(), {tokens, features, call.dhidden.stride, call.dhidden.phase}, {});
  if (o.gradients & kDweight)
    dweight_ = gradient("dweight", call.dweight_type(), {vocab, features, call.dweight.stride, call.dweight.phase},
                        call.dweight_before);
  if (o.gradients & kDbias) dbias_ = gradient("dbias", call.dweight_type(), {1, vocab, vocab, 0}, call.dbias_before);
  if (o.outputs & kLoss) loss_rows_ = buffers_.output("loss_rows", tokens, sizeof(float));
  if (o.outputs & kLse) lse_ = buffers_.output("lse", tokens, sizeof(float));
  if (o.outputs & kZLoss) z_loss_ = buffers_.output("z_loss", tokens, sizeof(float));
  if (o.outputs & kArgmax) argmax_ = buffers_.output("argmax", tokens, sizeof(std::int64_t));
  if (o.outputs & kBadTargets) bad_targets_ = buffers_.output("bad_targets", 1, sizeof(std::int64_t));
  if (o.outputs & kExcessTokens) excess_tokens_ = buffers_.output("excess_tokens", 1, sizeof(std::int64_t));
  if (o.reduction == Reduction::none) return;
  loss_ = buffers_.output("loss", 1, sizeof(float));
  num_valid_ = buffers_.output("num_valid", 1, sizeof(std::int64_t));
}

void Memory::place(plusmax::linear_cross_entropy::Params& p) {
  const auto set = []<class T>(T*& pointer, const Buffer& buffer) {
    if (buffer) pointer = static_cast<T*>(buffer->data());
  };
  p.hidden = static_cast<const char*>(hidden_->data()) + hidden_storage_.first_byte();
  p.weight = static_cast<const char*>(weight_->data()) + weight_storage_.first_byte();
  set(p.bias, bias_);
  set(p.targets, targets_);
  set(p.class_weights, class_weights_);
  set(p.upstream, upstream_);
  set(p.normalizer, normalizer_);
  set(p.dhidden, dhidden_);
  set(p.dweight, dweight_);
  set(p.dbias, dbias_);
  set(p.loss_rows, loss_rows_);
  set(p.z_loss, z_loss_);
  set(p.lse, lse_);
  set(p.argmax, argmax_);
  set(p.loss, loss_);
  set(p.num_valid, num_valid_);
  set(p.bad_targets, bad_targets_);
  set(p.excess_tokens, excess_tokens_);
}

void* Memory::workspace(std::size_t bytes) {
  workspace_ = buffers_.workspace(bytes);
  return workspace_->data();
}

void Memory::demand_intact() const {
  for (const Buffer* buffer :
       {&hidden_, &weight_, &bias_, &targets_, &class_weights_, &upstream_, &normalizer_, &dhidden_, &dweight_, &dbias_,
        &loss_rows_, &z_loss_, &lse_, &argmax_, &loss_, &num_valid_, &bad_targets_, &excess_tokens_, &workspace_})
    if (*buffer)
      if (const std::string violation = (*buffer)->violation(); !violation.empty()) throw DeviceError(violation);
  if (call_.tokens() == 0) demand_unwritten();
  if (!execution_.verify_inputs) return;
  hidden_storage_.verify(*hidden_);
  weight_storage_.verify(*weight_);
}

void Memory::demand_unwritten() const {
  for (const auto& [name, buffer, size] : {std::tuple{"loss_rows", &loss_rows_, sizeof(float)},
                                           {"lse", &lse_, sizeof(float)},
                                           {"z_loss", &z_loss_, sizeof(float)},
                                           {"argmax", &argmax_, sizeof(std::int64_t)},
                                           {"dhidden", &dhidden_, reference::size_of(call_.dtype())}}) {
    if (!*buffer) continue;
    std::vector<unsigned char> bytes(size);
    (*buffer)->read(0, bytes.data(), size);
    for (const unsigned char byte : bytes)
      if (byte != execution_.result_poison) throw DeviceError(fmt::format("{} was written although tokens = 0", name));
  }
}

Results Memory::results() const {
  const std::int64_t tokens = call_.tokens(), vocab = call_.vocab(), features = call_.features();
  const auto numbers = [](const Buffer& buffer, std::int64_t count) {
    return buffer ? losses::read_output(*buffer, PLUSMAX_F32, 1, count, count) : losses::Output();
  };
  const auto gradient = [](const Buffer& buffer, plusmax_dtype dtype, std::int64_t lines, std::int64_t length,
                           std::int64_t stride) {
    return buffer ? losses::read_output(*buffer, dtype, lines, length, stride) : losses::Output();
  };
  const auto count = [](const Buffer& buffer) {
    return buffer ? std::optional(losses::read_integers(*buffer, 1).front()) : std::nullopt;
  };
  Results out;
  out.loss = numbers(loss_rows_, tokens);
  out.z_loss = numbers(z_loss_, tokens);
  out.lse = numbers(lse_, tokens);
  if (argmax_) out.argmax = losses::read_integers(*argmax_, tokens);
  out.reduced = numbers(loss_, 1);
  out.num_valid = count(num_valid_);
  out.bad_targets = count(bad_targets_);
  out.excess_tokens = count(excess_tokens_);
  out.dhidden = gradient(dhidden_, call_.dtype(), tokens, features, call_.dhidden.stride);
  out.dweight = gradient(dweight_, call_.dweight_type(), vocab, features, call_.dweight.stride);
  out.dbias = gradient(dbias_, call_.dweight_type(), 1, vocab, vocab);
  return out;
}

}  // namespace plusmax::properties::linear_cross_entropy
