// cluster_per_row: its ring over rows of one to eight blocks, with runs of rows that use no slot.
#include "tests/catch.hpp"
#include "tests/kernels/cross_entropy_call.hpp"

#include <algorithm>

using namespace plusmax;
using namespace plusmax::tests;

namespace {

CrossEntropyCall call_of(plusmax_dtype dtype, std::size_t rows, std::size_t cols) {
  CrossEntropyCall call;
  call.dtype = dtype;
  call.rows = rows;
  call.cols = cols;
  call.gap = 3;
  call.fill();
  return call;
}

// Relative to the largest: the variants add in different orders.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::fabs(a[i] - b[i]));
    largest = std::max(largest, std::fabs(b[i]));
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("cross_entropy: clusters of one to eight blocks give what one block gives", "[cross_entropy][cluster]") {
  const auto& cluster = cross_entropy_variant("cluster_per_row");
  for (const std::size_t cols : {30000u, 36000u, 80003u, 151936u, 260000u})
    for (const double smoothing : {0.0, 0.1}) {
      CrossEntropyCall call = call_of(PLUSMAX_BF16, cols > 100000 ? 2 : 5, cols);
      call.options.label_smoothing = smoothing;
      call.argmax = smoothing > 0;
      CrossEntropyRun run(call);
      const CrossEntropyResults one = run.run(cross_entropy_variant("two_pass")), many = run.run(cluster);
      INFO("cols " << cols << " smoothing " << smoothing);
      CHECK(distance(many.loss_rows, one.loss_rows) <= 1e-5);
      CHECK(distance(many.dlogits, one.dlogits) <= 1.0 / 128);
      CHECK(std::fabs(many.loss - one.loss) <= 1e-5 * one.loss);
      if (call.argmax) CHECK(many.argmax == one.argmax);
    }
}

TEST_CASE("cross_entropy: runs of ignored rows pass by the ring, under any schedule", "[cross_entropy][cluster]") {
  const auto& cluster = cross_entropy_variant("cluster_per_row");
  Device& device = CrossEntropyRun::device();
  CrossEntropyCall call = call_of(PLUSMAX_F32, 14, 20001);  // two blocks
  for (const std::size_t row : {0, 1, 2, 3, 5, 8, 9, 10, 11, 12}) call.targets[row] = -100;
  CrossEntropyRun run(call);
  device.configure(Schedule::forward, 0, 0);
  const CrossEntropyResults expected = run.run(cluster);
  CHECK(expected.num_valid == 4);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    device.configure(seed == 1 ? Schedule::reverse : Schedule::random, seed, 0);
    const CrossEntropyResults r = run.run(cluster);
    INFO("seed " << seed);
    CHECK(r.row_bytes == expected.row_bytes);
    CHECK(r.gradient_bytes == expected.gradient_bytes);
  }
  device.configure(Schedule::forward, 0, 0);
}

TEST_CASE("cross_entropy: rows too long for eight blocks are refused with the figures", "[cross_entropy][cluster]") {
  CrossEntropyCall call = call_of(PLUSMAX_F32, 1, 100);
  cross_entropy::Params p = CrossEntropyRun(call).params();
  p.cols = p.row_stride = p.dlogits_stride = 1 << 20;
  const Status status = cross_entropy_variant("cluster_per_row").supports(p);
  CHECK(status.code == PLUSMAX_UNSUPPORTED);
  CHECK(std::string(status.message).find("1048576 columns need more than 8 blocks of 65536 bytes") !=
        std::string::npos);
}

TEST_CASE("cross_entropy: more rows than the ring numbers are refused with the figures", "[cross_entropy][cluster]") {
  CrossEntropyCall call = call_of(PLUSMAX_BF16, 1, 100);
  cross_entropy::Params p = CrossEntropyRun(call).params();
  const auto& cluster = cross_entropy_variant("cluster_per_row");
  p.rows = std::int64_t{1} << 30;
  CHECK(cluster.supports(p).ok());
  ++p.rows;
  const Status status = cluster.supports(p);
  CHECK(status.code == PLUSMAX_UNSUPPORTED);
  CHECK(std::string(status.message).find("1073741825 rows, at most 1073741824") != std::string::npos);
}

TEST_CASE("cross_entropy: a row that fills eight blocks goes into them if it begins on a line",
          "[cross_entropy][cluster]") {
  const auto& cluster = cross_entropy_variant("cluster_per_row");
  CrossEntropyCall call = call_of(PLUSMAX_BF16, 2, 262144);
  call.gap = 0;
  CrossEntropyRun run(call);
  const CrossEntropyResults one = run.run(cross_entropy_variant("two_pass")), many = run.run(cluster);
  CHECK(distance(many.loss_rows, one.loss_rows) <= 1e-5);
  CHECK(distance(many.dlogits, one.dlogits) <= 1.0 / 128);
  for (const bool second : {false, true}) {
    cross_entropy::Params p = run.params();
    if (second)
      ++p.row_stride;
    else
      p.logits = static_cast<const char*>(p.logits) + 2;
    CHECK(std::string(cluster.supports(p).message).find("262144 columns fit only if") != std::string::npos);
    p.rows = 1;
    CHECK(cluster.supports(p).ok() == second);
  }
}

TEST_CASE("cross_entropy: asking for the argmax changes no bit of the rest, smoothed or not",
          "[cross_entropy][cluster]") {
  for (const auto* name : {"cluster_per_row", "block_per_row"})
    for (const double smoothing : {0.0, 0.1})
      for (const std::size_t cols : {517u, 9001u}) {
        CrossEntropyCall call = call_of(PLUSMAX_BF16, 4, cols);
        call.options.label_smoothing = smoothing;
        call.logits[1][7] = -INFINITY;
        CrossEntropyResults without, with;
        for (const bool argmax : {false, true}) {
          call.argmax = argmax;
          (argmax ? with : without) = CrossEntropyRun(call).run(cross_entropy_variant(name));
        }
        INFO(name << " cols " << cols << " smoothing " << smoothing);
        CHECK(with.row_bytes == without.row_bytes);
        CHECK(with.gradient_bytes == without.gradient_bytes);
      }
}
