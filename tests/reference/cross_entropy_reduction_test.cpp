// The reduced loss and the divisors: every policy of docs/contracts.md, and the bound against sums in several orders.
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"
#include "tests/reference/cross_entropy_simulated.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::CapSlope;
using plusmax::CrossEntropyShape;

namespace {
const SimulatedCrossEntropy<float> kKernel{"32 threads", 32, false, CapSlope::exponential, {0}};

// A batch of short rows under one set of options: what the reference and the simulated kernel say of each.
struct Batch {
  std::vector<std::vector<double>> x;
  std::vector<std::int64_t> targets;
  std::vector<float> weights;
  CrossEntropyOptions options;
  std::vector<ReducedRow> exact;
  std::vector<float> cross_entropy, z_loss;  // computed; 0 for ignored rows
  CrossEntropyShape shape{};
  double sizes = 0;

  Batch(std::size_t rows, std::size_t cols, int weight_kind, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    options = {f32(0.1), f32(1e-3), 0, 1};
    weights = draw_weights(weight_kind, cols, random);
    for (std::size_t i = 0; i < rows; ++i) {
      x.emplace_back(cols);
      for (double& each : x.back()) each = f32(std::ldexp(static_cast<double>(random() >> 11), -49) - 8);
      targets.push_back(random() % 5 == 0 ? -100 : static_cast<std::int64_t>(random() % cols));
      add(i);
    }
  }

  CrossEntropyInput input(std::size_t i) const {
    CrossEntropyInput in;
    in.logits = x[i], in.weights = weights, in.target = targets[i], in.options = options;
    return in;
  }
  void add(std::size_t i) {
    const CrossEntropyInput in = input(i);
    const CrossEntropyRow row = plusmax::reference::cross_entropy(in, Outputs::loss);
    shape = kKernel.shape(in);
    const CrossEntropyBound bound = cross_entropy_bound(in, row, shape);
    exact.push_back({row.cross_entropy, row.z_loss, bound.cross_entropy, bound.z_loss});
    const Results<float> got = row.target == TargetClass::ignored ? Results<float>{} : kKernel.run(in);
    cross_entropy.push_back(got.cross_entropy), z_loss.push_back(got.z_loss);
  }
  Divisors divisors(Reduction r) const { return divisors_of(r, targets, -100, weights, x[0].size()); }
};

template <class T>
T tree_sum(std::vector<T> v) {
  for (std::size_t n = v.size(); n > 1; n = (n + 1) / 2) {
    for (std::size_t i = 0; i < n / 2; ++i) v[i] += v[n - 1 - i];
  }
  return v[0];
}
template <class T>
T sequential_sum(const std::vector<T>& v) {
  T sum = 0;
  for (const T each : v) sum += each;
  return sum;
}

// The loss from two sums, as a kernel finishes it.
double finish(Reduction r, const Divisors& d, double cross_entropy, double z_loss) {
  if (r == Reduction::sum) return static_cast<float>(cross_entropy) + static_cast<float>(z_loss);
  return static_cast<float>(cross_entropy) * static_cast<float>(1 / d.z.hi) +
         static_cast<float>(z_loss) * static_cast<float>(1 / d.num_valid);
}
}  // namespace

