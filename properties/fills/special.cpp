#include "properties/fill.hpp"

#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plusmax::properties::fills {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Place {
  const FillRow& row;
  std::span<double> out;     // normal logits, never empty
  double largest, smallest;  // finite, and positive subnormal

  double& first() const { return out.front(); }
  double& last() const { return out.back(); }
  double& any() const { return out[row.random.bits(0, 2) % out.size()]; }
  double& tail() const {
    return out[out.size() % 8 == 0 ? out.size() - 1 : out.size() / 8 * 8];
  }  // behind the last whole vector
  void all(double value) const { std::fill(out.begin(), out.end(), value); }
  void some(double value) const {
    for (std::size_t j = 0; j < out.size(); ++j)
      if (row.random.bits(j, 3) % 3 == 0) out[j] = value;
  }
};

using Kind = void (*)(const Place&);
constexpr Kind kKinds[] = {
    [](const Place& p) { p.all(-kInfinity); },
    [](const Place& p) { p.some(-kInfinity); },
    [](const Place& p) { p.first() = kInfinity; },
    [](const Place& p) { p.last() = kInfinity; },
    [](const Place& p) { p.tail() = kInfinity; },
    [](const Place& p) { p.some(kInfinity); },
    [](const Place& p) { p.first() = kNaN; },
    [](const Place& p) { p.last() = kNaN; },
    [](const Place& p) { p.tail() = kNaN; },
    [](const Place& p) { p.any() = kNaN; },
    [](const Place& p) { p.some(kInfinity), p.first() = kNaN; },
    [](const Place& p) { p.some(kInfinity), p.last() = kNaN; },
    [](const Place& p) { p.all(-kInfinity), p.any() = kNaN; },
    [](const Place& p) { p.all(-kInfinity), p.any() = kInfinity; },
    [](const Place& p) { p.all(-kInfinity), p.any() = -3; },
    [](const Place& p) { p.all(kInfinity); },
    [](const Place& p) { p.all(kNaN); },
    [](const Place& p) { p.all(-0.0); },
    [](const Place& p) { p.all(0.0), p.some(-0.0); },
    [](const Place& p) { p.all(p.largest); },
    [](const Place& p) { p.all(-p.largest); },
    [](const Place& p) { p.all(-p.largest), p.any() = p.largest; },
    [](const Place& p) { p.some(p.largest), p.last() = -p.largest; },
    [](const Place& p) { p.all(p.smallest); },
    [](const Place& p) { p.all(-p.smallest), p.some(p.smallest), p.first() = 0; },
};

constexpr FillParameter kParameters[] = {{"start", 0, "kind of row 0; row r has kind (r + start) mod 25", 0, 24, true}};
static_assert(std::size(kKinds) == 25);

}  // namespace

static void write(const FillRow& row, std::span<double> out) {
  if (out.empty()) return;
  for (std::size_t j = 0; j < out.size(); ++j) out[j] = row.random.normal(j);
  const plusmax_dtype dtype = row.of.dtype;
  const double smallest = std::ldexp(1.0, reference::minimum_exponent(dtype) - reference::precision_bits(dtype) + 1);
  const auto kind =
      static_cast<std::size_t>(row.row + static_cast<std::int64_t>(row.parameter("start"))) % std::size(kKinds);
  kKinds[kind](Place{row, out, reference::largest(dtype), smallest});
}

extern const Fill special;
const Fill special = {"special",
                      "A NaN that is dropped, an infinity that becomes NaN, a flushed or overflowing extreme: one kind "
                      "of row after the other.",
                      kParameters, write};

}  // namespace plusmax::properties::fills
