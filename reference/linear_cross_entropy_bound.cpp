#include "reference/linear_cross_entropy_bound.hpp"

#include "reference/dtype.hpp"
#include "reference/product_bound.hpp"
#include "reference/sum_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of an f32 number of this size that is off by `error` and stored as `dtype`.
ResultBound stored(plusmax_dtype dtype, double size, double error) {
  ResultBound r;
  r.unrounded = r.value = error * kBoundInflation;
  if (dtype != PLUSMAX_F32) r.value += ulp(dtype, size + r.unrounded) / 2;
  r.judged = std::isfinite(r.value);
  return r;
}

// How far a number stored as `dtype` may be from the exact one: nothing is known once it may have overflowed.
double farthest(plusmax_dtype dtype, double size, const ResultBound& b) {
  return b.judged && size + b.unrounded < largest(dtype) ? b.value : kInfinity;
}

ResultBound logit_bound(const LinearCrossEntropyInput& in, const LinearToken& t, const InnerProduct& product,
                        std::size_t j, const ProductShape& shape, plusmax_dtype dtype) {
  if (!std::isfinite(t.logits[j])) return {};
  double error = product_error(shape, product, in.features);
  if (!in.bias.empty()) error += shape.unit_roundoff * (std::fabs(t.logits[j]) + error) + shape.underflow;
  return stored(dtype, std::fabs(t.logits[j]), error + t.logit_errors[j]);
}

// A masked logit is -inf, unless its product overflows: +inf and a bias of -inf are NaN.
double masked_logit_error(const LinearCrossEntropyInput& in, const InnerProduct& product, const ProductShape& shape) {
  if (product.sum.value_class != ValueClass::finite) return 0;
  return std::isfinite(product_error(shape, product, in.features)) ? 0 : kInfinity;
}

// Of a token with a logit that may have overflowed.
void promise_nothing(CrossEntropyBound& b) {
  for (ResultBound* r : {&b.lse, &b.cross_entropy, &b.z_loss, &b.loss}) r->judged = false;
}

// One token: its logits, and what they and the kernel's own roundings do to everything behind them.
void bound_token(const LinearCrossEntropyInput& in, const LinearCrossEntropy& r, std::size_t at,
                 const LinearCrossEntropyShape& shape, const LinearStorage& s, LinearCrossEntropyBound& b) {
  const LinearToken& t = r.tokens[at];
  std::vector<double> errors(in.vocab);
  bool lost = false;
  for (std::size_t j = 0; j < in.vocab; ++j) {
    b.logits.push_back(logit_bound(in, t, r.products(at, weight_row(in, j)), j, shape.logits, s.logits));
    errors[j] = farthest(s.logits, std::fabs(t.logits[j]), b.logits.back()) + t.logit_errors[j];
    if (!std::isfinite(t.logits[j]))
      errors[j] = masked_logit_error(in, r.products(at, weight_row(in, j)), shape.logits);
    lost = lost || std::isinf(errors[j]);
  }
  b.logit_errors.insert(b.logit_errors.end(), errors.begin(), errors.end());
  const CrossEntropyInput row = token_input(in, t, errors);
  b.tokens.push_back(cross_entropy_bound(row, t.row, shape.cross_entropy));
  if (lost) promise_nothing(b.tokens.back());
  for (std::size_t j = 0; j < in.vocab; ++j) {
    b.dlogits.push_back(cross_entropy_gradient_bound(row, t.row, shape.cross_entropy, b.tokens.back(), j, s.dlogits));
    ResultBound& g = b.dlogits.back();
    g.unrounded += t.gradient_errors[j], g.value += t.gradient_errors[j];
    g.judged = g.judged && std::isfinite(g.value) && !lost;
    b.dlogit_errors.push_back(farthest(s.dlogits, std::fabs(t.gradient[j]), g));
  }
}

// A sum of dlogits times another factor, whose dlogits are off by what `input_errors` has multiplied out.
struct SumRule {
  const ProductShape& shape;
  plusmax_dtype output, accumulator;
  std::size_t chunks;     // how often the accumulator is stored
  std::size_t additions;  // parts that are added to what is there

  bool rounds_first() const { return shape.rounds_first && additions > 0; }
  // Of the parts, each rounded to `type` before it is added, beside what they are off by.
  double first_roundings(const InnerProduct& p, plusmax_dtype type) const {
    if (!rounds_first()) return 0;
    return unit_roundoff(type) * p.added + static_cast<double>(additions) * ulp(type, 0) / 2;
  }

