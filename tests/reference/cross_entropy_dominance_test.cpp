// The bounds of cross_entropy against simulated kernels: a right one never exceeds them, in any order of summation,
// with any options and outputs; its worst is near enough to mean something; and every textbook mistake exceeds them
// somewhere.
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_rows.hpp"
#include "tests/reference/cross_entropy_simulated.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::CapSlope;
using plusmax::CrossEntropyShape;

namespace {
struct Worst {
  double lse = 0, cross_entropy = 0, z_loss = 0, loss = 0, gradient = 0, label = 0;
  long rows = 0, elements = 0, unjudged = 0, escalations = 0;

  double any() const { return std::max({lse, cross_entropy, z_loss, loss, gradient}); }
};

std::string text_of(const Worst& w) {
  std::ostringstream s;
  s << w.rows << " rows, " << w.elements << " results (" << w.unjudged << " unjudged, " << w.escalations
    << " asked the oracle): lse " << w.lse << ", cross entropy " << w.cross_entropy << ", z-loss " << w.z_loss
    << ", loss " << w.loss << ", gradient " << w.gradient << " (label " << w.label << ")";
  return s.str();
}

// Judges every result of one row; with `must_pass` the first one beyond its bound fails the test.
template <class T>
void judge_row(const SimulatedCrossEntropy<T>& kernel, const OptionRow& row, plusmax_dtype dtype, bool must_pass,
               Worst& worst) {
  const CrossEntropyRow exact = cross_entropy(row.in);
  const CrossEntropyShape shape = kernel.shape(row.in);
  const CrossEntropyBound bound = cross_entropy_bound(row.in, exact, shape);
  const Results<T> got = kernel.run(row.in);
  const auto take = [&](double value, plusmax_dtype stored, const Certified& want, const ResultBound& of,
                        CrossEntropyQuestion q, double& ratio) {
    const Judgement j = judge_cross_entropy(value, stored, want, of, row.in, q);
    if (must_pass && !(j.passed && j.certified)) {
      FAIL(kernel.name << " push " << kernel.f.push << ": result " << static_cast<int>(q.result) << ", column "
                       << q.column << ": " << value << ", exact " << want.value.hi << " of class "
                       << name_of(want.value_class) << ", ratio " << j.ratio << "; " << row.text());
    }
    ratio = std::max(ratio, j.ratio);
    ++worst.elements;
    worst.unjudged += !j.judged;
    worst.escalations += j.escalations;
  };
  const plusmax_dtype result = result_dtype(dtype);
  take(got.lse, result, exact.lse, bound.lse, {CrossEntropyResult::lse, 0}, worst.lse);
  take(got.cross_entropy, result, exact.cross_entropy, bound.cross_entropy, {CrossEntropyResult::cross_entropy, 0},
       worst.cross_entropy);
  take(got.z_loss, result, exact.z_loss, bound.z_loss, {CrossEntropyResult::z_loss, 0}, worst.z_loss);
  take(got.loss, result, exact.loss, bound.loss, {CrossEntropyResult::loss, 0}, worst.loss);
  for (std::size_t j = 0; j < row.x.size(); ++j) {
    const double stored = round_to(dtype, got.gradient[j]);
    double& ratio = static_cast<std::int64_t>(j) == row.in.target ? worst.label : worst.gradient;
    take(stored, dtype, cross_entropy_gradient(row.in, exact, j),
         cross_entropy_gradient_bound(row.in, exact, shape, bound, j, dtype), {CrossEntropyResult::gradient, j}, ratio);
  }
  worst.gradient = std::max(worst.gradient, worst.label);
  ++worst.rows;
}

constexpr struct {
  const char* name;
  int threads;
  bool online, joins;
} kLayouts[] = {
    {"sequential", 1, false, false},           {"32 threads", 32, false, false},
    {"256 threads", 256, false, false},        {"online", 1, true, false},
    {"online, 64 threads", 64, true, false},   {"32 threads, label last", 32, false, true},
    {"online, 64 threads, label last", 64, true, true},
};

template <class T>
SimulatedCrossEntropy<T> simulated(std::size_t layout, CapSlope slope, int push, Mistake mistake = Mistake::none) {
  return {kLayouts[layout].name, kLayouts[layout].threads, kLayouts[layout].online, slope, {push}, mistake,
          kLayouts[layout].joins};
}

// Rows as `dtype` stores them; what rounding makes infinite is left to the test of special rows.
void store_as(plusmax_dtype dtype, OptionRow& row) {
  for (double& x : row.x)
    x = std::clamp(round_to(dtype, x), -largest(dtype), largest(dtype)) *
        (std::isinf(x) ? std::numeric_limits<double>::infinity() : 1);
  row.tie();
}

template <class T>
Worst dominate(plusmax_dtype dtype, std::initializer_list<std::size_t> widths, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Worst worst;
  for (const std::size_t cols : widths) {
    for (std::size_t layout = 0; layout < std::size(kLayouts); ++layout) {
      for (const CapSlope slope : {CapSlope::one_minus_square, CapSlope::exponential}) {
        for (const int push : {-1, 0, 1}) {
          for (OptionRow& row : option_rows(cols, random)) {
            store_as(dtype, row);
            if (dtype == PLUSMAX_F16 && row.choice[5] != 0) row.in.upstream *= 1e5;  // from subnormals to overflow
            judge_row(simulated<T>(layout, slope, push), row, dtype, true, worst);
          }
        }
      }
    }
  }
  WARN(name_of(dtype) << ": " << text_of(worst));
  return worst;
}
}  // namespace

