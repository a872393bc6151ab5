// The check of one access.
#pragma once

#include <cstddef>

namespace plusmax::simt::race {

// `code`: return address in the kernel
void access(const volatile void* where, std::size_t bytes, bool write, bool atomic, const void* code);
void start_launch();

}  // namespace plusmax::simt::race
