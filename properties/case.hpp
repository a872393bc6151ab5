// A Case is one line of text; the data are a pure function of it.
//
//   OP DTYPE rows=R cols=C [KEY=VALUE ...]        defaults are left out
//
//   logsumexp bf16 rows=8 cols=128256 stride=128320 fill=plateau depth=9.7 seed=7
//   logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]
//   logsumexp f32 rows=1 cols=100000 fill=constant value=0 set=0:5=8,0:9=nan
//
// Keys: rows cols stride col_stride out_stride phase fill seed set data, the parameters of the fill, and the options of
// the operation (properties/ops/OP/options.hpp). Sizes may be
// written 2^31. Numbers are decimal, hexadecimal (0x1.8p-3), inf, -inf or nan, and are rounded to the dtype, as fills
// are.
#pragma once

#include "kernels/include/plusmax/types.h"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties {

// What the user typed cannot be used. what() is one line with the values and what to do.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Patch {
  std::int64_t row, col;
  double value;
  bool operator==(const Patch&) const;  // values as text: nan equals nan, -0 differs from 0
};

struct Case {
  std::string op = "logsumexp";
  plusmax_dtype dtype = PLUSMAX_F32;
  std::int64_t rows = 1, cols = 1;
  std::int64_t row_stride = 1;  // key stride, elements; default cols * col_stride
  std::int64_t col_stride = 1;  // key col_stride
  std::int64_t lse_stride = 1;  // key out_stride
  std::int64_t phase = 0;  // key phase: elements between a 256-byte boundary and the first logit, less than 256 bytes
  std::string fill = "normal";
  std::vector<std::pair<std::string, double>> parameters;  // of the fill, sorted by name, non-default ones only
  std::uint64_t seed = 0;
  std::vector<Patch> set;                 // over the fill
  std::vector<std::vector<double>> data;  // instead of a fill: [rows][cols]; empty if not given
  // What the operation asks for beyond logits: KEY and VALUE as its Operation writes them, defaults left out.
  std::vector<std::pair<std::string, std::string>> options;

  bool operator==(const Case&) const;  // values as text, as in Patch
};

constexpr std::int64_t kLargestSize = std::int64_t{1}
                                      << 40;  // of every size, of rows * cols and of the extent in elements

// For cases made in code: rows, cols, and the stride that such a line has by default.
void set_shape(Case&, std::int64_t rows, std::int64_t cols, std::int64_t col_stride = 1);
// Keeps `parameters` sorted and without defaults. Throws UsageError if the case's fill has no such parameter.
void set_parameter(Case&, std::string_view name, double value);
// Elements from the first logit to the last one, both included; 0 if there is none.
std::int64_t extent(const Case&);

std::string to_line(const Case&);
// Throws UsageError: unknown op, dtype, key, fill or fill parameter; absurd sizes; data of another shape.
Case parse_case(std::string_view line);
// What parse_case refuses in a case made in code: throws UsageError. Element (r, c) lies at r * stride + c * col_stride,
// and two elements never share an address, except that stride 0 repeats row 0.
void validate(const Case&);

// One row of logits, exact values of the dtype (already rounded). Same bits for every row order, thread and machine.
// Finite values of a fill are clipped to the finite range of the dtype; stride 0 gives row 0 for every row.
void fill_row(const Case&, std::int64_t row, double* out /* [cols] */);

}  // namespace plusmax::properties
