// Numbers that a launch left in memory, and what is known of them.
#pragma once

#include "kernels/platform/device.hpp"
#include "properties/tally.hpp"
#include "reference/cross_entropy_bound.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace plusmax::properties::losses {

// One output: its numbers, and their bits as stored. Empty if the call did not ask for it.
struct Output {
  std::vector<double> values;
  std::vector<std::uint64_t> bits;

  double at(std::int64_t index) const { return values[static_cast<std::size_t>(index)]; }
};

// `lines` pieces of `length` elements each, `stride` elements apart.
Output read_output(const DeviceBuffer&, plusmax_dtype, std::int64_t lines, std::int64_t length, std::int64_t stride);
std::vector<std::int64_t> read_integers(const DeviceBuffer&, std::int64_t count);

// A single number of a launch with its bound, for relations between two launches.
struct Number {
  double got = 0, want = 0;
  double slack = 0;       // the bound and the reference's own error
  bool promised = false;  // both are finite, and the bound says something
};

Number number_of(double got, const reference::Certified& want, const reference::ResultBound&);
double value_of(const reference::Certified&);  // as one double, NaN and infinities included

// got is factor * want, within the bounds of both.
void agree(std::string_view what, std::int64_t row, const Number& got, const Number& want, double factor,
           std::int64_t logits, Tally&);

// Element `at` of got and `as` of want are the same, bit for bit, NaN being one value; where both have it. `row`: whose
// they are.
void same_output(std::string_view what, const char* name, const Output& got, std::int64_t at, const Output& want,
                 std::int64_t as, std::int64_t row, std::int64_t logits, Tally&);

}  // namespace plusmax::properties::losses