TEST_CASE("cross_entropy reduction: sums in f32 trees, f32 chains and f64 stay within their bounds",
          "[cross_entropy]") {
  double worst = 0;
  for (const std::size_t rows : {1, 2, 17, 500, 3000}) {
    for (const int weight_kind : {0, 1, 2, 3}) {
      Batch batch(rows, 9, weight_kind, rows + static_cast<std::size_t>(weight_kind));
      for (const Reduction r : {Reduction::sum, Reduction::mean}) {
        const Divisors d = batch.divisors(r);
        if (d.no_gradient) continue;
        const double n = static_cast<double>(rows);
        const struct {
          double additions, roundoff, cross_entropy, z_loss;
        } sums[] = {
            {std::ceil(std::log2(n)), 0x1p-24, tree_sum(batch.cross_entropy), tree_sum(batch.z_loss)},
            {n, 0x1p-24, sequential_sum(batch.cross_entropy), sequential_sum(batch.z_loss)},
            {n, 0x1p-53, sequential_sum(std::vector<double>(batch.cross_entropy.begin(), batch.cross_entropy.end())),
             sequential_sum(std::vector<double>(batch.z_loss.begin(), batch.z_loss.end()))},
        };
        for (const auto& s : sums) {
          CrossEntropyShape shape = batch.shape;
          shape.reduction_additions = s.additions, shape.reduction_roundoff = s.roundoff;
          const double got = static_cast<float>(finish(r, d, s.cross_entropy, s.z_loss));
          const Judgement j =
              judge_reduced_loss(got, PLUSMAX_F32, reduce(r, batch.exact, d, false, EmptyMean::zero, shape));
          INFO(rows << " rows, weights " << weight_kind << ", " << (r == Reduction::sum ? "sum" : "mean") << ", h "
                    << s.additions << ", ratio " << j.ratio);
          CHECK(j.passed);
          CHECK(j.certified);
          worst = std::max(worst, j.ratio);
        }
      }
    }
  }
  WARN("worst ratio " << worst);
  CHECK(worst > 0.1);
}

TEST_CASE("cross_entropy reduction: divisors that are not Z and num_valid exceed the bound", "[cross_entropy]") {
  Batch batch(500, 9, 1, 3);
  CrossEntropyShape shape = batch.shape;
  shape.reduction_additions = 500, shape.reduction_roundoff = 0x1p-53;
  const Divisors right = batch.divisors(Reduction::mean);
  const ReducedLoss exact = reduce(Reduction::mean, batch.exact, right, false, EmptyMean::zero, shape);
  const double ce = sequential_sum(batch.cross_entropy), z = sequential_sum(batch.z_loss);
  const auto ratio = [&](double of_ce, double of_z) {
    return judge_reduced_loss(static_cast<float>(ce / of_ce + z / of_z), PLUSMAX_F32, exact).ratio;
  };
  CHECK(ratio(right.z.hi, right.num_valid) <= 1);
  CHECK(ratio(right.num_valid, right.num_valid) > 100);  // counts instead of weights
  CHECK(ratio(500, 500) > 100);                          // all rows, ignored ones included
  CHECK(ratio(right.z.hi, right.z.hi) > 10);             // z-loss is unweighted
}

TEST_CASE("cross_entropy reduction: divisors count what the contract says", "[cross_entropy]") {
  const std::vector<std::int64_t> targets{2, -100, 0, 7, 1};  // one ignored, one out of range
  const std::vector<float> weights{0.5f, -2, 4}, cancels{1, -2, 1};
  const auto of = [&](Reduction r, std::span<const float> w) { return divisors_of(r, targets, -100, w, 3); };
  CHECK(of(Reduction::sum, weights).z.hi == 1);
  CHECK(of(Reduction::none, weights).num_valid == 1);
  CHECK(of(Reduction::mean, {}).z.hi == 3);
  CHECK(of(Reduction::mean, {}).num_valid == 4);
  CHECK(of(Reduction::mean, weights).z.hi == 2.5);
  CHECK(of(Reduction::mean, weights).num_valid == 4);
  CHECK_FALSE(of(Reduction::mean, weights).no_gradient);
  CHECK(of(Reduction::mean, cancels).no_gradient);
  CHECK(divisors_of(Reduction::mean, {}, -100, {}, 3).no_gradient);
  CHECK(divisors_of(Reduction::mean, 12.5, 40).z.hi == 12.5);
  CHECK(divisors_of(Reduction::mean, 0, 40).no_gradient);
}

