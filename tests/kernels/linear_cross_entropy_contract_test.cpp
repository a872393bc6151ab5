// What linear_cross_entropy promises beside its numbers: bits, ignored and bad tokens, what was there before.
#include "tests/catch.hpp"
#include "tests/kernels/linear_cross_entropy_call.hpp"

#include <algorithm>
#include <cstring>

using namespace plusmax;
using namespace plusmax::tests;

namespace {

LinearCall small_call(std::int64_t chunk, plusmax_dtype dtype = PLUSMAX_F32) {
  LinearCall call;
  call.dtype = dtype;
  call.biased = true;
  call.plan.chunk = chunk;
  call.fill();
  return call;
}

bool all_nan(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}
bool positive_zeros(const Values& values, std::size_t from, std::size_t count) {
  return std::all_of(values.begin() + std::ptrdiff_t(from), values.begin() + std::ptrdiff_t(from + count),
                     [](double x) { return x == 0 && !std::signbit(x); });
}
Values line(const Values& values, std::size_t index, std::size_t length) {
  const auto from = values.begin() + std::ptrdiff_t(index * length);
  return Values(from, from + std::ptrdiff_t(length));
}

}  // namespace

TEST_CASE("linear_cross_entropy: a token's bits do not depend on the chunk", "[linear_cross_entropy][bits]") {
  const plusmax_dtype dtype = GENERATE(PLUSMAX_F32, PLUSMAX_F16);
  const LinearResults whole = LinearRun(small_call(0, dtype)).run();
  for (const std::int64_t chunk : {1, 2, 5, 9, 100}) {
    const LinearResults part = LinearRun(small_call(chunk, dtype)).run();
    INFO("chunk " << chunk);
    CHECK(part.loss == whole.loss);
    CHECK(part.loss_rows == whole.loss_rows);
    CHECK(part.lse == whole.lse);
    CHECK(part.argmax == whole.argmax);
    CHECK(part.dhidden == whole.dhidden);
  }
}

TEST_CASE("linear_cross_entropy: the same bits under every schedule and whatever the workspace holds",
          "[linear_cross_entropy][bits]") {
  LinearCall call = small_call(GENERATE(0, 4), GENERATE(PLUSMAX_F32, PLUSMAX_BF16));
  call.targets[2] = call.options.ignore_index;
  call.dweight_type = call.dtype;
  call.options.label_smoothing = 0.1;
  LinearRun run(call);
  const std::vector<unsigned char> bytes = run.run().bytes;
  CHECK(run.run(0x00).bytes == bytes);
  CHECK(run.run(0xa5).bytes == bytes);
  for (const auto schedule : {Schedule::reverse, Schedule::random, Schedule::random, Schedule::random}) {
    static std::uint64_t seed = 0;
    LinearRun::device().configure(schedule, ++seed, 0);
    CHECK(run.run().bytes == bytes);
  }
  LinearRun::device().configure(Schedule::forward, 0, 0);
}

TEST_CASE("linear_cross_entropy: what an ignored token holds reaches nothing", "[linear_cross_entropy][ignored]") {
  LinearCall call = small_call(GENERATE(0, 4), GENERATE(PLUSMAX_F32, PLUSMAX_BF16));
  call.options.ignore_index = 3;  // a class that exists
  call.plan.max_valid_tokens = GENERATE(0, 7);
  call.targets[0] = call.targets[5] = 3;
  const LinearResults clean = LinearRun(call).run();
  for (std::size_t k = 0; k < call.features; ++k) call.hidden[k] = NAN, call.hidden[5 * call.features + k] = INFINITY;
  const LinearResults dirty = LinearRun(call).run();
  CHECK(dirty.bytes == clean.bytes);
  CHECK(dirty.num_valid == 7);
  for (const std::size_t token : {0u, 5u}) {
    CHECK(positive_zeros(dirty.dhidden, token * call.features, call.features));
    CHECK(positive_zeros(dirty.loss_rows, token, 1));
    CHECK(positive_zeros(dirty.lse, token, 1));
    CHECK(dirty.argmax[token] == -1);
  }
  CHECK_FALSE(std::isnan(dirty.dweight[0]));
}

