// The functions that -fsanitize=thread calls. Kernels are compiled with it and linked without, so these are called
// instead of the sanitizer's own.
#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/detector.hpp"
#include "kernels/platform/host/runtime.hpp"

#include <cstddef>
#include <cstdint>

using plusmax::simt::race::access;

namespace {
// The compiler says "unaligned" where a type does not promise its alignment; what it did promise must hold.
void aligned_access(void* p, std::size_t bytes, bool write, const void* code) {
  plusmax::simt::check_aligned(p, bytes < 8 ? bytes : 8);
  access(p, bytes, write, false, code);
}
}  // namespace

#pragma GCC visibility push(default)
#define PLUSMAX_CODE __builtin_return_address(0)
#define PLUSMAX_HOOKS(n)                                                               \
  void __tsan_read##n(void* p) { aligned_access(p, n, false, PLUSMAX_CODE); }          \
  void __tsan_write##n(void* p) { aligned_access(p, n, true, PLUSMAX_CODE); }          \
  void __tsan_unaligned_read##n(void* p) { access(p, n, false, false, PLUSMAX_CODE); } \
  void __tsan_unaligned_write##n(void* p) { access(p, n, true, false, PLUSMAX_CODE); } \
  void __tsan_read_write##n(void* p) {                                                 \
    aligned_access(p, n, false, PLUSMAX_CODE);                                         \
    aligned_access(p, n, true, PLUSMAX_CODE);                                          \
  }                                                                                    \
  void __tsan_unaligned_read_write##n(void* p) {                                       \
    access(p, n, false, false, PLUSMAX_CODE);                                          \
    access(p, n, true, false, PLUSMAX_CODE);                                           \
  }                                                                                    \
  void __tsan_volatile_read##n(void* p) { aligned_access(p, n, false, PLUSMAX_CODE); } \
  void __tsan_volatile_write##n(void* p) { aligned_access(p, n, true, PLUSMAX_CODE); }
// std::atomic of host code that happens to be in the same file: done, not checked.
#define PLUSMAX_ATOMICS(bits)                                                                                      \
  using Word##bits = std::uint##bits##_t;                                                                          \
  Word##bits __tsan_atomic##bits##_load(const Word##bits* p, int) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); } \
  void __tsan_atomic##bits##_store(Word##bits* p, Word##bits v, int) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); } \
  Word##bits __tsan_atomic##bits##_exchange(Word##bits* p, Word##bits v, int) {                                    \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                                \
  Word##bits __tsan_atomic##bits##_fetch_add(Word##bits* p, Word##bits v, int) {                                   \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                                \
  Word##bits __tsan_atomic##bits##_fetch_sub(Word##bits* p, Word##bits v, int) {                                   \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(Word##bits* p, Word##bits* e, Word##bits v, int, int) {        \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                        \
  }

extern "C" {
PLUSMAX_HOOKS(1)
PLUSMAX_HOOKS(2)
PLUSMAX_HOOKS(4)
PLUSMAX_HOOKS(8)
PLUSMAX_HOOKS(16)
PLUSMAX_ATOMICS(8)
PLUSMAX_ATOMICS(32)
PLUSMAX_ATOMICS(64)
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_read_range(void* p, std::size_t n) { access(p, n, false, false, PLUSMAX_CODE); }
void __tsan_write_range(void* p, std::size_t n) { access(p, n, true, false, PLUSMAX_CODE); }
void* __tsan_memcpy(void* to, const void* from, std::size_t n) {
  access(from, n, false, false, PLUSMAX_CODE);
  access(to, n, true, false, PLUSMAX_CODE);
  return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, std::size_t n) {
  access(from, n, false, false, PLUSMAX_CODE);
  access(to, n, true, false, PLUSMAX_CODE);
  return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* to, int byte, std::size_t n) {
  access(to, n, true, false, PLUSMAX_CODE);
  return __builtin_memset(to, byte, n);
}
}
#pragma GCC visibility pop

#endif  // PLUSMAX_RACE
