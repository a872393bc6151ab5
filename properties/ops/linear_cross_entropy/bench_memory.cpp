#include "properties/ops/linear_cross_entropy/bench_memory.hpp"

#include "properties/ops/linear_cross_entropy/launch.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::vector<unsigned char> encoded(plusmax_dtype dtype, std::span<const double> values) {
  const std::size_t size = reference::size_of(dtype);
  std::vector<unsigned char> bytes(values.size() * size);
  for (std::size_t k = 0; k < values.size(); ++k) reference::encode(dtype, values[k], bytes.data() + k * size);
  return bytes;
}

losses::Output decoded(plusmax_dtype dtype, const std::vector<unsigned char>& bytes) {
  const std::size_t size = reference::size_of(dtype);
  losses::Output out;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, size);
    out.bits.push_back(bits);
    out.values.push_back(reference::decode(dtype, bytes.data() + at));
  }
  return out;
}

template <class T>
std::vector<T> over_tokens(const std::vector<T>& values, std::int64_t tokens) {
  std::vector<T> all(static_cast<std::size_t>(tokens));
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = values[t % values.size()];
  return all;
}

losses::Output row_of(const DeviceBuffer& buffer, plusmax_dtype dtype, std::int64_t row, std::int64_t features) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(features) * reference::size_of(dtype));
  buffer.read(static_cast<std::size_t>(row) * bytes.size(), bytes.data(), bytes.size());
  return decoded(dtype, bytes);
}

}  // namespace

BenchMemory::Output BenchMemory::output(const char* name, std::int64_t count, std::size_t size) const {
  const std::size_t bytes = static_cast<std::size_t>(count) * size;
  return {bench_memory(module_, name, bytes), bytes};
}

BenchMemory::Buffer BenchMemory::input(const char* name, const void* values, std::size_t bytes) const {
  auto buffer = bench_memory(module_, name, bytes);
  buffer->write(0, values, bytes);
  return buffer;
}

BenchMemory::Buffer BenchMemory::repeated(const char* name, const std::vector<unsigned char>& block,
                                          std::size_t bytes) const {
  auto buffer = bench_memory(module_, name, bytes);
  for (std::size_t at = 0; at < bytes; at += block.size())
    buffer->write(at, block.data(), std::min(block.size(), bytes - at));
  return buffer;
}

BenchMemory::BenchMemory(const Module& module, const BenchData& data) : module_(module), data_(data) {
  const Options& o = data.options;
  const plusmax_dtype dtype = data.whole.dtype, dweight_type = data.dweight_type();
  const std::size_t size = reference::size_of(dtype), dweight_size = reference::size_of(dweight_type);
  const auto elements = [](std::int64_t rows, std::int64_t cols) { return static_cast<std::size_t>(rows * cols); };
  const std::size_t of_hidden = elements(data.tokens(), o.features), of_weight = elements(data.vocab(), o.features);
  hidden_ = repeated("hidden", encoded(dtype, data.hidden), of_hidden * size);
  weight_ = repeated("weight", encoded(dtype, data.weight), of_weight * size);
  if (const auto bytes = encoded(dtype, data.bias); !bytes.empty()) bias_ = input("bias", bytes.data(), bytes.size());
  const std::vector<std::int64_t> targets = data.all_targets();
  const std::vector<std::int32_t> narrow(targets.begin(), targets.end());
  targets_ = o.int32_targets ? input("targets", narrow.data(), narrow.size() * sizeof(std::int32_t))
                             : input("targets", targets.data(), targets.size() * sizeof(std::int64_t));
  const auto floats = [&](const char* name, const std::vector<float>& values) {
    return values.empty() ? nullptr : input(name, values.data(), values.size() * sizeof(float));
  };
  class_weights_ = floats("class_weights", data.class_weights);
  upstream_ = floats("upstream", data.upstream.size() > 1 ? over_tokens(data.upstream, data.tokens()) : data.upstream);
  if (o.normalizer) {
    const double both[] = {o.normalizer->first, o.normalizer->second};
    normalizer_ = input("normalizer", both, sizeof both);
  }
  if (o.gradients & kDhidden) dhidden_ = bench_memory(module, "dhidden", dhidden_bytes_ = of_hidden * size);
  if (o.gradients & kDweight) dweight_ = bench_memory(module, "dweight", dweight_bytes_ = of_weight * dweight_size);
  if (o.gradients & kDbias) dbias_ = output("dbias", data.vocab(), dweight_size);
  if (!data.dweight_before.empty())
    dweight_before_ = repeated("dweight before", encoded(dweight_type, data.dweight_before), dweight_bytes_);
  if (!data.dbias_before.empty())
    dbias_before_ = repeated("dbias before", encoded(dweight_type, data.dbias_before), dbias_.bytes);
  if (o.outputs & kLoss) loss_rows_ = output("loss_rows", data.tokens(), sizeof(float));
  if (o.outputs & kLse) lse_ = output("lse", data.tokens(), sizeof(float));
  if (o.outputs & kZLoss) z_loss_ = output("z_loss", data.tokens(), sizeof(float));
  if (o.outputs & kArgmax) argmax_ = output("argmax", data.tokens(), sizeof(std::int64_t));
  if (o.outputs & kBadTargets) bad_targets_ = output("bad_targets", 1, sizeof(std::int64_t));
  if (o.outputs & kExcessTokens) excess_tokens_ = output("excess_tokens", 1, sizeof(std::int64_t));
  if (o.reduction == Reduction::none) return;
  loss_ = output("loss", 1, sizeof(float));
  num_valid_ = output("num_valid", 1, sizeof(std::int64_t));
}

