// A launch: checks the configuration, then runs the clusters of the grid one after another.
#include "kernels/platform/host/race/hooks.hpp"
#include "kernels/platform/host/switch.hpp"

#include <new>
#include <numeric>

namespace plusmax::simt {
namespace {

Status check(const Grid& grid) {
  const std::uint64_t threads = std::uint64_t(grid.block.x) * grid.block.y * grid.block.z;
  if (threads == 0 || threads > kMaxThreads)
    return Status::error(PLUSMAX_DEVICE_ERROR, "launch: a block of %u x %u x %u threads, allowed are 1 to %u",
                         grid.block.x, grid.block.y, grid.block.z, kMaxThreads);
  if (grid.grid.x == 0 || grid.grid.y == 0 || grid.grid.z == 0 || grid.grid.x > 0x7fffffffu || grid.grid.y > 65535u ||
      grid.grid.z > 65535u)
    return Status::error(PLUSMAX_DEVICE_ERROR,
                         "launch: a grid of %u x %u x %u blocks, allowed are 1 to 2147483647 x 65535 x 65535",
                         grid.grid.x, grid.grid.y, grid.grid.z);
  if (grid.cluster == 0 || grid.cluster > kMaxCluster || grid.grid.x % grid.cluster)
    return Status::error(PLUSMAX_DEVICE_ERROR,
                         "launch: clusters of %u blocks (1 to %u) do not divide a grid of %u blocks along x",
                         grid.cluster, kMaxCluster, grid.grid.x);
  if (grid.shared_bytes > kMaxShared)
    return Status::error(PLUSMAX_DEVICE_ERROR, "launch: %zu bytes of dynamic shared memory, a block has %zu",
                         grid.shared_bytes, kMaxShared);
  return {};
}

void start_block(unsigned rank, dim3 first) {
  const dim3 shape = machine.grid.block;
  const unsigned threads = shape.x * shape.y * shape.z;
  Block& block = machine.block[rank];
  block.threads = block.live = threads;
  block.arrived = 0;
  block.predicate_sum = 0;
  block.rank = rank;
  block.started = false;
  block.ready_warps = 0;
  block.index = {first.x + rank, first.y, first.z};
  block.last_sync = machine.now;
  begin_cluster_shared(rank, machine.blocks == 1);
  for (unsigned w = 0; w < warps_of(block); ++w) {
    Warp& warp = block.warp[w];
    warp.live = warp.ready = warp.arrived = warp.at_block = warp.at_cluster = 0;
    warp.last_sync = machine.now;
  }
  uint3 index{0, 0, 0};
  for (unsigned i = 0; i < threads; ++i) {
    Fiber& fiber = machine.fiber[rank * kMaxThreads + i];
    fiber = Fiber{};
    fiber.block = &block;
    fiber.warp = &block.warp[i / kWarpSize];
    fiber.linear = std::uint16_t(i);
    fiber.lane = std::uint8_t(i % kWarpSize);
    fiber.thread = index;
    fiber.wait = Wait::ready;
    fiber.warp->live |= 1u << fiber.lane;
    make_ready(fiber.warp, &block, 1u << fiber.lane);
    if (++index.x < shape.x) continue;
    index.x = 0;
    if (++index.y < shape.y) continue;
    index.y = 0;
    ++index.z;
  }
}

void run_cluster(dim3 first) {
  machine.blocks = machine.grid.cluster;
  machine.live = machine.blocks * machine.grid.block.x * machine.grid.block.y * machine.grid.block.z;
  machine.cluster_arrived = 0;
  machine.ready_blocks = 0;
  machine.idle_pauses = 0;
  machine.cluster_start = machine.cluster_prior_sync = machine.cluster_last_sync = ++machine.now;
  machine.failed = false;
  begin_cluster_in_flight();
  begin_cluster_mbarriers();
  begin_cluster_bulk();
  begin_cluster_named();
  race_cluster();
  for (unsigned rank = 0; rank < machine.blocks; ++rank) start_block(rank, first);
  switch_to(pick());
  if (machine.failed) abandon_fibers();
}

void run_clusters() {
  const dim3 grid = machine.grid.grid;
  const std::uint64_t across = grid.x / machine.grid.cluster, total = across * grid.y * grid.z;
  std::uint64_t at = 0, step = 1;  // forward, backward, or along a stride drawn from the seed
  if (options().policy == Policy::reverse) {
    at = total - 1;
    step = total - 1;
  }
  if (options().policy == Policy::random) {
    at = next_random() % total;
    do step = 1 + next_random() % total;
    while (std::gcd(step, total) != 1);
  }
  for (std::uint64_t done = 0; done < total && !machine.failed; ++done, at = (at + step) % total)
    run_cluster(
        {unsigned(at % across) * machine.grid.cluster, unsigned(at / across % grid.y), unsigned(at / across / grid.y)});
}

}  // namespace

Status run(const Grid& grid, void (*entry)(void*), void* argument) {
  if (in_kernel()) fail("launch from inside a kernel");
  if (!machine.pending.empty())
    return Status::error(PLUSMAX_DEVICE_ERROR, "an earlier launch failed: %s", machine.pending.c_str());
  if (const Status status = check(grid); !status.ok()) return status;
  const FaultScope faults;
  machine.grid = grid;
  machine.entry = entry;
  machine.argument = argument;
  machine.failed = false;
  machine.error.clear();
  ++machine.launch_id;
  machine.previous_launch = machine.launch_start;
  machine.launch_start = ++machine.now;
  gridDim = grid.grid;
  blockDim = grid.block;
  try {
    begin_launch_shared();
    start_schedule();
    begin_launch_in_flight();
    race_launch();
    run_clusters();
  } catch (const std::bad_alloc&) {
    return Status::error(PLUSMAX_DEVICE_ERROR, "launch: no memory for %u blocks of %u threads", grid.cluster,
                         grid.block.x * grid.block.y * grid.block.z);
  }
  ++machine.now;
  if (machine.failed) machine.pending = machine.error;
  return {};
}

const char* take_fault() {
  static std::string taken;
  taken.clear();
  taken.swap(machine.pending);
  return taken.c_str();
}

}  // namespace plusmax::simt
