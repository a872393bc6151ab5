// What plans decide, at sizes that no test computes.
#include "kernels/linear_cross_entropy/config.hpp"
#include "kernels/linear_cross_entropy/dispatch.hpp"
#include "tests/catch.hpp"

#include <string>

using namespace plusmax;
using namespace plusmax::linear_cross_entropy;

namespace {

// A training step: 8192 tokens, 128256 classes, 4096 features in bf16. Pointers are not looked at.
Params training(bool gradient = true) {
  static float somewhere[4];
  Params p;
  p.dtype = p.dweight_type = PLUSMAX_BF16;
  p.tokens = 8192, p.vocab = 128256, p.features = 4096;
  p.hidden_stride = p.weight_stride = p.dhidden_stride = p.dweight_stride = p.features;
  p.loss = somewhere;
  if (gradient) p.dhidden = p.dweight = somewhere;
  return p;
}

PlanOptions with(plusmax_linear_mode mode, std::int64_t chunk, plusmax_dtype chunk_dtype = PLUSMAX_BF16) {
  PlanOptions options;
  options.mode = mode, options.chunk = chunk, options.chunk_dtype = chunk_dtype;
  return options;
}

std::unique_ptr<Plan> planned(const Params& p, const PlanOptions& options, std::size_t budget = 0) {
  std::unique_ptr<Plan> plan;
  const Status status = make_plan(p, options, budget, plan);
  INFO(status.message);
  REQUIRE(status.ok());
  return plan;
}

}  // namespace

TEST_CASE("linear_cross_entropy: a chunk of 1024 tokens is 0.26 GB where three copies of the logits are 6.3",
          "[linear_cross_entropy][plan]") {
  const auto plan = planned(training(), with(PLUSMAX_TOKEN_CHUNKS, 1024));
  CHECK(plan->chunks == 8);
  const LogitsBytes bytes = logits_bytes(*plan);
  CHECK(bytes.chunk == 262668288);
  CHECK(bytes.whole == 2101346304);
  CHECK(3 * bytes.whole == 6304038912);
  CHECK(plan->workspace_bytes > bytes.chunk);
  // The f32 sum of dW is as large as all logits: chunks of an 8th save little. Without it they do.
  CHECK(plan->sums_dweight_apart());
  Params main_grad = training();
  main_grad.dweight_type = PLUSMAX_F32;
  const auto without = planned(main_grad, with(PLUSMAX_TOKEN_CHUNKS, 1024));
  CHECK(plan->workspace_bytes - without->workspace_bytes == 128256u * 4096u * 4u);
}

TEST_CASE("linear_cross_entropy: chunks are equally long", "[linear_cross_entropy][plan]") {
  Params p = training();
  p.tokens = 10000;
  const auto plan = planned(p, with(PLUSMAX_TOKEN_CHUNKS, 4096));
  CHECK(plan->chunks == 3);
  CHECK(plan->chunk() == 3334);
  PlanOptions some = with(PLUSMAX_TOKEN_CHUNKS, 4096);
  some.max_valid_tokens = 5000;
  CHECK(planned(p, some)->chunks == 2);
}

TEST_CASE("linear_cross_entropy: without a budget chunks are cut where that saves memory",
          "[linear_cross_entropy][plan]") {
  Params p = training();
  CHECK(planned(p, with(PLUSMAX_LINEAR_AUTO, 0))->chunks == 1);
  p.dweight_type = PLUSMAX_F32;
  const auto plan = planned(p, with(PLUSMAX_LINEAR_AUTO, 0));
  CHECK(plan->options.mode == PLUSMAX_TOKEN_CHUNKS);
  CHECK(plan->chunk() == kWantedChunk);
  const auto losses = planned(training(false), with(PLUSMAX_LINEAR_AUTO, 0));
  CHECK(losses->options.mode == PLUSMAX_LOSS_ONLY);
  CHECK(losses->chunks == 4);
  CHECK(losses->chunk() == 32128);  // the nearest to kWantedSlice in equal parts, in whole units
}

TEST_CASE("linear_cross_entropy: a budget is kept, by as few parts as fit", "[linear_cross_entropy][plan]") {
  Params p = training();
  p.dweight_type = PLUSMAX_F32;
  const std::size_t million = 1000000;
  for (const std::size_t budget : {3000 * million, 1200 * million, 600 * million, 400 * million, 250 * million}) {
    const auto plan = planned(p, with(PLUSMAX_LINEAR_AUTO, 0), budget);
    INFO("budget " << budget << ", chunk " << plan->chunk());
    CHECK(plan->workspace_bytes <= budget);
    CHECK((plan->options.mode == PLUSMAX_VOCAB_SLICES) == (budget < 300 * million));
    if (plan->chunks == 1) continue;
    const std::int64_t length = plan->slices() ? p.vocab : p.tokens, parts = plan->chunks - 1;
    const auto fewer = planned(p, with(plan->options.mode, (length + parts - 1) / parts));
    CHECK(fewer->chunks <= parts);
    CHECK(fewer->workspace_bytes > budget);  // the host's products leave all of their share
  }
}

TEST_CASE("linear_cross_entropy: a budget that nothing keeps is refused with both figures",
          "[linear_cross_entropy][plan]") {
  std::unique_ptr<Plan> plan;
  const Status status = make_plan(training(), with(PLUSMAX_LINEAR_AUTO, 0), 1000000, plan);
  CHECK(status.code == PLUSMAX_WORKSPACE_TOO_SMALL);
  CHECK(std::string(status.message).find("workspace_budget of 1000000 bytes, ") == 0);
  CHECK(plan == nullptr);
  const auto smallest = planned(training(), with(PLUSMAX_VOCAB_SLICES, kSliceUnit));
  CHECK(std::string(status.message).find(std::to_string(smallest->workspace_bytes)) != std::string::npos);
}
