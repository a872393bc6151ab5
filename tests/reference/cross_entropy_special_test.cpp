// The special-value table of docs/numerics.md section 7 for cross_entropy, row by row, and what ignored rows, targets
// out of range and empty divisors give.
#include "reference/cross_entropy_verdict.hpp"
#include "reference/dtype.hpp"
#include "reference/error.hpp"
#include "tests/catch.hpp"
#include "tests/reference/cross_entropy_simulated.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr ValueClass kFinite = ValueClass::finite, kPlus = ValueClass::positive_infinity,
                     kMinus = ValueClass::negative_infinity, kNone = ValueClass::nan;

CrossEntropyInput input(const std::vector<double>& x, std::int64_t target, double smoothing = 0, double z_loss = 0) {
  CrossEntropyInput in;
  in.logits = x;
  in.target = target;
  in.options.smoothing = smoothing;
  in.options.z_loss = z_loss;
  return in;
}

std::vector<double> gradient_of(const CrossEntropyInput& in) {
  const CrossEntropyRow row = cross_entropy(in);
  std::vector<double> g;
  for (std::size_t j = 0; j < in.logits.size(); ++j) {
    const Certified c = cross_entropy_gradient(in, row, j);
    g.push_back(c.value_class == kFinite ? c.value.hi : kNan);
  }
  return g;
}

void check_near(const std::vector<double>& got, const std::vector<double>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t j = 0; j < got.size(); ++j) CHECK(got[j] == Approx(want[j]).margin(1e-300).epsilon(1e-3));
}
}  // namespace

TEST_CASE("cross_entropy special: each row of the table has its classes, with and without smoothing and z-loss",
          "[cross_entropy][special]") {
  struct Row {
    const char* what;
    std::vector<double> x;
    std::int64_t target;
    ValueClass lse, loss, smoothed, gradient;
    std::int64_t argmax;
  };
  const Row table[] = {
      {"all -inf", {-kInf, -kInf, -kInf}, 1, kMinus, kNone, kNone, kNone, 0},
      {"one column of -inf", {-kInf}, 0, kMinus, kNone, kNone, kNone, 0},
      {"some -inf, label finite", {-kInf, 1, 2, -kInf}, 2, kFinite, kFinite, kPlus, kFinite, 2},
      {"label on -inf", {-kInf, 1, 2, 3}, 0, kFinite, kPlus, kPlus, kFinite, 3},
      {"label the only finite logit", {-kInf, -kInf, 2.5, -kInf}, 2, kFinite, kFinite, kPlus, kFinite, 2},
      {"+inf not the label", {kInf, 1, 2, 3}, 1, kPlus, kNone, kNone, kNone, 0},
      {"+inf the label", {kInf, 1, 2, 3}, 0, kPlus, kNone, kNone, kNone, 0},
      {"two +inf", {1, kInf, kInf, 3}, 0, kPlus, kNone, kNone, kNone, 1},
      {"+inf and -inf", {kInf, -kInf, 2, 3}, 2, kPlus, kNone, kNone, kNone, 0},
      {"NaN not the label", {1, kNan, 2, kNan}, 0, kNone, kNone, kNone, kNone, 1},
      {"NaN the label", {kNan, 1, 2, 3}, 0, kNone, kNone, kNone, kNone, 0},
      {"NaN and +inf", {kInf, 2, kNan, 3}, 1, kNone, kNone, kNone, kNone, 2},
      {"one column", {3}, 0, kFinite, kFinite, kFinite, kFinite, 0},
      {"largest and smallest f32",
       {3.4028234663852886e38, -3.4028234663852886e38, 0, 1},
       1,
       kFinite,
       kFinite,
       kFinite,
       kFinite,
       0},
      {"ties", {1, 7, 7, 7}, 3, kFinite, kFinite, kFinite, kFinite, 1},
  };
  for (const Row& r : table) {
    INFO(r.what);
    for (const double z_loss : {0.0, 0.25}) {
      for (const double smoothing : {0.0, 0.125}) {
        const CrossEntropyRow row = cross_entropy(input(r.x, r.target, smoothing, z_loss));
        CHECK(row.lse.value_class == r.lse);
        CHECK(row.cross_entropy.value_class == (smoothing > 0 ? r.smoothed : r.loss));
        CHECK(row.loss.value_class == (smoothing > 0 ? r.smoothed : r.loss));
        CHECK(row.gradient_class == r.gradient);
        CHECK(row.argmax == r.argmax);
        const ValueClass infinite = r.lse == kMinus ? kPlus : r.lse;  // its square
        CHECK(row.z_loss.value_class == (z_loss == 0 ? kFinite : infinite));
        if (z_loss == 0) CHECK(row.z_loss.value.hi == 0);
      }
    }
  }
}

