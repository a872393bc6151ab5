// Tokens and elements that linear_cross_entropy treats specially: ignored, out of range, masked, not finite, too large.
#include "reference/cross_entropy_verdict.hpp"
#include "tests/catch.hpp"
#include "tests/reference/linear_simulated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace plusmax::reference;
using namespace plusmax::test;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Four tokens, three columns, two features; every target is 1.
LinearCase small() {
  LinearCase c{LinearData::zero_mean, PLUSMAX_F32, {}, {}, {}, {}, {}, {}, {}};
  c.x = {1, 2, -1, 0.5, 3, -2, 0.25, 1};
  c.w = {0.5, -1, 2, 1, -0.75, 0.125};
  c.targets = {1, 1, 1, 1};
  c.in.tokens = 4, c.in.vocab = 3, c.in.features = 2;
  c.tie();
  return c;
}

bool same(const InnerProducts& a, const InnerProducts& b) {
  return std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(),
                    [](const InnerProduct& p, const InnerProduct& q) {
                      return p.sum.value.hi == q.sum.value.hi && p.sum.value.lo == q.sum.value.lo &&
                             p.sum.error == q.sum.error && p.magnitude == q.magnitude && p.prefix == q.prefix;
                    });
}
bool all_of_class(const InnerProducts& a, ValueClass c) {
  return std::all_of(a.elements.begin(), a.elements.end(),
                     [&](const InnerProduct& p) { return p.sum.value_class == c; });
}
}  // namespace

TEST_CASE("linear special: rows of W that repeat are the same as all of them written out, bit for bit", "[linear]") {
  std::mt19937_64 random(103);
  LinearCase few = linear_case(LinearData::zero_mean, PLUSMAX_BF16, {7, 23, 6}, random), whole = few;
  few.w.resize(5 * 6);
  for (std::size_t j = 0; j < 23; ++j)
    std::copy_n(few.w.begin() + static_cast<std::ptrdiff_t>(j % 5 * 6), 6,
                whole.w.begin() + static_cast<std::ptrdiff_t>(j * 6));
  few.tie(), whole.tie();
  few.in.distinct_classes = 5;
  const LinearCrossEntropy a = linear_cross_entropy(few.in), b = linear_cross_entropy(whole.in);
  REQUIRE(a.tokens.size() == b.tokens.size());
  CHECK(a.products.cols == 5);
  plusmax::LinearCrossEntropyShape shape{};
  shape.logits = shape.dx = shape.dw = shape.dbias = {0x1p-24, 1, 1, 1, true, 0x1p-149, false};
  const LinearCrossEntropyBound of_a = linear_cross_entropy_bound(few.in, a, shape, {}),
                                of_b = linear_cross_entropy_bound(whole.in, b, shape, {});
  CHECK(of_a.logit_errors == of_b.logit_errors);
  CHECK(of_a.dlogit_errors == of_b.dlogit_errors);
  for (std::size_t i = 0; i < a.tokens.size(); ++i) {
    CHECK(a.tokens[i].logits == b.tokens[i].logits);
    CHECK(a.tokens[i].gradient == b.tokens[i].gradient);
    CHECK(a.tokens[i].gradient_errors == b.tokens[i].gradient_errors);
  }
  few.in.distinct_classes = 24;
  CHECK_THROWS_AS(linear_cross_entropy(few.in), std::invalid_argument);
  few.in.distinct_classes = 4;
  CHECK_THROWS_AS(linear_cross_entropy(few.in), std::invalid_argument);
}

TEST_CASE("linear special: nothing of an ignored token reaches a result, whatever its row of X holds", "[linear]") {
  std::mt19937_64 random(101);
  LinearCase with = linear_case(LinearData::zero_mean, PLUSMAX_F32, {9, 8, 5}, random), without = with;
  without.x.clear(), without.targets.clear();
  for (std::size_t i = 0; i < 9; ++i) {
    if (with.targets[i] == with.in.ignore_index) continue;
    without.x.insert(without.x.end(), with.x.begin() + static_cast<std::ptrdiff_t>(i * 5),
                     with.x.begin() + static_cast<std::ptrdiff_t>(i * 5 + 5));
    without.targets.push_back(with.targets[i]);
  }
  REQUIRE(without.targets.size() < 9);
  without.in.tokens = without.targets.size();
  with.tie(), without.tie();
  const LinearCrossEntropy a = linear_cross_entropy(with.in), b = linear_cross_entropy(without.in);
  REQUIRE(a.tokens.size() == b.tokens.size());
  CHECK(same(dx_of(with.in, a), dx_of(without.in, b)));
  CHECK(same(dw_of(with.in, a, {}), dw_of(without.in, b, {})));
  CHECK(same(dbias_of(with.in, a, {}), dbias_of(without.in, b, {})));
}

