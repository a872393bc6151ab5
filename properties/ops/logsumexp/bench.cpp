#include "properties/ops/logsumexp/bench.hpp"

#include "properties/bench_logits.hpp"
#include "properties/rows.hpp"
#include "reference/bound.hpp"
#include "reference/dtype.hpp"
#include "reference/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plusmax::properties::logsumexp {
namespace {

constexpr std::int64_t kVerifiedRows = 67;

class Bed final : public BenchBed {
 public:
  Bed(const Case& of, const Module& module) : module_(module), logits_(of, module) {
    result_bytes_ = reference::size_of(reference::result_dtype(of.dtype));
    for (int i = 0; i < logits_.buffers(); ++i) results_.push_back(bench_memory(module, "lse", results_bytes()));
  }

  int buffers() const override { return logits_.buffers(); }
  const void* logits() const override { return logits_.buffer(0).data(); }
  std::size_t logits_bytes() const override { return logits_.bytes(); }
  Traffic traffic() const override { return Traffic::read; }

  std::string refusal(const Subject& subject) const override {
    const Status status = kernel(subject).supports(params(0));
    return status.ok() ? "" : status.message;
  }
  double bytes(const Subject& subject) const override { return kernel(subject).bytes(params(0)); }
  std::size_t workspace_bytes(const Subject& subject) const override {
    return kernel(subject).workspace_bytes(params(0));
  }
  Status launch(const Subject& subject, int buffer, void* workspace, void* stream) const override {
    return kernel(subject).launch(params(buffer), workspace, stream);
  }

  std::string verify(const Subject& subject, void* workspace) override {
    const ErrorShape shape = kernel(subject).error_shape(params(0));
    for (int buffer = 0; buffer < buffers(); ++buffer) {
      results(buffer).fill(0xFF);  // NaN, so that what the launch does not write is no result
      std::string wrong = finished(module_, [&](void* stream) { return launch(subject, buffer, workspace, stream); });
      if (wrong.empty()) wrong = judge(buffer, shape);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }

  std::string repeat(const Subject& subject, void* workspace, int times) override {
    std::vector<unsigned char> first(results_bytes()), bits(first.size());
    for (int k = 0; k < times; ++k) {
      results(0).fill(0xFF);
      if (std::string wrong = finished(module_, [&](void* stream) { return launch(subject, 0, workspace, stream); });
          !wrong.empty())
        return wrong;
      results(0).read(0, k == 0 ? first.data() : bits.data(), first.size());
      if (k == 0 || bits == first) continue;
      const auto at = std::mismatch(bits.begin(), bits.end(), first.begin()).first - bits.begin();
      return other_bits(k + 1, times, at / static_cast<std::ptrdiff_t>(result_bytes_), "the result");
    }
    return "";
  }

 private:
  const KernelVariant<plusmax::logsumexp::Params>& kernel(const Subject& subject) const {
    return kernel_named(module_.logsumexp, subject.variant);
  }
  DeviceBuffer& results(int buffer) const { return *results_[static_cast<std::size_t>(buffer)]; }
  std::size_t results_bytes() const { return static_cast<std::size_t>(logits_.whole().rows) * result_bytes_; }

  plusmax::logsumexp::Params params(int buffer) const {
    const Case& of = logits_.whole();
    plusmax::logsumexp::Params p;
    p.dtype = of.dtype;
    p.rows = of.rows, p.cols = of.cols, p.row_stride = of.cols;
    p.logits = logits_.buffer(buffer).data();
    p.lse = results(buffer).data();
    return p;
  }

  std::string judge(int buffer, const ErrorShape& shape) const {
    const Case& of = logits_.whole();
    const plusmax_dtype result = reference::result_dtype(of.dtype);
    const auto rows = rows_of(logits_.distinct());
    std::vector<double> scratch;
    std::vector<unsigned char> bits(result_bytes_);
    for (const std::int64_t r : sample_rows(of.rows, kVerifiedRows)) {
      results(buffer).read(static_cast<std::size_t>(r) * result_bytes_, bits.data(), result_bytes_);
      const double got = reference::decode(result, bits.data());
      const std::int64_t as = logits_.as_distinct(r);
      const reference::LogsumexpRow& exact = rows->exact(as);
      const auto judged = reference::judge_logsumexp(got, of.dtype, exact, reference::logsumexp_bound(exact, shape),
                                                     rows->row(as, scratch));
      if (!judged.passed)
        return fmt::format("row {} of buffer {}: got {:.9g}, want {:.9g}, error/bound {:.3g}", r, buffer, got,
                           exact.lse.hi, judged.ratio);
    }
    return "";
  }

  const Module& module_;
  BenchLogits logits_;
  std::size_t result_bytes_;
  std::vector<std::unique_ptr<DeviceBuffer>> results_;
};

}  // namespace

std::vector<BenchCase> bench_cases(std::string_view backend) {
  struct Shape {
    std::int64_t rows, cols;
    plusmax_dtype dtype;
  };
  static constexpr Shape kHost[] = {{64, 1024, PLUSMAX_F32}, {8, 4099, PLUSMAX_BF16}, {1, 65536, PLUSMAX_F32}};
  static constexpr Shape kDevice[] = {
      {8192, 128256, PLUSMAX_BF16},                               // tokens by the vocabulary of Llama 3
      {8192, 128256, PLUSMAX_F32},  {65536, 1024, PLUSMAX_BF16},  // many short rows
      {65536, 1024, PLUSMAX_F32},   {32768, 32768, PLUSMAX_BF16},
      {4096, 262144, PLUSMAX_BF16},                              // the widest vocabularies
      {16, 1 << 20, PLUSMAX_BF16},                               // fewer rows than a GPU has multiprocessors
      {16, 1 << 20, PLUSMAX_F32},   {1, 1 << 24, PLUSMAX_BF16},  // one row for all of it
      {1, 1 << 24, PLUSMAX_F32},
  };
  std::vector<BenchCase> cases;
  for (const Shape& shape : backend == "host" ? std::span<const Shape>(kHost) : std::span<const Shape>(kDevice)) {
    Case& of = cases.emplace_back().of;
    of.dtype = shape.dtype;
    set_shape(of, shape.rows, shape.cols);
  }
  return cases;
}

std::unique_ptr<BenchBed> bench_bed(const Case& of, const Module& module) { return std::make_unique<Bed>(of, module); }

}  // namespace plusmax::properties::logsumexp
