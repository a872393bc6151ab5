// How many samples a measurement takes.
#pragma once

#include "kernels/platform/bench.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax {

constexpr int kLeastSamples = 3;

inline bool enough_samples(std::size_t taken, double seconds, const BenchOptions& options) {
  if (taken >= static_cast<std::size_t>(std::max(options.samples, 1))) return true;
  return taken >= kLeastSamples && seconds > options.max_seconds;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  return values[half];
}

}  // namespace plusmax