TEST_CASE("linear special: a target out of range makes its dX row, dW and dbias NaN and leaves lse", "[linear]") {
  LinearCase c = small();
  c.targets[2] = 3;
  c.tie();
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  CHECK(r.tokens[2].row.lse.value_class == ValueClass::finite);
  CHECK(r.tokens[2].row.lse.error < 1e-14);
  CHECK(r.tokens[2].row.loss.value_class == ValueClass::nan);
  const InnerProducts dx = dx_of(c.in, r);
  for (std::size_t i = 0; i < 4; ++i) CHECK((dx(i, 0).sum.value_class == ValueClass::nan) == (i == 2));
  CHECK(all_of_class(dw_of(c.in, r, {}), ValueClass::nan));
  CHECK(all_of_class(dbias_of(c.in, r, {}), ValueClass::nan));
}

TEST_CASE("linear special: a masked column has a gradient of 0, a masked label an infinite loss", "[linear]") {
  LinearCase c = small();
  c.bias = {-kInfinity, 0, 0.5};
  c.targets[3] = 0;
  c.tie();
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  CHECK(r.tokens[0].logits[0] == -kInfinity);
  CHECK(r.tokens[0].gradient[0] == 0);
  CHECK(r.tokens[0].row.loss.value_class == ValueClass::finite);
  CHECK(r.tokens[3].row.loss.value_class == ValueClass::positive_infinity);
  CHECK(r.tokens[3].gradient[0] == -1);
  const InnerProducts dw = dw_of(c.in, r, {});
  CHECK(dw(0, 0).sum.value.hi == -0.25);
}

TEST_CASE("linear special: NaN in W and +inf in the bias reach every token that counts", "[linear]") {
  LinearCase c = small();
  c.w[3] = kNan;
  c.tie();
  LinearCrossEntropy r = linear_cross_entropy(c.in);
  CHECK(r.tokens[0].row.lse.value_class == ValueClass::nan);
  CHECK(all_of_class(dx_of(c.in, r), ValueClass::nan));
  CHECK(all_of_class(dw_of(c.in, r, {}), ValueClass::nan));
  c = small();
  c.bias = {0, 0, kInfinity};
  c.tie();
  r = linear_cross_entropy(c.in);
  CHECK(r.tokens[0].row.lse.value_class == ValueClass::positive_infinity);
  CHECK(all_of_class(dw_of(c.in, r, {}), ValueClass::nan));
}

TEST_CASE("linear special: a mean over nothing and a batch of ignored tokens have gradients of 0, exactly",
          "[linear]") {
  LinearCase c = small();
  c.in.divisors.no_gradient = true;
  const SimulatedLinear kernel{{"fused chain"}, {}, 2};
  const auto check_zero = [&](std::size_t rows) {
    const LinearCrossEntropy r = linear_cross_entropy(c.in);
    const auto shape = kernel.shape(c, r);
    const LinearCrossEntropyBound b = linear_cross_entropy_bound(c.in, r, shape, {});
    const InnerProducts dx = dx_of(c.in, r), dw = dw_of(c.in, r, {});
    CHECK(dx.elements.size() == rows * 2);
    REQUIRE(dw.elements.size() == 6);
    const std::vector<ResultBound> bounds = dw_bounds(c.in, b, dw, 1, shape, {});
    for (std::size_t e = 0; e < 6; ++e) {
      CHECK(dw.elements[e].sum.value.hi == 0);
      CHECK(judge_certified(0, PLUSMAX_F32, dw.elements[e].sum, bounds[e]).passed);
      CHECK_FALSE(judge_certified(0x1p-120, PLUSMAX_F32, dw.elements[e].sum, bounds[e]).passed);
    }
  };
  check_zero(4);
  c.in.divisors.no_gradient = false;
  c.targets.assign(4, c.in.ignore_index);
  c.x.assign(8, kNan);
  c.tie();
  check_zero(0);
}

