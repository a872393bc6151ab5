// How the elements of a launch lie in memory, and how the launch goes: the same for every operation.
#pragma once

#include "properties/case.hpp"
#include "properties/subject.hpp"

#include <cstdint>

namespace plusmax::properties {

// Where the elements lie, in elements.
struct Layout {
  std::int64_t row_stride = 1, col_stride = 1, lse_stride = 1;
  std::int64_t phase = 0;  // from a 256-byte boundary to the first logit
};
Layout layout_of(const Case&);
Layout dense(std::int64_t cols);
// Elements in `bytes`: the unit in which a start may move without changing a bit is per_bytes(dtype, 128).
std::int64_t per_bytes(plusmax_dtype, std::int64_t bytes);

// What stands in the memory between the rows, which no kernel may read.
enum class Padding { nan, huge, infinity };
const char* name_of(Padding);
double value_of(Padding, plusmax_dtype);

// How a launch goes. No result may depend on any of it.
struct Execution {
  Padding padding = Padding::nan;
  bool surrounded = false;                // 256 bytes of padding on both sides too: seen where no page ends
  unsigned char result_poison = 0x5A;     // finite, so that an unwritten result never looks like a NaN that was due
  unsigned char workspace_fill = 0xA7;
  bool flush_left = false;
  bool verify_inputs = false;             // read the logits and their padding back and compare
  Schedule schedule = Schedule::forward;
  std::uint64_t schedule_seed = 0;
  float approx_noise = 0;
  bool captured = false;                  // run from a CUDA graph, twice where nothing overwrites its own input
};
Execution execution_of(const Subject&);

}  // namespace plusmax::properties
