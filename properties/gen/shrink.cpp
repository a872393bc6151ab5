#include "properties/gen/shrink.hpp"

#include "properties/fill.hpp"
#include "properties/gen/draw_values.hpp"
#include "properties/gen/generate.hpp"
#include "properties/gen/hash.hpp"
#include "properties/gen/resize.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace plusmax::properties::gen {
namespace {

using Cases = std::vector<Case>;

// Smaller numbers to try instead of `n` >= 1: thresholds first, ascending, then halfway steps from the largest of them
// back to n. Any failure that begins at a width is found exactly, one that begins at a threshold at once.
std::vector<std::int64_t> smaller_numbers(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (const std::int64_t threshold : threshold_cols()) {
    if (threshold < n) all.push_back(threshold);
  }
  const std::int64_t floor = all.empty() ? 1 : all.back();
  for (std::int64_t gap = n - floor; gap > 1; gap /= 2) {
    if (const std::int64_t next = n - gap / 2; next != floor) all.push_back(next);
  }
  return all;
}

void simpler_extent(const Case& c, Cases& out) {
  if (c.rows > 1) {
    for (const std::int64_t rows : smaller_numbers(c.rows)) out.push_back(with_rows(c, rows));
    // The row that matters may be the last one: keep it and drop those in front.
    if (!c.set.empty() || !c.data.empty()) out.push_back(without_first_row(c));
  }
  if (c.cols > 1) {
    for (const std::int64_t cols : smaller_numbers(c.cols)) out.push_back(with_cols(c, cols));
    if (!c.data.empty()) {
      for (std::int64_t col = 0; col < c.cols; ++col) out.push_back(without_data_col(c, col));
    }
  }
}

void simpler_layout(const Case& c, Cases& out) {
  const auto add = [&](auto change) {
    Case next = c;
    change(next);
    const auto layout = [](const Case& n) { return std::tuple(n.row_stride, n.col_stride, n.lse_stride, n.phase, n.dtype); };
    if (layout(next) != layout(c)) out.push_back(std::move(next));  // not next != c: a NaN patch differs from itself
  };
  const std::int64_t contiguous = c.cols * c.col_stride;
  add([&](Case& n) { n.col_stride = 1, n.row_stride = c.cols; });
  add([&](Case& n) { n.row_stride = contiguous; });
  const std::int64_t beyond = (std::int64_t{1} << 31) + 1;  // the least odd one that 32 bits do not hold
  if (c.row_stride > beyond) add([&](Case& n) { n.row_stride = beyond; });
  if (c.row_stride > contiguous + 1) {
    add([&](Case& n) { n.row_stride = contiguous + 1; });
    add([&](Case& n) { n.row_stride = contiguous + (c.row_stride - contiguous) / 2; });
  }
  if (c.col_stride > 2) add([&](Case& n) { n.col_stride = 2, n.row_stride = 2 * c.cols; });
  if (c.row_stride == 1 && c.col_stride > std::max<std::int64_t>(c.rows, 1)) add([&](Case& n) { n.col_stride = c.rows; });
  add([](Case& n) { n.lse_stride = 1; });
  if (c.lse_stride > 2) add([](Case& n) { n.lse_stride = 2; });
  add([](Case& n) { n.phase = 0; });
  if (c.phase > 1) {
    add([](Case& n) { n.phase = 1; });
    add([](Case& n) { n.phase /= 2; });
    add([](Case& n) { --n.phase; });
  }
  if (c.dtype != PLUSMAX_F32) {
    add([&](Case& n) {
      n.dtype = PLUSMAX_F32;
      n.phase = std::min<std::int64_t>(c.phase, 63);  // below 256 bytes
    });
  }
}

// Plainer numbers to try instead of `value`; each has a lower complexity().
std::vector<double> plainer(double value) {
  std::vector<double> all = {0, 1, -1};
  if (std::isfinite(value)) {
    for (const double digits : {1.0, 10.0}) all.push_back(std::trunc(value * digits) / digits);
    all.push_back(std::trunc(value / 2));
  }
  return all;
}

// Order in which values count as plain: 0, 1, -1, whole, one decimal, others; smaller before larger.
std::pair<int, double> complexity(double value) {
  if (value == 0 && !std::signbit(value)) return {0, 0};
  if (value == 1) return {1, 0};
  if (value == -1) return {2, 0};
  if (!std::isfinite(value)) return {3, 0};
  if (value == 0) return {4, 0};  // -0
  if (value == std::trunc(value)) return {5, std::fabs(value)};
  return {value * 10 == std::trunc(value * 10) ? 6 : 7, std::fabs(value)};
}

template <class Set>
void try_plainer(double value, Set set) {
  std::vector<double> tried;
  for (const double next : plainer(value)) {
    if (!(complexity(next) < complexity(value)) || std::find(tried.begin(), tried.end(), next) != tried.end()) continue;
    tried.push_back(next);
    set(next);
  }
}

void simpler_fill(const Case& c, Cases& out) {
  if (!c.data.empty()) return;
  const auto rank = [](const std::string& fill) { return fill == "constant" ? 0 : fill == "normal" ? 1 : 2; };
  for (const char* plain : {"constant", "normal"}) {
    if (rank(plain) >= rank(c.fill) || find_fill(plain) == nullptr) continue;
    Case next = c;
    next.fill = plain;
    next.parameters.clear();
    out.push_back(std::move(next));
  }
  for (std::size_t i = 0; i < c.parameters.size(); ++i) {
    Case next = c;
    next.parameters.erase(next.parameters.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(std::move(next));
  }
  for (const auto& [name, value] : c.parameters) {
    try_plainer(value, [&, &name = name](double plain) {
      Case next = c;
      set_parameter(next, name, plain);
      out.push_back(std::move(next));
    });
  }
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}}) {
    if (seed >= c.seed) break;
    Case next = c;
    next.seed = seed;
    out.push_back(std::move(next));
  }
}

