// What a launch answers, what it leaves for synchronize(), and that blocks and threads are numbered as on a GPU.
#include "tests/simt/planted.hpp"

#include <stdexcept>
#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

__global__ void nothing() {}
__global__ void crash(int* p) { *p = 1; }
__global__ void count(unsigned* cells, dim3 grid, dim3 block) {
  const unsigned b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const bool same = gridDim.x == grid.x && gridDim.y == grid.y && gridDim.z == grid.z && blockDim.x == block.x &&
                    blockDim.y == block.y && blockDim.z == block.z;
  cells[b * block.x * block.y * block.z + t] += same;
}
__global__ void throws() { throw std::runtime_error("by mistake"); }
struct Pair {
  double a;
  int b;
};
__global__ void by_value(Pair pair, float x, float* out) { *out = float(pair.a) + float(pair.b) + x; }

std::string refused(const platform::LaunchConfig& config) {
  const Status status = platform::launch(config, nothing);
  CHECK(status.code == PLUSMAX_DEVICE_ERROR);
  CHECK_NOTHROW(host_device().synchronize());  // a refused launch leaves nothing behind
  return status.message;
}

}  // namespace

TEST_CASE("launch: what no device takes is refused, with the values", "[simt][launch]") {
  CHECK(refused({dim3(1), dim3(1025)}) == "launch: a block of 1025 x 1 x 1 threads, allowed are 1 to 1024");
  CHECK(refused({dim3(1), dim3(64, 64)}) == "launch: a block of 64 x 64 x 1 threads, allowed are 1 to 1024");
  CHECK(refused({dim3(1), dim3(0)}) == "launch: a block of 0 x 1 x 1 threads, allowed are 1 to 1024");
  CHECK(refused({dim3(1), dim3(65536, 65536)}) ==
        "launch: a block of 65536 x 65536 x 1 threads, allowed are 1 to 1024");
  CHECK(refused({dim3(0), dim3(32)}).find("a grid of 0 x 1 x 1 blocks") != std::string::npos);
  CHECK(refused({dim3(1, 65536), dim3(32)}).find("a grid of 1 x 65536 x 1 blocks") != std::string::npos);
  CHECK(refused({dim3(6), dim3(32), 4}) ==
        "launch: clusters of 4 blocks (1 to 16) do not divide a grid of 6 blocks along x");
  CHECK(refused({dim3(17), dim3(32), 17}).find("clusters of 17 blocks") != std::string::npos);
  CHECK(refused({dim3(1), dim3(32), 1, 232449}) == "launch: 232449 bytes of dynamic shared memory, a block has 232448");
}

TEST_CASE("launch: a fault waits for synchronize(), which reports it once", "[simt][launch]") {
  if (PLUSMAX_TEST_ASAN) return;  // null stores are UBSan's there
  CHECK(platform::launch({dim3(1), dim3(1)}, crash, static_cast<int*>(nullptr)).ok());
  const Status next = platform::launch({dim3(1), dim3(1)}, nothing);
  CHECK(next.code == PLUSMAX_DEVICE_ERROR);
  CHECK(std::string(next.message).find("an earlier launch failed: invalid address") == 0);
  CHECK_THROWS_AS(host_device().synchronize(), DeviceError);
  CHECK_NOTHROW(host_device().synchronize());
  CHECK(platform::launch({dim3(1), dim3(1)}, nothing).ok());
}

TEST_CASE("launch: every thread of every block runs once, with its own indices", "[simt][launch]") {
  for (const dim3 grid : {dim3(1), dim3(7), dim3(2, 3, 4)})
    for (const dim3 block : {dim3(1), dim3(33), dim3(4, 5, 6), dim3(1024)})
      under_all_schedules(3, [&] {
        const std::size_t threads = std::size_t(block.x) * block.y * block.z, all = threads * grid.x * grid.y * grid.z;
        const Array<unsigned> cells(all);
        must_start(platform::launch({grid, block}, count, cells.get(), grid, block));
        host_device().synchronize();
        REQUIRE(std::vector<unsigned>(cells.get(), cells.get() + all) == std::vector<unsigned>(all, 1u));
      });
}

TEST_CASE("launch: arguments arrive by value, converted to the kernel's types", "[simt][launch]") {
  const Array<float> out(1);
  must_start(platform::launch({dim3(1), dim3(1)}, by_value, Pair{1.5, 2}, 4, out.get()));
  host_device().synchronize();
  CHECK(out[0] == 7.5f);
}

TEST_CASE("launch: an exception in a kernel is a fault", "[simt][launch]") {
  CHECK(names(fault_of([] {
                must_start(platform::launch({dim3(1), dim3(1)}, throws));
              }),
              "a kernel threw an exception: by mistake"));
}

TEST_CASE("launch: stream and programmatic launches are taken", "[simt][launch]") {
  platform::LaunchConfig config{dim3(2), dim3(32)};
  config.stream = host_device().stream();
  config.programmatic = true;
  CHECK(platform::launch(config, nothing).ok());
  CHECK_NOTHROW(host_device().synchronize());
}
