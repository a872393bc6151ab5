// The oracle of linear_cross_entropy over any multiprecision type; included by one translation unit per backend.
//
// The logits are exact; a sum of n gradients, each off by its own error, times a factor is off by n + 2 roundings of
// the sum of magnitudes besides, doubled for second order.
#pragma once

#include "reference/cross_entropy_oracle_impl.hpp"
#include "reference/linear_cross_entropy_oracle.hpp"

namespace plusmax::reference {
namespace {

template <class R>
class LinearOracleOf {
 public:
  LinearOracleOf(const LinearCrossEntropyInput& in, unsigned bits, unsigned ulps)
      : in_(in), eps_(ldexp(R(1), -static_cast<int>(bits))) {
    for (std::size_t i = 0; i < in.tokens; ++i)
      if (in.targets[i] != in.ignore_index) token(i, bits, ulps);
  }

  LinearCrossEntropyOracleAnswer answer() {
    const auto g = [&](std::size_t i, std::size_t j) { return gradient_[i * in_.vocab + j]; };
    const auto x = [&](std::size_t i, std::size_t k) { return in_.x[tokens_[i] * in_.features + k]; };
    const std::size_t counted = tokens_.size();
    for (std::size_t i = 0; i < counted; ++i)
      for (std::size_t k = 0; k < in_.features; ++k)
        answer_.dx.push_back(sum(
            in_.vocab, [&](std::size_t j) { return g(i, j); },
            [&](std::size_t j) { return in_.w[j * in_.features + k]; }));
    for (std::size_t j = 0; j < in_.vocab; ++j) {
      const auto of_column = [&](std::size_t i) { return g(i, j); };
      answer_.dbias.push_back(sum(counted, of_column, [](std::size_t) { return 1.0; }));
      for (std::size_t k = 0; k < in_.features; ++k)
        answer_.dw.push_back(sum(counted, of_column, [&](std::size_t i) { return x(i, k); }));
    }
    return answer_;
  }

 private:
  void token(std::size_t i, unsigned bits, unsigned ulps) {
    LinearToken t;
    t.token = i;
    std::vector<R> logits;
    for (std::size_t j = 0; j < in_.vocab; ++j) {
      const bool masked = !in_.bias.empty() && std::isinf(in_.bias[j]);
      R z = in_.bias.empty() || masked ? R(0) : R(in_.bias[j]);
      for (std::size_t k = 0; k < in_.features; ++k) z += R(in_.x[i * in_.features + k]) * in_.w[j * in_.features + k];
      answer_.logits.push_back(rounded(Value<R>{z, 0}));
      t.logits.push_back(masked ? in_.bias[j] : z.template convert_to<double>());
      logits.push_back(z);
    }
    const CrossEntropyInput row_in = token_input(in_, t, {});
    const OracleRowOf<R> row(row_in, std::move(logits), bits, ulps);
    answer_.rows.push_back(rounded_row(row));
    for (std::size_t j = 0; j < in_.vocab; ++j) {
      gradient_.push_back(row.gradient(j));
      answer_.rows.back().gradient.push_back(rounded(gradient_.back()));
    }
    tokens_.push_back(i);
  }

  template <class Gradient, class Factor>
  Certified sum(std::size_t terms, Gradient gradient, Factor factor) const {
    Value<R> v;
    R size = 0;
    for (std::size_t n = 0; n < terms; ++n) {
      const Value<R> g = gradient(n);
      const R term = g.value * factor(n);
      v.value += term;
      v.error += g.error * std::fabs(factor(n));
      size += abs(term);
    }
    v.error += 2 * eps_ * static_cast<double>(terms + 2) * size;
    return rounded(v);
  }

  const LinearCrossEntropyInput& in_;
  R eps_;
  std::vector<std::size_t> tokens_;  // [counted]
  std::vector<Value<R>> gradient_;   // [counted, vocab]
  LinearCrossEntropyOracleAnswer answer_;
};

template <template <unsigned> class Type, unsigned Ulps>
LinearCrossEntropyOracleAnswer linear_oracle_answer(const LinearCrossEntropyInput& in) {
  return LinearOracleOf<Type<kExactSumBits>>(in, kExactSumBits, Ulps).answer();
}

}  // namespace
}  // namespace plusmax::reference
