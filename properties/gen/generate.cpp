// The shape of a generated Case: dtype, rows, cols, strides, phase. Its values are drawn in draw_values.cpp.
#include "properties/gen/generate.hpp"

#include "properties/gen/draw.hpp"
#include "properties/gen/draw_values.hpp"
#include "properties/operation.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace plusmax::properties::gen {
namespace {

constexpr int kWideSize = 60;   // from this size on: widths of real vocabularies
constexpr int kHugeSize = 40;   // from this size on: strides beyond 2^31

std::vector<std::int64_t> make_thresholds() {
  std::vector<std::int64_t> all;
  for (int exponent = 0; exponent <= 17; ++exponent) {
    for (int step = -1; step <= 1; ++step) all.push_back((std::int64_t{1} << exponent) + step);
  }
  for (int warps = 1; warps <= 33; ++warps) {  // 32 lanes: every warp and vector boundary of a block of 1024 threads
    for (int step = -1; step <= 1; ++step) all.push_back(32 * warps + step);
  }
  // Three rounds of a 1024-thread block; a prime, two vocabularies with odd tails, two without.
  all.insert(all.end(), {3, 5, 6, 7, 3071, 3072, 3073, 4099, 20011, 50257, 32000, 128256});
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  all.erase(all.begin());  // 0, which is drawn apart
  return all;
}

// From a threshold: none, one column, or about one vector (4 f32, 8 of 16 bits).
std::int64_t draw_step(Draw& draw) {
  return draw.one_in(4) ? draw.of({-9L, -8L, -7L, -4L, 3L, 4L, 7L, 8L, 9L}) : draw.range(-1, 1);
}

std::int64_t draw_cols(Draw& draw, int size) {
  const std::int64_t exponents = 3 + size * 10 / kNominalSize;  // up to 2^13
  switch (draw.weighted({20, 34, 20, 10, 6, size >= kWideSize ? 3 : 0, 2})) {
    case 0: return draw.range(1, 2 + size / 2);
    case 1: return (std::int64_t{1} << draw.range(0, exponents)) + draw_step(draw);
    case 2: return 32 * draw.range(1, 1 + size * 40 / kNominalSize) + draw.range(-1, 1);
    case 3: return 8 * draw.range(1, 1 + size * 2) + draw.range(1, 7);  // vector body and a tail of every length
    case 4: return size < kHugeSize ? draw.range(1, 70) : draw.of({1023L, 1024L, 1025L, 2047L, 2049L, 3073L, 4099L});
    case 5:
      switch (draw.weighted({5, 4, 3})) {
        case 0: return 20011;
        case 1: return (std::int64_t{1} << draw.range(14, 16)) + draw_step(draw);
        default: return draw.of({32000L, 50257L, 128256L, 131073L});
      }
    default: return 0;
  }
}

std::int64_t draw_rows(Draw& draw, int size) {
  switch (draw.weighted({3, 25, 22, 26, 14, 7, 3})) {
    case 0: return 0;
    case 1: return 1;
    case 2: return 2;
    case 3: return draw.of({3L, 4L, 5L, 7L, 8L, 9L});
    case 4: return draw.range(1, 2 + size / 2);
    case 5: return draw.of({31L, 32L, 33L, 63L, 64L, 65L, 127L, 129L});
    default: return draw.range(1, 1 + size * 12);  // more rows than one wave of blocks
  }
}

// Rows and columns within the limits, and within what `size` may cost.
void draw_extent(Draw& draw, const CaseLimits& limits, int size, Case& c) {
  c.cols = std::clamp<std::int64_t>(draw_cols(draw, size), 0, limits.max_cols);
  c.rows = std::clamp<std::int64_t>(draw_rows(draw, size), 0, limits.max_rows);
  const double share = static_cast<double>(size) / kNominalSize;
  const auto budget = std::min(limits.max_logits,
                               std::max<std::int64_t>(256, static_cast<std::int64_t>(share * share * static_cast<double>(limits.max_logits))));
  c.cols = std::min(c.cols, limits.max_logits);
  if (c.cols > 0) c.rows = std::min(c.rows, std::max<std::int64_t>(1, budget / c.cols));
}

std::int64_t draw_padding(Draw& draw) {
  switch (draw.weighted({5, 3, 2, 2})) {
    case 0: return 1;
    case 1: return 1 + 2 * draw.range(1, 16);
    case 2: return 8 * draw.range(1, 16);
    default: return draw.range(1, 300);
  }
}

void draw_strides(Draw& draw, const CaseLimits& limits, int size, Case& c) {
  c.col_stride = 1;
  c.row_stride = c.cols;
  if (c.rows > 0 && c.cols > 0) {
    switch (draw.weighted({38, 28, 6, size >= kHugeSize ? 5 : 0, 14, 9})) {
      case 0: break;
      case 1: c.row_stride = c.cols + draw_padding(draw); break;
      case 2: c.row_stride = c.rows > 1 ? 0 : c.cols; break;  // one row read many times
      case 3:  // offsets that 32 bits cannot hold
        c.rows = std::min<std::int64_t>(c.rows, 3);
        if (c.rows > 1) c.row_stride = (std::int64_t{1} << 31) + 1 + 2 * draw.range(0, 100);
        break;
      case 4:  // transposed: a row lies across the columns
        c.row_stride = 1;
        c.col_stride = c.rows + (draw.one_in(2) ? 0 : draw_padding(draw));
        break;
      default:
        c.col_stride = draw.of({2L, 3L, 8L});
        c.row_stride = c.cols * c.col_stride + (draw.one_in(2) ? 0 : draw_padding(draw));
    }
    if (span_bytes(c) > limits.max_span_bytes) c.col_stride = 1, c.row_stride = c.cols;
    if (c.rows <= 1) c.row_stride = c.cols * c.col_stride;  // never used: leave it at its default
  }
  c.lse_stride = draw.weighted({16, 4}) == 0 ? 1 : draw.of({2L, 3L, 17L});
}

std::int64_t draw_phase(Draw& draw, plusmax_dtype dtype) {
  const std::int64_t elements = 256 / static_cast<std::int64_t>(reference::size_of(dtype));
  switch (draw.weighted({10, 3, 2, 5})) {
    case 0: return 0;
    case 1: return 1;
    case 2: return elements - 1;
    default: return draw.range(0, elements - 1);
  }
}

}  // namespace