TEST_CASE("cross_entropy special: gradients of the rows that PyTorch defines", "[cross_entropy][special]") {
  check_near(gradient_of(input({-kInf, 1, 2, -kInf}, 2)), {0, 0.26894, -0.26894, 0});
  check_near(gradient_of(input({-kInf, 1, 2, -kInf}, 2, 0.1)), {-0.025, 0.243941, -0.193941, -0.025});
  check_near(gradient_of(input({-kInf, 1, 2, 3}, 0)), {-1, 0.0900306, 0.244728, 0.665241});
  check_near(gradient_of(input({-kInf, 1, 2, 3}, 0, 0.1)), {-0.925, 0.0650306, 0.219728, 0.640241});
  check_near(gradient_of(input({-kInf, -kInf, 2.5, -kInf}, 2)), {0, 0, 0, 0});
  check_near(gradient_of(input({3e38, -3e38, 0, 1}, 1)), {1, -1, 0, 0});
  check_near(gradient_of(input({3}, 0)), {0});
}

TEST_CASE("cross_entropy special: an only finite label and an only column have the loss 0 and the gradient 0, exactly",
          "[cross_entropy][special]") {
  for (const std::vector<double>& x : {std::vector<double>{-kInf, 2.5, -kInf}, std::vector<double>{2.5}}) {
    const std::int64_t y = x.size() == 1 ? 0 : 1;
    const CrossEntropyRow row = cross_entropy(input(x, y));
    CHECK(row.loss.value.hi == 0);
    CHECK(row.lse.value.hi == 2.5);
    for (const double g : row.gradient_hi) CHECK(g == 0);
  }
}

TEST_CASE("cross_entropy special: the softcap leaves -inf masked and +inf infinite", "[cross_entropy][special]") {
  const std::vector<double> masked{-kInf, 1, 2, -kInf}, infinite{1, kInf};
  CrossEntropyInput in = input(masked, 2);
  in.options.softcap = 5;
  const CrossEntropyRow row = cross_entropy(in);
  CHECK(row.lse.value.hi == Approx(std::log(std::exp(5 * std::tanh(0.2)) + std::exp(5 * std::tanh(0.4)))));
  CHECK(row.gradient_hi[0] == 0);
  in.logits = infinite;
  in.target = 0;
  CHECK(cross_entropy(in).lse.value_class == kPlus);
  CHECK(cross_entropy(in).loss.value_class == kNone);
}

TEST_CASE("cross_entropy special: a cap takes the largest logits, and the largest cap its logits, without an overflow",
          "[cross_entropy][special]") {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const std::vector<double> x{kLargest, -kLargest, 0x1p901, 2, -3};
  for (const double cap : {1e-300, 30.0, 0x1p900, 0x1.8p900, 1e307, kLargest / 4})
    for (std::int64_t target = 0; target < 5; ++target) {
      CrossEntropyInput in = input(x, target);
      in.options.softcap = cap;
      const CrossEntropyRow row = cross_entropy(in);
      const CrossEntropyOracleRow exact = cross_entropy_oracle().row(in, 2400, Outputs::loss);
      INFO("cap " << cap << ", target " << target);
      REQUIRE(row.loss.value_class == kFinite);
      CHECK(absolute_error(row.loss.value.hi, exact.loss.value) <= row.loss.error + exact.loss.error + ulp(PLUSMAX_F64, exact.loss.value.hi));
    }
}

