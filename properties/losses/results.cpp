#include "properties/losses/results.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace plusmax::properties::losses {

using reference::Certified;
using reference::ValueClass;

Output read_output(const DeviceBuffer& buffer, plusmax_dtype dtype, std::int64_t lines, std::int64_t length,
                   std::int64_t stride) {
  Output out;
  if (lines == 0 || length == 0) return out;
  const std::size_t size = reference::size_of(dtype), bytes = static_cast<std::size_t>(length) * size;
  std::vector<unsigned char> all(static_cast<std::size_t>(lines) * bytes);
  for (std::size_t line = 0; line < static_cast<std::size_t>(lines); ++line)
    buffer.read(line * static_cast<std::size_t>(stride) * size, all.data() + line * bytes, bytes);
  const std::size_t count = all.size() / size;
  out.values.resize(count);
  out.bits.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    out.values[k] = reference::decode(dtype, all.data() + k * size);
    std::memcpy(&out.bits[k], all.data() + k * size, size);
  }
  return out;
}

std::vector<std::int64_t> read_integers(const DeviceBuffer& buffer, std::int64_t count) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(count));
  if (count > 0) buffer.read(0, out.data(), out.size() * sizeof(std::int64_t));
  return out;
}

double value_of(const Certified& exact) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (exact.value_class) {
    case ValueClass::finite:
      return exact.value.hi;
    case ValueClass::positive_infinity:
      return kInfinity;
    case ValueClass::negative_infinity:
      return -kInfinity;
    case ValueClass::nan:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Number number_of(double got, const reference::Certified& want, const reference::ResultBound& bound) {
  Number n{got, value_of(want), bound.value + want.error, false};
  n.promised = want.value_class == ValueClass::finite && std::isfinite(got) && bound.judged && std::isfinite(n.slack);
  return n;
}

void agree(std::string_view what, std::int64_t row, const Number& got, const Number& want, double factor,
           std::int64_t logits, Tally& tally) {
  if (!got.promised || !want.promised) return tally.part_skipped("no two finite results to compare");
  const double expected = factor * want.got;
  tally.within(what, row, got.got, expected,
               got.slack + std::fabs(factor) * want.slack + std::ldexp(std::fabs(expected), -52), logits);
}

// A NaN is a NaN: of two that are added, which one's bits the sum has is the compiler's choice on some machines.
void same_output(std::string_view what, const char* name, const Output& got, std::int64_t at, const Output& want,
                 std::int64_t as, std::int64_t row, std::int64_t logits, Tally& tally) {
  if (got.bits.empty() || want.bits.empty()) return;
  const std::uint64_t g = got.bits[static_cast<std::size_t>(at)], w = want.bits[static_cast<std::size_t>(as)];
  if (std::isnan(got.at(at)) && std::isnan(want.at(as))) return tally.same_bits(name, row, w, w, logits);
  tally.same_bits(g == w ? std::string_view(name) : fmt::format("{}: {}", what, name), row, g, w, logits);
}

}  // namespace plusmax::properties::losses