TEST_CASE("linear special: dW is added to what was there, a term of the sum as any other", "[linear]") {
  const LinearCase c = small();
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  const std::vector<double> before{1, -2, 3, 1e6, 0, 0.5};
  const InnerProducts alone = dw_of(c.in, r, {}), added = dw_of(c.in, r, {}, before);
  for (std::size_t e = 0; e < 6; ++e) {
    const DoubleDouble want = add(alone.elements[e].sum.value, {before[e], 0});
    CHECK(std::fabs(added.elements[e].sum.value.hi - want.hi) <=
          added.elements[e].sum.error + alone.elements[e].sum.error);
    CHECK(added.elements[e].prefix >= std::fabs(before[e]));
  }
}

TEST_CASE("linear special: a dW that is rounded before it is added needs a bound that says so", "[linear]") {
  std::mt19937_64 random(104);
  const LinearCase c = linear_case(LinearData::zero_mean, PLUSMAX_F16, {6, 40, 9}, random);
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  const InnerProducts alone = dw_of(c.in, r, {});
  const auto in_16_bits = [](double value) { return round_to(PLUSMAX_F16, value); };
  std::vector<double> before;
  for (const InnerProduct& p : alone.elements) before.push_back(in_16_bits(-0.99 * p.sum.value.hi));
  const InnerProducts added = dw_of(c.in, r, {}, before);
  const LinearStorage storage{PLUSMAX_F32, PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_F16, PLUSMAX_F16, PLUSMAX_F32};
  const auto beyond = [&](bool bound_knows, bool rounded_first) {
    auto shape = SimulatedLinear{{"fused chain"}, storage, 6}.shape(c, r);
    shape.dw.rounds_first = bound_knows;
    const LinearCrossEntropyBound b = linear_cross_entropy_bound(c.in, r, shape, storage);
    const std::vector<ResultBound> bounds = dw_bounds(c.in, b, added, 1, shape, storage);
    int count = 0;
    for (std::size_t e = 0; e < bounds.size(); ++e) {
      const double product = alone.elements[e].sum.value.hi;
      const double got = in_16_bits((rounded_first ? in_16_bits(product) : product) + before[e]);
      count += !judge_certified(got, PLUSMAX_F16, added.elements[e].sum, bounds[e]).passed;
    }
    return count;
  };
  CHECK(beyond(true, true) == 0);
  CHECK(beyond(true, false) == 0);
  CHECK(beyond(false, false) == 0);
  CHECK(beyond(false, true) > 100);
}

TEST_CASE("linear special: chunks count the tokens that are left, or all", "[linear]") {
  LinearCase c = small();
  c.targets = {1, c.in.ignore_index, c.in.ignore_index, 0};
  c.tie();
  using Ends = std::vector<std::size_t>;
  CHECK(chunk_ends(c.in, 1, IgnoredTokens::left_out) == Ends{1, 2});
  CHECK(chunk_ends(c.in, 1, IgnoredTokens::kept) == Ends{1, 1, 1, 2});
  CHECK(chunk_ends(c.in, 2, IgnoredTokens::left_out) == Ends{2});
  CHECK(chunk_ends(c.in, 3, IgnoredTokens::kept) == Ends{1, 2});
}

TEST_CASE("linear special: a logit beyond its type is judged as such, and nothing behind it", "[linear]") {
  LinearCase c = small();
  c.x = {300, 300, 1, 1, 1, 1, 1, 1};
  c.w = {200, 100, 1, 1, 1, 1};
  c.tie();
  const SimulatedLinear kernel{{"fused chain"}, {.logits = PLUSMAX_F16, .dlogits = PLUSMAX_F16}, 2};
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  const LinearCrossEntropyBound b = linear_cross_entropy_bound(c.in, r, kernel.shape(c, r), kernel.storage);
  CHECK(judge_certified(kInfinity, PLUSMAX_F16, linear_logit(r.tokens[0], 0), b.logits[0]).passed);
  CHECK_FALSE(judge_certified(65504, PLUSMAX_F16, linear_logit(r.tokens[0], 0), b.logits[0]).passed);
  CHECK_FALSE(judge_certified(1, PLUSMAX_F32, r.tokens[0].row.lse, b.tokens[0].lse).judged);
  CHECK(judge_certified(1, PLUSMAX_F32, r.tokens[1].row.lse, b.tokens[1].lse).judged);
}