  ResultBound operator()(const InnerProduct& p, std::size_t terms, double input_error) const {
    if (p.sum.value_class != ValueClass::finite) return {};
    if (accumulator == PLUSMAX_F32) {
      double error = input_error + product_error(shape, p, terms, input_error) + p.sum.error;
      if (rounds_first()) error += unit_roundoff(output) * error + first_roundings(p, output);
      ResultBound r = stored(output, std::fabs(p.sum.value.hi), error);
      r.judged = r.judged && (!rounds_first() || p.added + error < largest(output));
      return r;
    }
    // Every store rounds the running sum and what it is off by already: (1 + u)^chunks <= exp(chunks u). The products
    // meet running sums that are off by all of that. A product that is rounded first carries one 1 + u more.
    const double u = unit_roundoff(accumulator), stores = static_cast<double>(chunks);
    const double growth = std::exp((stores + (rounds_first() ? 1 : 0)) * u);
    const double before =
        input_error + u * p.at_ends + stores * ulp(accumulator, 0) / 2 + first_roundings(p, accumulator);
    const double of_products = growth * product_error(shape, p, terms, growth * before);
    ResultBound r;
    r.value = r.unrounded = (growth * (before + of_products) + p.sum.error) * kBoundInflation;
    r.judged = product_steps(shape, terms) * shape.step_error * shape.unit_roundoff * (1 + growth) <= 1 &&
               p.prefix + r.value < largest(accumulator) &&
               (!rounds_first() || p.added + r.value < largest(accumulator));
    return r;
  }
};

std::vector<ResultBound> bounds_of(const InnerProducts& sums, const std::vector<double>& input_errors,
                                   const SumRule& rule) {
  std::vector<ResultBound> bounds;
  for (std::size_t e = 0; e < sums.elements.size(); ++e)
    bounds.push_back(rule(sums.elements[e], sums.terms, input_errors[e]));
  return bounds;
}

Matrix dlogit_errors(const LinearCrossEntropyInput& in, const LinearCrossEntropyBound& b) {
  return row_major(b.dlogit_errors, b.tokens.size(), in.vocab);
}
}  // namespace

LinearCrossEntropyBound linear_cross_entropy_bound(const LinearCrossEntropyInput& in, const LinearCrossEntropy& r,
                                                   const LinearCrossEntropyShape& shape, const LinearStorage& storage) {
  LinearCrossEntropyBound b;
  for (std::size_t i = 0; i < r.tokens.size(); ++i) bound_token(in, r, i, shape, storage, b);
  return b;
}

bool may_be_argmax(const LinearToken& t, std::span<const double> logit_errors, std::int64_t column) {
  if (t.row.lse.value_class != ValueClass::finite) return column == t.row.argmax;  // NaN or an infinity decides
  if (column < 0 || static_cast<std::uint64_t>(column) >= t.logits.size()) return false;
  double lowest_of_largest = -kInfinity;
  for (std::size_t j = 0; j < t.logits.size(); ++j)
    if (std::isfinite(logit_errors[j])) lowest_of_largest = std::max(lowest_of_largest, t.logits[j] - logit_errors[j]);
  const auto at = static_cast<std::size_t>(column);
  return std::isinf(logit_errors[at]) || t.logits[at] + logit_errors[at] >= lowest_of_largest;
}

std::vector<ResultBound> dx_bounds(const LinearCrossEntropyInput& in, const LinearCrossEntropyBound& b,
                                   const InnerProducts& dx, const LinearCrossEntropyShape& shape,
                                   const LinearStorage& s) {
  return bounds_of(dx, error_products(dlogit_errors(in, b), row_major(in.w, in.vocab, in.features)),
                   {shape.dx, s.dx, PLUSMAX_F32, 1, dx.additions});
}

std::vector<ResultBound> dw_bounds(const LinearCrossEntropyInput& in, const LinearCrossEntropyBound& b,
                                   const InnerProducts& dw, std::size_t chunks, const LinearCrossEntropyShape& shape,
                                   const LinearStorage& s) {
  const std::vector<double> x = counted_x(in);
  return bounds_of(dw, error_products(dlogit_errors(in, b).transposed(), row_major(x, b.tokens.size(), in.features)),
                   {shape.dw, s.dw, s.accumulator, chunks, dw.additions});
}

std::vector<ResultBound> dbias_bounds(const LinearCrossEntropyInput& in, const LinearCrossEntropyBound& b,
                                      const InnerProducts& dbias, std::size_t chunks,
                                      const LinearCrossEntropyShape& shape, const LinearStorage& s) {
  const std::vector<double> ones(b.tokens.size(), 1);
  return bounds_of(dbias, error_products(dlogit_errors(in, b).transposed(), row_major(ones, b.tokens.size(), 1)),
                   {shape.dbias, s.dbias, s.accumulator, chunks, dbias.additions});
}

}  // namespace plusmax::reference
