// Catches what loses a confident token: lse - x, p - 1, log of a sum that 1 has swallowed. Leaves the points of a figure.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/measure.hpp"
#include "reference/dtype.hpp"
#include "reference/error.hpp"

#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::int64_t kMostColumns = 4096;
constexpr int kFirstDecade = 2, kLastDecade = 30;  // 1 - p of the label: 1e-2 to 1e-30

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  if (of.cols < 2) return "one column: p is 1";
  return of.cols > kMostColumns ? "more columns than the rows of confident tokens have" : "";
}

// A row a decade: the label somewhere, so that differences from it are rounded, and the others so far below it that their
// shares add up to about 1 - p.
Call confident_call(const Case& of) {
  const Random random = random_of(of, "confident");
  const std::int64_t rows = kLastDecade - kFirstDecade + 1;
  std::vector<double> values;
  Call call;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = static_cast<std::uint64_t>(r);
    const auto label = static_cast<std::int64_t>(random.bits(row) % static_cast<std::uint64_t>(of.cols));
    const double top = reference::round_to(of.dtype, 16 * random.uniform(row, 0x70B) - 8);
    const double depth = std::pow(10.0, -static_cast<double>(kFirstDecade + r)) / static_cast<double>(of.cols - 1);
    for (std::int64_t c = 0; c < of.cols; ++c) {
      const double below = std::log(depth) + random.uniform(static_cast<std::uint64_t>(c), row + 1) - 0.5;
      values.push_back(c == label ? top : reference::round_to(of.dtype, top + below));
    }
    call.targets.push_back(label);
  }
  call.rows = std::make_shared<Rows>(of.dtype, rows, of.cols, std::move(values));
  call.layout = reshaped(of, rows, of.cols);
  call.gradient_stride = call.layout.row_stride;
  call.gradient_phase = call.layout.phase;
  call.options.outputs = kLoss | kLse;
  call.options.gradient = Gradient::out_of_place;
  return call;
}

struct Textbook {
  double loss, gradient;
};

// What one would write: loss = lse - x, and the label's gradient p - 1 with p in the type of the gradient.
template <class Real>
Textbook textbook(std::span<const double> row, std::size_t label, plusmax_dtype stored) {
  Real maximum = static_cast<Real>(row[0]), sum = 0;
  for (const double x : row) maximum = std::max(maximum, static_cast<Real>(x));
  for (const double x : row) sum += std::exp(static_cast<Real>(x) - maximum);
  const Real lse = maximum + std::log(sum), x = static_cast<Real>(row[label]);
  const double p = reference::round_to(stored, static_cast<double>(std::exp(x - lse)));
  return {static_cast<double>(lse - x), reference::round_to(stored, p - 1)};
}

AccuracyPoint point(const char* result, plusmax_dtype type, double x, double got, double written,
                    const reference::Certified& exact) {
  return {result, x, std::fabs(reference::ulp_error(type, got, exact.value)),
          std::fabs(reference::ulp_error(type, written, exact.value))};
}

void add_points(const Exact& exact, const Results& results, Record& record) {
  const Call& call = exact.call();
  const plusmax_dtype type = call.rows->dtype(), result = reference::result_dtype(type);
  std::vector<double> scratch, gradient;
  for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
    const auto& of = exact.row(r, reference::Outputs::loss_and_gradient);
    const reference::CrossEntropyInput in = exact.input(r, scratch);
    const auto label = static_cast<std::size_t>(call.target(r));
    const double x = of.sizes.sum_without_target.hi / of.sizes.sum.hi;
    const Textbook written = type == PLUSMAX_F64 ? textbook<double>(in.logits, label, type)
                                                 : textbook<float>(in.logits, label, type);
    results.gradient_row(r, call.rows->cols(), gradient);
    record.accuracy.push_back(point("loss", result, x, results.loss.at(r), written.loss, of.loss));
    record.accuracy.push_back(point("gradient of the label", type, x, gradient[label], written.gradient,
                                    reference::cross_entropy_gradient(in, of, label)));
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Exact exact(confident_call(of));
  const auto measured = measure(subject, exact.call(), execution_of(subject), tally);
  if (measured) {
    judge_all("confident tokens", exact, *measured, tally);
    add_points(exact, measured->results, record);
  }
  tally.finish();
}

}  // namespace
extern const Check confident;
const Check confident = {"confident",
                         "loss and gradient of the label keep their relative accuracy while p goes to 1",
                         true, applies, run, true};
}  // namespace plusmax::properties::cross_entropy
