#include "cli/bench_shapes.hpp"

#include "properties/case.hpp"
#include "properties/number.hpp"

#include <fmt/format.h>

namespace plusmax::cli {

std::vector<BenchShape> default_shapes(std::string_view backend) {
  if (backend == "host") return {{64, 1024, PLUSMAX_F32}, {8, 4099, PLUSMAX_BF16}, {1, 65536, PLUSMAX_F32}};
  return {
      {8192, 128256, PLUSMAX_BF16},  // tokens by the vocabulary of Llama 3
      {8192, 128256, PLUSMAX_F32},
      {65536, 1024, PLUSMAX_BF16},   // many short rows
      {65536, 1024, PLUSMAX_F32},
      {32768, 32768, PLUSMAX_BF16},
      {4096, 262144, PLUSMAX_BF16},  // the widest vocabularies
      {16, 1 << 20, PLUSMAX_BF16},   // fewer rows than a GPU has multiprocessors
      {16, 1 << 20, PLUSMAX_F32},
      {1, 1 << 24, PLUSMAX_BF16},    // one row for all of it
      {1, 1 << 24, PLUSMAX_F32},
  };
}

BenchShape parse_shape(const std::string& text, plusmax_dtype dtype) {
  const std::size_t cross = text.find('x');
  if (cross != std::string::npos) {
    const auto rows = properties::parse_integer(text.substr(0, cross)), cols = properties::parse_integer(text.substr(cross + 1));
    constexpr std::int64_t kMost = std::int64_t{1} << 36;  // logits; more memory than a GPU has
    if (rows && cols && *rows > 0 && *cols > 0 && *rows <= kMost / *cols) return {*rows, *cols, dtype};
  }
  throw properties::UsageError(fmt::format("--shape '{}' is no shape: write ROWSxCOLS, such as 8192x128256, up to 2^36 logits", text));
}

}  // namespace plusmax::cli
