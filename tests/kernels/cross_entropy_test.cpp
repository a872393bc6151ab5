// cross_entropy: every variant, dtype and option against the certified reference.
#include "tests/catch.hpp"
#include "tests/kernels/cross_entropy_judged.hpp"

using namespace plusmax;
using namespace plusmax::tests;

namespace {

// Every pair of option values comes up in some row.
struct Mix {
  double smoothing, z_loss, softcap, scale;
  plusmax_reduction reduction;
  bool weighted, int32_targets, normalizer, argmax;
  Upstream upstream;
  Gradient gradient;
  std::size_t target_stride;
};
constexpr plusmax_reduction none = PLUSMAX_NONE, sum = PLUSMAX_SUM, mean = PLUSMAX_MEAN;
constexpr Mix kMixes[] = {
    {0, 0, 0, 1, mean, false, false, false, false, Upstream::none, Gradient::in_place, 1},
    {0, 0, 0, 1, none, true, true, false, false, Upstream::per_row, Gradient::elsewhere, 2},
    {0, 1e-3, 0, 1, sum, false, true, true, true, Upstream::one, Gradient::other_phase, 1},
    {0, 1e-3, 30, 0.7, mean, true, false, true, false, Upstream::per_row, Gradient::in_place, 2},
    {0, 0, 5, 1, sum, true, false, false, true, Upstream::one, Gradient::none, 1},
    {0, 0, 0, 2.5, mean, false, true, false, true, Upstream::per_row, Gradient::other_phase, 2},
    {0.1, 0, 0, 1, mean, false, false, false, false, Upstream::one, Gradient::in_place, 1},
    {0.1, 1e-2, 0, 1, mean, true, true, false, true, Upstream::per_row, Gradient::elsewhere, 1},
    {0.3, 0, 20, 1, none, true, false, false, false, Upstream::none, Gradient::in_place, 2},
    {0.2, 1e-3, 0, 0.5, sum, false, false, false, true, Upstream::none, Gradient::none, 2},
    {0.9, 1e-4, 10, 3, mean, true, true, true, true, Upstream::one, Gradient::in_place, 1},
    {0.05, 0, 0, 2, none, true, false, true, false, Upstream::per_row, Gradient::other_phase, 1},
};

CrossEntropyCall call_of(const Mix& mix, plusmax_dtype dtype, std::size_t cols) {
  CrossEntropyCall call;
  call.dtype = dtype;
  call.rows = 3;
  call.cols = cols;
  call.gap = 3;
  call.phase = 2 * reference::size_of(dtype);
  call.options.label_smoothing = mix.smoothing;
  call.options.z_loss = mix.z_loss;
  call.options.softcap = mix.softcap;
  call.options.logit_scale = mix.scale;
  call.options.reduction = mix.reduction;
  call.weighted = mix.weighted;
  call.int32_targets = mix.int32_targets;
  call.normalizer = mix.normalizer;
  call.argmax = mix.argmax;
  call.upstream = mix.upstream;
  call.gradient = mix.gradient;
  call.target_stride = mix.target_stride;
  call.fill();
  return call;
}

std::string mistake(const CrossEntropyCall& call, const CrossEntropyResults& got, const CrossEntropyShape& shape) {
  return JudgedCrossEntropy(call, got, shape).mistake();
}

}  // namespace

// The twentieth that docs/design.md asks of a bound: what stays far below it would hide mistakes.
TEST_CASE("cross_entropy: the worst result of each mix comes within a twentieth of its bound", "[cross_entropy]") {
  for (const Mix& mix : kMixes) {
    const CrossEntropyCall call = call_of(mix, PLUSMAX_F32, 517);
    CrossEntropyRun run(call);
    double worst = 0;
    for (const auto* variant : cross_entropy_variants(call)) {
      const CrossEntropyResults got = run.run(*variant);
      worst = std::max(worst, JudgedCrossEntropy(call, got, variant->error_shape(run.params())).worst());
    }
    INFO("mix " << (&mix - kMixes));
    CHECK(worst >= 1.0 / 20);
    CHECK(worst <= 1);
  }
}

TEST_CASE("cross_entropy: a result that is wrong in its thirteenth bit is found, whichever it is", "[cross_entropy]") {
  const CrossEntropyCall call = call_of(kMixes[7], PLUSMAX_F32, 517);
  CrossEntropyRun run(call);
  for (const auto* variant : cross_entropy_variants(call)) {
    const CrossEntropyShape shape = variant->error_shape(run.params());
    const CrossEntropyResults right = run.run(*variant);
    REQUIRE(mistake(call, right, shape) == "");
    const auto found = [&](const char* what, auto&& change) {
      CrossEntropyResults wrong = right;
      change(wrong);
      INFO(variant->name << " " << what);
      CHECK(mistake(call, wrong, shape) != "");
    };
    constexpr double kOff = 1 + 0x1p-12;
    const auto label = 2 * call.cols + std::size_t(call.targets[2]);
    found("loss of a row", [](CrossEntropyResults& r) { r.loss_rows[1] *= kOff; });
    found("z_loss", [](CrossEntropyResults& r) { r.z_loss[2] *= kOff; });
    found("lse", [](CrossEntropyResults& r) { r.lse[0] *= kOff; });
    found("loss", [](CrossEntropyResults& r) { r.loss *= kOff; });
    found("label", [&](CrossEntropyResults& r) { r.dlogits[label] *= kOff; });
    found("another column", [&](CrossEntropyResults& r) { r.dlogits[label == 2 * call.cols ? 7 : 2 * call.cols] *= kOff; });
    found("argmax", [](CrossEntropyResults& r) { ++r.argmax[0]; });
    found("num_valid", [](CrossEntropyResults& r) { ++r.num_valid; });
  }
}

TEST_CASE("cross_entropy: every variant, dtype and mix of options is right", "[cross_entropy]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16, PLUSMAX_F64);
  const std::size_t cols = GENERATE(1u, 13u, 517u, 2500u);
  for (const Mix& mix : kMixes) {
    const CrossEntropyCall call = call_of(mix, dtype, cols);
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      INFO(variant->name << " dtype " << dtype << " cols " << cols << " mix " << (&mix - kMixes));
      CHECK(mistake(call, run.run(*variant), variant->error_shape(run.params())) == "");
    }
  }
}

TEST_CASE("cross_entropy: long rows, of several tiles a thread", "[cross_entropy]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_F64);
  for (const int mix : {0, 3, 7}) {
    CrossEntropyCall call = call_of(kMixes[mix], dtype, 17001);
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      INFO(variant->name << " dtype " << dtype << " mix " << mix);
      CHECK(mistake(call, run.run(*variant), variant->error_shape(run.params())) == "");
    }
  }
}

TEST_CASE("cross_entropy: a backward from the saved sums gives the bits of the gradient made at once",
          "[cross_entropy][bits]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_F64);
  for (const Mix& mix : kMixes) {
    if (mix.gradient == Gradient::none) continue;
    CrossEntropyCall call = call_of(mix, dtype, 517);
    call.targets[1] = call.options.ignore_index;
    CrossEntropyRun run(call);
    for (const auto* variant : cross_entropy_variants(call)) {
      if (!variant->supports(run.backward_params()).ok()) continue;
      const std::vector<unsigned char> at_once = run.run(*variant).gradient_bytes;
      for (std::size_t row = 0; row < call.rows; ++row) run.write_logits(row);
      INFO(variant->name << " dtype " << dtype << " mix " << (&mix - kMixes));
      CHECK(run.launch(*variant, run.backward_params()).gradient_bytes == at_once);
    }
  }
}