TEST_CASE("cross_entropy dominance: no simulated f32 kernel exceeds its bounds", "[cross_entropy]") {
  const Worst w = dominate<float>(PLUSMAX_F32, {1, 2, 5, 33, 255, 1000}, 11);
  CHECK(w.lse > 0.3);  // sharp enough to mean something
  CHECK(w.loss > 0.1);
  CHECK(w.gradient > 0.1);
  CHECK(w.unjudged < w.elements / 10);
}
TEST_CASE("cross_entropy dominance: no simulated kernel with bf16 logits and gradients exceeds its bounds",
          "[cross_entropy]") {
  CHECK(dominate<float>(PLUSMAX_BF16, {1, 3, 64, 501}, 12).gradient > 0.9);
}
TEST_CASE(
    "cross_entropy dominance: no simulated kernel with f16 logits and gradients exceeds its bounds, from subnormals to "
    "overflow",
    "[cross_entropy]") {
  CHECK(dominate<float>(PLUSMAX_F16, {1, 3, 64, 501}, 13).gradient > 0.9);
}
TEST_CASE("cross_entropy dominance: no simulated f64 kernel exceeds its bounds", "[cross_entropy]") {
  const Worst w = dominate<double>(PLUSMAX_F64, {1, 3, 64, 301}, 14);
  CHECK(w.gradient > 0.1);
  CHECK(w.loss > 0.1);
}
TEST_CASE("cross_entropy dominance: vocabulary-sized rows", "[.slow]") {
  dominate<float>(PLUSMAX_F32, {20011}, 15);
  dominate<float>(PLUSMAX_BF16, {20011}, 16);
}

TEST_CASE("cross_entropy dominance: a kernel that adds more deeply than it says is found, in lse, loss and gradient",
          "[cross_entropy]") {
  OptionRow row;
  row.x.assign(128256, static_cast<double>(-9.7f));
  row.x[5] = 0;
  row.in.target = 7;
  row.tie();
  const CrossEntropyRow exact = cross_entropy(row.in);
  const CrossEntropyShape claimed = simulated<float>(2, CapSlope::exponential, 0).shape(row.in);
  const CrossEntropyBound bound = cross_entropy_bound(row.in, exact, claimed);
  const Results<float> deep = simulated<float>(0, CapSlope::exponential, 0).run(row.in);
  const auto passed = [&](double got, CrossEntropyQuestion q) {
    return judge_cross_entropy(got, PLUSMAX_F32, cross_entropy_result(row.in, exact, q),
                               cross_entropy_result_bound(row.in, exact, claimed, bound, q, PLUSMAX_F32), row.in, q)
        .passed;
  };
  CHECK_FALSE(passed(deep.lse, {CrossEntropyResult::lse, 0}));
  CHECK_FALSE(passed(deep.loss, {CrossEntropyResult::loss, 0}));
  CHECK_FALSE(passed(deep.gradient[100], {CrossEntropyResult::gradient, 100}));
}

TEST_CASE("cross_entropy dominance: every textbook mistake exceeds a bound by far on some row", "[cross_entropy]") {
  constexpr struct {
    Mistake mistake;
    const char* name;
  } kMistakes[] = {
      {Mistake::lse_minus_target, "lse - x_t"},
      {Mistake::log_of_probability, "log of the probability"},
      {Mistake::log_of_sum, "log S at the label"},
      {Mistake::p_minus_one, "p - 1 at the label"},
      {Mistake::p_from_lse, "p = exp(x - lse)"},
      {Mistake::raw_smoothing, "raw sum of logits"},
      {Mistake::smoothing_over_cols_minus_1, "eps / (V - 1)"},
      {Mistake::no_smoothing_gradient, "no - eps / V in the gradient"},
      {Mistake::smoothing_weighs_nothing, "V for the sum of weights"},
      {Mistake::cap_slope_forgotten, "softcap's derivative forgotten"},
      {Mistake::scale_after_cap, "logit scale behind the softcap"},
      {Mistake::scale_forgotten, "logit scale forgotten"},
      {Mistake::rough_tanh, "tanh good to 2^-12"},
      {Mistake::z_loss_gradient_forgotten, "no z-loss in the gradient"},
      {Mistake::z_loss_scaled_by_z, "z-loss divided by Z"},
      {Mistake::upstream_forgotten, "upstream forgotten"},
      {Mistake::masked_logit_capped, "a masked logit capped"},
      {Mistake::weight_of_wrong_column, "the weight of another column"},
  };
  for (const auto& m : kMistakes) {
    std::mt19937_64 random(21);
    Worst worst;
    for (int i = 0; i < 30; ++i) {
      for (const OptionRow& row : option_rows(257, random))
        judge_row(simulated<float>(2, CapSlope::exponential, 0, m.mistake), row, PLUSMAX_F32, false, worst);
    }
    WARN(m.name << ": " << text_of(worst));
    INFO(m.name);
    CHECK(worst.any() > 5);
  }
}
