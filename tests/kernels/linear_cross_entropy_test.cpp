// linear_cross_entropy on the host machine against plain double precision, over types, options, modes and chunks.
#include "tests/catch.hpp"
#include "tests/kernels/linear_cross_entropy_plain.hpp"

using namespace plusmax;
using namespace plusmax::tests;

namespace {

void require_close(const LinearCall& call) {
  LinearRun run(call);
  const LinearResults got = run.run();
  const PlainLinear expected(call, run.plan(), run.plan().variant->error_shape(run.params()).cross_entropy);
  INFO(run.plan().variant->name << ", " << run.plan().chunks << " chunks of " << run.plan().chunk() << ", dtype "
                                << call.dtype << ", chunk dtype " << run.plan().options.chunk_dtype);
  CHECK(worst_of(got.loss_rows, expected.loss_rows) <= 1);
  CHECK(worst_of(got.lse, expected.lse) <= 1);
  if (call.options.reduction != PLUSMAX_NONE) CHECK(worst_of({got.loss}, {expected.loss}) <= 1);
  if (!call.gradient) return;
  CHECK(worst_of(got.dhidden, expected.dhidden) <= 1);
  CHECK(worst_of(got.dweight, expected.dweight) <= 1);
  CHECK(worst_of(got.dbias, expected.dbias) <= 1);
}

LinearCall small_call(plusmax_dtype dtype = PLUSMAX_F32) {
  LinearCall call;
  call.dtype = dtype;
  call.fill();
  return call;
}

}  // namespace

TEST_CASE("linear_cross_entropy: every type of inputs, chunks and sums is within its bound", "[linear_cross_entropy]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16);
  LinearCall call = small_call(dtype);
  call.biased = true;
  call.plan.chunk = GENERATE(2, 4, 9);
  call.plan.chunk_dtype = GENERATE_COPY(PLUSMAX_F32, dtype);
  call.dweight_type = GENERATE_COPY(PLUSMAX_F32, dtype);
  call.plan.accumulate_in_dweight_type = GENERATE(false, true);
  call.add = GENERATE(false, true);
  require_close(call);
}

TEST_CASE("linear_cross_entropy: every option is within its bound", "[linear_cross_entropy]") {
  LinearCall call = small_call(GENERATE(PLUSMAX_F32, PLUSMAX_BF16));
  call.plan.chunk = 4;
  call.plan.chunk_dtype = call.dtype;
  call.options.reduction = GENERATE(PLUSMAX_NONE, PLUSMAX_SUM, PLUSMAX_MEAN);
  SECTION("smoothing, class weights, z-loss, scale, upstream") {
    call.options.label_smoothing = 0.1;
    call.options.z_loss = 0.01;
    call.options.logit_scale = 0.7;
    call.weighted = true;
    call.upstreams = {0.5f, 2, -1, 0, 3, 1, 0.25f, 7, 1.5f};
    call.upstream_stride = GENERATE(0u, 1u);
  }
  SECTION("softcap, bias, int32 targets, a normalizer") {
    call.options.softcap = 5;
    call.biased = call.int32_targets = call.normalizer = true;
  }
  SECTION("ignored tokens") {
    call.targets[0] = call.targets[3] = call.targets[8] = call.options.ignore_index;
    call.plan.max_valid_tokens = GENERATE(0, 6, 7);
  }
  SECTION("without a gradient") {
    call.gradient = false;
    call.weighted = true;
  }
  require_close(call);
}

TEST_CASE("linear_cross_entropy: shapes of one token, class or feature, and beyond a tile of the product",
          "[linear_cross_entropy]") {
  struct Shape {
    std::size_t tokens, vocab, features;
  };
  const Shape shape = GENERATE(Shape{1, 1, 1}, Shape{1, 5, 3}, Shape{7, 1, 2}, Shape{130, 3, 1}, Shape{3, 300, 1},
                               Shape{5, 131, 260}, Shape{200, 33, 17});
  LinearCall call;
  call.tokens = shape.tokens, call.vocab = shape.vocab, call.features = shape.features;
  call.dtype = PLUSMAX_BF16;
  call.biased = true;
  call.fill();
  call.plan.chunk = GENERATE(0, 64);
  require_close(call);
}

TEST_CASE("linear_cross_entropy: slices of the vocabulary are within the same bounds", "[linear_cross_entropy]") {
  LinearCall call;
  call.dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16, PLUSMAX_BF16);
  call.vocab = 300;  // two whole slices, and a narrower one
  call.biased = true;
  call.fill();
  call.plan.chunk = GENERATE(128, 256, 1000);
  call.plan.mode = PLUSMAX_VOCAB_SLICES;
  call.plan.chunk_dtype = GENERATE_COPY(PLUSMAX_F32, call.dtype);
  SECTION("types and sums") {
    call.dweight_type = GENERATE_COPY(PLUSMAX_F32, call.dtype);
    call.add = GENERATE(false, true);
  }
  SECTION("smoothing, class weights, z-loss, scale, upstream") {
    call.options.label_smoothing = 0.1;
    call.options.z_loss = 0.01;
    call.options.logit_scale = 0.7;
    call.weighted = true;
    call.upstreams = {0.5f, 2, -1, 0, 3, 1, 0.25f, 7, 1.5f};
    call.upstream_stride = 1;
  }
  SECTION("softcap, without an argmax") {
    call.options.softcap = 5;
    call.argmax = false;
    call.options.reduction = PLUSMAX_SUM;
  }
  SECTION("plain rows, some ignored") {
    call.argmax = false;
    call.targets[0] = call.targets[8] = call.options.ignore_index;
    call.plan.max_valid_tokens = GENERATE(0, 7);
  }
  SECTION("losses alone") {
    call.gradient = false;
    call.argmax = GENERATE(false, true);
    call.plan.mode = PLUSMAX_LOSS_ONLY;
  }
  require_close(call);
}

TEST_CASE("linear_cross_entropy: all modes find the same argmax and count the same", "[linear_cross_entropy]") {
  LinearCall call;
  call.vocab = 300;
  call.fill();
  call.targets[4] = 300;
  call.targets[7] = call.options.ignore_index;
  call.hidden.assign(call.hidden.size(), 0);  // ties everywhere but where the bias decides
  call.biased = true;
  call.bias.assign(300, 0);
  call.bias[270] = call.bias[299] = GENERATE(0.0, 1.0);
  call.gradient = false;
  call.plan.mode = PLUSMAX_TOKEN_CHUNKS;
  const LinearResults chunks = LinearRun(call).run();
  call.plan.mode = PLUSMAX_LOSS_ONLY;
  call.plan.chunk = 128;
  const LinearResults slices = LinearRun(call).run();
  CHECK(slices.argmax == chunks.argmax);
  CHECK(slices.argmax[0] == (call.bias[270] > 0 ? 270 : 0));
  CHECK(slices.num_valid == 8);
  CHECK(slices.bad_targets == 1);
  CHECK(std::isnan(slices.loss));
  CHECK(std::isnan(slices.loss_rows[4]));
  CHECK_FALSE(std::isnan(slices.lse[4]));
}