TEST_CASE("linear special: nothing is promised of a token whose product may overflow behind a mask", "[linear]") {
  LinearCase c = small();
  c.dtype = PLUSMAX_F32;
  c.x = {1, 1, 1, 0, 1, 0, 1, 0};
  c.w = {1, 0, 2, 0, 3e38, 3e38};  // +inf in f32 of token 0 alone, and NaN with its bias
  c.bias = {0, 0, -kInfinity};
  c.targets = {0, 1, 0, 1};
  c.tie();
  const SimulatedLinear kernel{{"fused chain"}, {}, 2};
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  const LinearCrossEntropyBound b = linear_cross_entropy_bound(c.in, r, kernel.shape(c, r), kernel.storage);
  CHECK_FALSE(b.tokens[0].loss.judged);
  CHECK_FALSE(b.dlogits[0].judged);
  CHECK(std::isinf(b.dlogit_errors[0]));
  CHECK(may_be_argmax(r.tokens[0], std::span(b.logit_errors).first(3), 2));
  CHECK(b.tokens[1].loss.judged);
  CHECK_FALSE(may_be_argmax(r.tokens[1], std::span(b.logit_errors).subspan(3, 3), 2));
}

TEST_CASE("linear special: an argmax is right where no other logit is surely larger", "[linear]") {
  LinearCase c = small();
  c.x = {1, 0, 1, 0, 1, 0, 1, 0};
  c.w = {4, 0, 4 - 0x1p-8, 0, 3, 0};
  c.tie();
  const LinearCrossEntropy r = linear_cross_entropy(c.in);
  const auto may = [&](plusmax_dtype stored, std::int64_t column) {
    const SimulatedLinear kernel{{"fused chain"}, {.logits = stored, .dlogits = stored}, 2};
    const LinearCrossEntropyBound b = linear_cross_entropy_bound(c.in, r, kernel.shape(c, r), kernel.storage);
    return may_be_argmax(r.tokens[0], std::span(b.logit_errors).first(3), column);
  };
  CHECK(may(PLUSMAX_F32, 0));
  CHECK_FALSE(may(PLUSMAX_F32, 1));
  CHECK(may(PLUSMAX_BF16, 1));
  for (const std::int64_t column : {2, 3, -1}) CHECK_FALSE(may(PLUSMAX_BF16, column));
}

TEST_CASE("linear special: what does not fit or has no reference is refused with its numbers", "[linear]") {
  const auto refused = [](auto change, const char* line) {
    LinearCase c = small();
    change(c);
    c.tie();
    CHECK_THROWS_WITH(linear_cross_entropy(c.in), ContainsSubstring(line));
  };
  refused([](LinearCase& c) { c.x.pop_back(); }, "7 elements of X, not 8");
  refused([](LinearCase& c) { c.w.push_back(1); }, "7 elements of W, not 6");
  refused([](LinearCase& c) { c.bias = {1}; }, "1 elements of bias, not 3");
  refused([](LinearCase& c) { c.targets.pop_back(); }, "3 elements of targets, not 4");
  refused([](LinearCase& c) { c.upstream = {1, 2}; }, "2 elements of upstream, not 4");
  refused([](LinearCase& c) { c.class_weights = {1}; }, "1 weights for 3 columns");
  refused([](LinearCase& c) { c.w[0] = kInfinity; }, "an infinite element of W has no reference");
  refused([](LinearCase& c) { c.x[0] = kInfinity; }, "an infinite element of X has no reference");
  LinearCase ignored = small();
  ignored.x[0] = kInfinity, ignored.targets[0] = ignored.in.ignore_index;
  ignored.tie();
  CHECK_NOTHROW(linear_cross_entropy(ignored.in));
}
