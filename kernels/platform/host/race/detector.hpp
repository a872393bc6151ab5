// The check of one access.
#pragma once

#include <cstddef>

namespace plusmax::simt::race {

// `code`: return address in the kernel
void access(const volatile void* where, std::size_t bytes, bool write, bool atomic, const void* code);
// By an asynchronous agent (agents.hpp) on behalf of the running thread, whose earlier steps are before it.
void access_by_agent(unsigned agent, const void* where, std::size_t bytes, bool write, const void* code);
void start_launch();

}  // namespace plusmax::simt::race
