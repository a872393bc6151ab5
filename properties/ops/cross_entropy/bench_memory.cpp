#include "properties/ops/cross_entropy/bench_memory.hpp"

#include "properties/ops/cross_entropy/launch.hpp"
#include "reference/dtype.hpp"

#include <cstring>

namespace plusmax::properties::cross_entropy {
namespace {

template <class T>
std::vector<T> repeated(const std::vector<T>& values, std::int64_t rows) {
  if (values.size() <= 1) return values;
  std::vector<T> all(static_cast<std::size_t>(rows));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = values[r % values.size()];
  return all;
}

}  // namespace

BenchMemory::Buffer BenchMemory::input(const char* name, const void* from, std::size_t bytes) const {
  auto buffer = bench_memory(module_, name, bytes);
  buffer->write(0, from, bytes);
  return buffer;
}

BenchMemory::Output BenchMemory::output(const char* name, std::size_t count, std::size_t size) const {
  return {bench_memory(module_, name, count * size), count * size};
}

BenchMemory::BenchMemory(const Module& module, const Call& call, const BenchLogits& logits)
    : module_(module), call_(call), logits_(logits) {
  const Options& o = call.options;
  const std::int64_t rows = logits.whole().rows;
  targets_ = repeated(call.targets, rows);
  targets_.resize(static_cast<std::size_t>(rows), call.targets.front());
  if (o.int32_targets) {
    const std::vector<std::int32_t> narrow(targets_.begin(), targets_.end());
    target_memory_ = input("targets", narrow.data(), narrow.size() * sizeof(std::int32_t));
  } else {
    target_memory_ = input("targets", targets_.data(), targets_.size() * sizeof(std::int64_t));
  }
  if (!call.weights.empty()) weights_ = input("weights", call.weights.data(), call.weights.size() * sizeof(float));
  if (const auto upstream = repeated(call.upstream, rows); !upstream.empty())
    upstream_ = input("upstream", upstream.data(), upstream.size() * sizeof(float));
  if (o.normalizer) {
    const double both[] = {o.normalizer->first, o.normalizer->second};
    normalizer_ = input("normalizer", both, sizeof both);
  }
  if (o.gradient == Gradient::in_place) master_ = logits.copy();
  for (int i = 0; o.gradient == Gradient::out_of_place && i < logits.buffers(); ++i)
    gradients_.push_back(bench_memory(module, "dlogits", logits.bytes()));

  const std::size_t real = reference::size_of(reference::result_dtype(call.rows->dtype()));
  const auto all = static_cast<std::size_t>(rows);
  if (o.outputs & kLoss) loss_rows_ = output("loss_rows", all, real);
  if (o.outputs & kZLoss) z_loss_ = output("z_loss", all, real);
  if (o.outputs & kLse) lse_ = output("lse", all, real);
  if (o.outputs & kState) state_ = output("row_state", 2 * all, real);
  if (o.outputs & kArgmax) argmax_ = output("argmax", all, sizeof(std::int64_t));
  if (o.outputs & kBadTargets) bad_targets_ = output("bad_targets", 1, sizeof(std::int64_t));
  if (o.reduction == Reduction::none) return;
  loss_ = output("loss", 1, real);
  num_valid_ = output("num_valid", 1, sizeof(std::int64_t));
}

plusmax::cross_entropy::Params BenchMemory::params(int buffer) const {
  plusmax::cross_entropy::Params p = params_of(call_);
  const auto set = []<class T>(T*& pointer, const Buffer& memory) {
    if (memory) pointer = static_cast<T*>(memory->data());
  };
  p.rows = logits_.whole().rows;
  p.upstream_stride = call_.upstream.size() > 1 ? 1 : 0;
  p.row_stride = p.dlogits_stride = p.cols;
  p.logits = logits_.buffer(buffer).data();
  if (const DeviceBuffer* to = gradient(buffer)) p.dlogits = to->data();
  set(p.targets, target_memory_);
  set(p.weights, weights_);
  set(p.upstream, upstream_);
  set(p.normalizer, normalizer_);
  set(p.loss_rows, loss_rows_.buffer);
  set(p.z_loss, z_loss_.buffer);
  set(p.lse, lse_.buffer);
  set(p.row_state, state_.buffer);
  set(p.argmax, argmax_.buffer);
  set(p.loss, loss_.buffer);
  set(p.num_valid, num_valid_.buffer);
  set(p.bad_targets, bad_targets_.buffer);
  return p;
}

DeviceBuffer* BenchMemory::gradient(int buffer) const {
  if (call_.options.gradient == Gradient::in_place) return &logits_.buffer(buffer);
  return gradients_.empty() ? nullptr : gradients_[static_cast<std::size_t>(buffer)].get();
}

Status BenchMemory::restore(int buffer, void* stream) const {
  if (!master_) return {};
  return module_.bench->copy(logits_.buffer(buffer).data(), master_->data(), logits_.bytes(), stream);
}

std::vector<const BenchMemory::Output*> BenchMemory::outputs() const {
  std::vector<const Output*> there;
  for (const Output* each : {&loss_rows_, &z_loss_, &lse_, &state_, &argmax_, &loss_, &num_valid_, &bad_targets_})
    if (each->buffer) there.push_back(each);
  return there;
}

void BenchMemory::poison(int buffer) {
  for (const Output* each : outputs()) each->buffer->fill(0xFF);  // NaN, and no count
  if (!gradients_.empty()) gradients_[static_cast<std::size_t>(buffer)]->fill(0xFF);
}

std::vector<unsigned char> BenchMemory::read(const Output& output) const {
  std::vector<unsigned char> bytes(output.bytes);
  if (output.buffer) output.buffer->read(0, bytes.data(), bytes.size());
  return bytes;
}

std::vector<unsigned char> BenchMemory::bytes() const {
  std::vector<unsigned char> all;
  for (const Output* each : outputs()) {
    const std::vector<unsigned char> bytes = read(*each);
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

cross_entropy::Output BenchMemory::reals(const Output& output) const {
  const plusmax_dtype type = reference::result_dtype(call_.rows->dtype());
  const std::size_t size = reference::size_of(type);
  const std::vector<unsigned char> bytes = read(output);
  cross_entropy::Output out;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    out.bits.push_back(bits);
    out.values.push_back(reference::decode(type, bytes.data() + at));
  }
  return out;
}

Results BenchMemory::results() const {
  const auto integers = [&](const Output& output) {
    const std::vector<unsigned char> bytes = read(output);
    std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  };
  Results out;
  out.dtype = call_.rows->dtype();
  out.loss = reals(loss_rows_), out.z_loss = reals(z_loss_), out.lse = reals(lse_), out.state = reals(state_);
  out.reduced = reals(loss_);
  out.argmax = integers(argmax_);
  if (num_valid_.buffer) out.num_valid = integers(num_valid_).front();
  if (bad_targets_.buffer) out.bad_targets = integers(bad_targets_).front();
  return out;
}

std::vector<unsigned char> BenchMemory::gradient_row(int buffer, std::int64_t row) const {
  std::vector<unsigned char> bytes(logits_.row_bytes());
  gradient(buffer)->read(static_cast<std::size_t>(row) * bytes.size(), bytes.data(), bytes.size());
  return bytes;
}

}  // namespace plusmax::properties::cross_entropy
