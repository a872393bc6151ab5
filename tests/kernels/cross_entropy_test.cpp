// cross_entropy: every variant, dtype and option against a plain evaluation.
#include "tests/catch.hpp"
#include "tests/kernels/cross_entropy_expected.hpp"

#include <sstream>

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

// The first thing that is wrong, in words.
std::string mistake(const CrossEntropyCall& call, const CrossEntropyResults& got, const ErrorShape& shape) {
  std::ostringstream words;
  const Real relative = slack(call, shape);
  Estimate weighted, z_loss;
  for (std::size_t row = 0; row < call.rows; ++row) {
    const ExpectedRow want = expected_row(call, row);
    Estimate loss = want.weighted;
    loss.value += want.z_loss.value;
    loss.size += want.z_loss.size;
    const auto check = [&](const char* name, bool holds, Real found, Real wanted) {
      if (!holds && words.str().empty())
        words << name << " of row " << row << ": " << double(found) << ", want " << double(wanted);
    };
    check("loss", near(got.loss_rows[row], loss, relative), got.loss_rows[row], loss.value);
    check("z_loss", near(got.z_loss[row], want.z_loss, relative), got.z_loss[row], want.z_loss.value);
    check("lse", near(got.lse[row], want.lse, relative), got.lse[row], want.lse.value);
    if (call.argmax) check("argmax", got.argmax[row] == want.argmax, Real(got.argmax[row]), Real(want.argmax));
    for (std::size_t col = 0; col < call.cols && !got.dlogits.empty(); ++col)
      check(("dlogits " + std::to_string(col)).c_str(),
            near_stored(call.dtype, got.dlogits[row * call.cols + col], want.dlogits[col], relative),
            got.dlogits[row * call.cols + col], want.dlogits[col].value);
    weighted.add(want.weighted.value);
    weighted.size += want.weighted.size;
    z_loss.add(want.z_loss.value);
    z_loss.size += want.z_loss.size;
  }
  const ExpectedDivisors d = expected_divisors(call);
  Estimate all{weighted.value / d.weight + z_loss.value / d.rows, weighted.size / d.weight + z_loss.size / d.rows};
  if (call.options.reduction != PLUSMAX_NONE && !near(got.loss, all, relative) && words.str().empty())
    words << "loss " << got.loss << ", want " << double(all.value);
  if (got.num_valid != std::int64_t(call.rows) || got.bad_targets != 0)
    words << "num_valid " << got.num_valid << " bad_targets " << got.bad_targets;
  return words.str();
}

}  // namespace

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