TEST_CASE("linear_cross_entropy: ignored tokens leave what a call without them gives",
          "[linear_cross_entropy][ignored]") {
  LinearCall call = small_call(3);
  call.targets[1] = call.targets[4] = call.targets[5] = call.options.ignore_index;
  call.plan.max_valid_tokens = 6;
  LinearCall fewer = call;
  fewer.tokens = 6;
  fewer.hidden.clear();
  fewer.targets.clear();
  for (std::size_t token = 0; token < call.tokens; ++token) {
    if (call.targets[token] == call.options.ignore_index) continue;
    fewer.targets.push_back(call.targets[token]);
    for (const double x : line(call.hidden, token, call.features)) fewer.hidden.push_back(x);
  }
  const LinearResults some = LinearRun(call).run(), all = LinearRun(fewer).run();
  CHECK(some.loss == all.loss);
  CHECK(some.dweight == all.dweight);
  CHECK(some.dbias == all.dbias);
  std::size_t compact = 0;
  for (std::size_t token = 0; token < call.tokens; ++token)
    if (call.targets[token] != call.options.ignore_index)
      CHECK(line(some.dhidden, token, call.features) == line(all.dhidden, compact++, call.features));
}

TEST_CASE("linear_cross_entropy: compaction is stable over slices and tiles of tokens",
          "[linear_cross_entropy][ignored]") {
  LinearCall call;
  call.tokens = 4500;  // three slices of the count, more than one tile in each
  call.vocab = 3, call.features = 1;
  call.fill();
  for (std::size_t token = 0; token < call.tokens; ++token)
    if (token * token % 7 < 3) call.targets[token] = call.options.ignore_index;
  const LinearResults got = LinearRun(call).run();
  LinearCall one = call;
  one.tokens = 1;
  for (std::size_t token = 0; token < call.tokens; token += 449) {
    one.hidden = {call.hidden[token]};
    one.targets = {call.targets[token]};
    CHECK(LinearRun(one).run().loss_rows[0] == got.loss_rows[token]);
  }
  CHECK(got.num_valid == std::count_if(call.targets.begin(), call.targets.end(),
                                       [&](std::int64_t target) { return target != call.options.ignore_index; }));
}

TEST_CASE("linear_cross_entropy: a bad target makes its own row and all sums NaN", "[linear_cross_entropy][bad]") {
  LinearCall call = small_call(4);
  const LinearResults good = LinearRun(call).run();
  call.targets[6] = std::int64_t(call.vocab);
  const LinearResults bad = LinearRun(call).run();
  CHECK(bad.bad_targets == 1);
  CHECK(bad.num_valid == 9);
  CHECK(std::isnan(bad.loss));
  CHECK(std::isnan(bad.loss_rows[6]));
  CHECK(bad.lse == good.lse);
  CHECK(all_nan(line(bad.dhidden, 6, call.features)));
  CHECK(all_nan(bad.dweight));
  CHECK(all_nan(bad.dbias));
  for (const std::size_t token : {0u, 5u, 7u, 8u}) CHECK(bad.loss_rows[token] == good.loss_rows[token]);
  CHECK_FALSE(std::isnan(bad.dhidden[0]));
}

TEST_CASE("linear_cross_entropy: more valid tokens than stated are told, and make the loss and all gradients NaN",
          "[linear_cross_entropy][ignored]") {
  LinearCall call = small_call(GENERATE(0, 3));
  call.targets[2] = call.options.ignore_index;
  call.plan.max_valid_tokens = 6;
  call.weighted = GENERATE(false, true);
  std::fill(call.class_weights.begin(), call.class_weights.end(), 0.0f);  // Z = 0: a mean would divide nothing
  const LinearResults got = LinearRun(call).run();
  CHECK(got.excess_tokens == 2);
  CHECK(got.num_valid == 8);
  CHECK(std::isnan(got.loss));
  CHECK(std::isnan(got.loss_rows[7]));
  CHECK(std::isnan(got.loss_rows[8]));
  CHECK_FALSE(std::isnan(got.loss_rows[6]));
  CHECK(all_nan(got.dweight));
  CHECK(all_nan(got.dbias));
  CHECK(all_nan(line(got.dhidden, 0, call.features)));
  CHECK(all_nan(line(got.dhidden, 8, call.features)));
  CHECK(positive_zeros(got.dhidden, 2 * call.features, call.features));
  call.plan.max_valid_tokens = 8;
  CHECK(LinearRun(call).run().excess_tokens == 0);
}

