// What every cross_entropy variant promises beside its numbers: special rows, ignored rows, bits.
#include "tests/catch.hpp"
#include "tests/kernels/cross_entropy_call.hpp"

using namespace plusmax;
using namespace plusmax::tests;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

bool all_nan(const std::vector<double>& values, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < from + count; ++i)
    if (!std::isnan(values[i])) return false;
  return true;
}

bool finite(const std::vector<double>& values, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < from + count; ++i)
    if (!std::isfinite(values[i])) return false;
  return true;
}

// f32 rows without smoothing, none reduced, gradient in place.
CrossEntropyCall plain_call(std::size_t rows, std::size_t cols) {
  CrossEntropyCall call;
  call.rows = rows;
  call.cols = cols;
  call.gap = 1;
  call.options.reduction = PLUSMAX_SUM;
  call.fill();
  return call;
}

}  // namespace

TEST_CASE("cross_entropy: special rows", "[cross_entropy][special]") {
  const std::size_t cols = GENERATE(1u, 2u, 40u, 1030u, 4099u);
  enum : std::size_t { kAllMasked, kInfinite, kNan, kTargetMasked, kOnlyTarget, kHuge, kRows };
  CrossEntropyCall call = plain_call(kRows, cols);
  call.options.softcap = GENERATE(0.0, 20.0);
  const std::size_t at = cols / 2, other = (at + 1) % cols;
  for (std::size_t row = 0; row < kRows; ++row) call.targets[row] = std::int64_t(at);
  call.logits[kAllMasked].assign(cols, -kInf);
  call.logits[kInfinite][other] = kInf;
  call.logits[kNan][other] = NAN;
  call.logits[kTargetMasked][at] = -kInf;
  call.logits[kOnlyTarget].assign(cols, -kInf);
  call.logits[kOnlyTarget][at] = -1.25;
  call.logits[kHuge].assign(cols, 3e38);
  call.logits[kHuge][at] = -3e38;
  CrossEntropyRun run(call);
  for (const auto* variant : cross_entropy_variants(call)) {
    const CrossEntropyResults r = run.run(*variant);
    INFO(variant->name << " cols " << cols << " softcap " << call.options.softcap);
    CHECK(std::isnan(r.loss_rows[kAllMasked]));
    CHECK(r.lse[kAllMasked] == -kInf);
    CHECK(r.argmax[kAllMasked] == 0);
    CHECK(all_nan(r.dlogits, kAllMasked * cols, cols));
    CHECK(std::isnan(r.loss_rows[kInfinite]));
    CHECK(r.lse[kInfinite] == kInf);
    CHECK(r.argmax[kInfinite] == std::int64_t(other));
    CHECK(all_nan(r.dlogits, kInfinite * cols, cols));
    CHECK(std::isnan(r.loss_rows[kNan]));
    CHECK(std::isnan(r.lse[kNan]));
    CHECK(r.argmax[kNan] == std::int64_t(other));
    CHECK(all_nan(r.dlogits, kNan * cols, cols));
    CHECK(r.loss_rows[kOnlyTarget] == 0);
    CHECK(finite(r.dlogits, kOnlyTarget * cols, cols));
    for (std::size_t col = 0; col < cols; ++col) CHECK(r.dlogits[kOnlyTarget * cols + col] == 0);
    if (cols == 1) continue;
    CHECK(r.loss_rows[kTargetMasked] == kInf);
    CHECK(finite(r.dlogits, kTargetMasked * cols, cols));
    if (call.options.softcap > 0) continue;
    CHECK(r.dlogits[kTargetMasked * cols + at] == -1);
    CHECK(r.loss_rows[kHuge] == kInf);
    CHECK(r.dlogits[kHuge * cols + at] == -1);
    CHECK(std::isnan(r.loss));
  }
}

TEST_CASE("cross_entropy: smoothing over a masked class is +inf with a finite gradient, and without smoothing unseen",
          "[cross_entropy][special]") {
  const std::size_t cols = GENERATE(5u, 1030u);
  CrossEntropyCall call = plain_call(1, cols);
  call.logits[0][3] = -kInf;
  call.targets[0] = 1;
  for (const double smoothing : {0.0, 0.1}) {
    call.options.label_smoothing = smoothing;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults r = run.run(*variant);
      INFO(variant->name << " cols " << cols << " smoothing " << smoothing);
      CHECK(r.loss_rows[0] == (smoothing > 0 ? kInf : r.loss_rows[0]));
      CHECK(std::isfinite(r.loss_rows[0]) == (smoothing == 0));
      CHECK(finite(r.dlogits, 0, cols));
      CHECK(std::fabs(r.dlogits[3] + smoothing / double(cols)) <= 1e-8);
    }
  }
}

