#include "kernels/platform/host/buffer.hpp"

#include "kernels/platform/host/machine.hpp"
#include "kernels/platform/host/race/hooks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#if PLUSMAX_ASAN
#include <sanitizer/asan_interface.h>
#define PLUSMAX_NO_ASAN __attribute__((no_sanitize("address")))
#else
#define PLUSMAX_NO_ASAN
#endif

namespace plusmax::simt {
namespace {

constexpr std::size_t kPage = 4096, kAlign = 256;
// Address space before and behind; where 32-bit offsets can wrap, as far as 2^31 elements of 8 bytes go.
constexpr std::size_t kGuard = 64 * 1024, kFarGuard = (std::size_t(1) << 34) + kGuard, kFarFrom = std::size_t(1) << 31;
constexpr std::size_t kMaxRanges = 8192;  // the kernel allows some 65,000 mappings a process
constexpr std::size_t kMaxBridged = std::size_t(1) << 30;
constexpr unsigned char kCanary = 0xA5, kInitial = 0xFF;

std::vector<HostBuffer*>& registry() {
  static std::vector<HostBuffer*> buffers;
  return buffers;
}

char* page_below(char* p) { return p - (reinterpret_cast<std::uintptr_t>(p) & (kPage - 1)); }
char* page_above(char* p) { return page_below(p + kPage - 1); }

void protect_pages(char* low, char* high, int access) {
  if (mprotect(low, std::size_t(high - low), access) != 0) throw std::bad_alloc();
}

// First byte of [low, high) that is not a canary; high if all are. The bytes may be poisoned.
PLUSMAX_NO_ASAN const char* first_foreign(const char* low, const char* high) {
  const std::uint64_t word = 0x0101010101010101ull * kCanary;
  const char* p = low;
  for (; p < high && (reinterpret_cast<std::uintptr_t>(p) & 7); ++p)
    if (static_cast<unsigned char>(*p) != kCanary) return p;
  while (high - p >= 8 && *reinterpret_cast<const std::uint64_t*>(p) == word) p += 8;
  for (; p < high; ++p)
    if (static_cast<unsigned char>(*p) != kCanary) return p;
  return high;
}

}  // namespace

HostBuffer::HostBuffer(const BufferSpec& spec)
    : name_(spec.name),
      lines_(spec.lines),
      line_bytes_(spec.line_bytes),
      line_stride_(spec.line_stride),
      phase_(spec.phase % kAlign),
      flush_left_(spec.flush_left),
      read_only_(spec.read_only) {
  if (lines_ == 0 || line_bytes_ == 0) lines_ = line_bytes_ = 0;
  std::size_t before_last = 0;
  if (lines_ && (__builtin_mul_overflow(lines_ - 1, line_stride_, &before_last) ||
                 __builtin_add_overflow(before_last, line_bytes_, &extent_)))
    throw std::bad_alloc();
  reserve();
  try {
    plan_ranges();
    protect(PROT_READ | PROT_WRITE);
    registry().push_back(this);
  } catch (...) {
    munmap(reserved_, reserved_bytes_);
    throw;
  }
  for_each_slack([](char* low, char* high) {
    std::memset(low, kCanary, std::size_t(high - low));
#if PLUSMAX_ASAN
    __asan_poison_memory_region(low, std::size_t(high - low));
#endif
    return false;
  });
  fill(kInitial);
  race_add(this);
}

HostBuffer::~HostBuffer() {
  race_remove(this);
  std::vector<HostBuffer*>& all = registry();
  all.erase(std::find(all.begin(), all.end(), this));
#if PLUSMAX_ASAN
  for (const Range& range : ranges_) __asan_unpoison_memory_region(range.low, std::size_t(range.high - range.low));
#endif
  munmap(reserved_, reserved_bytes_);
}

// Takes address space and places data_: against the last guard, or the first with flush_left, as near as its phase
// allows.
void HostBuffer::reserve() {
  const std::size_t span = (extent_ + kAlign + kPage - 1) / kPage * kPage;
  const std::size_t guard = extent_ >= kFarFrom ? kFarGuard : kGuard;
  if (span < extent_ || __builtin_add_overflow(span, 2 * guard, &reserved_bytes_)) throw std::bad_alloc();
  void* memory = mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  reserved_ = static_cast<char*>(memory);
  char* const low = reserved_ + guard;
  if (flush_left_) {
    data_ = low + phase_;
  } else {
    data_ = low + span - extent_;
    data_ -= (reinterpret_cast<std::uintptr_t>(data_) - phase_) & (kAlign - 1);
  }
}

void HostBuffer::plan_ranges() {
  // Where lines lie closer than a page, one range holds them all. Gaps are bridged when there would be too many.
  for (std::size_t gap = 0;; gap = gap ? gap * 4 : kPage) {
    ranges_.clear();
    std::size_t bridged = 0;
    for (std::size_t i = 0; i < lines_ && ranges_.size() <= kMaxRanges; ++i) {
      char *low = page_below(line(i)), *high = page_above(line(i) + line_bytes_);
      if (!ranges_.empty() && low <= ranges_.back().high + gap) {
        if (low > ranges_.back().high) bridged += std::size_t(low - ranges_.back().high);
        ranges_.back().high = std::max(ranges_.back().high, high);
      } else {
        ranges_.push_back({low, high});
      }
    }
    if (bridged > kMaxBridged) throw std::bad_alloc();
    if (ranges_.size() <= kMaxRanges) return;
  }
}

void HostBuffer::protect(int access) const {
  for (const Range& range : ranges_) protect_pages(range.low, range.high, access);
}

template <class Visit>
void HostBuffer::for_each_slack(Visit&& visit) const {
  std::size_t next = 0;
  for (const Range& range : ranges_) {
    char* at = range.low;
    if (line_stride_ <= line_bytes_) {  // no gaps between lines
      if (lines_ && line(0) > at && visit(at, line(0))) return;
      at = data_ + extent_;
    }
    for (; line_stride_ > line_bytes_ && next < lines_ && line(next) < range.high; ++next) {
      if (line(next) > at && visit(at, line(next))) return;
      at = line(next) + line_bytes_;
    }
    if (at < range.high && visit(at, range.high)) return;
  }
}

void HostBuffer::check_span(const char* what, std::size_t offset, std::size_t bytes) const {
  if (bytes == 0) return;
  const std::size_t index = line_stride_ && lines_ ? std::min(offset / line_stride_, lines_ - 1) : 0;
  const std::size_t inside = offset - index * line_stride_;
  if (lines_ == 0 || inside > line_bytes_ || bytes > line_bytes_ - inside) {
    char text[300];
    std::snprintf(text, sizeof text,
                  "%s of %zu bytes at offset %zu leaves the lines of '%s' (%zu of %zu bytes, %zu apart)", what, bytes,
                  offset, name(), lines_, line_bytes_, line_stride_);
    throw std::out_of_range(text);
  }
}

void HostBuffer::write(std::size_t offset, const void* from, std::size_t bytes) {
  check_span("write", offset, bytes);
  if (bytes == 0) return;
  char *low = page_below(data_ + offset), *high = page_above(data_ + offset + bytes);
  if (sealed_) protect_pages(low, high, PROT_READ | PROT_WRITE);
  std::memcpy(data_ + offset, from, bytes);
  if (sealed_) protect_pages(low, high, PROT_READ);
}

void HostBuffer::read(std::size_t offset, void* to, std::size_t bytes) const {
  check_span("read", offset, bytes);
  if (bytes) std::memcpy(to, data_ + offset, bytes);
}

void HostBuffer::fill(unsigned char byte) {
  if (sealed_) protect(PROT_READ | PROT_WRITE);
  if (line_stride_ <= line_bytes_) {
    std::memset(data_, byte, extent_);
  } else {
    for (std::size_t i = 0; i < lines_; ++i) std::memset(line(i), byte, line_bytes_);
  }
  if (sealed_) protect(PROT_READ);
}

void HostBuffer::seal() {
  if (!read_only_ || sealed_) return;
  protect(PROT_READ);
  sealed_ = true;
}

std::string HostBuffer::violation() const {
  std::string found;
  for_each_slack([&](const char* low, const char* high) {
    const char* foreign = first_foreign(low, high);
    if (foreign == high) return false;
    char text[400];
    describe(foreign, true, text, sizeof text);
    found = text;
    return true;
  });
  return found;
}

void HostBuffer::describe(const char* address, bool store, char* text, std::size_t size) const {
  const std::ptrdiff_t offset = address - data_;
  const char* verb = store ? "stored to" : "accessed";
  if (offset < 0 || std::size_t(offset) >= extent_) {
    const char* side = offset < 0 ? "before its start" : "behind its end";
    std::snprintf(text, size, "out of bounds: '%s' of %zu bytes was %s at byte offset %td, %s", name(), extent_, verb,
                  offset, side);
    return;
  }
  const std::size_t index = line_stride_ ? std::min(std::size_t(offset) / line_stride_, lines_ - 1) : 0;
  const std::size_t inside = std::size_t(offset) - index * line_stride_;
  if (inside >= line_bytes_)
    std::snprintf(text, size,
                  "padding: '%s' was %s at byte offset %td, %zu bytes behind line %zu of %zu bytes (%zu apart)", name(),
                  verb, offset, inside - line_bytes_, index, line_bytes_, line_stride_);
  else
    std::snprintf(text, size, "read-only: '%s' was %s at byte offset %td, in line %zu", name(), verb, offset, index);
}

bool describe_buffer(const char* address, bool store, char* text, std::size_t size) {
  for (const HostBuffer* buffer : registry())
    if (buffer->reserves(address)) {
      buffer->describe(address, store, text, size);
      return true;
    }
  return false;
}

}  // namespace plusmax::simt
