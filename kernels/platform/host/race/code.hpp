// Names for code addresses.
#pragma once

#include <string>

namespace plusmax::simt::race {

// "vec.cuh:40 (from block_per_row.cu:57)" where addr2line and debug information are there, else "module+0x1a2b".
std::string describe_code(const void* return_address);

}  // namespace plusmax::simt::race
