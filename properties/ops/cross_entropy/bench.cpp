#include "properties/ops/cross_entropy/bench.hpp"

#include "properties/ops/cross_entropy/bench_memory.hpp"
#include "properties/ops/cross_entropy/launch.hpp"
#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace plusmax::properties::cross_entropy {
namespace {

// Gradient elements of one variant that are judged, over all buffers: 0.3 us each.
constexpr std::int64_t kJudgedElements = std::int64_t{1} << 20;

Call distinct_call(const BenchLogits& logits) {
  Call call = call_of(logits.distinct());
  if (call.options.target_stride != 1 || call.options.gradient_stride != 0)
    throw UsageError("bench lays targets and gradients side by side: leave target_stride and gradient_stride out");
  return call;
}

// What all the rows that repeat one are judged by.
class RowJudge {
 public:
  RowJudge(const Exact& exact, std::int64_t row, const CrossEntropyShape& shape) : exact_(exact), row_(row) {
    std::vector<double> scratch;
    const reference::CrossEntropyInput in = exact.input(row, scratch);
    const reference::CrossEntropyRow& value = exact.row(row, reference::Outputs::loss);
    const reference::CrossEntropyBound bound = reference::cross_entropy_bound(in, value, shape);
    reduced_ = {value.cross_entropy, value.z_loss, bound.cross_entropy, bound.z_loss};
    want_ = reference::cross_entropy_result(in, value, kLossQuestion);
    type_ = reference::result_dtype(exact.call().rows->dtype());
    bound_ = reference::cross_entropy_result_bound(in, value, shape, bound, kLossQuestion, type_);
  }

  const reference::ReducedRow& reduced() const { return reduced_; }
  // What is wrong with a loss, or empty.
  std::string loss(const Output& losses, std::int64_t at) {
    const std::uint64_t bits = losses.bits[static_cast<std::size_t>(at)];
    if (passed_ && *passed_ == bits) return "";
    std::vector<double> scratch;
    const auto judged =
        reference::judge_cross_entropy(losses.at(at), type_, want_, bound_, exact_.input(row_, scratch), kLossQuestion);
    if (!judged.passed)
      return fmt::format("got {:.9g}, want {:.9g}, error/bound {:.3g}", losses.at(at), value_of(want_), judged.ratio);
    passed_ = bits;
    return "";
  }

 private:
  static constexpr reference::CrossEntropyQuestion kLossQuestion{reference::CrossEntropyResult::loss, 0};

  const Exact& exact_;
  std::int64_t row_;
  reference::ReducedRow reduced_;
  reference::Certified want_;
  reference::ResultBound bound_;
  plusmax_dtype type_ = PLUSMAX_F32;
  std::optional<std::uint64_t> passed_;  // the last one
};

class Bed final : public BenchBed {
 public:
  Bed(const Case& of, const Module& module)
      : module_(module),
        logits_(of, module),
        call_(distinct_call(logits_)),
        memory_(module, call_, logits_),
        exact_(call_, divisors_of(call_, memory_.targets())) {}

  int buffers() const override { return logits_.buffers(); }
  const void* logits() const override { return logits_.buffer(0).data(); }
  std::size_t logits_bytes() const override { return logits_.bytes(); }
  Traffic traffic() const override {
    switch (call_.options.gradient) {
      case Gradient::none:
        return Traffic::read;
      case Gradient::in_place:
        return Traffic::in_place_copy;
      case Gradient::out_of_place:
        break;
    }
    return Traffic::copy;
  }
  Status restore(int buffer, void* stream) const override { return memory_.restore(buffer, stream); }

  std::string refusal(const Subject& subject) const override {
    const Status status = kernel_of(subject).supports(memory_.params(0));
    return status.ok() ? "" : status.message;
  }
  double bytes(const Subject& subject) const override { return kernel_of(subject).bytes(memory_.params(0)); }
  std::size_t workspace_bytes(const Subject& subject) const override {
    return kernel_of(subject).workspace_bytes(memory_.params(0));
  }
  Status launch(const Subject& subject, int buffer, void* workspace, void* stream) const override {
    return kernel_of(subject).launch(memory_.params(buffer), workspace, stream);
  }

  std::string verify(const Subject& subject, void* workspace) override {
    const CrossEntropyShape shape = kernel_of(subject).error_shape(memory_.params(0));
    for (int buffer = 0; buffer < buffers(); ++buffer) {
      std::string wrong = fresh_launch(subject, buffer, workspace);
      if (wrong.empty()) wrong = judge(buffer, shape);
      if (!wrong.empty()) return fmt::format("buffer {}: {}", buffer, wrong);
    }
    return "";
  }

  // Gradients stay on the device: gigabytes of them.
  std::string repeat(const Subject& subject, void* workspace, int times) override {
    const DeviceBuffer* gradient = memory_.gradient(0);
    const auto first = gradient ? bench_memory(module_, "first gradient", logits_.bytes()) : nullptr;
    std::vector<unsigned char> results;
    for (int k = 0; k < times; ++k) {
      if (std::string wrong = fresh_launch(subject, 0, workspace); !wrong.empty()) return wrong;
      std::vector<unsigned char> bytes = memory_.bytes();
      if (k == 0) {
        results = std::move(bytes);
        if (!gradient) continue;
        if (const Status copied = module_.bench->copy(first->data(), gradient->data(), logits_.bytes(), stream());
            !copied.ok())
          return copied.message;
        continue;
      }
      const std::size_t at =
          gradient ? module_.bench->first_difference(first->data(), gradient->data(), logits_.bytes()) : 0;
      if (gradient && at < logits_.bytes())
        return other_bits(k + 1, times, static_cast<std::int64_t>(at / logits_.row_bytes()), "the gradient");
      if (bytes != results) return fmt::format("launch {} of {} gave another loss than the first", k + 1, times);
    }
    return "";
  }

