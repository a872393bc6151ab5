// Each kind of race is planted and must be reported under every schedule. Only where kernels are instrumented.
#include "tests/simt/clean_runs.hpp"

#if defined(PLUSMAX_RACE)

using namespace plusmax;
using namespace plusmax::planted;

namespace {

__global__ void uninitialised(float* out) {
  PLUSMAX_SHARED(float, tile, 64);
  if (threadIdx.x < 63) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void stale_tile(float* out) {  // written in block 0 only: another block's shared memory is another's
  PLUSMAX_SHARED_DYNAMIC(float, tile);
  if (blockIdx.x == 0) tile[threadIdx.x] = 1;
  __syncthreads();
  if (blockIdx.x == 1 || gridDim.x == 1) out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void same_word(float* out) { out[0] = float(threadIdx.x); }
__global__ void same_word_over_blocks(float* out) {
  if (threadIdx.x == 0) out[0] = float(blockIdx.x);
}
__global__ void neighbours(__nv_bfloat16* row) { row[threadIdx.x] = __float2bfloat16_rn(float(threadIdx.x)); }
__global__ void in_place(float* row, int n) {  // thread 0 reads an element after its owner has overwritten it
  for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) row[i] *= 2;
  if (threadIdx.x == 0) row[n] = row[n - 1];
}
__global__ void shuffle_is_no_barrier(float* out) {
  PLUSMAX_SHARED(float, slot, 32);
  slot[threadIdx.x] = 1;
  __shfl_sync(~0u, 1, 0);
  out[threadIdx.x] = slot[threadIdx.x ^ 1];
}
__global__ void atomic_and_plain(unsigned* word, unsigned* out) {
  if (threadIdx.x < 32)
    atomicAdd(word, 1u);
  else
    out[threadIdx.x] = *word;
}
enum class Between { nothing, store, load };  // done between the halves of a cluster barrier
__global__ void split_barrier(Between between, float* out) {
  PLUSMAX_SHARED(float, value, 1);
  const platform::Cluster cluster;
  float* peer = cluster.map(value, cluster.rank() ^ 1);
  float seen = 0;
  if (between != Between::store && threadIdx.x == 0) value[0] = 1;
  cluster.sync();
  cluster.arrive();
  if (between == Between::store && threadIdx.x == 0) value[0] = 1;
  if (between == Between::load) seen = *peer;
  cluster.wait();
  if (between != Between::load) seen = *peer;
  cluster.sync();
  if (between == Between::load && threadIdx.x == 0) value[0] = 2;
  out[blockIdx.x * 32 + threadIdx.x] = seen;
}
__global__ void store_after_load(float* out) {  // a peer stores after its wait what is loaded before the wait here
  PLUSMAX_SHARED(float, value, 1);
  const platform::Cluster cluster;
  if (threadIdx.x == 0) value[0] = 1;
  cluster.sync();
  cluster.arrive();
  if (cluster.rank() == 0) out[threadIdx.x] = *cluster.map(value, 1);
  cluster.wait();
  if (cluster.rank() == 1 && threadIdx.x == 0) value[0] = 2;
  cluster.sync();
}
__global__ void reads_padding(const float* rows, float* out) { *out = rows[25]; }
__global__ void reads_slack(const float* row, float* out) { *out = row[-1]; }
__global__ void reads_misaligned(const char* bytes, float* out) { *out = *reinterpret_cast<const float*>(bytes + 2); }

template <class... P, class... A>
auto start(const platform::LaunchConfig& config, void (*kernel)(P...), A... args) {
  return [=] { must_start(platform::launch(config, kernel, args...)); };
}

}  // namespace

TEST_CASE("race: a barrier is missing between store and load", "[simt][race]") {
  // Under some schedules the load comes first, and finds nothing written.
  always_faults("race: read after write on 'shared memory'|uninitialised: ",
                [] { run_block_sum(Missing::barrier_before_read); });
  // All data in warp 0: the results are right under most schedules.
  always_faults("race: |uninitialised: ", [] { run_block_sum(Missing::barrier_before_read, 20); });
}
TEST_CASE("race: scratch is used again without a barrier", "[simt][race]") {
  always_faults("race: ", [] { run_block_sum(Missing::barrier_before_reuse); });
}
TEST_CASE("race: lanes exchange without a warp barrier", "[simt][race]") {
  always_faults("race: |uninitialised: ", [] { run_warp_exchange(Missing::warp_barrier, false); });
  always_faults("race: |uninitialised: ", [] { run_warp_exchange(Missing::warp_barrier, true); });
  always_faults("race: |uninitialised: ", start({dim3(1), dim3(32)}, shuffle_is_no_barrier, Array<float>(32).get()));
}
TEST_CASE("race: a peer is read without a cluster barrier", "[simt][race]") {
  always_faults("race: |DSMEM: |has not started|uninitialised: ", [] { run_cluster_sum(Missing::cluster_barrier); });
}
TEST_CASE("race: a block leaves while a peer may read", "[simt][race]") {
  always_faults("DSMEM: the last thread of rank|the block has exited", [] { run_cluster_sum(Missing::exit_barrier); });
}
TEST_CASE("race: accesses between the halves of a cluster barrier", "[simt][race]") {
  const Array<float> out(64, "out");
  const auto split = [&](Between between) { return start({dim3(2), dim3(32), 2}, split_barrier, between, out.get()); };
  never_faults(split(Between::nothing));
  never_faults(split(Between::load));
  always_faults("race: |uninitialised: ", split(Between::store));
  always_faults("race: write after read|race: read after write",
                start({dim3(2), dim3(32), 2}, store_after_load, out.get()));
}
TEST_CASE("race: the last block, by atomics with order", "[simt][race]") {
  for (Missing missing : {Missing::release, Missing::acquire, Missing::barrier_before_release}) {
    INFO("missing " << int(missing));
    always_faults("race: read after write on 'partial'", [=] { run_last_block_sum(missing, false); });
  }
}
TEST_CASE("race: the last block, by fences", "[simt][race]") {
  for (Missing missing : {Missing::fence_before, Missing::fence_after, Missing::barrier_before_release}) {
    INFO("missing " << int(missing));
    always_faults("race: read after write on 'partial'", [=] { run_last_block_sum(missing, true); });
  }
}
TEST_CASE("race: a fence before the store releases nothing", "[simt][race]") {
  always_faults("race: read after write on 'partial'", [] { run_last_block_sum(Missing::fence_too_early, true); });
}
TEST_CASE("race: across blocks the message says so", "[simt][race]") {
  const std::string fault = fault_of([] { run_last_block_sum(Missing::release, false); });
  INFO(fault);
  CHECK(fault.find("in another cluster, and no release and acquire between") != std::string::npos);
}
TEST_CASE("race: a flag without release or acquire", "[simt][race]") {
  always_faults("race: read after write on 'message'", [] { run_flagged_message(Missing::flag_release); });
  always_faults("race: read after write on 'message'", [] { run_flagged_message(Missing::flag_acquire); });
}
TEST_CASE("race: a programmatic launch that does not wait", "[simt][race]") {
  always_faults("in the launch before, and no grid_dependency_wait()", [] { run_dependent_add(Missing::launch_wait); });
}
TEST_CASE("race: a sum without atomics", "[simt][race]") {
  always_faults("race: ", [] { run_count_threads(Missing::atomic); });
}
TEST_CASE("race: an atomic update and a plain load", "[simt][race]") {
  const Array<unsigned> word(1, "word"), out(64);
  always_faults("on 'word'", start({dim3(1), dim3(64)}, atomic_and_plain, word.get(), out.get()));
}
TEST_CASE("race: two threads, or two blocks, store the same word", "[simt][race]") {
  const Array<float> out(1, "out");
  always_faults("race: write after write on 'out'", start({dim3(1), dim3(2)}, same_word, out.get()));
  always_faults("race: write after write on 'out'", start({dim3(2), dim3(32)}, same_word_over_blocks, out.get()));
}
TEST_CASE("race: 16-bit neighbours of two threads are no race", "[simt][race]") {
  for (std::size_t phase : {0u, 2u}) {
    const Array<__nv_bfloat16> row(64, "row", phase);
    never_faults(start({dim3(1), dim3(64)}, neighbours, row.get()));
  }
}
TEST_CASE("race: an element read after its owner overwrote it in place", "[simt][race]") {
  const Array<float> row(101, "row");
  always_faults("race: ", start({dim3(1), dim3(64)}, in_place, row.get(), 100));
}
TEST_CASE("race: shared memory that nothing wrote", "[simt][race]") {
  const Array<float> out(64);
  always_faults("uninitialised: 'shared memory'", start({dim3(1), dim3(64)}, uninitialised, out.get()));
  CHECK(fault_of(start({dim3(1), dim3(64), 1, 256}, stale_tile, out.get())) == "");
  CHECK(names(fault_of(start({dim3(2), dim3(64), 1, 256}, stale_tile, out.get())), "uninitialised: 'shared memory'"));
}
TEST_CASE("race: loads of padding and slack are out of bounds here, too", "[simt][race]") {
  const Array<float> rows(BufferSpec{"rows", 4, 100, 256, 0, false, true}), out(1);
  rows.buffer().seal();
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, reads_padding, rows.get(), out.get())),
              "padding: 'rows' was accessed at byte offset 100"));
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, reads_slack, rows.get(), out.get())), "out of bounds: 'rows'"));
}
TEST_CASE("race: misaligned scalars", "[simt][race]") {
  const Array<char> bytes(16);
  const Array<float> out(1);
  CHECK(names(fault_of(start({dim3(1), dim3(1)}, reads_misaligned, bytes.get(), out.get())),
              "misaligned access of 4 bytes"));
}
TEST_CASE("race: reports name the lines of both accesses", "[simt][race]") {
  const std::string fault = fault_of([] { run_block_sum(Missing::barrier_before_reuse); });
  INFO(fault);
  const auto first = fault.find(" at "), second = fault.find(" at ", first + 1);
  REQUIRE(second != std::string::npos);
  CHECK(fault.find("clean_kernels.cpp:") != std::string::npos);
}
TEST_CASE("race: forced switches at accesses keep clean kernels clean", "[simt][race]") {
  simt::options().preempt_every = 20;
  never_faults([] { run_block_sum(Missing::nothing); });
  never_faults([] { run_cluster_sum(Missing::nothing); });
  never_faults([] { run_last_block_sum(Missing::nothing, true); });
  simt::options().preempt_every = 0;
}

#endif  // PLUSMAX_RACE
