// How many samples a measurement takes.
#pragma once

#include "kernels/platform/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace plusmax {

constexpr int kLeastSamples = 3;

inline bool enough_samples(std::size_t taken, double seconds, const BenchOptions& options) {
  if (taken >= static_cast<std::size_t>(std::max(options.samples, 1))) return true;
  return taken >= kLeastSamples && seconds > options.max_seconds;
}

inline bool enough_rounds(std::size_t taken, double seconds, const RoundOptions& options) {
  if (taken >= static_cast<std::size_t>(std::max(options.rounds, 1))) return true;
  return taken >= kLeastSamples && seconds > options.max_seconds;
}

// The order of a round: another one each time, the same in every process.
class RoundOrder {
 public:
  explicit RoundOrder(std::size_t launches) : order_(launches) {
    for (std::size_t i = 0; i < launches; ++i) order_[i] = i;
  }
  const std::vector<std::size_t>& next() {
    std::shuffle(order_.begin(), order_.end(), random_);
    return order_;
  }

 private:
  std::vector<std::size_t> order_;
  std::mt19937 random_;
};

inline double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  return values[half];
}

}  // namespace plusmax
