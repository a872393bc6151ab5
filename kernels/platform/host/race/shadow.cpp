#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/shadow.hpp"

#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <vector>

namespace plusmax::simt {
namespace race {
namespace {

std::vector<Region>& regions() {  // by address
  static std::vector<Region> all;
  return all;
}
std::size_t last_found = 0;

Cell* map_cells(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes / kGrain * sizeof(Cell), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<Cell*>(memory);
}

std::size_t mapped_bytes(const HostBuffer* buffer) {
  std::size_t bytes = 0;
  for (const HostBuffer::Range& range : buffer->ranges()) bytes += std::size_t(range.high - range.low);
  return bytes;
}

bool contains(const Region& region, const char* address) { return address >= region.low && address < region.high; }

}  // namespace

const Region* find_region(const char* address) {
  const std::vector<Region>& all = regions();
  if (last_found < all.size() && contains(all[last_found], address)) return &all[last_found];
  auto behind =
      std::upper_bound(all.begin(), all.end(), address, [](const char* a, const Region& r) { return a < r.low; });
  if (behind == all.begin() || !contains(*(behind - 1), address)) return nullptr;
  last_found = std::size_t(behind - 1 - all.begin());
  return &all[last_found];
}

bool inside_line(const Region& region, const char* address, std::size_t bytes) {
  if (address >= region.line_low && address + bytes <= region.line_high) return true;
  const HostBuffer& buffer = *region.buffer;
  const char* start = static_cast<const char*>(buffer.data());
  if (address < start) return false;
  std::size_t index = 0, length = buffer.line_bytes();
  if (buffer.line_stride() <= buffer.line_bytes())
    length += (buffer.lines() - 1) * buffer.line_stride();
  else
    index = std::min(std::size_t(address - start) / buffer.line_stride(), buffer.lines() - 1);
  region.line_low = start + index * buffer.line_stride();
  region.line_high = region.line_low + length;
  return address + bytes <= region.line_high;
}

Cell* arena_cells() {
  static Cell* const cells = map_cells(kArena * kMaxCluster);
  return cells;
}

}  // namespace race

void race_add(const HostBuffer* buffer) {
  if (buffer->ranges().empty()) return;
  race::Cell* cells = race::map_cells(race::mapped_bytes(buffer));
  std::vector<race::Region>& all = race::regions();
  auto at = std::upper_bound(all.begin(), all.end(), buffer->ranges().front().low,
                             [](const char* a, const race::Region& r) { return a < r.low; });
  std::vector<race::Region> added;
  for (const HostBuffer::Range& range : buffer->ranges()) {
    added.push_back({range.low, range.high, buffer, cells, nullptr, nullptr});
    cells += std::size_t(range.high - range.low) / race::kGrain;
  }
  all.insert(at, added.begin(), added.end());
}

void race_remove(const HostBuffer* buffer) {
  std::vector<race::Region>& all = race::regions();
  auto first = std::find_if(all.begin(), all.end(), [buffer](const race::Region& r) { return r.buffer == buffer; });
  if (first == all.end()) return;
  munmap(first->cells, race::mapped_bytes(buffer) / race::kGrain * sizeof(race::Cell));
  all.erase(first, first + std::ptrdiff_t(buffer->ranges().size()));
}

}  // namespace plusmax::simt

#endif  // PLUSMAX_RACE