TEST_CASE("cross_entropy special: of logits scaled beyond the largest double nothing is known", "[cross_entropy][special]") {
  const std::vector<double> x{std::numeric_limits<double>::max(), 1, -kInf};
  CrossEntropyInput in = input(x, 1);
  in.options.logit_scale = 2;
  const CrossEntropyRow row = cross_entropy(in);
  REQUIRE(row.unknown);
  const plusmax::CrossEntropyShape shape{};
  const CrossEntropyBound bound = cross_entropy_bound(in, row, shape);
  for (const CrossEntropyResult result : {CrossEntropyResult::lse, CrossEntropyResult::loss, CrossEntropyResult::gradient})
    CHECK_FALSE(judge_cross_entropy(1, PLUSMAX_F64, cross_entropy_result(in, row, {result}),
                                    cross_entropy_result_bound(in, row, shape, bound, {result}, PLUSMAX_F64), in, {result})
                    .judged);
  in.logits = std::span(x).subspan(1);
  CHECK_FALSE(cross_entropy(in).unknown);
}

TEST_CASE("cross_entropy special: weights on masked columns follow IEEE arithmetic", "[cross_entropy][special]") {
  const std::vector<double> x{-kInf, 1, 2, -kInf};
  const auto smoothed = [&](std::vector<float> w, std::int64_t target, double smoothing) {
    CrossEntropyInput in = input(x, target, smoothing);
    in.weights = w;
    return cross_entropy(in).loss.value_class;
  };
  CHECK(smoothed({1, 1, 1, 1}, 1, 0.1) == kPlus);
  CHECK(smoothed({-1, 1, 1, -1}, 1, 0.1) == kMinus);
  CHECK(smoothed({-1, 1, 1, 1}, 1, 0.1) == kNone);
  CHECK(smoothed({0, 1, 1, 1}, 1, 0.1) == kNone);  // 0 inf
  CHECK(smoothed({0, 1, 1, 1}, 1, 0) == kFinite);  // no smoothing evaluates nothing
  CHECK(smoothed({0, 1, 1, 1}, 0, 0) == kNone);    // a weight of 0 does not ignore the row
  CHECK(smoothed({-2, 1, 1, 1}, 0, 0) == kMinus);
  CHECK(smoothed({1, 0, 1, 1}, 1, 0) == kFinite);
}

TEST_CASE("cross_entropy special: an ignored row is +0 throughout and never looked at", "[cross_entropy][special]") {
  for (const std::int64_t ignore : {std::int64_t{-100}, std::int64_t{1}, std::numeric_limits<std::int64_t>::min()}) {
    const std::vector<double> x{kNan, kInf, 1};
    CrossEntropyInput in = input(x, ignore, 0.1, 0.1);
    in.ignore_index = ignore;
    const CrossEntropyRow row = cross_entropy(in);
    CHECK(row.target == TargetClass::ignored);
    CHECK(row.argmax == -1);
    for (const Certified& c : {row.lse, row.loss, row.cross_entropy, row.z_loss, cross_entropy_gradient(in, row, 0)}) {
      CHECK(c.value_class == kFinite);
      CHECK(c.value.hi == 0);
      CHECK(c.error == 0);
    }
    CHECK(row.gradient_is_zero);
  }
  CHECK(judge_zero(0.0).passed);
  for (const double wrong : {-0.0, 1e-300, kNan, kInf}) CHECK_FALSE(judge_zero(wrong).passed);
}

