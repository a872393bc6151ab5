// The only launch.
#pragma once

#include "kernels/platform/cuda.cuh"
#include "kernels/status.hpp"

#include <tuple>
#include <utility>

namespace plusmax::platform {

struct LaunchConfig {
  dim3 grid, block;
  unsigned cluster = 0;  // blocks along x that share a cluster; 0: no cluster, which a cluster of 1 is; needs sm_90
  std::size_t shared_bytes = 0;  // dynamic
  void* stream = nullptr;
  bool programmatic = false;  // may start before the launch before it is complete: see grid_dependency_wait()
};

// Clusters, bulk copies and programmatic launches need sm_90.
inline bool has_sm_90() {
#if defined(__CUDACC__)
  int device = 0, major = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess;
  return known && major >= 9;
#else
  return true;
#endif
}

#if defined(__CUDACC__)
// Without them the stream's own order does what programmatic launches ask for, only later.
inline bool has_programmatic_launch() { return has_sm_90(); }
#endif

// The most dynamic and static shared memory that a block can have together.
inline std::size_t shared_bytes_limit() {
#if defined(__CUDACC__)
  int device = 0, bytes = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess;
  return known ? static_cast<std::size_t>(bytes) : 48 * 1024;
#else
  return 227 * 1024;
#endif
}

// How many clusters of this launch can run at a time, at least 1. The host machine answers few, so that they get
// several rows each.
template <class... P>
int resident_clusters(const LaunchConfig& config, void (*kernel)(P...)) {
#if defined(__CUDACC__)
  cudaLaunchConfig_t cuda{};
  cuda.gridDim = dim3(config.cluster);
  cuda.blockDim = config.block;
  cuda.dynamicSmemBytes = config.shared_bytes;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {config.cluster, 1, 1};
  cuda.attrs = &attribute;
  cuda.numAttrs = 1;
  int clusters = 0;
  const void* function = reinterpret_cast<const void*>(kernel);
  if (config.shared_bytes > 48 * 1024)
    cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(config.shared_bytes));
  if (cudaOccupancyMaxActiveClusters(&clusters, function, &cuda) != cudaSuccess) cudaGetLastError();
  return clusters > 0 ? clusters : 1;
#else
  (void)config, (void)kernel;
  return 2;
#endif
}

// Starts kernel(args...). What the device refuses is answered; what the kernel does wrong comes out of
// Device::synchronize().
template <class... P, class... A>
Status launch(const LaunchConfig& config, void (*kernel)(P...), A&&... args) {
#if defined(__CUDACC__)
  cudaLaunchConfig_t cuda{};
  cuda.gridDim = config.grid;
  cuda.blockDim = config.block;
  cuda.dynamicSmemBytes = config.shared_bytes;
  cuda.stream = static_cast<cudaStream_t>(config.stream);
  cudaLaunchAttribute attributes[2] = {};
  if (config.cluster > 0) {
    attributes[cuda.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[cuda.numAttrs++].val.clusterDim = {config.cluster, 1, 1};
  }
  if (config.programmatic && has_programmatic_launch()) {
    attributes[cuda.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[cuda.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  cuda.attrs = attributes;
  const void* function = reinterpret_cast<const void*>(kernel);
  cudaError_t error = cudaSuccess;
  if (config.shared_bytes > 48 * 1024)
    error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(config.shared_bytes));
  if (error == cudaSuccess && config.cluster > 8)
    error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error == cudaSuccess) error = cudaLaunchKernelEx(&cuda, kernel, static_cast<P>(std::forward<A>(args))...);
  if (error == cudaSuccess) return {};
  cudaGetLastError();  // a refused launch leaves nothing behind
  return Status::error(PLUSMAX_DEVICE_ERROR,
                       "launch of %u x %u x %u blocks of %u threads, cluster %u, %zu bytes shared: %s", config.grid.x,
                       config.grid.y, config.grid.z, config.block.x * config.block.y * config.block.z, config.cluster,
                       config.shared_bytes, cudaGetErrorString(error));
#else
  struct Call {
    void (*kernel)(P...);
    std::tuple<std::decay_t<P>...> arguments;
  } call{kernel, std::tuple<std::decay_t<P>...>(static_cast<P>(std::forward<A>(args))...)};
  return simt::run(
      {config.grid, config.block, config.cluster > 0 ? config.cluster : 1, config.shared_bytes, config.programmatic},
      [](void* raw) {
        const Call& made = *static_cast<const Call*>(raw);
        std::apply(made.kernel, made.arguments);
      },
      &call);
#endif
}

}  // namespace plusmax::platform