 private:
  void* stream() const { return module_.device->stream(); }

  std::string fresh_launch(const Subject& subject, int buffer, void* workspace) {
    memory_.poison(buffer);
    return finished(module_, [&](void* on) {
      const Status restored = restore(buffer, on);
      return restored.ok() ? launch(subject, buffer, workspace, on) : restored;
    });
  }

  // The losses of all rows, and whole gradients of some.
  std::string judge(int buffer, const CrossEntropyShape& shape) {
    const Results all = memory_.results();
    std::vector<RowJudge> judges;
    for (std::int64_t r = 0; r < call_.rows->rows(); ++r) judges.emplace_back(exact_, r, shape);
    std::vector<reference::ReducedRow> rows;
    for (std::int64_t r = 0; r < logits_.whole().rows; ++r) {
      RowJudge& judge = judges[static_cast<std::size_t>(logits_.as_distinct(r))];
      rows.push_back(judge.reduced());
      if (all.loss.values.empty()) continue;
      if (const std::string wrong = judge.loss(all.loss, r); !wrong.empty())
        return fmt::format("loss of row {}: {}", r, wrong);
    }
    Record record;
    Tally tally(record);
    if (!all.reduced.values.empty()) {
      const reference::ReducedLoss exact = reduced_of(exact_, rows, shape);
      tally.judge("reduced loss", 0, all.reduced.at(0), value_of(exact.loss),
                  reference::judge_reduced_loss(all.reduced.at(0), result_type(), exact), logits_.whole().rows);
    }
    judge_sample(buffer, all, shape, tally);
    tally.finish();
    return record.outcome == Outcome::passed ? "" : record.reason;
  }

  // By the judge of all checks, which sees the sampled rows as a call of their own.
  void judge_sample(int buffer, const Results& all, const CrossEntropyShape& shape, Tally& tally) {
    const std::int64_t most = std::max<std::int64_t>(2, kJudgedElements / (logits_.whole().cols * buffers()));
    const std::vector<std::int64_t> sample = sample_rows(logits_.whole().rows, most);
    std::vector<std::int64_t> as;
    Measured some{{}, shape};
    some.results.dtype = all.dtype;
    const auto take = [](const Output& from, Output& to, std::int64_t row, std::int64_t each) {
      for (std::int64_t k = row * each; !from.values.empty() && k < (row + 1) * each; ++k) {
        to.values.push_back(from.at(k));
        to.bits.push_back(from.bits[static_cast<std::size_t>(k)]);
      }
    };
    for (const std::int64_t row : sample) {
      as.push_back(logits_.as_distinct(row));
      take(all.loss, some.results.loss, row, 1);
      take(all.z_loss, some.results.z_loss, row, 1);
      take(all.lse, some.results.lse, row, 1);
      take(all.state, some.results.state, row, 2);
      if (!all.argmax.empty()) some.results.argmax.push_back(all.argmax[static_cast<std::size_t>(row)]);
      if (memory_.gradient(buffer) == nullptr) continue;
      const std::vector<unsigned char> bytes = memory_.gradient_row(buffer, row);
      some.results.gradient.insert(some.results.gradient.end(), bytes.begin(), bytes.end());
    }
    if (!sampled_) sampled_ = std::make_unique<Exact>(select(call_, as, dense(call_.rows->cols())), exact_.divisors());
    judge_all("timed call", *sampled_, some, tally);
  }

  plusmax_dtype result_type() const { return reference::result_dtype(logits_.whole().dtype); }

  const Module& module_;
  BenchLogits logits_;
  Call call_;  // of the distinct rows
  BenchMemory memory_;
  Exact exact_;
  std::unique_ptr<Exact> sampled_;
};

}  // namespace

std::vector<BenchCase> bench_cases(std::string_view backend) {
  struct Shape {
    std::int64_t rows, cols;
    plusmax_dtype dtype;
  };
  static constexpr Shape kHost[] = {{16, 1024, PLUSMAX_F32}, {6, 4099, PLUSMAX_BF16}, {2, 40000, PLUSMAX_BF16}};
  static constexpr Shape kDevice[] = {
      {8192, 32000, PLUSMAX_BF16},                                // Llama 2
      {8192, 50257, PLUSMAX_BF16},                                // GPT-2: every row begins somewhere else
      {8192, 128256, PLUSMAX_BF16},                               // Llama 3
      {8192, 151936, PLUSMAX_BF16},                               // Qwen
      {8192, 262144, PLUSMAX_BF16},                               // Gemma
      {4096, 128256, PLUSMAX_F32},  {256, 128256, PLUSMAX_BF16},  // fewer tokens: chunks
      {512, 128256, PLUSMAX_BF16},  {1024, 128256, PLUSMAX_BF16}, {2048, 128256, PLUSMAX_BF16},
  };
  std::vector<BenchCase> cases;
  for (const Shape& shape : backend == "host" ? std::span<const Shape>(kHost) : std::span<const Shape>(kDevice)) {
    Case& of = cases.emplace_back().of;
    of.op = "cross_entropy";
    of.dtype = shape.dtype;
    set_shape(of, shape.rows, shape.cols);
  }
  return cases;
}

std::unique_ptr<BenchBed> bench_bed(const Case& of, const Module& module) { return std::make_unique<Bed>(of, module); }

}  // namespace plusmax::properties::cross_entropy
