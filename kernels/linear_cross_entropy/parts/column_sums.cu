// A block's columns are one vector of each lane. Its warps sum neighbouring rows each, in f32: chains of kColumnChain
// rows from 0, one chain after the other; then the warps' sums, in their order.
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/parts.hpp"
#include "kernels/platform/launch.hpp"
#include "kernels/primitives/grid.cuh"
#include "kernels/primitives/vec.cuh"
#include "kernels/primitives/warp.cuh"

#include <type_traits>

namespace plusmax::linear_cross_entropy {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / kWarpSize;
constexpr int kLoads = 8;     // vectors of a thread in flight
constexpr int kResident = 4;  // blocks on a multiprocessor: at 128256 columns of 16 bits all of them at once
static_assert(kColumnChain % kLoads == 0);
template <class T>
constexpr int kColumnsOf = kWarpSize* Vector<T>::kElements;  // of a block

// A row's elements from `from` on, 0 behind its `left` ones.
template <class T>
__device__ __forceinline__ Vector<T> load_some(const T* from, std::int64_t left) {
  T elements[Vector<T>::kElements];
  PLUSMAX_UNROLL
  for (int e = 0; e < Vector<T>::kElements; ++e) elements[e] = e < left ? from[e] : Element<T>::narrow(0);
  Vector<T> vector;
  memcpy(&vector.bits, elements, sizeof elements);
  return vector;
}

// Rows of `matrix` begin on 16 bytes.
template <class T>
__global__ void __launch_bounds__(kThreads, kResident)
    column_sums_kernel(const __grid_constant__ Matrix matrix, float* sums, bool add) {
  constexpr int kElements = Vector<T>::kElements, kColumns = kColumnsOf<T>, kSums = kWarps * kColumns;
  static_assert(kColumns <= kThreads, "a thread a column at the end");
  PLUSMAX_SHARED(float, of_warp, kSums);
  const int thread = static_cast<int>(threadIdx.x), warp = warp_index(), in_block = lane_index() * kElements;
  const std::int64_t begin = block_index() * kColumns, left = matrix.cols - begin - in_block;
  if (begin >= matrix.cols) return;
  const T* first = static_cast<const T*>(matrix.data) + begin + in_block;
  const std::int64_t chains = (matrix.rows + kColumnChain - 1) / kColumnChain;
  const std::int64_t rows = (chains + kWarps - 1) / kWarps * kColumnChain;  // of a warp
  const std::int64_t end = (warp + 1) * rows < matrix.rows ? (warp + 1) * rows : matrix.rows;

  float sum[kElements] = {};
  for (std::int64_t row = warp * rows; row < end; row += kColumnChain) {
    float chain[kElements] = {};
    const auto take_in = [&](std::int64_t from, auto whole) {
      Vector<T> batch[kLoads];
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kLoads; ++i) {
        const T* const at = first + (from + i) * matrix.stride;
        batch[i] =
            whole ? load_vector<T>(reinterpret_cast<const uint4*>(at)) : load_some(at, from + i < end ? left : 0);
      }
      PLUSMAX_UNROLL_ON_DEVICE
      for (int i = 0; i < kLoads; ++i) {
        float values[kElements];
        widen(batch[i], values);
        PLUSMAX_UNROLL_ON_DEVICE
        for (int e = 0; e < kElements; ++e) chain[e] += values[e];
      }
    };
    for (std::int64_t from = row; from < row + kColumnChain; from += kLoads) {
      if (left >= kElements && from + kLoads <= end)
        take_in(from, std::true_type{});
      else
        take_in(from, std::false_type{});
    }
    PLUSMAX_UNROLL_ON_DEVICE
    for (int e = 0; e < kElements; ++e) sum[e] += chain[e];
  }
  PLUSMAX_UNROLL_ON_DEVICE
  for (int e = 0; e < kElements; ++e) of_warp[warp * kColumns + in_block + e] = sum[e];
  __syncthreads();  // each warp's sums before a thread adds up those of its column
  const std::int64_t column = begin + thread;
  if (thread >= kColumns || column >= matrix.cols) return;
  float total = of_warp[thread];
  for (int w = 1; w < kWarps; ++w) total += of_warp[w * kColumns + thread];
  sums[column] = add ? sums[column] + total : total;
}

}  // namespace

Status launch_column_sums(const Matrix& matrix, float* sums, bool add, void* stream) {
  return with_float(matrix.dtype, [&](auto element) {
    using T = decltype(element);
    constexpr int kColumns = kColumnsOf<T>;
    const platform::LaunchConfig config{
        .grid = grid_of((matrix.cols + kColumns - 1) / kColumns), .block = dim3(kThreads), .stream = stream};
    return platform::launch(config, column_sums_kernel<T>, matrix, sums, add);
  });
}

}  // namespace plusmax::linear_cross_entropy
