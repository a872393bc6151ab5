#include "properties/ops/cross_entropy/memory.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace plusmax::properties::cross_entropy {

std::size_t Memory::result_size() const { return reference::size_of(reference::result_dtype(call_.rows->dtype())); }

// `stride` in elements. Without elements one stays, to see that nothing is written. The last byte lies at the end of the
// buffer's last page, unless the first shall lie at a page's begin: neither side forgives a byte too many.
Memory::Buffer Memory::allocate(const char* name, std::size_t count, std::size_t size, std::size_t stride,
                                bool read_only) const {
  BufferSpec spec;
  spec.name = name;
  spec.read_only = read_only;
  spec.flush_left = execution_.flush_left;
  const bool apart = stride > 1 && count > 1;
  spec.lines = apart ? count : 1;
  spec.line_bytes = apart ? size : std::max<std::size_t>(count, 1) * size;
  spec.line_stride = apart ? stride * size : spec.line_bytes;
  constexpr std::size_t kAlign = 256;
  const std::size_t bytes = (spec.lines - 1) * spec.line_stride + spec.line_bytes;
  if (!execution_.flush_left) spec.phase = (kAlign - bytes % kAlign) % kAlign;
  return device_.allocate(spec);
}

Memory::Buffer Memory::input(const char* name, const void* values, std::size_t count, std::size_t size,
                             std::size_t stride) const {
  Buffer buffer = allocate(name, count, size, stride, true);
  const auto* bytes = static_cast<const unsigned char*>(values);
  if (count == 0) buffer->fill(execution_.result_poison);
  if (stride == 1 && count > 0) buffer->write(0, bytes, count * size);
  for (std::size_t k = 0; stride > 1 && k < count; ++k) buffer->write(k * stride * size, bytes + k * size, size);
  buffer->seal();
  return buffer;
}

Memory::Buffer Memory::output(const char* name, std::int64_t count, std::size_t size) const {
  Buffer buffer = allocate(name, static_cast<std::size_t>(count), size, 1, false);
  buffer->fill(execution_.result_poison);
  return buffer;
}

Memory::Buffer Memory::targets() const {
  const auto stride = static_cast<std::size_t>(call_.options.target_stride);
  if (!call_.options.int32_targets)
    return input("targets", call_.targets.data(), call_.targets.size(), sizeof(std::int64_t), stride);
  const std::vector<std::int32_t> narrow(call_.targets.begin(), call_.targets.end());
  return input("targets", narrow.data(), narrow.size(), sizeof(std::int32_t), stride);
}

Memory::Buffer Memory::state_input(const Output& state) const {
  std::vector<unsigned char> bytes(state.bits.size() * result_size());
  for (std::size_t k = 0; k < state.bits.size(); ++k)
    std::memcpy(bytes.data() + k * result_size(), &state.bits[k], result_size());
  return input("row_state", bytes.data(), state.bits.size(), result_size(), 1);
}

// A line a row, so that what lies between the rows is guard.
Memory::Buffer Memory::gradient() const {
  const std::size_t size = reference::size_of(call_.rows->dtype());
  const auto rows = static_cast<std::size_t>(call_.rows->rows()), cols = static_cast<std::size_t>(call_.rows->cols());
  const auto stride = static_cast<std::size_t>(call_.gradient_stride);
  const bool apart = stride > cols && rows > 1;
  BufferSpec spec;
  spec.name = "dlogits";
  spec.flush_left = execution_.flush_left;
  spec.phase = static_cast<std::size_t>(call_.gradient_phase) * size % 256;
  spec.lines = apart ? rows : 1;
  spec.line_bytes = apart ? cols * size : std::max<std::size_t>(rows * cols, 1) * size;
  spec.line_stride = apart ? stride * size : spec.line_bytes;
  Buffer buffer = device_.allocate(spec);
  buffer->fill(execution_.result_poison);
  return buffer;
}

Memory::Memory(Device& device, const Call& call, const Output* state, const Execution& execution)
    : device_(device),
      call_(call),
      execution_(execution),
      backward_(state != nullptr),
      storage_(*call.rows, call.layout, execution, call.options.gradient == Gradient::in_place) {
  const Options& o = call.options;
  const std::int64_t rows = call.rows->rows();
  logits_ = storage_.place(device);
  targets_ = targets();
  if (!call.weights.empty()) weights_ = input("weights", call.weights.data(), call.weights.size(), sizeof(float), 1);
  if (!call.upstream.empty())
    upstream_ = input("upstream", call.upstream.data(), call.upstream.size(), sizeof(float), 1);
  if (o.normalizer) {
    const double both[] = {o.normalizer->first, o.normalizer->second};
    normalizer_ = input("normalizer", both, 2, sizeof(double), 1);
  }
  if (o.gradient == Gradient::out_of_place) gradient_ = gradient();
  if (backward_) {
    state_ = state_input(*state);
    return;
  }
  if (o.outputs & kLoss) loss_rows_ = output("loss_rows", rows, result_size());
  if (o.outputs & kLse) lse_ = output("lse", rows, result_size());
  if (o.outputs & kZLoss) z_loss_ = output("z_loss", rows, result_size());
  if (o.outputs & kState) state_ = output("row_state", 2 * rows, result_size());
  if (o.outputs & kArgmax) argmax_ = output("argmax", rows, sizeof(std::int64_t));
  if (o.outputs & kBadTargets) bad_targets_ = output("bad_targets", 1, sizeof(std::int64_t));
  if (o.reduction == Reduction::none) return;
  loss_ = output("loss", 1, result_size());
  num_valid_ = output("num_valid", 1, sizeof(std::int64_t));
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
  BufferSpec spec;
  spec.name = "workspace";
  spec.line_bytes = spec.line_stride = bytes;
  spec.flush_left = execution_.flush_left;
  workspace_ = device_.allocate(spec);
  workspace_->fill(execution_.workspace_fill);
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
  Output out;
  if (!buffer || count == 0) return out;
  const std::size_t size = result_size();
  std::vector<unsigned char> bytes(static_cast<std::size_t>(count) * size);
  buffer->read(0, bytes.data(), bytes.size());
  out.values.resize(static_cast<std::size_t>(count));
  out.bits.resize(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < out.values.size(); ++k) {
    out.values[k] = reference::decode(reference::result_dtype(call_.rows->dtype()), bytes.data() + k * size);
    std::memcpy(&out.bits[k], bytes.data() + k * size, size);
  }
  return out;
}

std::vector<std::int64_t> Memory::read_integers(const Buffer& buffer, std::int64_t count) const {
  std::vector<std::int64_t> out;
  if (!buffer || count == 0) return out;
  out.resize(static_cast<std::size_t>(count));
  buffer->read(0, out.data(), out.size() * sizeof(std::int64_t));
  return out;
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
  out.argmax = read_integers(argmax_, rows);
  out.reduced = read(loss_, 1);
  if (num_valid_) out.num_valid = read_integers(num_valid_, 1).front();
  if (bad_targets_) out.bad_targets = read_integers(bad_targets_, 1).front();
  return out;
}

}  // namespace plusmax::properties::cross_entropy