std::span<const std::int64_t> threshold_cols() {
  static const std::vector<std::int64_t> all = make_thresholds();
  return all;
}

CaseLimits limits_for(const Device& device) {
  CaseLimits limits;
  if (std::string_view(device.backend()) != "host") {
    // A strided buffer is mapped whole: a quarter of the memory leaves room for guards, copies and other processes.
    limits.max_span_bytes = static_cast<std::int64_t>(std::max<std::size_t>(device.free_bytes() / 4, std::size_t{1} << 24));
    limits.max_logits = 2'000'000;
  }
  return limits;
}

void require_valid(const CaseLimits& limits) {
  const std::array<std::pair<const char*, std::int64_t>, 4> fields = {{{"max_rows", limits.max_rows},
                                                                        {"max_cols", limits.max_cols},
                                                                        {"max_logits", limits.max_logits},
                                                                        {"max_span_bytes", limits.max_span_bytes}}};
  for (const auto& [name, value] : fields) {
    if (value < 1) throw UsageError(fmt::format("{}={} allows no case: use at least 1", name, value));
  }
}

std::int64_t span_bytes(const Case& c) { return extent(c) * static_cast<std::int64_t>(reference::size_of(c.dtype)); }

Case draw_case(std::string_view op, const CaseLimits& limits, std::uint64_t key, int size) {
  Draw draw(key);
  size = std::clamp(size, 0, kNominalSize);
  Case c;
  c.op = op;
  c.dtype = draw.of({PLUSMAX_F32, PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_BF16, PLUSMAX_F64});
  draw_extent(draw, limits, size, c);
  draw_strides(draw, limits, size, c);
  draw_values(draw, size, c);  // last: patches and data must agree with the strides
  c.phase = draw_phase(draw, c.dtype);
  if (const Operation& operation = grammar_of(op); operation.draw) operation.draw(draw, c);
  return c;
}

bool is_valid(const Case& c) {
  try {
    validate(c);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

}  // namespace plusmax::properties::gen