TEST_CASE("cross_entropy: an ignored row is not read, and gives zeros", "[cross_entropy][ignored]") {
  const std::int64_t ignore = GENERATE(-100, 3, 4096);
  for (const Gradient gradient : {Gradient::none, Gradient::in_place, Gradient::elsewhere}) {
    CrossEntropyCall call = plain_call(4, 1030);
    call.gradient = gradient;
    call.options.reduction = PLUSMAX_MEAN;
    call.options.ignore_index = ignore;
    call.options.label_smoothing = 0.1;
    call.options.z_loss = 0.01;
    call.targets = {5, ignore, 7, ignore};
    for (double& each : call.logits[1]) each = NAN;
    for (double& each : call.logits[3]) each = kInf;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults r = run.run(*variant);
      INFO(variant->name << " ignore " << ignore << " gradient " << int(gradient));
      for (const std::size_t row : {1, 3}) {
        CHECK(r.loss_rows[row] == 0);
        CHECK(r.z_loss[row] == 0);
        CHECK(r.lse[row] == 0);
        CHECK(r.argmax[row] == -1);
        for (std::size_t i = row * 1030 * 4; gradient != Gradient::none && i < (row + 1) * 1030 * 4; ++i)
          if (r.gradient_bytes[i] != 0) FAIL("byte " << i << " of the gradient is not 0");
      }
      CHECK(r.num_valid == 2);
      CHECK(std::isfinite(r.loss));
    }
  }
}

TEST_CASE("cross_entropy: ignored rows may lie where nothing can be read", "[cross_entropy][ignored]") {
  CrossEntropyCall call = plain_call(3, 600);
  call.gap = 1 << 20;  // each row on pages of its own, nothing between them
  call.gradient = Gradient::none;
  call.targets = {1, 2, 3};
  CrossEntropyRun run(call);
  for (const auto* variant : cross_entropy_variants(call)) {
    cross_entropy::Params p = run.params();
    p.options.ignore_index = 2;
    p.row_stride += 4096;  // rows 1 and 2 would begin in the gap
    p.rows = 2;
    INFO(variant->name);
    CHECK_NOTHROW(run.launch(*variant, p));
  }
}

TEST_CASE("cross_entropy: a bad target makes its row and the loss NaN, and no other row", "[cross_entropy][targets]") {
  for (const std::int64_t bad : {std::int64_t{-1}, std::int64_t{300}, std::int64_t{1} << 40, INT64_MIN}) {
    CrossEntropyCall call = plain_call(3, 300);
    call.weighted = true;
    call.options.reduction = GENERATE(PLUSMAX_SUM, PLUSMAX_MEAN);
    const CrossEntropyResults good = CrossEntropyRun(call).run(cross_entropy_variant("block_per_row"));
    call.targets[1] = bad;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults r = run.run(*variant);
      INFO(variant->name << " bad " << bad);
      CHECK(std::isnan(r.loss_rows[1]));
      CHECK(all_nan(r.dlogits, 300, 300));
      CHECK(std::fabs(r.lse[1] - good.lse[1]) <= 1e-5);
      CHECK(r.argmax == good.argmax);
      CHECK(std::isnan(r.loss));
      CHECK(r.bad_targets == 1);
      CHECK(r.num_valid == 3);
      CHECK(finite(r.dlogits, 0, 300));
      CHECK(finite(r.loss_rows, 0, 1));
      CHECK(finite(r.loss_rows, 2, 1));
    }
  }
}

