#include "reference/linear_cross_entropy.hpp"

#include "reference/cross_entropy_bound.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("linear_cross_entropy: " + what); }

void check_size(const char* name, std::size_t is, std::size_t should) {
  if (is != should) refuse(std::to_string(is) + " elements of " + name + ", not " + std::to_string(should));
}

void check_finite(const char* name, std::span<const double> row) {
  for (const double a : row)
    if (std::isinf(a)) refuse(std::string("an infinite element of ") + name + " has no reference");
}

std::span<const double> x_row(const LinearCrossEntropyInput& in, std::size_t token) {
  return in.x.subspan(token * in.features, in.features);
}

std::size_t weight_rows(const LinearCrossEntropyInput& in) {
  return in.distinct_classes == 0 ? in.vocab : in.distinct_classes;
}

std::vector<std::size_t> counted_tokens(const LinearCrossEntropyInput& in) {
  std::vector<std::size_t> counted;
  for (std::size_t i = 0; i < in.tokens; ++i)
    if (in.targets[i] != in.ignore_index) counted.push_back(i);
  return counted;
}

void check(const LinearCrossEntropyInput& in) {
  check_size("X", in.x.size(), in.tokens * in.features);
  if (in.distinct_classes > in.vocab)
    refuse(std::to_string(in.distinct_classes) + " distinct classes of " + std::to_string(in.vocab));
  check_size("W", in.w.size(), weight_rows(in) * in.features);
  check_size("targets", in.targets.size(), in.tokens);
  if (!in.bias.empty()) check_size("bias", in.bias.size(), in.vocab);
  if (in.upstream.size() > 1) check_size("upstream", in.upstream.size(), in.tokens);
  check_finite("W", in.w);
  for (const std::size_t i : counted_tokens(in)) check_finite("X", x_row(in, i));
}

// z = product + bias, whose sum of two double-doubles costs 3 u^2 more, then rounded to double.
void set_logits(const LinearCrossEntropyInput& in, const InnerProducts& products, std::size_t at, LinearToken& t) {
  t.logits.resize(in.vocab), t.logit_errors.resize(in.vocab);
  for (std::size_t j = 0; j < in.vocab; ++j) {
    const InnerProduct& p = products(at, weight_row(in, j));
    const double bias = in.bias.empty() ? 0 : in.bias[j];
    if (p.sum.value_class != ValueClass::finite || !std::isfinite(bias)) {
      t.logits[j] = p.sum.value.hi + bias;
      continue;
    }
    const DoubleDouble z = add(p.sum.value, {bias, 0});
    t.logits[j] = z.hi;
    t.logit_errors[j] = p.sum.error + std::fabs(z.lo) + 0x1p-104 * std::fabs(z.hi);
  }
}

// A kernel without roundings, on logits that are off: what remains is the error of the reference.
CrossEntropyShape no_roundings() {
  CrossEntropyShape s{};
  s.cap_slope = CapSlope::exponential;
  return s;
}

void widen(Certified& number, const ResultBound& by) {
  if (number.value_class == ValueClass::finite) number.error += by.judged && by.value >= 0 ? by.value : kInfinity;
}

void set_gradient(const CrossEntropyInput& row_in, const CrossEntropyShape& shape, const CrossEntropyBound& bound,
                  LinearToken& t) {
  const std::size_t vocab = t.logits.size();
  t.gradient.assign(vocab, t.row.gradient_class == ValueClass::finite ? 0 : kNan);
  t.gradient_errors.assign(vocab, t.row.unknown ? kInfinity : 0);
  if (t.row.gradient_class != ValueClass::finite || t.row.gradient_is_zero || t.row.unknown) return;
  for (std::size_t j = 0; j < vocab; ++j) {
    const double error = cross_entropy_gradient_bound(row_in, t.row, shape, bound, j, PLUSMAX_F64).value;
    t.gradient[j] = t.row.gradient_hi[j];
    t.gradient_errors[j] = error >= 0 ? error + std::fabs(t.row.gradient_lo[j]) : kInfinity;
  }
}

LinearToken token_of(const LinearCrossEntropyInput& in, const InnerProducts& products, std::size_t at,
                     std::size_t token) {
  LinearToken t;
  t.token = token;
  set_logits(in, products, at, t);
  const CrossEntropyInput row_in = token_input(in, t, t.logit_errors);
  t.row = cross_entropy(row_in);
  const CrossEntropyShape shape = no_roundings();
  const CrossEntropyBound bound = cross_entropy_bound(row_in, t.row, shape);
  set_gradient(row_in, shape, bound, t);
  widen(t.row.lse, bound.lse);
  widen(t.row.cross_entropy, bound.cross_entropy);
  widen(t.row.z_loss, bound.z_loss);
  widen(t.row.loss, bound.loss);
  return t;
}

