#include "kernels/platform/bench.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/rows.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <vector>

using namespace plusmax;
using namespace plusmax::tests;

TEST_CASE("bench: every ceiling takes time, and a copy counts what it writes", "[bench]") {
  Bench& bench = *plusmax_module()->bench;
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  const auto logits = plusmax_module()->device->allocate({.name = "logits", .line_bytes = kBytes});
  logits->fill(0x3e);
  for (const Traffic traffic : {Traffic::read, Traffic::copy, Traffic::in_place_copy}) {
    const BenchSamples samples =
        bench.ceiling(traffic, logits->data(), kBytes, {.buffers = 1, .cold = true, .samples = 4});
    REQUIRE(samples.us.size() == 4);
    for (const double us : samples.us) CHECK(us > 0);
  }
  CHECK(traffic_bytes(Traffic::read, 10) == 10);
  CHECK(traffic_bytes(Traffic::in_place_copy, 10) == 20);
}

TEST_CASE("bench: samples walk over the buffers and stop when time is up", "[bench]") {
  Bench& bench = *plusmax_module()->bench;
  Rows rows(1, 3);
  rows.set(0, {1, 2, 3});
  std::vector<int> seen;
  const auto launch = [&](void* stream, int buffer) {
    seen.push_back(buffer);
    return variant("warp_per_row").launch(rows.params(), nullptr, stream);
  };
  CHECK(bench.time(launch, {.buffers = 3, .samples = 6}).us.size() == 6);
  for (int buffer = 0; buffer < 3; ++buffer) CHECK(std::count(seen.begin(), seen.end(), buffer) >= 2);
  CHECK(bench.time(launch, {.samples = 1000000, .max_seconds = 0}).us.size() == 3);
}

TEST_CASE("bench: a launch that refuses is an error with its own words", "[bench]") {
  const auto refuse = [](void*, int) { return Status::error(PLUSMAX_UNSUPPORTED, "not %d today", 7); };
  CHECK_THROWS_WITH(plusmax_module()->bench->time(refuse, {}), "not 7 today");
}

TEST_CASE("bench: a fresh sample finds its buffer restored, whichever it is", "[bench]") {
  Bench& bench = *plusmax_module()->bench;
  int restored[3] = {}, launched[3] = {}, stale = 0;
  const auto restore = [&](void*, int buffer) {
    ++restored[buffer];
    return Status{};
  };
  const auto launch = [&](void*, int buffer) {
    stale += restored[buffer] <= launched[buffer]++ ? 1 : 0;
    return Status{};
  };
  CHECK(bench.time(launch, {.buffers = 3, .fresh = true, .restore = restore, .samples = 6}).us.size() == 6);
  CHECK(stale == 0);
  for (const int count : restored) CHECK(count >= 2);
  const auto fails = [](void*, int) { return Status::error(PLUSMAX_DEVICE_ERROR, "nothing to restore"); };
  CHECK_THROWS_WITH(bench.time(launch, {.fresh = true, .restore = fails}), "nothing to restore");
}

TEST_CASE("bench: each launch runs once a round, not always in the same order", "[bench]") {
  Bench& bench = *plusmax_module()->bench;
  std::vector<int> seen;
  const auto launch = [&](int which) {
    return [&seen, which](void*) {
      seen.push_back(which);
      return Status{};
    };
  };
  const std::vector<std::function<Status(void*)>> launches = {launch(0), launch(1), launch(2)};
  const auto us = bench.rounds(launches, {.rounds = 20, .warm_seconds = 0});
  REQUIRE(us.size() == 3);
  for (const auto& each : us) CHECK(each.size() == 20);
  REQUIRE(seen.size() >= 60);
  std::set<std::vector<int>> orders;
  for (std::size_t at = seen.size() - 60; at < seen.size(); at += 3) {
    std::vector<int> round(seen.begin() + static_cast<std::ptrdiff_t>(at),
                           seen.begin() + static_cast<std::ptrdiff_t>(at + 3));
    orders.insert(round);
    std::sort(round.begin(), round.end());
    CHECK(round == std::vector{0, 1, 2});
  }
  CHECK(orders.size() > 1);
  CHECK(bench.rounds(launches, {.rounds = 1000000, .warm_seconds = 0, .max_seconds = 0})[2].size() == 3);
  CHECK(bench.rounds({}, {}).empty());
}

TEST_CASE("bench: a rest lies in front of every launch and outside of its time", "[bench]") {
  const auto nothing = [](void*) { return Status{}; };
  const auto begin = std::chrono::steady_clock::now();
  const auto us =
      plusmax_module()->bench->rounds({nothing, nothing}, {.rounds = 3, .rest_seconds = 0.02, .warm_seconds = 0});
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(120));
  for (const auto& each : us)
    for (const double time : each) CHECK(time < 20e3);
}

TEST_CASE("bench: a launch that refuses in a round is an error with its own words", "[bench]") {
  const auto refuse = [](void*) { return Status::error(PLUSMAX_UNSUPPORTED, "not %d today", 8); };
  CHECK_THROWS_WITH(plusmax_module()->bench->rounds({refuse}, {}), "not 8 today");
}

TEST_CASE("bench: copies are compared to the last byte", "[bench]") {
  Bench& bench = *plusmax_module()->bench;
  Device& device = *plusmax_module()->device;
  constexpr std::size_t kBytes = 100003;
  const auto from = device.allocate({.name = "from", .line_bytes = kBytes}),
             to = device.allocate({.name = "to", .line_bytes = kBytes});
  from->fill(7), to->fill(0);
  CHECK(bench.first_difference(from->data(), to->data(), kBytes) == 0);
  REQUIRE(bench.copy(to->data(), from->data(), kBytes, device.stream()).ok());
  CHECK(bench.first_difference(from->data(), to->data(), kBytes) == kBytes);
  for (const std::size_t at : {kBytes - 1, std::size_t{50001}, std::size_t{0}}) {
    const unsigned char other = 8;
    to->write(at, &other, 1);
    CHECK(bench.first_difference(from->data(), to->data(), kBytes) == at);
  }
}
