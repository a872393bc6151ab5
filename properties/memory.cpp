#include "properties/memory.hpp"

#include "properties/operation.hpp"
#include "properties/subject.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <string_view>

namespace plusmax::properties {

std::string memory_refusal(const Case& of, const Device& device) {
  constexpr double kAlways = 1 << 26;  // the system finds that much, whatever it calls free
  const auto rows = static_cast<double>(of.rows), cols = static_cast<double>(of.cols);
  double needed = 8 * cols + 4 * rows;
  const bool on_host = std::string_view(device.backend()) == "host";
  if (const Operation& operation = operation_named(of.op); operation.result_bytes)
    needed += operation.result_bytes(of, on_host);
  if (on_host)
    needed += (of.row_stride == 0 ? 1 : rows) * cols * static_cast<double>(reference::size_of(of.dtype));
  if (needed <= kAlways) return "";
  const std::size_t free = host_module()->device->free_bytes();
  if (needed <= static_cast<double>(free)) return "";
  return fmt::format("not enough memory: {} rows of {} columns need {:.0f} bytes, {} are free", of.rows, of.cols,
                     needed, free);
}

}  // namespace plusmax::properties
