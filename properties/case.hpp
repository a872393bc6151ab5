// A Case is one line of text; the data are a pure function of it.
//
//   OP DTYPE rows=R cols=C [KEY=VALUE ...]        defaults are left out
//
//   logsumexp bf16 rows=8 cols=128256 stride=128320 fill=plateau depth=9.7 seed=7
//   logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]
//   logsumexp f32 rows=1 cols=100000 fill=constant value=0 set=0:5=8,0:9=nan
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
  bool operator==(const Patch&) const = default;
};

struct Case {
  std::string op = "logsumexp";
  plusmax_dtype dtype = PLUSMAX_F32;
  std::int64_t rows = 1, cols = 1;
  std::int64_t row_stride = 1;  // key stride, elements; default cols * col_stride
  std::int64_t col_stride = 1;  // key col_stride
  std::int64_t lse_stride = 1;  // key out_stride
  std::int64_t phase = 0;       // key phase: elements between a 256-byte boundary and the first logit
  std::string fill = "normal";
  std::vector<std::pair<std::string, double>> parameters;  // of the fill, sorted by name, non-default ones only
  std::uint64_t seed = 0;
  std::vector<Patch> set;       // over the fill
  std::vector<std::vector<double>> data;  // instead of a fill: [rows][cols]; empty if not given

  bool operator==(const Case&) const = default;
};

std::string to_line(const Case&);
// Throws UsageError: unknown op, dtype, key, fill or fill parameter; absurd sizes; data of another shape.
Case parse_case(std::string_view line);

// One row of logits, exact values of the dtype (already rounded). Same bits for every row order, thread and machine.
void fill_row(const Case&, std::int64_t row, double* out /* [cols] */);

}  // namespace plusmax::properties