TEST_CASE("cross_entropy special: a target out of range makes loss and gradient NaN, lse and argmax stay",
          "[cross_entropy][special]") {
  for (const std::int64_t y :
       {std::int64_t{3}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 32}) {
    const std::vector<double> x{1, 4, 2};
    const CrossEntropyInput in = input(x, y, 0, 0.5);
    const CrossEntropyRow row = cross_entropy(in);
    CHECK(row.target == TargetClass::out_of_range);
    CHECK(row.loss.value_class == kNone);
    CHECK(row.gradient_class == kNone);
    CHECK(row.lse.value.hi == Approx(std::log(std::exp(1.0) + std::exp(4.0) + std::exp(2.0))));
    CHECK(row.argmax == 1);
    const plusmax::CrossEntropyShape shape = SimulatedCrossEntropy<float>{"", 1, false, {}, {}}.shape(in);
    CHECK(cross_entropy_bound(in, row, shape).lse.value > 0);
  }
}

TEST_CASE("cross_entropy special: classes are judged before values, infinities by the overflow threshold",
          "[cross_entropy][special]") {
  const std::vector<double> x{0, 1};
  const CrossEntropyInput in = input(x, 0);
  const auto judge = [&](double got, plusmax_dtype stored, const Certified& exact, const ResultBound& bound) {
    return judge_cross_entropy(got, stored, exact, bound, in, {CrossEntropyResult::loss, 0}).passed;
  };
  const Certified finite{kFinite, {2, 0}, 0}, beyond{kFinite, {65600, 0}, 0}, below{kFinite, {65519, 0}, 0};
  CHECK(judge(2.5, PLUSMAX_F32, finite, {0.5, 0.5}));
  CHECK_FALSE(judge(2.5000001, PLUSMAX_F32, finite, {0.5, 0.5}));
  for (const double wrong : {kNan, kInf, -kInf}) CHECK_FALSE(judge(wrong, PLUSMAX_F32, finite, {0.5, 0.5}));
  for (const double wrong : {kNan, -kInf, 3e38}) CHECK_FALSE(judge(wrong, PLUSMAX_F32, {kPlus, {}, 0}, {}));
  CHECK(judge(kInf, PLUSMAX_F32, {kPlus, {}, 0}, {}));
  CHECK(judge(kNan, PLUSMAX_F32, {kNone, {}, 0}, {}));
  CHECK(judge(kInf, PLUSMAX_F16, beyond, {17, 1}));
  CHECK_FALSE(judge(65504, PLUSMAX_F16, beyond, {100, 1}));  // never saturates
  CHECK(judge(65504, PLUSMAX_F16, below, {17, 0.5}));
  CHECK_FALSE(judge(kInf, PLUSMAX_F16, below, {17, 0.5}));
  CHECK(judge(kInf, PLUSMAX_F16, below, {17, 1}));
}

TEST_CASE("cross_entropy special: what has no meaning is refused", "[cross_entropy][special]") {
  const auto refused = [](auto change) {
    static const std::vector<double> x{0, 1};
    CrossEntropyInput in = input(x, 0);
    change(in);
    CHECK_THROWS_AS(cross_entropy(in), std::invalid_argument);
  };
  const std::vector<float> three{1, 2, 3}, infinite{1, std::numeric_limits<float>::infinity()};
  refused([](CrossEntropyInput& in) { in.logits = {}; });
  refused([&](CrossEntropyInput& in) { in.weights = three; });
  refused([&](CrossEntropyInput& in) { in.weights = infinite; });
  refused([](CrossEntropyInput& in) { in.options.smoothing = 1; });
  refused([](CrossEntropyInput& in) { in.options.smoothing = -0.1; });
  refused([](CrossEntropyInput& in) { in.options.softcap = -1; });
  refused([](CrossEntropyInput& in) { in.options.logit_scale = 0; });
  refused([](CrossEntropyInput& in) { in.options.z_loss = kNan; });
  refused([](CrossEntropyInput& in) { in.upstream = kInf; });
}
