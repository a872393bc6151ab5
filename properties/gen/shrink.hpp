// Shrinking: a failing Case becomes the plainest Case that still fails.
#pragma once

#include "properties/case.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace plusmax::properties::gen {

// Simpler Cases to try, best first: structure (rows, cols, strides, phase), then the fill, then patches and values.
// Each is valid and strictly simpler, so that no sequence of them is endless.
std::vector<Case> simpler(const Case&);

struct ShrinkLimits {
  std::size_t steps = 1000;  // Cases tried
  std::chrono::duration<double> time = std::chrono::seconds(10);
};
struct Shrunk {
  Case result;
  std::size_t tried = 0, accepted = 0;
  bool complete = false;  // nothing simpler fails; false: a limit was reached or `stop` asked for it
};
// Greedy: takes the first simpler Case that still fails, until none does. `fails` is never called on `start`.
Shrunk shrink(const Case& start, const std::function<bool(const Case&)>& fails, const ShrinkLimits&,
              const std::function<bool()>& stop = nullptr);

}  // namespace plusmax::properties::gen