void simpler_values(const Case& c, Cases& out) {
  if (c.set.size() > 1) {
    Case next = c;
    next.set.clear();
    out.push_back(std::move(next));
  }
  for (std::size_t i = 0; i < c.set.size(); ++i) {
    Case next = c;
    next.set.erase(next.set.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(next);
    const Patch& patch = c.set[i];
    for (const auto& [row, col] : {std::pair{std::int64_t{0}, std::int64_t{0}}, std::pair{std::int64_t{0}, patch.col}, std::pair{patch.row, std::int64_t{0}}}) {
      if (row == patch.row && col == patch.col) continue;
      Case moved = next;
      add_patch(moved, {row, col, patch.value});
      if (moved.set.size() == c.set.size()) out.push_back(std::move(moved));
    }
    try_plainer(patch.value, [&](double plain) {
      Case plainer_case = c;
      plainer_case.set[i].value = plain;
      out.push_back(std::move(plainer_case));
    });
  }
  for (std::size_t row = 0; row < c.data.size(); ++row) {
    for (std::size_t col = 0; col < c.data[row].size(); ++col) {
      try_plainer(c.data[row][col], [&](double plain) {
        Case next = c;
        next.data[row][col] = plain;
        out.push_back(std::move(next));
      });
    }
  }
}

}  // namespace

std::vector<Case> simpler(const Case& c) {
  Cases all;
  simpler_extent(c, all);
  simpler_layout(c, all);
  simpler_fill(c, all);
  simpler_values(c, all);
  for (std::size_t i = 0; i < c.options.size(); ++i) {
    Case next = c;
    next.options.erase(next.options.begin() + static_cast<std::ptrdiff_t>(i));
    all.push_back(std::move(next));
  }
  std::erase_if(all, [](const Case& next) { return !is_valid(next); });
  return all;
}

Shrunk shrink(const Case& start, const std::function<bool(const Case&)>& fails, const ShrinkLimits& limits,
              const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limits.time);
  Shrunk shrunk{start, 0, 0, false};
  std::unordered_set<std::uint64_t> passed;  // after a step most candidates come again
  for (;;) {
    bool found = false;
    for (const Case& next : simpler(shrunk.result)) {
      const std::uint64_t id = hash_of(to_line(next));
      if (passed.contains(id)) continue;
      if (shrunk.tried >= limits.steps || Clock::now() >= deadline || (stop && stop())) return shrunk;
      ++shrunk.tried;
      if (!fails(next)) {
        passed.insert(id);
        continue;
      }
      shrunk.result = next;
      ++shrunk.accepted;
      found = true;
      break;
    }
    if (!found) {
      shrunk.complete = true;
      return shrunk;
    }
  }
}

}  // namespace plusmax::properties::gen
