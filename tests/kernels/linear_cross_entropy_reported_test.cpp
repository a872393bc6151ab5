// Faults that users found in published kernels, each with its exact answer to ten digits.
#include "tests/catch.hpp"
#include "tests/kernels/linear_cross_entropy_plain.hpp"

using namespace plusmax;
using namespace plusmax::tests;

namespace {

LinearCall tiny(std::size_t tokens, std::size_t vocab, std::size_t features, Values hidden, Values weight) {
  LinearCall call;
  call.tokens = tokens, call.vocab = vocab, call.features = features;
  call.fill();
  call.hidden = std::move(hidden);
  call.weight = std::move(weight);
  call.targets.assign(tokens, 0);
  return call;
}

// Within what the call may be off by, and half a unit of the answer's tenth digit.
void check_answer(double got, double answer, double bound) {
  const double last = std::abs(answer) > 0 ? std::pow(10, std::floor(std::log10(std::abs(answer))) - 9) : 0;
  INFO(got << " against " << answer << ", bound " << bound);
  CHECK(std::abs(got - answer) <= bound + last / 2);
}

struct Answered {
  LinearResults got;
  PlainLinear expected;
};
Answered answer(const LinearCall& call) {
  LinearRun run(call);
  LinearResults got = run.run();
  return {std::move(got), PlainLinear(call, run.plan(), run.plan().variant->error_shape(run.params()).cross_entropy)};
}

}  // namespace

TEST_CASE("linear_cross_entropy: B58, label smoothing is not dropped", "[linear_cross_entropy][reported]") {
  LinearCall call = tiny(1, 3, 2, {1, 0}, {2, 0, 0, 0, -2, 0});
  call.options.label_smoothing = 0.1;
  const auto [got, expected] = answer(call);
  check_answer(got.loss, 0.3429316285, expected.loss.bound);
  const Values dlogits{-0.06652000114, 0.08397709449, -0.01745709336};
  for (std::size_t j = 0; j < 3; ++j) check_answer(got.dbias[j], dlogits[j], expected.dbias[j].bound);
}

TEST_CASE("linear_cross_entropy: B62, a batch of ignored tokens has gradients of 0",
          "[linear_cross_entropy][reported]") {
  LinearCall call = tiny(1, 2, 2, {1, 2}, {1, 0, 0, 1});
  call.targets = {-100};
  for (const bool nan_when_empty : {false, true}) {
    call.options.nan_when_empty = nan_when_empty;
    const LinearResults got = LinearRun(call).run();
    CHECK(got.dhidden == Values{0, 0});
    CHECK(got.dweight == Values{0, 0, 0, 0});
    CHECK(got.dbias == Values{0, 0});
    CHECK(got.loss_rows == Values{0});
    CHECK(std::isnan(got.loss) == nan_when_empty);
    if (!nan_when_empty) CHECK(got.loss == 0);
  }
}

TEST_CASE("linear_cross_entropy: B89, means of chunks are not summed", "[linear_cross_entropy][reported]") {
  LinearCall call = tiny(4, 2, 1, {1, 1, 1, 1}, {0, 0});
  call.plan.chunk = GENERATE(1, 2, 3, 4);
  const auto [got, expected] = answer(call);
  check_answer(got.loss, 0.6931471806, expected.loss.bound);
  for (std::size_t i = 0; i < 4; ++i) check_answer(got.loss_rows[i], 0.6931471806, expected.loss_rows[i].bound);
}

TEST_CASE("linear_cross_entropy: B92, dW is accumulated in f32 over chunks of one token",
          "[linear_cross_entropy][reported]") {
  LinearCall call = tiny(1024, 2, 1, Values(1024, 1), {0, 0});
  call.dtype = PLUSMAX_BF16;
  call.dweight_type = GENERATE(PLUSMAX_F32, PLUSMAX_BF16);
  call.options.reduction = PLUSMAX_SUM;
  call.plan.chunk = 1;
  CHECK(LinearRun(call).run().dweight == Values{-512, 512});
}

TEST_CASE("linear_cross_entropy: B94, the bias is in the loss and has a gradient", "[linear_cross_entropy][reported]") {
  LinearCall call = tiny(1, 2, 1, {1}, {0, 0});
  call.biased = true;
  call.bias = {3, 0};
  const auto [got, expected] = answer(call);
  check_answer(got.loss, 0.04858735157, expected.loss.bound);
  check_answer(got.dbias[0], -0.04742587318, expected.dbias[0].bound);
  check_answer(got.dbias[1], 0.04742587318, expected.dbias[1].bound);
}

TEST_CASE("linear_cross_entropy: B106, what outputs held before is gone", "[linear_cross_entropy][reported]") {
  const auto [got, expected] = answer(tiny(1, 2, 1, {1}, {0, 0}));  // every run begins with NaN in them
  check_answer(got.loss, 0.6931471806, expected.loss.bound);
  CHECK(got.dweight == Values{-0.5, 0.5});
  CHECK(got.dhidden == Values{0});
}