TEST_CASE("cross_entropy reduction: empty means, bad targets and infinite rows", "[cross_entropy]") {
  const CrossEntropyShape shape = Batch(1, 3, 0, 1).shape;
  const Divisors none = divisors_of(Reduction::mean, {}, -100, {}, 3),
                 one = divisors_of(Reduction::sum, {}, -100, {}, 3);
  CHECK(reduce(Reduction::mean, {}, none, false, EmptyMean::nan, shape).loss.value_class == ValueClass::nan);
  const ReducedLoss zero = reduce(Reduction::mean, {}, none, false, EmptyMean::zero, shape);
  CHECK(judge_reduced_loss(0, PLUSMAX_F32, zero).passed);
  CHECK_FALSE(judge_reduced_loss(1e-40, PLUSMAX_F32, zero).passed);
  CHECK_FALSE(judge_reduced_loss(std::nan(""), PLUSMAX_F32, zero).passed);
  const ReducedLoss sum = reduce(Reduction::sum, {}, one, false, EmptyMean::nan, shape);
  CHECK(sum.loss.value_class == ValueClass::finite);
  CHECK(sum.loss.value.hi == 0);
  CHECK(reduce(Reduction::sum, {}, one, true, EmptyMean::zero, shape).loss.value_class == ValueClass::nan);
  CHECK(reduce(Reduction::mean, {}, none, true, EmptyMean::zero, shape).loss.value_class == ValueClass::nan);
  CHECK_THROWS_AS(reduce(Reduction::none, {}, one, false, EmptyMean::zero, shape), std::invalid_argument);

  const auto of_classes = [&](std::initializer_list<ValueClass> classes, const Divisors& d) {
    std::vector<ReducedRow> rows;
    for (const ValueClass c : classes) rows.push_back({{c, {}, 0}, {}, {}, {}});
    return reduce(Reduction::sum, rows, d, false, EmptyMean::zero, shape).loss.value_class;
  };
  constexpr ValueClass kPlus = ValueClass::positive_infinity, kMinus = ValueClass::negative_infinity;
  CHECK(of_classes({kPlus, ValueClass::finite}, one) == kPlus);
  CHECK(of_classes({kPlus, kMinus}, one) == ValueClass::nan);
  CHECK(of_classes({ValueClass::nan, kMinus}, one) == ValueClass::nan);
  CHECK(of_classes({kPlus}, divisors_of(Reduction::mean, -2, 1)) == kMinus);
}

TEST_CASE("cross_entropy reduction: rows beyond the largest float are judged only where their sum is, too", "[cross_entropy]") {
  CrossEntropyShape shape = Batch(1, 3, 0, 1).shape;
  const auto is_judged = [&](std::initializer_list<double> parts, const Divisors& d, Reduction reduction = Reduction::sum) {
    std::vector<ReducedRow> rows;
    for (const double part : parts) rows.push_back({{ValueClass::finite, {part, 0}, 0}, {}, {}, {}});
    return reduce(reduction, rows, d, false, EmptyMean::zero, shape).bound.judged;
  };
  const Divisors one = divisors_of(Reduction::sum, {}, -100, {}, 3);
  CHECK(is_judged({3e38, 3e38}, one));
  CHECK(is_judged({4e38, 1}, one));
  CHECK_FALSE(is_judged({4e38, -3e38}, one));
  CHECK_FALSE(is_judged({4e38, -9e38}, one));
  CHECK_FALSE(is_judged({4e38}, divisors_of(Reduction::mean, 10, 10), Reduction::mean));
  shape.sum.unit_roundoff = 0x1p-53;
  CHECK(is_judged({4e38, -9e38}, one));
}

TEST_CASE("cross_entropy reduction: gradients without a divisor are +0, bad targets stay NaN", "[cross_entropy]") {
  const std::vector<double> x{1, 2, 3};
  CrossEntropyInput in;
  in.logits = x, in.target = 1, in.divisors = divisors_of(Reduction::mean, 0, 5);
  CrossEntropyRow row = cross_entropy(in);
  CHECK(row.gradient_is_zero);
  CHECK(row.loss.value.hi > 0);  // never divided
  CHECK(cross_entropy_gradient(in, row, 0).value.hi == 0);
  in.target = 3;
  CHECK(cross_entropy(in).gradient_class == ValueClass::nan);
}
