// Several blocks per row, each logit read once: for few long rows. Blocks leave their pairs in the workspace; the last
// to arrive merges them in the order of the row, whoever it is. No block waits for another.
#include "kernels/catalog.hpp"
#include "kernels/logsumexp/common.cuh"
#include "kernels/primitives/block.cuh"
#include "kernels/primitives/stream.cuh"

namespace plusmax::logsumexp {
namespace {

using Part = MaxSum<float>;

// The workspace of one call. It holds anything at entry, so a launch of its own zeroes the tickets. Both launches are
// programmatic: the first waits for whatever was on the stream before it lets the second start, and the second waits
// for the zeros only when it takes a ticket. H200, 16 x 1048576 bf16: 11.9 us; with the first launch in plain stream
// order 12.3, with cudaMemsetAsync 13.8.
struct Workspace {
  Part* parts;        // [rows, splits]
  unsigned* tickets;  // [rows]
};

__host__ __device__ inline Workspace layout(void* workspace, std::int64_t rows, int splits) {
  Part* parts = static_cast<Part*>(workspace);
  return {parts, reinterpret_cast<unsigned*>(parts + rows * splits)};
}

constexpr int kZeroThreads = 256;
__global__ void __launch_bounds__(kZeroThreads) zero_tickets_kernel(unsigned* tickets, std::int64_t rows) {
  platform::grid_dependency_wait();  // the stream up to here is complete: the workspace is ours, the logits are written
  platform::grid_dependency_trigger();  // only now may the main kernel start to read them
  const std::int64_t row = block_index() * kZeroThreads + threadIdx.x;
  if (row < rows) tickets[row] = 0;
}

// Merges a row's parts in their order over one warp: parts lane, lane + 32, ... in each lane, then the lanes.
__device__ __forceinline__ Part merge_parts(const Part* parts, int splits) {
  const Part mine = merge_states<float, kSplitMax / kWarpSize>([&](int i) {
    const int index = i * kWarpSize + lane_index();
    return index < splits ? parts[index] : empty_sum<float>();
  });
  return warp_merge(mine);
}

// How a row's lines are dealt out: `each` to every block and one more to the first `rest` of them. Whether the row
// begins in the middle of a line, which can make it a line longer, is the last block's business.
struct Slices {
  int count;
  std::int64_t each, rest;

  __device__ __forceinline__ std::int64_t begin(int split) const {
    return (split * each + (split < rest ? split : rest)) * kLineVectors;
  }
};

inline Slices slices(const Params& p) {
  const std::int64_t lines = row_vectors(p.dtype, p.cols) / kLineVectors;
  const int count = splits(p.dtype, p.cols);
  return {count, lines / count, lines % count};
}

// Grid: x is the split, y and z the row, so that no thread divides.
constexpr std::int64_t kMaxY = 65535;  // CUDA's limit for y and for z
inline dim3 split_grid(std::int64_t rows, int splits) {
  const std::int64_t y = rows < kMaxY ? rows : kMaxY;
  return dim3(static_cast<unsigned>(splits), static_cast<unsigned>(y), static_cast<unsigned>((rows + y - 1) / y));
}

// logits: [rows, cols], row_stride elements apart; lse: [rows], lse_stride elements apart
template <class T, int kThreads>
__global__ void __launch_bounds__(kThreads)
    split_row_kernel(const __grid_constant__ Params p, const __grid_constant__ Slices slices, void* workspace) {
  PLUSMAX_SHARED(Part, scratch, kThreads / kWarpSize);
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.z) * gridDim.y + blockIdx.y;
  const int split = static_cast<int>(blockIdx.x);
  if (row >= p.rows) return;
  const RowSpan<T> span = row_span<T>(p.logits, row, p.row_stride, p.cols);
  const float edge = split == 0 ? span.edge(static_cast<int>(threadIdx.x), p.cols) : Math<float>::negative_infinity();
  const std::int64_t to = split + 1 == slices.count ? span.end : slices.begin(split + 1);
  Part state = stream_vectors<T, kThreads>(span, slices.begin(split), to);
  state = block_merge<kThreads>(merge(state, single(edge)), scratch);
  if (warp_index() != 0) return;

