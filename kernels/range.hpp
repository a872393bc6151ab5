// Address ranges of a call's arguments, and what is wrong with them, with the values.
#pragma once

#include "kernels/status.hpp"

#include <cstdint>

namespace plusmax {

// `lines` pieces of `length` elements of `size` bytes, `stride` elements apart.
struct Range {
  const char* name;
  const void* pointer;
  std::int64_t lines, stride, length;
  int size;
  std::int64_t bytes;  // from the first element to the end of the last; -1: more than 63 bits count

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(pointer); }
  std::uintptr_t end() const { return begin() + static_cast<std::uintptr_t>(bytes); }
};

inline Range strided(const char* name, const void* pointer, std::int64_t lines, std::int64_t stride,
                     std::int64_t length, int size) {
  Range range{name, pointer, lines, stride, length, size, 0};
  if (lines <= 0 || length <= 0) return range;
  std::int64_t elements = 0;
  if (__builtin_mul_overflow(lines - 1, stride, &elements) || __builtin_add_overflow(elements, length, &elements) ||
      __builtin_mul_overflow(elements, std::int64_t{size}, &range.bytes))
    range.bytes = -1;
  return range;
}

inline Status check_extent(const Range& r) {
  if (r.bytes >= 0) return {};
  return Status::error(
      PLUSMAX_INVALID_ARGUMENT, "%s: %lld lines of %lld elements, %lld apart: more bytes than 63 bits count", r.name,
      static_cast<long long>(r.lines), static_cast<long long>(r.length), static_cast<long long>(r.stride));
}

inline Status check_address(const Range& r) {
  if (r.bytes == 0) return {};
  if (r.pointer == nullptr)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s is NULL, %lld bytes needed", r.name,
                         static_cast<long long>(r.bytes));
  if (r.begin() % static_cast<unsigned>(r.size) != 0)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %p is not aligned to its element of %d bytes", r.name, r.pointer,
                         r.size);
  if (r.end() < r.begin())
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %p and %lld bytes pass the end of memory", r.name, r.pointer,
                         static_cast<long long>(r.bytes));
  return {};
}

inline Status check_disjoint(const Range& a, const Range& b) {
  if (a.bytes == 0 || b.bytes == 0 || a.begin() >= b.end() || b.begin() >= a.end()) return {};
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s [%p, %p) overlaps %s [%p, %p)", a.name, a.pointer,
                       reinterpret_cast<void*>(a.end()), b.name, b.pointer, reinterpret_cast<void*>(b.end()));
}

// All memory that a call touches.
class Ranges {
 public:
  void add(const Range& range, bool output) {
    ranges_[count_] = range;
    outputs_[count_++] = output;
  }
  // One-dimensional, and left out if null.
  void add_vector(const char* name, const void* pointer, std::int64_t count, std::int64_t stride, int size,
                  bool output) {
    if (pointer != nullptr) add(strided(name, pointer, count, stride, 1, size), output);
  }

  Status check_extents() const {
    for (int i = 0; i < count_; ++i)
      if (Status status = check_extent(ranges_[i]); !status.ok()) return status;
    return {};
  }
  // No output overlaps anything, but where may_share(earlier, later) says so.
  template <class MayShare>
  Status check_addresses(MayShare&& may_share) const {
    for (int i = 0; i < count_; ++i)
      if (Status status = check_address(ranges_[i]); !status.ok()) return status;
    for (int i = 0; i < count_; ++i)
      for (int j = 0; j < i; ++j)
        if ((outputs_[i] || outputs_[j]) && !may_share(ranges_[j], ranges_[i]))
          if (Status status = check_disjoint(ranges_[i], ranges_[j]); !status.ok()) return status;
    return {};
  }

 private:
  static constexpr int kMost = 24;
  Range ranges_[kMost];
  bool outputs_[kMost];
  int count_ = 0;
};

}  // namespace plusmax
