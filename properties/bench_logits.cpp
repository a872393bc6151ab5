#include "properties/bench_logits.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace plusmax::properties {
namespace {

constexpr std::size_t kRotatedBytes = std::size_t{512} << 20;  // several times the last cache of a GPU
constexpr std::size_t kMostBuffers = 64;
constexpr std::int64_t kDistinctLogits = std::int64_t{1} << 22;  // as many as rows_of() keeps

std::vector<unsigned char> block_of(const Case& of, std::size_t row_bytes) {
  const std::size_t element = reference::size_of(of.dtype);
  std::vector<unsigned char> block(row_bytes * static_cast<std::size_t>(of.rows));
  std::vector<double> row(static_cast<std::size_t>(of.cols));
  for (std::int64_t r = 0; r < of.rows; ++r) {
    fill_row(of, r, row.data());
    for (std::size_t c = 0; c < row.size(); ++c)
      reference::encode(of.dtype, row[c], block.data() + static_cast<std::size_t>(r) * row_bytes + c * element);
  }
  return block;
}

}  // namespace

std::unique_ptr<DeviceBuffer> bench_memory(const Module& module, const char* name, std::size_t bytes) {
  return module.device->allocate({name, 1, bytes, bytes, 0, false, false});
}

BenchLogits::BenchLogits(const Case& of, const Module& module) : whole_(of), distinct_(of), module_(module) {
  if (of.row_stride != of.cols || of.col_stride != 1 || of.lse_stride != 1 || of.phase != 0)
    throw UsageError("bench lays its rows side by side: leave stride, col_stride, out_stride and phase out");
  if (!of.data.empty() || !of.set.empty()) throw UsageError("bench draws its logits by a fill: leave data and set out");
  set_shape(distinct_, std::clamp<std::int64_t>(kDistinctLogits / of.cols, 1, of.rows), of.cols);
  row_bytes_ = static_cast<std::size_t>(of.cols) * reference::size_of(of.dtype);
  bytes_ = static_cast<std::size_t>(of.rows) * row_bytes_;
  block_ = block_of(distinct_, row_bytes_);
  const bool host = std::string_view(module.device->backend()) == "host";
  const std::size_t count = host ? 1 : std::clamp<std::size_t>(kRotatedBytes / bytes_, 1, kMostBuffers);
  for (std::size_t i = 0; i < count; ++i) buffers_.push_back(copy());
}

std::unique_ptr<DeviceBuffer> BenchLogits::copy() const {
  auto buffer = bench_memory(module_, "logits", bytes_);
  for (std::size_t at = 0; at < bytes_; at += block_.size())
    buffer->write(at, block_.data(), std::min(block_.size(), bytes_ - at));
  return buffer;
}

std::string other_bits(int launch, int times, std::int64_t row, const char* what) {
  return fmt::format("launch {} of {} gave {} of row {} other bits than the first", launch, times, what, row);
}

}  // namespace plusmax::properties