  const Workspace space = layout(workspace, p.rows, slices.count);
  Part* parts = space.parts + row * slices.count;
  unsigned arrived = 0;
  if (lane_index() == 0) {
    parts[split] = state;
    platform::grid_dependency_wait();  // the tickets are zero from here on
    // Releases this block's part; the last arrival acquires everyone's.
    arrived = platform::atomic_add(&space.tickets[row], 1u, platform::Order::acq_rel);
  }
  arrived = platform::shuffle(arrived, 0);
  __syncwarp();  // separates lane 0's acquire from the other lanes' reads of the parts
  if (arrived != static_cast<unsigned>(slices.count) - 1) return;
  state = merge_parts(parts, slices.count);
  if (lane_index() == 0) store_result<T>(p, row, finish(state));
}

std::size_t workspace_bytes(const Params& p) {
  const auto rows = static_cast<std::size_t>(p.rows);
  return rows * (static_cast<std::size_t>(splits(p.dtype, p.cols)) * sizeof(Part) + sizeof(unsigned));
}

Status supports(const Params& p) {
  if (p.dtype == PLUSMAX_F64) return Status::error(PLUSMAX_UNSUPPORTED, "split_row has no f64; block_per_row has");
  if (p.rows > kMaxY * kMaxY)
    return Status::error(PLUSMAX_UNSUPPORTED, "split_row: rows %lld > %lld", static_cast<long long>(p.rows),
                         static_cast<long long>(kMaxY * kMaxY));
  return contiguous(p, "split_row");
}

template <class T, int kThreads>
Status launch_threads(const Params& p, void* workspace, void* stream) {
  const Slices parts = slices(p);
  const Workspace space = layout(workspace, p.rows, parts.count);
  const std::int64_t zero_blocks = (p.rows + kZeroThreads - 1) / kZeroThreads;
  Status status = platform::launch(
      {.grid = grid_of(zero_blocks), .block = dim3(kZeroThreads), .stream = stream, .programmatic = true},
      zero_tickets_kernel, space.tickets, p.rows);
  if (!status.ok()) return status;
  return platform::launch(
      {.grid = split_grid(p.rows, parts.count), .block = dim3(kThreads), .stream = stream, .programmatic = true},
      split_row_kernel<T, kThreads>, p, parts, workspace);
}

Status launch_variant(const Params& p, void* workspace, void* stream) {
  if (Status status = supports(p); !status.ok() || p.rows == 0) return status;
  if (workspace == nullptr)
    return Status::error(PLUSMAX_WORKSPACE_TOO_SMALL, "split_row: no workspace, %zu bytes needed", workspace_bytes(p));
  return with_type(p.dtype, [&](auto element) -> Status {
    using T = decltype(element);
    if constexpr (sizeof(T) == 8) {
      return supports(p);
    } else {
      switch (split_row_threads(p.dtype, p.cols)) {
        case 64:
          return launch_threads<T, 64>(p, workspace, stream);
        case 256:
          return launch_threads<T, 256>(p, workspace, stream);
        default:
          return launch_threads<T, 512>(p, workspace, stream);
      }
    }
  });
}

ErrorShape error_shape(const Params& p) {
  const int threads = split_row_threads(p.dtype, p.cols);
  const Slices deal = slices(p);
  // the last block has the row's incomplete line and what a start in the middle of a line adds
  const std::int64_t longest = (deal.each + (deal.rest > 0 ? 1 : 0)) * kLineVectors + kLineVectors - 1;
  const double batches = static_cast<double>(stream_batches(longest, threads));
  const int parts = (deal.count + kWarpSize - 1) / kWarpSize;  // a lane's share of the parts
  // within a batch, over the later batches, the edge, the block; then the parts and their warp
  return shape_of(p.dtype,
                  batch_additions(p.dtype, kBatchVectors) + (batches - 1) + 1 + block_additions(threads) + (parts - 1) +
                      kWarpLevels,
                  (batches - 1) + 1 + block_rescales(threads) + 2);
}

}  // namespace

extern const KernelVariant<Params> split_row;
const KernelVariant<Params> split_row = {
    "split_row",    dtype_bit(PLUSMAX_F32) | dtype_bit(PLUSMAX_F16) | dtype_bit(PLUSMAX_BF16),
    supports,       workspace_bytes,
    launch_variant, bytes_moved,
    error_shape};

}  // namespace plusmax::logsumexp
