// The shapes that bench times when none is named.
#pragma once

#include "kernels/include/plusmax/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plusmax::cli {

struct BenchShape {
  std::int64_t rows = 0, cols = 0;
  plusmax_dtype dtype = PLUSMAX_F32;
};

// On a GPU: vocabularies in use, long rows, one row for the whole device, many short rows. On the host: a few small ones, to see
// that everything works; its times say nothing about a GPU.
std::vector<BenchShape> default_shapes(std::string_view backend);

// "8192x128256". Throws properties::UsageError.
BenchShape parse_shape(const std::string& text, plusmax_dtype dtype);

}  // namespace plusmax::cli
