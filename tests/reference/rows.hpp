// Rows for the tests of the reference: every shape of mass that a proof term depends on.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace plusmax::test {

struct NamedRow {
  std::string name;
  std::vector<double> x;  // each an f32 value, so that one row serves both types
};

inline std::vector<NamedRow> finite_rows(std::size_t n, std::uint64_t seed) {
  const double inf = std::numeric_limits<double>::infinity();
  std::mt19937_64 random(seed);
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<NamedRow> rows;
  const auto add = [&](const char* name, auto element) {
    NamedRow row{name, std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) row.x[i] = static_cast<float>(element(i));
    rows.push_back(std::move(row));
  };
  const std::size_t peak = n == 0 ? 0 : random() % n;
  const double log_n = std::log(static_cast<double>(n + 1));
  add("all equal", [](std::size_t) { return -7.3; });
  add("spread", [&](std::size_t) { return 12 * uniform() - 6; });
  add("max + plateau -0.1", [&](std::size_t i) { return i == peak ? 0 : -0.1; });
  add("max + plateau -9.7", [&](std::size_t i) { return i == peak ? 0 : -9.7; });
  add("lse near 0", [&](std::size_t) { return 1e-3 * uniform() - log_n; });
  add("ascending by 40", [&](std::size_t i) { return 40.0 * static_cast<double>(i) / static_cast<double>(n); });
  add("ascending by 0.5", [&](std::size_t i) { return 0.5 * static_cast<double>(i) / static_cast<double>(n); });
  add("ascending by 2000", [&](std::size_t i) { return 2000.0 * static_cast<double>(i) / static_cast<double>(n) - 1000; });
  add("one peak, 1 - p = 1e-6", [&](std::size_t i) { return i == peak ? log_n + 14 : uniform(); });
  add("one peak of 60", [&](std::size_t i) { return i == peak ? 60 : uniform(); });
  add("one peak of 600", [&](std::size_t i) { return i == peak ? 600 : uniform(); });
  add("offset 10000", [&](std::size_t) { return 1e4 + uniform(); });
  add("offset -110", [&](std::size_t) { return -110 + uniform(); });
  add("largest and smallest f32", [&](std::size_t i) { return i == peak ? 3.4e38 : -3.4e38 * uniform(); });
  add("tiny numbers", [&](std::size_t) { return 1e-40 * uniform(); });
  add("only one finite", [&](std::size_t i) { return i == peak ? 2.5 : -inf; });
  add("half of it -inf", [&](std::size_t i) { return i % 2 == 0 && i != peak ? -inf : 3 * uniform(); });
  return rows;
}

inline std::vector<float> as_f32(const std::vector<double>& x) { return {x.begin(), x.end()}; }

}  // namespace plusmax::test
