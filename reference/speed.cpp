#include "reference/speed.hpp"

#include "reference/oracle.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace plusmax::reference {

ReferenceSpeed measure_reference_speed() {
  constexpr std::size_t kCols = 128256, kOracleCols = 4096;
  constexpr int kRepeats = 20;
  std::vector<float> row(kCols);
  for (std::size_t i = 0; i < kCols; ++i) row[i] = static_cast<float>(std::fmod(static_cast<double>(i) * 0.618034, 12.0));

  ReferenceSpeed speed{0, 0, best_tier()};
  for (int i = 0; i < kRepeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const LogsumexpRow r = logsumexp(std::span<const float>(row));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (!(r.sum.hi >= 1)) throw std::logic_error("the reference's sum came out below 1");
    speed.elements_per_second = std::max(speed.elements_per_second, static_cast<double>(kCols) / seconds.count());
  }
  speed.oracle_loop_elements_per_second = plain_loop_elements_per_second({row.data(), kOracleCols});
  return speed;
}

}  // namespace plusmax::reference