TEST_CASE("cross_entropy: a mean over nothing is 0 or NaN as asked, a sum 0, gradients 0", "[cross_entropy][empty]") {
  for (const std::size_t rows : {1u, 3u})
    for (const bool nan : {false, true})
      for (const plusmax_reduction reduction : {PLUSMAX_SUM, PLUSMAX_MEAN}) {
        CrossEntropyCall call = plain_call(rows, 100);
        call.options.reduction = reduction;
        call.options.nan_when_empty = nan;
        for (std::int64_t& each : call.targets) each = -100;
        CrossEntropyRun run(call);
        for (const auto* variant : cross_entropy_variants(call)) {
          INFO(variant->name << " rows " << rows << " nan " << nan << " reduction " << reduction);
          for (const std::int64_t launched : {std::int64_t(rows), std::int64_t{0}}) {
            cross_entropy::Params p = run.params();
            p.rows = launched;
            const CrossEntropyResults r = run.launch(*variant, p);
            CHECK(r.num_valid == 0);
            CHECK(r.bad_targets == 0);
            CHECK((nan && reduction == PLUSMAX_MEAN ? std::isnan(r.loss) : r.loss == 0));
          }
        }
      }
}

TEST_CASE("cross_entropy: weights that sum to 0 divide nothing", "[cross_entropy][empty]") {
  CrossEntropyCall call = plain_call(2, 50);
  call.options.reduction = PLUSMAX_MEAN;
  call.weighted = true;
  call.weights[4] = 1;
  call.weights[5] = -1;
  call.targets = {4, 5};
  CrossEntropyRun run(call);
  for (const auto* variant : cross_entropy_variants(call)) {
    const CrossEntropyResults r = run.run(*variant);
    INFO(variant->name);
    CHECK(r.loss == 0);
    for (const double each : r.dlogits) CHECK(each == 0);
  }
}

TEST_CASE("cross_entropy: near certainty loss and gradient keep their relative accuracy", "[cross_entropy][accuracy]") {
  for (const double depth : {5.0, 20.0, 40.0, 80.0}) {
    CrossEntropyCall call = plain_call(1, 2050);
    call.logits[0].assign(2050, 1 - depth);
    call.logits[0][77] = 1;
    call.targets[0] = 77;
    const double others = 2049 * std::exp(-depth);
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults r = run.run(*variant);
      INFO(variant->name << " depth " << depth);
      CHECK(std::fabs(r.loss_rows[0] / std::log1p(others) - 1) <= 2e-5);
      CHECK(std::fabs(r.dlogits[77] / -(others / (1 + others)) - 1) <= 2e-5);
    }
  }
}

TEST_CASE("cross_entropy: argmax is the lowest of equals, a NaN before all", "[cross_entropy][argmax]") {
  const std::size_t cols = GENERATE(9u, 1030u, 4099u);
  for (const std::int64_t target : {std::int64_t{0}, std::int64_t(cols / 2), std::int64_t(cols - 1)}) {
    CrossEntropyCall call = plain_call(3, cols);
    call.options.softcap = GENERATE(0.0, 0.01);  // where the cap makes all large logits equal
    for (const std::size_t col : {cols / 3, cols / 2, cols - 1}) {
      call.logits[0][col] = 50;
      call.logits[1][col] = NAN;
    }
    call.logits[2].assign(cols, -2);
    for (std::int64_t& each : call.targets) each = target;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults r = run.run(*variant);
      INFO(variant->name << " cols " << cols << " target " << target);
      CHECK(r.argmax == std::vector<std::int64_t>{std::int64_t(cols / 3), std::int64_t(cols / 3), 0});
    }
  }
}

TEST_CASE("cross_entropy: neither where the gradient goes nor what else is asked for shows in a bit",
          "[cross_entropy][bits]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64);
  const std::size_t cols = GENERATE(31u, 1030u, 5003u);
  const double smoothing = GENERATE(0.0, 0.1);
  CrossEntropyCall call;
  call.dtype = dtype;
  call.rows = 2;
  call.cols = cols;
  call.gap = 5;
  call.options.label_smoothing = smoothing;
  call.fill();
  for (const auto* variant : cross_entropy_variants(call)) {
    const CrossEntropyResults expected = CrossEntropyRun(call).run(*variant);
    INFO(variant->name << " dtype " << dtype << " cols " << cols << " smoothing " << smoothing);
    for (const Gradient gradient : {Gradient::none, Gradient::elsewhere, Gradient::other_phase})
      for (const bool argmax : {false, true}) {
        CrossEntropyCall other = call;
        other.gradient = gradient;
        other.argmax = argmax;
        if (!variant->supports(CrossEntropyRun(other).params()).ok()) continue;
        const CrossEntropyResults r = CrossEntropyRun(other).run(*variant);
        CHECK(r.row_bytes == expected.row_bytes);
        CHECK(r.loss == expected.loss);
        if (gradient != Gradient::none) CHECK(r.gradient_bytes == expected.gradient_bytes);
      }
  }
}

