// Shadow memory: who touched each pair of bytes last. Cells exist for mapped memory only.
#pragma once

#include "kernels/platform/host/buffer.hpp"

#include <cstddef>
#include <cstdint>

namespace plusmax::simt::race {

// Two bytes: the smallest thing that threads own is a 16-bit element.
constexpr std::size_t kGrain = 2;

// time << 16 | who << 1 | atomic; 0: nobody. Who: a thread or an agent (clock.hpp).
using Record = std::uint64_t;
constexpr Record make_record(std::uint64_t time, unsigned who, bool atomic) {
  return time << 16 | std::uint64_t(who) << 1 | atomic;
}
constexpr std::uint64_t time_of(Record record) { return record >> 16; }
constexpr unsigned who_of(Record record) { return unsigned(record >> 1) & 0x7fff; }
constexpr bool is_atomic(Record record) { return record & 1; }

struct Cell {
  Record write, read[3];
  const void *write_code, *read_code;
};

// A run of mapped pages of a buffer.
struct Region {
  const char *low, *high;
  const HostBuffer* buffer;
  Cell* cells;  // of `low`
  // The line that was touched last, so that most accesses need no division.
  mutable const char *line_low, *line_high;
};

// null: no buffer has this address
const Region* find_region(const char* address);
// Do these bytes belong to one line of the buffer?
bool inside_line(const Region&, const char* address, std::size_t bytes);
// Cells of the arenas of shared memory.
Cell* arena_cells();

}  // namespace plusmax::simt::race
