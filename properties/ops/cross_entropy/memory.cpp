#include "properties/ops/cross_entropy/memory.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace plusmax::properties::cross_entropy {

std::size_t Memory::result_size() const { return reference::size_of(reference::result_dtype(call_.rows->dtype())); }

Memory::Buffer Memory::targets() const {
  const auto stride = static_cast<std::size_t>(call_.options.target_stride);
  if (!call_.options.int32_targets)
    return buffers_.input("targets", call_.targets.data(), call_.targets.size(), sizeof(std::int64_t), stride);
  const std::vector<std::int32_t> narrow(call_.targets.begin(), call_.targets.end());
  return buffers_.input("targets", narrow.data(), narrow.size(), sizeof(std::int32_t), stride);
}

Memory::Buffer Memory::state_input(const Output& state) const {
  std::vector<unsigned char> bytes(state.bits.size() * result_size());
  for (std::size_t k = 0; k < state.bits.size(); ++k)
    std::memcpy(bytes.data() + k * result_size(), &state.bits[k], result_size());
  return buffers_.input("row_state", bytes.data(), state.bits.size(), result_size(), 1);
}

Memory::Memory(Device& device, const Call& call, const Output* state, const Execution& execution)
    : buffers_(device, execution),
      call_(call),
      execution_(execution),
      backward_(state != nullptr),
      storage_(*call.rows, call.layout, execution, call.options.gradient == Gradient::in_place) {
  const Options& o = call.options;
  const std::int64_t rows = call.rows->rows();
  logits_ = storage_.place(device);
  targets_ = targets();
  if (!call.weights.empty()) weights_ = buffers_.input("weights", call.weights.data(), call.weights.size(), sizeof(float), 1);
  if (!call.upstream.empty())
    upstream_ = buffers_.input("upstream", call.upstream.data(), call.upstream.size(), sizeof(float), 1);
  if (o.normalizer) {
    const double both[] = {o.normalizer->first, o.normalizer->second};
    normalizer_ = buffers_.input("normalizer", both, 2, sizeof(double), 1);
  }
  if (o.gradient == Gradient::out_of_place) 
    gradient_ = buffers_.matrix("dlogits", {rows, call.rows->cols(), call.gradient_stride, call.gradient_phase},
                                reference::size_of(call.rows->dtype()));
  if (backward_) {
    state_ = state_input(*state);
    return;
  }
  if (o.outputs & kLoss) loss_rows_ = buffers_.output("loss_rows", rows, result_size());
  if (o.outputs & kLse) lse_ = buffers_.output("lse", rows, result_size());
  if (o.outputs & kZLoss) z_loss_ = buffers_.output("z_loss", rows, result_size());
  if (o.outputs & kState) state_ = buffers_.output("row_state", 2 * rows, result_size());
  if (o.outputs & kArgmax) argmax_ = buffers_.output("argmax", rows, sizeof(std::int64_t));
  if (o.outputs & kBadTargets) bad_targets_ = buffers_.output("bad_targets", 1, sizeof(std::int64_t));
  if (o.reduction == Reduction::none) return;
  loss_ = buffers_.output("loss", 1, result_size());
  num_valid_ = buffers_.output("num_valid", 1, sizeof(std::int64_t));
}

void Memory::place(plusmax::cross_entropy::Params& p) {
  const auto set = []<class T>(T*& pointer, const Buffer& buffer) {
    if (buffer) pointer = static_cast<T*>(buffer->data());
  };
  p.logits = static_cast<const char*>(logits_->data()) + storage_.first_byte();
  set(p.targets, targets_);
  set(p.weights, weights_);
  set(p.upstream, upstream_);
  set(p.normalizer, normalizer_);
  set(p.loss_rows, loss_rows_);
  set(p.lse, lse_);
  set(p.z_loss, z_loss_);
  set(p.row_state, state_);
  set(p.argmax, argmax_);
  set(p.bad_targets, bad_targets_);
  set(p.loss, loss_);
  set(p.num_valid, num_valid_);
  set(p.dlogits, gradient_);
  if (call_.options.gradient == Gradient::in_place) p.dlogits = const_cast<void*>(p.logits);
  p.backward = backward_;
}

void* Memory::workspace(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  workspace_ = buffers_.workspace(bytes);
  return workspace_->data();
}

void Memory::demand_intact() const {
  for (const Buffer* buffer :
       {&logits_, &targets_, &weights_, &upstream_, &normalizer_, &loss_rows_, &lse_, &z_loss_, &state_, &argmax_,
        &bad_targets_, &loss_, &num_valid_, &gradient_, &workspace_})
    if (*buffer)
      if (const std::string violation = (*buffer)->violation(); !violation.empty()) throw DeviceError(violation);
  if (call_.rows->rows() == 0) demand_unwritten();
  if (execution_.verify_inputs) storage_.verify(*logits_);
}

void Memory::demand_unwritten() const {
  for (const auto& [name, buffer, size] :
       {std::tuple{"loss_rows", &loss_rows_, result_size()}, {"lse", &lse_, result_size()},
        {"z_loss", &z_loss_, result_size()}, {"argmax", &argmax_, sizeof(std::int64_t)},
        {"dlogits", &gradient_, reference::size_of(call_.rows->dtype())}}) {
    if (!*buffer) continue;
    std::vector<unsigned char> bytes(size);
    (*buffer)->read(0, bytes.data(), size);
    for (const unsigned char byte : bytes)
      if (byte != execution_.result_poison) throw DeviceError(fmt::format("{} was written although rows = 0", name));
  }
}

Output Memory::read(const Buffer& buffer, std::int64_t count) const {
  if (!buffer) return {};
  return losses::read_output(*buffer, reference::result_dtype(call_.rows->dtype()), 1, count, count);
}

std::vector<unsigned char> Memory::read_gradient() const {
  const bool in_place = call_.options.gradient == Gradient::in_place;
  std::vector<unsigned char> out;
  if (!in_place && !gradient_) return out;
  const std::size_t size = reference::size_of(call_.rows->dtype());
  const std::size_t line = static_cast<std::size_t>(call_.rows->cols()) * size;
  const DeviceBuffer& buffer = in_place ? *logits_ : *gradient_;
  const std::size_t first = in_place ? storage_.first_byte() : 0;
  const auto stride = static_cast<std::size_t>(in_place ? call_.layout.row_stride : call_.gradient_stride) * size;
  const auto rows = static_cast<std::size_t>(call_.rows->rows());
  out.resize(rows * line);
  if (stride == line && rows > 0) {
    buffer.read(first, out.data(), out.size());
    return out;
  }
  for (std::size_t r = 0; r < rows; ++r) buffer.read(first + r * stride, out.data() + r * line, line);
  return out;
}

Results Memory::results() const {
  const std::int64_t rows = call_.rows->rows();
  Results out;
  out.dtype = call_.rows->dtype();
  out.gradient = read_gradient();
  if (backward_) return out;
  out.loss = read(loss_rows_, rows);
  out.z_loss = read(z_loss_, rows);
  out.lse = read(lse_, rows);
  out.state = read(state_, 2 * rows);
  if (argmax_) out.argmax = losses::read_integers(*argmax_, rows);
  out.reduced = read(loss_, 1);
  if (num_valid_) out.num_valid = losses::read_integers(*num_valid_, 1).front();
  if (bad_targets_) out.bad_targets = losses::read_integers(*bad_targets_, 1).front();
  return out;
}

}  // namespace plusmax::properties::cross_entropy
