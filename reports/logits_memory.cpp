#include "reports/logits_memory.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::reports {
namespace {

std::int64_t ceil_divide(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

std::uint64_t product(std::int64_t a, std::int64_t b, int bytes) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b) * static_cast<std::uint64_t>(bytes);
}

}  // namespace

std::int64_t equal_chunk(std::int64_t tokens, std::int64_t most) {
  return ceil_divide(tokens, std::max<std::int64_t>(ceil_divide(tokens, most), 1));
}

LogitsMemory logits_memory(const LogitsQuestion& q) {
  constexpr std::int64_t kLine = 64;  // elements: 128 bytes of 16 bits, 256 of 32
  LogitsMemory m;
  m.one_copy = product(q.tokens, q.vocab, q.element_bytes);
  m.three_copies = 3 * m.one_copy;
  m.chunk = q.chunk > 0 ? q.chunk : q.computed();
  m.chunks = m.chunk == 0 ? 0 : ceil_divide(q.computed(), m.chunk);
  m.chunk_logits = product(m.chunk, ceil_divide(q.vocab, kLine) * kLine, q.chunk_element_bytes);
  if (q.sums_dweight && m.chunks > 1) m.dweight_sum = product(q.vocab, q.features, 4);
  return m;
}

std::string saves_nothing(const LogitsQuestion& q) {
  const LogitsMemory m = logits_memory(q);
  if (m.chunks == 0 || m.by_chunks() < m.one_copy) return "";
  const std::string copy = fmt::format("the one copy in place {}", memory_size(m.one_copy));
  if (m.chunks == 1)
    return fmt::format("A chunk of all {} tokens saves nothing: its logits take {}, {}.", m.chunk, memory_size(m.chunk_logits), copy);
  if (m.dweight_sum == 0)
    return fmt::format("Chunks of {} of {} tokens save nothing: the logits of one take {}, {}.", m.chunk, q.computed(), memory_size(m.chunk_logits), copy);
  return fmt::format("Chunks save nothing: the logits of one take {} and the f32 sum of dW {}, {}. A dW in f32 is its own sum, and slices of the vocabulary need none.",
                     memory_size(m.chunk_logits), memory_size(m.dweight_sum), copy);
}

std::string three_copies_over_chunk(const LogitsMemory& m) {
  if (m.chunk_logits == 0) return "";
  const double tenths = std::floor(10.0 * static_cast<double>(m.three_copies) / static_cast<double>(m.chunk_logits) + 0.5);
  return fmt::format("{:.1f}", tenths / 10);
}

LogitsTraffic logits_traffic(std::int64_t tokens, std::int64_t vocab, int element_bytes) {
  const std::uint64_t once = product(tokens, vocab, element_bytes);
  return {once, 2 * once, 4 * once, 2 * once, 3 * once};
}

}  // namespace plusmax::reports