// Of all counted tokens, [counted, vocab].
std::vector<double> together(const LinearCrossEntropy& r, std::vector<double> LinearToken::*row) {
  std::vector<double> all;
  for (const LinearToken& t : r.tokens) all.insert(all.end(), (t.*row).begin(), (t.*row).end());
  return all;
}

void add_errors(InnerProducts& sums, const Matrix& factor_errors, const Matrix& other) {
  const std::vector<double> errors = error_products(factor_errors, other);
  for (std::size_t e = 0; e < errors.size(); ++e) sums.elements[e].sum.error += errors[e];
}

// Rows of a are tokens; sums over them.
InnerProducts over_tokens(const LinearCrossEntropy& r, std::size_t vocab, const Matrix& factor,
                          std::span<const std::size_t> ends, std::span<const double> before) {
  const std::vector<double> gradient = together(r, &LinearToken::gradient),
                            errors = together(r, &LinearToken::gradient_errors);
  const std::size_t counted = r.tokens.size();
  InnerProducts sums =
      inner_products(row_major(gradient, counted, vocab).transposed(), factor, Factors::rounded, ends, before);
  add_errors(sums, row_major(errors, counted, vocab).transposed(), factor);
  return sums;
}
}  // namespace

std::vector<double> counted_x(const LinearCrossEntropyInput& in) {
  std::vector<double> x;
  for (const std::size_t i : counted_tokens(in)) x.insert(x.end(), x_row(in, i).begin(), x_row(in, i).end());
  return x;
}

Certified linear_logit(const LinearToken& t, std::size_t j) {
  return {classify(t.logits[j]), {t.logits[j], 0}, t.logit_errors[j]};
}

CrossEntropyInput token_input(const LinearCrossEntropyInput& in, const LinearToken& t,
                              std::span<const double> logit_errors) {
  CrossEntropyInput row;
  row.logits = t.logits;
  row.weights = in.class_weights;
  row.target = in.targets[t.token];
  row.ignore_index = in.ignore_index;
  row.options = in.options;
  if (!in.upstream.empty()) row.upstream = in.upstream[in.upstream.size() == 1 ? 0 : t.token];
  row.divisors = in.divisors;
  row.logit_errors = logit_errors;
  return row;
}

LinearCrossEntropy linear_cross_entropy(const LinearCrossEntropyInput& in) {
  check(in);
  const std::vector<std::size_t> counted = counted_tokens(in);
  const std::vector<double> x = counted_x(in);
  LinearCrossEntropy r;
  r.products = inner_products(row_major(x, counted.size(), in.features),
                              row_major(in.w, weight_rows(in), in.features).transposed(), Factors::exact);
  for (std::size_t i = 0; i < counted.size(); ++i) r.tokens.push_back(token_of(in, r.products, i, counted[i]));
  return r;
}

InnerProducts dx_of(const LinearCrossEntropyInput& in, const LinearCrossEntropy& r) {
  const std::vector<double> gradient = together(r, &LinearToken::gradient),
                            errors = together(r, &LinearToken::gradient_errors);
  const Matrix w = row_major(in.w, in.vocab, in.features);
  InnerProducts sums = inner_products(row_major(gradient, r.tokens.size(), in.vocab), w, Factors::rounded);
  add_errors(sums, row_major(errors, r.tokens.size(), in.vocab), w);
  return sums;
}

InnerProducts dw_of(const LinearCrossEntropyInput& in, const LinearCrossEntropy& r, std::span<const std::size_t> ends,
                    std::span<const double> before) {
  const std::vector<double> x = counted_x(in);
  return over_tokens(r, in.vocab, row_major(x, r.tokens.size(), in.features), ends, before);
}

InnerProducts dbias_of(const LinearCrossEntropyInput& in, const LinearCrossEntropy& r,
                       std::span<const std::size_t> ends, std::span<const double> before) {
  const std::vector<double> ones(r.tokens.size(), 1);
  return over_tokens(r, in.vocab, row_major(ones, r.tokens.size(), 1), ends, before);
}

std::vector<std::size_t> chunk_ends(const LinearCrossEntropyInput& in, std::size_t chunk, IgnoredTokens ignored) {
  std::vector<std::size_t> ends;
  std::size_t counted = 0, in_chunk = 0;
  for (std::size_t i = 0; i < in.tokens; ++i) {
    const bool counts = in.targets[i] != in.ignore_index;
    counted += counts;
    in_chunk += counts || ignored == IgnoredTokens::kept;
    if (in_chunk < chunk && i + 1 < in.tokens) continue;
    ends.push_back(counted);
    in_chunk = 0;
  }
  return ends;
}

}  // namespace plusmax::reference
