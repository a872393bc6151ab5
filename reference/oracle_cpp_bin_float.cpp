// The oracle on Boost's own floats: nothing to install. Their exp and log are documented as good to a few ulp; 256 are allowed.
// Every second rung of the ladder only: each costs seconds of compilation.
#include "reference/oracle_impl.hpp"
#include "reference/real.hpp"

#include <chrono>

namespace plusmax::reference {

const OracleBackend& cpp_bin_float_oracle() {
  static constexpr OracleBackend kBackend = Backend<BinFloat, 256, 4>::make("cpp_bin_float");
  return kBackend;
}

double plain_loop_elements_per_second(std::span<const float> row) {
  using boost::multiprecision::cpp_bin_float_50;
  const auto start = std::chrono::steady_clock::now();
  const cpp_bin_float_50 max = *std::max_element(row.begin(), row.end());
  cpp_bin_float_50 sum = 0;
  for (const float x : row) sum += exp(cpp_bin_float_50(x) - max);
  const cpp_bin_float_50 lse = max + log(sum);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!(lse >= max)) throw std::logic_error("logsumexp in cpp_bin_float_50 came out below its maximum");
  return static_cast<double>(row.size()) / seconds.count();
}

}  // namespace plusmax::reference
