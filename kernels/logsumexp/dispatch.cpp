#include "kernels/logsumexp/dispatch.hpp"

#include "kernels/logsumexp/config.hpp"
#include "kernels/range.hpp"

namespace plusmax::logsumexp {

extern const KernelVariant<Params> warp_per_row, block_per_row, split_row, lane_per_row;

namespace {

using Long = long long;

Status invalid(const char* name, std::int64_t value, const char* wanted) {
  return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s %lld, must be %s", name, static_cast<Long>(value), wanted);
}

// Bytes from the first element to the end of the last one; false if 63 bits do not hold them.
bool extent(std::int64_t rows, std::int64_t row_stride, std::int64_t cols, std::int64_t col_stride, int size,
            std::int64_t& bytes) {
  std::int64_t down = 0, across = 0, last = 0;
  bytes = 0;
  if (rows == 0 || cols == 0) return true;
  return !__builtin_mul_overflow(rows - 1, row_stride, &down) &&
         !__builtin_mul_overflow(cols - 1, col_stride, &across) && !__builtin_add_overflow(down, across, &last) &&
         !__builtin_add_overflow(last, std::int64_t{1}, &last) &&
         !__builtin_mul_overflow(last, std::int64_t{size}, &bytes);
}

std::int64_t logits_bytes(const Params& p) {
  std::int64_t bytes = 0;
  extent(p.rows, p.row_stride, p.cols, p.col_stride, element_size(p.dtype), bytes);
  return bytes;
}
std::int64_t lse_bytes(const Params& p) {
  std::int64_t bytes = 0;
  extent(p.rows, p.lse_stride, 1, 0, result_size(p.dtype), bytes);
  return bytes;
}

// A range that is not `lines` apart by one stride: only its bytes count.
Range range_of(const char* name, const void* pointer, std::int64_t bytes, int size) {
  return {name, pointer, 1, 0, bytes / size, size, bytes};
}

}  // namespace

Status check_shape(const Params& p) {
  if (const int dtype = static_cast<int>(p.dtype); dtype < PLUSMAX_F32 || dtype > PLUSMAX_F64)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "dtype %d is unknown", static_cast<int>(p.dtype));
  if (p.rows < 0) return invalid("rows", p.rows, "0 or more");
  if (p.cols < 0) return invalid("cols", p.cols, "0 or more");
  if (p.row_stride < 0) return invalid("row_stride", p.row_stride, "0 or more");
  if (p.col_stride < 0) return invalid("col_stride", p.col_stride, "0 or more");
  if (p.lse_stride < 0 || (p.lse_stride == 0 && p.rows > 1)) return invalid("lse_stride", p.lse_stride, "1 or more");
  if (p.rows > 1 && p.col_stride == 1 && p.row_stride != 0 && p.row_stride < p.cols)
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "row_stride %lld < cols %lld", static_cast<Long>(p.row_stride),
                         static_cast<Long>(p.cols));
  std::int64_t bytes = 0;
  if (!extent(p.rows, p.row_stride, p.cols, p.col_stride, element_size(p.dtype), bytes))
    return Status::error(PLUSMAX_INVALID_ARGUMENT,
                         "rows %lld, row_stride %lld, cols %lld, col_stride %lld: more bytes than 63 bits count",
                         static_cast<Long>(p.rows), static_cast<Long>(p.row_stride), static_cast<Long>(p.cols),
                         static_cast<Long>(p.col_stride));
  if (!extent(p.rows, p.lse_stride, 1, 0, result_size(p.dtype), bytes))
    return Status::error(PLUSMAX_INVALID_ARGUMENT, "rows %lld, lse_stride %lld: more bytes than 63 bits count",
                         static_cast<Long>(p.rows), static_cast<Long>(p.lse_stride));
  return {};
}

Status check_pointers(const Params& p) {
  const Range logits = range_of("logits", p.logits, logits_bytes(p), element_size(p.dtype));
  const Range lse = range_of("lse", p.lse, lse_bytes(p), result_size(p.dtype));
  if (Status status = check_address(logits); !status.ok()) return status;
  if (Status status = check_address(lse); !status.ok()) return status;
  return check_disjoint(lse, logits);
}

const KernelVariant<Params>& choose(const Params& p, const Options& options) {
  if (p.cols > 1 && p.col_stride != 1) return lane_per_row;
  if (p.dtype == PLUSMAX_F64) return block_per_row;
  if (warp_row_vectors(p.dtype, p.cols) <= kWarpRowMaxVectors) return warp_per_row;
  const bool few_long_rows = row_bytes(p.dtype, p.cols) >= kSplitFromBytes && p.rows <= split_max_rows(p.dtype, p.cols);
  return few_long_rows && !options.batch_invariant ? split_row : block_per_row;
}

}  // namespace plusmax::logsumexp