TEST_CASE("cross_entropy: a row's bits depend on the row and its start modulo 128 bytes alone",
          "[cross_entropy][bits]") {
  const std::size_t cols = GENERATE(7u, 1000u, 5003u);
  CrossEntropyCall alone = plain_call(1, cols);
  alone.phase = 36;
  alone.argmax = false;
  CrossEntropyCall many = plain_call(9, cols);
  many.phase = 36;
  many.gap = 32 - cols % 32;  // 32 floats are 128 bytes
  many.logits[6] = alone.logits[0];
  many.targets[6] = alone.targets[0];
  many.targets[2] = -100;
  for (const auto* variant : cross_entropy_variants(alone)) {
    const CrossEntropyResults one = CrossEntropyRun(alone).run(*variant), all = CrossEntropyRun(many).run(*variant);
    INFO(variant->name << " cols " << cols);
    CHECK(all.loss_rows[6] == one.loss_rows[0]);
    CHECK(std::vector<double>(all.dlogits.begin() + long(6 * cols), all.dlogits.begin() + long(7 * cols)) ==
          one.dlogits);
  }
}

TEST_CASE("cross_entropy: a common offset that is exact leaves loss and gradient their bits", "[cross_entropy][bits]") {
  for (const double scale : {1.0, 0.7}) {
    CrossEntropyCall call = plain_call(2, 1030);
    call.options.logit_scale = scale;
    call.options.label_smoothing = 0.1;
    for (auto& row : call.logits)
      for (double& each : row) each = std::round(each * 64) / 64;
    CrossEntropyCall shifted = call;
    for (auto& row : shifted.logits)
      for (double& each : row) each += 4096;
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults a = CrossEntropyRun(call).run(*variant), b = CrossEntropyRun(shifted).run(*variant);
      INFO(variant->name << " scale " << scale);
      CHECK(a.loss_rows == b.loss_rows);
      CHECK(a.gradient_bytes == b.gradient_bytes);
    }
  }
}

TEST_CASE("cross_entropy: neither the schedule nor what the workspace held shows in a bit", "[cross_entropy][bits]") {
  Device& device = CrossEntropyRun::device();
  for (const double smoothing : {0.0, 0.1}) {
    CrossEntropyCall call = plain_call(3, 1030);
    call.options.reduction = PLUSMAX_MEAN;
    call.options.label_smoothing = smoothing;
    call.weighted = true;
    call.targets[1] = -100;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      device.configure(Schedule::forward, 0, 0);
      const CrossEntropyResults expected = run.run(*variant, 0x00);
      INFO(variant->name << " smoothing " << smoothing);
      for (const unsigned char fill : {0xff, 0x01})
        for (const Schedule schedule : {Schedule::reverse, Schedule::random})
          for (const std::uint64_t seed : {1u, 2u}) {
            device.configure(schedule, seed, 0);
            const CrossEntropyResults r = run.run(*variant, fill);
            CHECK(r.row_bytes == expected.row_bytes);
            CHECK(r.gradient_bytes == expected.gradient_bytes);
            CHECK(r.argmax == expected.argmax);
            CHECK(r.loss == expected.loss);
          }
      device.configure(Schedule::forward, 0, 0);
    }
  }
}

TEST_CASE("cross_entropy: more rows than one slice are counted and summed", "[cross_entropy][reduction]") {
  CrossEntropyCall call = plain_call(20001, 3);
  call.gradient = Gradient::none;
  call.gap = 0;
  call.options.reduction = PLUSMAX_MEAN;
  call.weighted = true;
  for (std::size_t row = 0; row < call.rows; row += 10) call.targets[row] = -100;
  const CrossEntropyResults r = CrossEntropyRun(call).run(cross_entropy_variant("warp_per_row"));
  double sum = 0, weight = 0;
  for (std::size_t row = 0; row < call.rows; ++row) {
    sum += r.loss_rows[row];
    if (call.targets[row] >= 0) weight += double(call.weights[std::size_t(call.targets[row])]);
  }
  CHECK(r.num_valid == 18000);
  CHECK(std::fabs(r.loss - sum / weight) <= 1e-6);
}