plusmax::linear_cross_entropy::Params BenchMemory::params() const {
  plusmax::linear_cross_entropy::Params p = params_of(data_.whole);
  const auto set = []<class T>(T*& pointer, const Buffer& buffer) {
    if (buffer) pointer = static_cast<T*>(buffer->data());
  };
  set(p.hidden, hidden_);
  set(p.weight, weight_);
  set(p.bias, bias_);
  set(p.targets, targets_);
  set(p.class_weights, class_weights_);
  set(p.upstream, upstream_);
  set(p.normalizer, normalizer_);
  set(p.dhidden, dhidden_);
  set(p.dweight, dweight_);
  set(p.dbias, dbias_.buffer);
  set(p.loss_rows, loss_rows_.buffer);
  set(p.z_loss, z_loss_.buffer);
  set(p.lse, lse_.buffer);
  set(p.argmax, argmax_.buffer);
  set(p.loss, loss_.buffer);
  set(p.num_valid, num_valid_.buffer);
  set(p.bad_targets, bad_targets_.buffer);
  set(p.excess_tokens, excess_tokens_.buffer);
  return p;
}

std::vector<const BenchMemory::Output*> BenchMemory::outputs() const {
  std::vector<const Output*> there;
  for (const Output* each :
       {&loss_rows_, &z_loss_, &lse_, &argmax_, &loss_, &num_valid_, &bad_targets_, &excess_tokens_, &dbias_})
    if (each->buffer) there.push_back(each);
  return there;
}

void BenchMemory::reset() {
  for (const Output* each : outputs()) each->buffer->fill(0xFF);
  const auto again = [&](const Buffer& to, const Buffer& from, std::size_t bytes) {
    if (!to) return;
    if (!from) return to->fill(0xFF);
    const Status status = module_.bench->copy(to->data(), from->data(), bytes, module_.device->stream());
    if (!status.ok()) throw DeviceError(status.message);
  };
  again(dhidden_, nullptr, dhidden_bytes_);
  again(dweight_, dweight_before_, dweight_bytes_);
  if (dbias_before_) again(dbias_.buffer, dbias_before_, dbias_.bytes);
}

std::vector<unsigned char> BenchMemory::small_results() const {
  std::vector<unsigned char> all;
  for (const Output* each : outputs()) {
    const std::size_t at = all.size();
    all.resize(at + each->bytes);
    each->buffer->read(0, all.data() + at, each->bytes);
  }
  return all;
}

losses::Output BenchMemory::numbers(const Output& output, std::int64_t count) const {
  return output.buffer ? losses::read_output(*output.buffer, PLUSMAX_F32, 1, count, count) : losses::Output();
}

losses::Output BenchMemory::dhidden_row(std::int64_t token) const {
  return row_of(*dhidden_, data_.whole.dtype, token, data_.features());
}

losses::Output BenchMemory::dweight_row(std::int64_t column) const {
  return row_of(*dweight_, data_.dweight_type(), column, data_.features());
}

losses::Output BenchMemory::dbias() const {
  return losses::read_output(*dbias_.buffer, data_.dweight_type(), 1, data_.vocab(), data_.vocab());
}

}  // namespace plusmax::properties::linear_cross_entropy