TEST_CASE("linear_cross_entropy: no tokens have the loss 0 and no gradient", "[linear_cross_entropy][empty]") {
  LinearCall call = small_call(0);
  call.tokens = 0;
  call.targets.clear();
  call.hidden.clear();
  call.dweight_type = call.dtype = GENERATE(PLUSMAX_F32, PLUSMAX_BF16);
  call.add = GENERATE(false, true);
  const LinearResults got = LinearRun(call).run();
  CHECK(got.loss == 0);
  CHECK(got.num_valid == 0);
  CHECK(got.excess_tokens == 0);
  for (std::size_t i = 0; i < got.dweight.size(); ++i) CHECK(got.dweight[i] == (call.add ? call.before(i) : 0));
  for (std::size_t i = 0; i < got.dbias.size(); ++i) CHECK(got.dbias[i] == (call.add ? call.before(i) : 0));
}

TEST_CASE("linear_cross_entropy: a bias of -inf masks its class in every mode", "[linear_cross_entropy][special]") {
  LinearCall call = small_call(0, GENERATE(PLUSMAX_F32, PLUSMAX_F16));
  call.vocab = 200;
  call.fill();
  const std::size_t masked = 150;
  for (std::size_t i = 0; i < call.tokens; ++i) call.targets[i] = std::int64_t(i * 20);
  call.bias[masked] = -INFINITY;
  call.plan.mode = GENERATE(PLUSMAX_TOKEN_CHUNKS, PLUSMAX_VOCAB_SLICES);
  call.plan.chunk = call.plan.mode == PLUSMAX_TOKEN_CHUNKS ? 4 : 128;
  const LinearResults got = LinearRun(call).run();
  CHECK(std::isfinite(got.loss));
  CHECK(got.dbias[masked] == 0);
  for (const double x : line(got.dweight, masked, call.features)) CHECK(x == 0);
  for (const double x : got.dhidden) CHECK(std::isfinite(x));
  // As if the class had any other weights.
  for (std::size_t k = 0; k < call.features; ++k) call.weight[masked * call.features + k] = 1;
  CHECK(LinearRun(call).run().bytes == got.bytes);
}

TEST_CASE("linear_cross_entropy: a NaN in a counted token is its own, and the sums'",
          "[linear_cross_entropy][special]") {
  LinearCall call = small_call(4);
  const LinearResults clean = LinearRun(call).run();
  call.hidden[3 * call.features + 2] = NAN;
  const LinearResults got = LinearRun(call).run();
  CHECK(std::isnan(got.loss_rows[3]));
  CHECK(all_nan(line(got.dhidden, 3, call.features)));
  CHECK(all_nan(got.dweight));
  CHECK(all_nan(got.dbias));
  CHECK(std::isnan(got.loss));
  CHECK(got.bad_targets == 0);
  for (const std::size_t token : {0u, 2u, 4u, 8u}) {
    CHECK(got.loss_rows[token] == clean.loss_rows[token]);
    CHECK(line(got.dhidden, token, call.features) == line(clean.dhidden, token, call.features));
  }
}

TEST_CASE("linear_cross_entropy: an orthogonal turn of X and W leaves the logits", "[linear_cross_entropy][special]") {
  LinearCall call;
  call.features = 2;
  call.fill();
  const LinearResults before = LinearRun(call).run();
  for (Values* each : {&call.hidden, &call.weight})  // a quarter turn, which is exact
    for (std::size_t i = 0; i < each->size(); i += 2) {
      const double first = (*each)[i];
      (*each)[i] = -(*each)[i + 1], (*each)[i + 1] = first;
    }
  // Two products are added in the other order, which changes no bit.
  CHECK(LinearRun(call).run().loss_rows == before.loss_rows);
}
