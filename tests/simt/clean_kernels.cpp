#include "tests/simt/clean_kernels.hpp"

namespace plusmax::planted {
namespace {

__device__ float warp_sum(float v) {
  for (int d = 16; d; d >>= 1) v += platform::shuffle_xor(v, d);
  return v;
}
__device__ float reduce_block(float v, float* scratch, bool barrier) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warp_sum(v);
  if (lane == 0) scratch[warp] = v;
  if (barrier) __syncthreads();
  return warp_sum(lane < blockDim.x / 32 ? scratch[lane] : 0.f);
}

__global__ void block_sum_kernel(Missing missing, const float* in, int n, float* out) {
  PLUSMAX_SHARED(float, scratch, 32);
  float sum = 0, ones = 0;
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) {
    sum += in[i];
    ones += 1;
  }
  sum = reduce_block(sum, scratch, missing != Missing::barrier_before_read);
  if (missing != Missing::barrier_before_reuse) __syncthreads();
  ones = reduce_block(ones, scratch, missing != Missing::barrier_before_read);
  if (threadIdx.x == 0) out[blockIdx.x] = ones == float(n) ? sum : -1;
}

__global__ void warp_exchange_kernel(Missing missing, const float* in, float* out, bool half) {
  PLUSMAX_SHARED(float, slot, 1024);
  const unsigned t = threadIdx.x, mask = !half ? ~0u : t % 32 < 16 ? 0xffffu : 0xffff0000u;
  slot[t] = in[t];
  if (missing != Missing::warp_barrier) __syncwarp(mask);
  out[t] = slot[t ^ 1];
}

__global__ void cluster_sum_kernel(Missing missing, const float* in, int n, float* out) {
  PLUSMAX_SHARED(float, scratch, 32);
  PLUSMAX_SHARED(float, part, 1);
  platform::Cluster cluster;
  const int ranks = int(cluster.size()), row = int(blockIdx.x) / ranks;
  float sum = 0;
  for (int i = int(cluster.rank() * blockDim.x + threadIdx.x); i < n; i += ranks * int(blockDim.x))
    sum += in[row * n + i];
  sum = reduce_block(sum, scratch, true);
  if (threadIdx.x == 0) part[0] = sum;
  if (missing == Missing::cluster_barrier)
    __syncthreads();
  else
    cluster.sync();
  float total = 0;
  for (int r = 0; r < ranks; ++r) total += *cluster.map(part, unsigned(r));
  if (cluster.rank() == 0 && threadIdx.x == 0) out[row] = total;
  if (missing != Missing::exit_barrier) cluster.sync();
}

__device__ unsigned draw_ticket(Missing missing, bool fences, unsigned* ticket) {
  using platform::Order;
  if (!fences) {
    const Order order = missing == Missing::release   ? Order::acquire
                        : missing == Missing::acquire ? Order::release
                                                      : Order::acq_rel;
    return platform::atomic_add(ticket, 1u, order);
  }
  if (missing != Missing::fence_before && missing != Missing::fence_too_early) platform::threadfence();
  const unsigned drawn = atomicAdd(ticket, 1u);
  if (missing != Missing::fence_after) platform::threadfence();
  return drawn;
}

// Threads 0 and 32 of each block store a partial result each; thread 0 draws the ticket.
__global__ void last_block_kernel(Missing missing, bool fences, const float* in, float* partial, unsigned* ticket,
                                  float* out) {
  PLUSMAX_SHARED(unsigned, drawn, 1);
  const float sum = warp_sum(in[blockIdx.x * 64 + threadIdx.x]);
  if (missing == Missing::fence_too_early) platform::threadfence();
  if (threadIdx.x % 32 == 0) partial[blockIdx.x * 2 + threadIdx.x / 32] = sum;
  if (missing != Missing::barrier_before_release) __syncthreads();
  if (threadIdx.x == 0) drawn[0] = draw_ticket(missing, fences, ticket);
  if (missing == Missing::barrier_after_acquire) {
    if (threadIdx.x != 0) return;
  } else {
    __syncthreads();
  }
  if (drawn[0] != gridDim.x - 1 || threadIdx.x >= 32) return;
  float total = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x * 2; i += 32) total += partial[i];
  if (missing != Missing::barrier_after_acquire) total = warp_sum(total);
  if (threadIdx.x == 0) {
    *out = total;
    *ticket = 0;  // for the next launch
  }
}

__global__ void flagged_kernel(Missing missing, float* message, unsigned* flag, float* out) {
  platform::Cluster cluster;
  if (cluster.rank() == 0) {
    message[threadIdx.x] = float(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
      if (missing == Missing::flag_release)
        platform::store_relaxed(flag, 1u);
      else
        platform::store_release(flag, 1u);
    }
  } else {
    if (threadIdx.x == 0) {
      if (missing == Missing::flag_acquire)
        while (platform::load_relaxed(flag) == 0) platform::pause();
      else
        while (platform::load_acquire(flag) == 0) platform::pause();
    }
    __syncthreads();
    out[threadIdx.x] = message[threadIdx.x ^ 1];
  }
}

__global__ void dependent_kernel(Missing missing, const float* in, float* out) {
  if (missing != Missing::launch_wait && threadIdx.x == 0) platform::grid_dependency_wait();
  __syncthreads();
  out[threadIdx.x] = in[threadIdx.x] + 1;
  platform::grid_dependency_trigger();
}

__global__ void count_kernel(Missing missing, float* total) {
  if (missing == Missing::atomic)
    *total += 1;
  else
    atomicAdd(total, 1.f);
}

}  // namespace

Status block_sum(Missing missing, const float* in, int n, float* out, unsigned blocks, unsigned threads) {
  return platform::launch({dim3(blocks), dim3(threads)}, block_sum_kernel, missing, in, n, out);
}
Status warp_exchange(Missing missing, const float* in, float* out, bool half) {
  return platform::launch({dim3(1), dim3(64)}, warp_exchange_kernel, missing, in, out, half);
}
Status cluster_sum(Missing missing, const float* in, int n, float* out, unsigned rows, unsigned cluster) {
  return platform::launch({dim3(rows * cluster), dim3(64), cluster}, cluster_sum_kernel, missing, in, n, out);
}
Status last_block_sum(Missing missing, bool fences, const float* in, float* partial, unsigned* ticket, float* out,
                      unsigned blocks) {
  return platform::launch({dim3(blocks), dim3(64)}, last_block_kernel, missing, fences, in, partial, ticket, out);
}
Status flagged_message(Missing missing, float* message, unsigned* flag, float* out) {
  return platform::launch({dim3(2), dim3(64), 2}, flagged_kernel, missing, message, flag, out);
}
Status dependent_add(Missing missing, const float* in, float* out) {
  platform::LaunchConfig config{dim3(1), dim3(64)};
  config.programmatic = true;
  return platform::launch(config, dependent_kernel, missing, in, out);
}
Status count_threads(Missing missing, float* total, unsigned blocks, unsigned threads) {
  return platform::launch({dim3(blocks), dim3(threads)}, count_kernel, missing, total);
}

}  // namespace plusmax::planted
