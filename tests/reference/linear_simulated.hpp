// A kernel of linear_cross_entropy, chunk by chunk, with the products of several machines; and the textbook mistakes.
#pragma once

#include "kernels/tools/tensor_core.hpp"
#include "reference/linear_cross_entropy_bound.hpp"
#include "tests/reference/cross_entropy_simulated.hpp"
#include "tests/reference/linear_cases.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plusmax::test {

// How a machine adds up products.
struct SimulatedProduct {
  const char* name;
  int block = 1;           // products a step; 1: fused multiply-adds to nearest
  int extra_bits = 0;      // of a block, kept below the last place of the largest
  std::size_t ranges = 1;  // parts of the sum that start at 0
  plusmax_dtype accumulator = PLUSMAX_F32;
  bool rounds_first = false;  // each product, to the type of a sum over chunks that is kept in 16 bits

  ProductShape shape(std::size_t chunks = 1) const {
    const double b = block, step = block == 1 ? kFusedStep : tensor_core_step(b, extra_bits);
    return {0x1p-24, b, step, static_cast<double>(ranges * chunks), true, 0x1p-149, rounds_first};
  }

  // sum over begin <= k < end of a(k) b(k)
  template <class A, class B>
  float range(std::size_t begin, std::size_t end, A a, B b) const {
    // Of the two alignments the one that loses more.
    if (block > 1) return TensorCore{block, extra_bits, Alignment::products}.range(begin, end, a, b);
    float sum = 0;
    for (std::size_t k = begin; k < end; ++k) {
      sum = std::fma(static_cast<float>(a(k)), static_cast<float>(b(k)), sum);
      if (accumulator != PLUSMAX_F32) sum = static_cast<float>(reference::round_to(accumulator, sum));
    }
    return sum;
  }
  template <class A, class B>
  float operator()(std::size_t begin, std::size_t end, A a, B b) const {
    float sum = 0;
    const std::size_t terms = end - begin;
    for (std::size_t r = 0; r < ranges; ++r)
      sum += range(begin + r * terms / ranges, begin + (r + 1) * terms / ranges, a, b);
    return sum;
  }
};

enum class LinearMistake {
  none,
  bf16_product,
  bf16_dw,
  bias_forgotten,
  bias_on_rounded_logit,
  last_chunk_dropped,
  mean_of_chunk,
  first_chunk_added_to_garbage,
  dx_of_logits,
};

// What it stores, as doubles.
struct LinearResults {
  std::vector<double> logits, dlogits;  // [counted, vocab]
  std::vector<Results<float>> tokens;   // [counted]
  std::vector<double> dx, dw, dbias;    // [counted, features], [vocab, features], [vocab]
};

struct SimulatedLinear {
  SimulatedProduct product;
  reference::LinearStorage storage;
  std::size_t chunk;  // counted tokens
  SimulatedCrossEntropy<float> cross_entropy{"32 threads", 32, false, CapSlope::exponential, {}};
  LinearMistake mistake = LinearMistake::none;

  std::size_t chunks(std::size_t counted) const { return (counted + chunk - 1) / chunk; }

  LinearCrossEntropyShape shape(const LinearCase& c, const reference::LinearCrossEntropy& exact) const {
    const std::vector<double> row(c.in.vocab);
    reference::CrossEntropyInput any;
    any.logits = row, any.weights = c.in.class_weights, any.options = c.in.options;
    const ProductShape once = product.shape(), over_chunks = product.shape(chunks(exact.tokens.size()));
    return {cross_entropy.shape(any), once, once, over_chunks, over_chunks};
  }

  double logit(const LinearCase& c, std::size_t token, std::size_t j) const {
    SimulatedProduct p = product;
    if (mistake == LinearMistake::bf16_product) p = {"bf16", 1, 0, 1, PLUSMAX_BF16};
    const std::size_t d = c.in.features;
    float z = p(
        0, d, [&](std::size_t k) { return c.x[token * d + k]; }, [&](std::size_t k) { return c.w[j * d + k]; });
    if (mistake == LinearMistake::bias_on_rounded_logit) z = static_cast<float>(reference::round_to(storage.logits, z));
    if (!c.bias.empty() && mistake != LinearMistake::bias_forgotten) z += static_cast<float>(c.bias[j]);
    return reference::round_to(storage.logits, z);
  }

  LinearResults run(const LinearCase& c, const reference::LinearCrossEntropy& exact) const {
    LinearResults r;
    const std::size_t counted = exact.tokens.size(), vocab = c.in.vocab, d = c.in.features;
    for (const reference::LinearToken& t : exact.tokens) {
      reference::LinearToken own;
      own.token = t.token;
      for (std::size_t j = 0; j < vocab; ++j) own.logits.push_back(logit(c, t.token, j));
      reference::CrossEntropyInput row = token_input(c.in, own, {});
      if (mistake == LinearMistake::mean_of_chunk) {
        row.divisors.z.hi /= static_cast<double>(chunks(counted));
        row.divisors.num_valid /= static_cast<double>(chunks(counted));
      }
      r.tokens.push_back(cross_entropy.run(row));
      r.logits.insert(r.logits.end(), own.logits.begin(), own.logits.end());
      for (const float g : r.tokens.back().gradient) r.dlogits.push_back(reference::round_to(storage.dlogits, g));
    }
    const std::vector<double>& of_x = mistake == LinearMistake::dx_of_logits ? r.logits : r.dlogits;
    for (std::size_t i = 0; i < counted; ++i)
      for (std::size_t k = 0; k < d; ++k)
        r.dx.push_back(reference::round_to(storage.dx, product(
                                                           0, vocab, [&](std::size_t j) { return of_x[i * vocab + j]; },
                                                           [&](std::size_t j) { return c.w[j * d + k]; })));
    const auto over_tokens = [&](std::size_t j, plusmax_dtype output, auto factor) {
      float sum = mistake == LinearMistake::first_chunk_added_to_garbage ? 1.0f : 0.0f;
      const std::size_t last = mistake == LinearMistake::last_chunk_dropped ? chunks(counted) - 1 : chunks(counted);
      const plusmax_dtype kept = mistake == LinearMistake::bf16_dw ? PLUSMAX_BF16 : storage.accumulator;
      for (std::size_t n = 0; n < last; ++n) {
        float part = product(
            n * chunk, std::min(counted, (n + 1) * chunk), [&](std::size_t i) { return r.dlogits[i * vocab + j]; },
            factor);
        if (product.rounds_first && n > 0) part = static_cast<float>(reference::round_to(kept, part));
        sum += part;
        sum = static_cast<float>(reference::round_to(kept, sum));
      }
      return reference::round_to(output, sum);
    };
    for (std::size_t j = 0; j < vocab; ++j) {
      r.dbias.push_back(over_tokens(j, storage.dbias, [](std::size_t) { return 1.0; }));
      for (std::size_t k = 0; k < d; ++k)
        r.dw.push_back(over_tokens(j, storage.dw, [&](std::size_t i) { return c.x[exact.tokens[i].token * d + k]; }));
    }
    return r;
  }
};

}  // namespace plusmax::test
