// The ring of a cluster: clean under every schedule, and each fault of its synchronisation is found.
#include "tests/simt/ring.cuh"
#include "kernels/platform/host/race/hooks.hpp"
#include "tests/simt/planted.hpp"

#include <cstdio>
#include <vector>

using namespace plusmax;
using namespace plusmax::planted;

namespace {

void run_ring(Fault fault, Exchange exchange, Result result, unsigned threads) {
  constexpr int kRows = 9;
  const Array<float> x(std::size_t(kRows) * kRingCols, "x"), weight(kRows, "weight");
  for (std::size_t i = 0; i < std::size_t(kRows) * kRingCols; ++i) x[i] = float(i * 7 % 31);
  for (std::size_t row = 0; row < kRows; ++row) weight[row] = float(row + 1);
  const std::vector<float> before(x.get(), x.get() + std::size_t(kRows) * kRingCols);
  must_start(launch_ring({fault, exchange, result, x.get(), weight.get(), kRows}, 2, threads));
  host_device().synchronize();
  for (std::size_t row = 0; row < kRows; ++row) {
    const float* in = before.data() + row * kRingCols;
    RingPart whole{-1e30f, 0.f};
    for (int j = 0; j < kRingCols; ++j) whole = merge(whole, {in[j], in[j]});
    for (int j = 0; j < kRingCols; ++j)
      if (x[row * kRingCols + std::size_t(j)] != (in[j] - whole.maximum) * weight[row] + whole.sum)
        throw DeviceError("wrong result of ring");
  }
}

struct Planted {
  Fault fault;
  Exchange exchange;
  Result result;
  unsigned threads;
  bool always;        // the plain build finds it under every schedule; else under some
  const char* words;  // what the race build says under every schedule
};
constexpr Exchange send = Exchange::send, fetch = Exchange::fetch;
constexpr Result direct = Result::direct, staged = Result::staged;
constexpr Planted kPlanted[] = {
    {Fault::no_expect, send, direct, 64, true, "race: read after write on 'shared memory'"},
    {Fault::too_few_bytes, send, direct, 64, true, "16 bytes more than expected"},
    {Fault::too_many_bytes, send, direct, 64, true, "16 bytes missing"},
    {Fault::no_full_wait, send, direct, 64, true, "race: read after write|uninitialised: "},
    {Fault::wrong_parity, send, direct, 64, true, "race: read after write|uninitialised: |deadlock: "},
    {Fault::early_free, send, direct, 64, false, "race: write after read on 'shared memory'"},
    {Fault::no_free_wait, send, direct, 64, true, "race: write after write|one more than the phase waits for"},
    {Fault::no_named_barrier, send, direct, 96, true, "uninitialised: |race: read after write"},
    {Fault::no_ready_barrier, send, staged, 96, false, "race: read after write|uninitialised: "},
    {Fault::early_exit, fetch, direct, 64, false, "DSMEM: the last thread|the block has exited"},
    {Fault::no_peer_wait, send, direct, 64, true, "race: read after write|uninitialised: "},
    {Fault::no_peer_wait, fetch, direct, 64, true, "race: read after write|uninitialised: "},
    {Fault::no_read_wait, send, staged, 64, false, "race: write after read on 'shared memory'"},
    {Fault::no_last_wait, send, staged, 64, true, "race: write after read on 'shared memory'"},
};

}  // namespace

TEST_CASE("ring: right and without fault under every schedule", "[simt][ring]") {
  for (unsigned threads : {64u, 96u})
    for (Exchange exchange : {send, fetch})
      for (Result result : {direct, staged})
        under_all_schedules(threads == 64 ? 100 : 20, [&] {
          REQUIRE(fault_of([&] { run_ring(Fault::nothing, exchange, result, threads); }) == "");
        });
}

TEST_CASE("ring: every fault is found", "[simt][ring]") {
  for (const Planted& planted : kPlanted) {
    unsigned schedules = 0, found = 0;
    under_all_schedules(PLUSMAX_TEST_ASAN     ? 5
                        : simt::kDetectsRaces ? 20
                                              : 100,
                        [&] {
                          const std::string fault = fault_of(
                              [&] { run_ring(planted.fault, planted.exchange, planted.result, planted.threads); });
                          INFO("fault " << int(planted.fault) << ": " << fault);
                          ++schedules;
                          found += !fault.empty();
#if defined(PLUSMAX_RACE)
                          CHECK(names(fault, planted.words));
#endif
                        });
    INFO("fault " << int(planted.fault) << " found under " << found << " of " << schedules << " schedules");
    CHECK((planted.always || simt::kDetectsRaces ? found == schedules : found > 0 || PLUSMAX_TEST_ASAN));
  }
}

TEST_CASE("ring: how often each fault is found", "[.table]") {
  for (const Planted& planted : kPlanted) {
    std::string found;
    unsigned schedule = 0, random = 0;
    under_all_schedules(100, [&] {
      const bool faulty =
          !fault_of([&] { run_ring(planted.fault, planted.exchange, planted.result, planted.threads); }).empty();
      if (schedule++ < 2)
        found += faulty ? "yes " : "no ";
      else
        random += faulty;
    });
    std::printf("fault %d: %s%u\n", int(planted.fault), found.c_str(), random);
  }
}

#if defined(PLUSMAX_RACE)
TEST_CASE("ring: a bulk store of what no fence made visible", "[simt][ring]") {
  always_faults("no fence_proxy_async() is between", [] { run_ring(Fault::no_proxy_fence, send, staged, 64); });
}
TEST_CASE("ring: copies on barriers whose initialisation no fence made visible", "[simt][ring]") {
  always_faults("no mbarrier_init_fence() is between", [] { run_ring(Fault::no_init_fence, send, direct, 64); });
}
TEST_CASE("ring: forced switches at accesses keep it clean", "[simt][ring]") {
  simt::options().preempt_every = 20;
  for (Exchange exchange : {send, fetch})
    for (Result result : {direct, staged}) never_faults([&] { run_ring(Fault::nothing, exchange, result, 64); });
  simt::options().preempt_every = 0;
}
#endif
