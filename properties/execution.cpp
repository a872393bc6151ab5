#include "properties/execution.hpp"

#include "reference/dtype.hpp"

#include <limits>

namespace plusmax::properties {

Layout layout_of(const Case& of) { return {of.row_stride, of.col_stride, of.lse_stride, of.phase}; }
Layout dense(std::int64_t cols) { return {cols, 1, 1, 0}; }
std::int64_t per_bytes(plusmax_dtype dtype, std::int64_t bytes) { return bytes / static_cast<std::int64_t>(reference::size_of(dtype)); }

const char* name_of(Padding padding) {
  switch (padding) {
    case Padding::nan: return "NaN";
    case Padding::huge: return "huge";
    case Padding::infinity: return "+inf";
  }
  return "?";
}

double value_of(Padding padding, plusmax_dtype dtype) {
  switch (padding) {
    case Padding::nan: return std::numeric_limits<double>::quiet_NaN();
    case Padding::huge: return reference::largest(dtype);
    case Padding::infinity: return std::numeric_limits<double>::infinity();
  }
  return 0;
}

Execution execution_of(const Subject& subject) {
  Execution execution;
  execution.schedule = subject.schedule;
  execution.schedule_seed = subject.schedule_seed;
  execution.approx_noise = subject.approx_noise;
  return execution;
}

}  // namespace plusmax::properties
