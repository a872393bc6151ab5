// The products that bench measures calls against: how many, and that they are those products.
#include "tests/catch.hpp"
#include "tests/kernels/linear_cross_entropy_call.hpp"

using namespace plusmax;
using namespace plusmax::linear_cross_entropy;
using namespace plusmax::tests;

namespace {

LinearCall call_with(plusmax_linear_mode mode, std::int64_t chunk) {
  LinearCall call;
  call.tokens = 6, call.vocab = 140, call.features = 5;
  call.plan.mode = mode, call.plan.chunk = chunk;
  call.gradient = mode != PLUSMAX_LOSS_ONLY;
  call.fill();
  // Whole numbers: their products are exact.
  for (double& x : call.hidden) x = std::round(x);
  for (double& w : call.weight) w = std::round(w);
  return call;
}

std::unique_ptr<ProductCeiling> ceiling_of(const LinearRun& run) {
  std::unique_ptr<ProductCeiling> ceiling;
  const Status status = plusmax_module()->plan_product_ceiling(run.params(), ceiling);
  INFO(status.message);
  REQUIRE(status.ok());
  return ceiling;
}

int count_of(plusmax_linear_mode mode, std::int64_t chunk) {
  return ceiling_of(LinearRun(call_with(mode, chunk)))->count();
}

}  // namespace

TEST_CASE("linear_cross_entropy: chunks are measured against three products, slices against four, a loss against one",
          "[linear_cross_entropy][bench]") {
  CHECK(count_of(PLUSMAX_TOKEN_CHUNKS, 4) == 3);
  CHECK(count_of(PLUSMAX_VOCAB_SLICES, 128) == 4);
  CHECK(count_of(PLUSMAX_VOCAB_SLICES, 256) == 3);  // one slice is computed once
  CHECK(count_of(PLUSMAX_LOSS_ONLY, 128) == 1);
}

TEST_CASE(
    "linear_cross_entropy: those products are X W^T, its product with W and its transpose's with X, for the rows of "
    "the plan",
    "[linear_cross_entropy][bench]") {
  LinearCall call = call_with(PLUSMAX_TOKEN_CHUNKS, 4);
  call.plan.max_valid_tokens = 5;
  LinearRun run(call);
  const auto ceiling = ceiling_of(run);
  Device& device = *plusmax_module()->device;
  const auto workspace = device.allocate({.name = "products", .line_bytes = ceiling->workspace_bytes()});
  workspace->fill(0xff);
  const Params p = run.params();
  REQUIRE(ceiling->tune(p, workspace->data(), device.stream()).ok());
  REQUIRE(ceiling->run(p, workspace->data(), device.stream()).ok());
  device.synchronize();
  CHECK(workspace->violation().empty());

  const std::size_t rows = 5;
  Values z(rows * call.vocab), dhidden(rows * call.features), dweight(call.vocab * call.features);
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t j = 0; j < call.vocab; ++j) {
      for (std::size_t k = 0; k < call.features; ++k)
        z[t * call.vocab + j] += call.hidden[t * call.features + k] * call.weight[j * call.features + k];
      for (std::size_t k = 0; k < call.features; ++k) {
        dhidden[t * call.features + k] += z[t * call.vocab + j] * call.weight[j * call.features + k];
        dweight[j * call.features + k] += z[t * call.vocab + j] * call.hidden[t * call.features + k];
      }
    }
  const auto same = [&](const void* got, std::int64_t stride, const Values& want) {
    for (std::size_t i = 0; i < want.size(); ++i)
      if (static_cast<double>(static_cast<const float*>(
              got)[i / call.features * static_cast<std::size_t>(stride) + i % call.features]) != want[i])
        return false;
    return true;
  };
  CHECK(same(p.dhidden, p.dhidden_stride, dhidden));
  CHECK(same(p.dweight, p.dweight_stride, dweight));
}

TEST_CASE("linear_cross_entropy: without a plan or a token there is no product to measure",
          "[linear_cross_entropy][bench]") {
  LinearCall call = call_with(PLUSMAX_TOKEN_CHUNKS, 4);
  std::unique_ptr<ProductCeiling> ceiling;
  CHECK_FALSE(plusmax_module()->plan_product_ceiling(Params{}, ceiling).ok());
  call.tokens = 0;
  call.fill();
  CHECK_FALSE(plusmax_module()->plan_product_ceiling(LinearRun(call).params(), ceiling).ok());
}

TEST_CASE("linear_cross_entropy: the table tunes a plan, and the results stay what they were",
          "[linear_cross_entropy][bench]") {
  LinearRun run(call_with(PLUSMAX_TOKEN_CHUNKS, 4));
  const auto first = run.run().bytes;
  Planned planned;
  REQUIRE(plusmax_module()->plan_linear_cross_entropy(run.params(), run.plan().options, 0, planned).ok());
  Params p = run.params();
  p.plan = planned.plan.get();
  Device& device = *plusmax_module()->device;
  const auto workspace = device.allocate({.name = "workspace", .line_bytes = planned.workspace_bytes});
  REQUIRE(plusmax_module()->tune_linear_cross_entropy(*planned.plan, p, workspace->data(), device.stream()).ok());
  CHECK(run.run().bytes == first);
}
