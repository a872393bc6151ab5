#include "cli/bench_bed.hpp"

#include "properties/rows.hpp"
#include "reference/bound.hpp"
#include "reference/dtype.hpp"
#include "reference/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace plusmax::cli {
namespace {

constexpr std::size_t kRotatedBytes = std::size_t{512} << 20;  // several times the last cache of a GPU
constexpr std::size_t kMostBuffers = 64;
constexpr std::int64_t kDistinctLogits = std::int64_t{1} << 23;  // random data are slow to make; later rows repeat the first ones
constexpr std::int64_t kVerifiedRows = 67;

}  // namespace

BenchBed::BenchBed(const BenchShape& shape, std::uint64_t seed, const Module& module) : shape_(shape), module_(module) {
  distinct_ = std::clamp<std::int64_t>(kDistinctLogits / shape.cols, 1, shape.rows);
  case_.dtype = shape.dtype;
  case_.seed = seed;
  properties::set_shape(case_, distinct_, shape.cols);
  element_bytes_ = reference::size_of(shape.dtype);
  result_bytes_ = reference::size_of(reference::result_dtype(shape.dtype));
  logits_bytes_ = static_cast<std::size_t>(shape.rows) * static_cast<std::size_t>(shape.cols) * element_bytes_;
  const bool host = std::string_view(module.device->backend()) == "host";
  buffers_ = host ? 1 : static_cast<int>(std::clamp<std::size_t>(kRotatedBytes / logits_bytes_, 1, kMostBuffers));
  for (int i = 0; i < buffers_; ++i) {
    logits_.push_back(module.device->allocate({"logits", 1, logits_bytes_, logits_bytes_, 0, false, false}));
    const std::size_t bytes = static_cast<std::size_t>(shape.rows) * result_bytes_;
    results_.push_back(module.device->allocate({"lse", 1, bytes, bytes, 0, false, false}));
  }
  write_logits();
}

void BenchBed::write_logits() {
  const std::size_t row_bytes = static_cast<std::size_t>(shape_.cols) * element_bytes_;
  std::vector<unsigned char> block(row_bytes * static_cast<std::size_t>(distinct_));
  std::vector<double> row(static_cast<std::size_t>(shape_.cols));
  for (std::int64_t r = 0; r < distinct_; ++r) {
    properties::fill_row(case_, r, row.data());
    for (std::size_t c = 0; c < row.size(); ++c)
      reference::encode(shape_.dtype, row[c], block.data() + static_cast<std::size_t>(r) * row_bytes + c * element_bytes_);
  }
  for (const auto& buffer : logits_)
    for (std::size_t at = 0; at < logits_bytes_; at += block.size()) buffer->write(at, block.data(), std::min(block.size(), logits_bytes_ - at));
}

logsumexp::Params BenchBed::params(int buffer) const {
  logsumexp::Params p;
  p.dtype = shape_.dtype;
  p.rows = shape_.rows, p.cols = shape_.cols, p.row_stride = shape_.cols;
  p.logits = logits_[static_cast<std::size_t>(buffer)]->data();
  p.lse = results_[static_cast<std::size_t>(buffer)]->data();
  return p;
}

void BenchBed::poison_results() {
  for (const auto& buffer : results_) buffer->fill(0xFF);
}

std::string BenchBed::verify(const KernelVariant<logsumexp::Params>& variant) const {
  const ErrorShape shape = variant.error_shape(params(0));
  const plusmax_dtype result = reference::result_dtype(shape_.dtype);
  const auto rows = properties::rows_of(case_);
  std::vector<double> scratch;
  std::vector<unsigned char> bits(result_bytes_);
  for (std::size_t b = 0; b < results_.size(); ++b)
    for (const std::int64_t r : properties::sample_rows(shape_.rows, kVerifiedRows)) {
      results_[b]->read(static_cast<std::size_t>(r) * result_bytes_, bits.data(), result_bytes_);
      const double got = reference::decode(result, bits.data());
      const reference::LogsumexpRow& exact = rows->exact(r % distinct_);
      const auto judged = reference::judge_logsumexp(got, shape_.dtype, exact, reference::logsumexp_bound(exact, shape), rows->row(r % distinct_, scratch));
      if (!judged.passed)
        return fmt::format("row {} of buffer {}: got {:.9g}, want {:.9g}, error/bound {:.3g}", r, b, got, exact.lse.hi, judged.ratio);
    }
  return "";
}

std::string BenchBed::repeat(const KernelVariant<logsumexp::Params>& variant, void* workspace, int times) {
  DeviceBuffer& results = *results_.front();
  std::vector<unsigned char> first(static_cast<std::size_t>(shape_.rows) * result_bytes_), bits(first.size());
  for (int k = 0; k < times; ++k) {
    results.fill(0xFF);
    const Status status = variant.launch(params(0), workspace, module_.device->stream());
    if (!status.ok()) return status.message;
    module_.device->synchronize();
    results.read(0, k == 0 ? first.data() : bits.data(), first.size());
    if (k == 0 || bits == first) continue;
    const auto at = std::mismatch(bits.begin(), bits.end(), first.begin()).first - bits.begin();
    return fmt::format("launch {} of {} gave row {} other bits than the first", k + 1, times, static_cast<std::size_t>(at) / result_bytes_);
  }
  return "";
}

}  // namespace plusmax::cli
