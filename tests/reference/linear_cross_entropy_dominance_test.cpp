// The bounds of linear_cross_entropy against simulated kernels: a right one never exceeds them, whatever it multiplies
// with, stores and accumulates in; its worst is near enough to mean something; and every planted mistake exceeds them
// by far.
#include "reference/cross_entropy_reduction.hpp"
#include "reference/cross_entropy_verdict.hpp"
#include "tests/catch.hpp"
#include "tests/reference/linear_simulated.hpp"

#include <cmath>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::LinearCrossEntropyShape;

namespace {
struct Worst {
  double logits = 0, lse = 0, loss = 0, z_loss = 0, dlogits = 0, dx = 0, dw = 0, dbias = 0;
  double claimed = 0;  // largest error of the reference / bound
  long cases = 0, results = 0, unjudged = 0;

  double any() const { return std::max({logits, lse, loss, z_loss, dlogits, dx, dw, dbias}); }
};

std::string text_of(const Worst& w) {
  std::ostringstream s;
  s << w.cases << " cases, " << w.results << " results (" << w.unjudged << " unjudged): logits " << w.logits << ", lse "
    << w.lse << ", loss " << w.loss << ", z-loss " << w.z_loss << ", dlogits " << w.dlogits << ", dX " << w.dx
    << ", dW " << w.dw << ", dbias " << w.dbias << "; the reference's own error at most 2^" << std::log2(w.claimed)
    << " of a bound";
  return s.str();
}

// Judges all results of one case; with `must_pass` the first one beyond its bound fails the test.
class Judge {
 public:
  Judge(const SimulatedLinear& kernel, const LinearCase& c, bool must_pass, Worst& worst)
      : kernel_(kernel), c_(c), must_pass_(must_pass), worst_(worst) {}

  void all() {
    const LinearCrossEntropy exact = linear_cross_entropy(c_.in);
    const LinearCrossEntropyShape shape = kernel_.shape(c_, exact);
    const LinearStorage& s = kernel_.storage;
    const LinearCrossEntropyBound bound = linear_cross_entropy_bound(c_.in, exact, shape, s);
    const LinearResults got = kernel_.run(c_, exact);
    for (std::size_t i = 0; i < exact.tokens.size(); ++i) {
      const LinearToken& t = exact.tokens[i];
      for (std::size_t j = 0; j < c_.in.vocab; ++j) {
        const std::size_t at = i * c_.in.vocab + j;
        take("logit", at, got.logits[at], s.logits, linear_logit(t, j), bound.logits[at], worst_.logits);
        const Certified g{classify(t.gradient[j]), {t.gradient[j], 0}, t.gradient_errors[j]};
        take("dlogit", at, got.dlogits[at], s.dlogits, g, bound.dlogits[at], worst_.dlogits);
      }
      const CrossEntropyBound& b = bound.tokens[i];
      take("lse", i, got.tokens[i].lse, PLUSMAX_F32, t.row.lse, b.lse, worst_.lse);
      take("loss", i, got.tokens[i].loss, PLUSMAX_F32, t.row.loss, b.loss, worst_.loss);
      take("z-loss", i, got.tokens[i].z_loss, PLUSMAX_F32, t.row.z_loss, b.z_loss, worst_.z_loss);
    }
    const std::vector<std::size_t> ends = chunk_ends(c_.in, kernel_.chunk, IgnoredTokens::left_out);
    const InnerProducts dx = dx_of(c_.in, exact), dw = dw_of(c_.in, exact, ends), dbias = dbias_of(c_.in, exact, ends);
    take_all("dX", got.dx, s.dx, dx, dx_bounds(c_.in, bound, dx, shape, s), worst_.dx);
    take_all("dW", got.dw, s.dw, dw, dw_bounds(c_.in, bound, dw, ends.size(), shape, s), worst_.dw);
    take_all("dbias", got.dbias, s.dbias, dbias, dbias_bounds(c_.in, bound, dbias, ends.size(), shape, s),
             worst_.dbias);
    ++worst_.cases;
  }

 private:
  void take(const char* what, std::size_t at, double got, plusmax_dtype stored, const Certified& want,
            const ResultBound& of, double& ratio) {
    const Judgement j = judge_certified(got, stored, want, of);
    if (must_pass_ && !(j.passed && j.certified)) {
      FAIL(what << " " << at << ": " << got << ", exact " << want.value.hi << " of class " << name_of(want.value_class)
                << ", ratio " << j.ratio << ", " << kernel_.product.name << ", chunk " << kernel_.chunk << "; "
                << c_.text());
    }
    if (j.judged) ratio = std::max(ratio, j.ratio);
    if (j.judged && of.value > 0) worst_.claimed = std::max(worst_.claimed, want.error / of.value);
    ++worst_.results;
    worst_.unjudged += !j.judged;
  }
  void take_all(const char* what, const std::vector<double>& got, plusmax_dtype stored, const InnerProducts& want,
                const std::vector<ResultBound>& bounds, double& ratio) {
    REQUIRE(got.size() == bounds.size());
    for (std::size_t e = 0; e < got.size(); ++e) take(what, e, got[e], stored, want.elements[e].sum, bounds[e], ratio);
  }

  const SimulatedLinear& kernel_;
  const LinearCase& c_;
  bool must_pass_;
  Worst& worst_;
};

constexpr SimulatedProduct kFused{"fused chain"}, kFusedRanges{"fused, 3 ranges", 1, 0, 3},
    kH100{"tensor core, 16 and 2", 16, 2}, kA100{"tensor core, 8 and 1", 8, 1},
    kRoundsFirst{"fused, rounded first", 1, 0, 1, PLUSMAX_F32, true};
constexpr SimulatedProduct kProducts[] = {kFused, kFusedRanges, kH100, kA100, kRoundsFirst};

LinearStorage all_as(plusmax_dtype chunk, plusmax_dtype output, plusmax_dtype accumulator = PLUSMAX_F32) {
  return {chunk, chunk, output, output, output, accumulator};
}

Worst dominate(plusmax_dtype dtype, const LinearStorage& storage, int rounds, std::uint64_t seed,
               LinearSizes up_to = {12, 70, 40}) {
  std::mt19937_64 random(seed);
  Worst worst;
  for (int round = 0; round < rounds; ++round) {
    for (const SimulatedProduct& product : kProducts) {
      for (const LinearData data : kLinearData) {
        LinearCase c = linear_case(
            data, dtype, {1 + random() % up_to.tokens, 1 + random() % up_to.vocab, 1 + random() % up_to.features},
            random);
        draw_options(c, random);
        const int push = static_cast<int>(random() % 3) - 1;
        const SimulatedLinear kernel{
            product, storage, 1 + random() % 5, {"32 threads", 32, false, plusmax::CapSlope::exponential, {push}}};
        Judge(kernel, c, true, worst).all();
      }
    }
  }
  WARN(name_of(dtype) << " in chunks of " << name_of(storage.logits) << ", gradients as " << name_of(storage.dw)
                      << " accumulated in " << name_of(storage.accumulator) << ": " << text_of(worst));
  CHECK(worst.claimed < 0x1p-20);
  return worst;
}
}  // namespace

TEST_CASE("linear dominance: no simulated f32 kernel exceeds its bounds", "[linear]") {
  const Worst w = dominate(PLUSMAX_F32, all_as(PLUSMAX_F32, PLUSMAX_F32), 4, 81);
  CHECK(w.unjudged < w.results / 20);
  CHECK(w.loss > 0.02);
  CHECK(w.dx > 0.02);
}
TEST_CASE("linear dominance: no simulated bf16 kernel with f32 or bf16 chunks exceeds its bounds", "[linear]") {
  CHECK(dominate(PLUSMAX_BF16, {PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_BF16, PLUSMAX_F32, PLUSMAX_F32}, 4, 82).dx > 0.3);
  const Worst w = dominate(PLUSMAX_BF16, all_as(PLUSMAX_BF16, PLUSMAX_BF16), 4, 83);
  CHECK(w.logits > 0.9);
  CHECK(w.loss > 0.2);
  CHECK(w.dw > 0.2);
  CHECK(w.unjudged < w.results / 3);
}
TEST_CASE("linear dominance: no simulated f16 kernel exceeds its bounds", "[linear]") {
  dominate(PLUSMAX_F16, all_as(PLUSMAX_F16, PLUSMAX_F16), 4, 84);
}
TEST_CASE(
    "linear dominance: dW and dbias accumulated in bf16 or f16, where that is asked for, stay within their bounds",
    "[linear]") {
  CHECK(dominate(PLUSMAX_BF16, all_as(PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_BF16), 4, 85).dw > 0.2);
  dominate(PLUSMAX_F16, all_as(PLUSMAX_F16, PLUSMAX_F16, PLUSMAX_F16), 2, 86);
}

TEST_CASE("linear dominance: larger cases of every type and accumulator", "[.slow]") {
  const LinearSizes up_to{48, 700, 160};
  dominate(PLUSMAX_F32, all_as(PLUSMAX_F32, PLUSMAX_F32), 2, 181, up_to);
  dominate(PLUSMAX_BF16, {PLUSMAX_F32, PLUSMAX_BF16, PLUSMAX_BF16, PLUSMAX_F32, PLUSMAX_F32}, 2, 182, up_to);
  dominate(PLUSMAX_BF16, all_as(PLUSMAX_BF16, PLUSMAX_BF16), 2, 183, up_to);
  dominate(PLUSMAX_F16, all_as(PLUSMAX_F16, PLUSMAX_F16), 2, 184, up_to);
  dominate(PLUSMAX_BF16, all_as(PLUSMAX_BF16, PLUSMAX_BF16, PLUSMAX_BF16), 2, 185, up_to);
}

namespace {
// One case of 64 tokens with f32 chunks, nothing masked.
Worst mistaken(LinearMistake mistake, plusmax_dtype output = PLUSMAX_F32) {
  std::mt19937_64 random(91);
  LinearCase c = linear_case(LinearData::zero_mean, PLUSMAX_BF16, {64, 60, 48}, random);
  c.bias.resize(60);
  for (double& b : c.bias) b = round_to(PLUSMAX_BF16, 1 + static_cast<double>(random() % 7));
  c.in.divisors = {{48, 0}, 48, 0, false};
  c.tie();
  LinearStorage storage = all_as(PLUSMAX_F32, output);
  if (mistake == LinearMistake::bias_on_rounded_logit) storage = all_as(PLUSMAX_BF16, output);
  SimulatedLinear kernel{kH100, storage, 8};
  kernel.mistake = mistake;
  Worst worst;
  Judge(kernel, c, false, worst).all();
  return worst;
}
}  // namespace

TEST_CASE("linear dominance: every planted mistake exceeds the bound that is about it", "[linear]") {
  constexpr struct {
    LinearMistake mistake;
    const char* name;
    double Worst::*result;
    plusmax_dtype output;
    double at_least;
  } kMistakes[] = {
      {LinearMistake::none, "none", nullptr, PLUSMAX_F32, 0},
      {LinearMistake::bf16_product, "logits accumulated in bf16", &Worst::logits, PLUSMAX_F32, 100},
      {LinearMistake::bf16_product, "logits accumulated in bf16", &Worst::loss, PLUSMAX_F32, 10},
      {LinearMistake::bf16_dw, "dW accumulated in bf16", &Worst::dw, PLUSMAX_BF16, 2},
      {LinearMistake::bf16_dw, "dW accumulated in bf16, f32 output", &Worst::dw, PLUSMAX_F32, 100},
      {LinearMistake::bias_forgotten, "bias forgotten", &Worst::loss, PLUSMAX_F32, 100},
      {LinearMistake::bias_on_rounded_logit, "bias added to the rounded logit", &Worst::logits, PLUSMAX_F32, 1.2},
      {LinearMistake::last_chunk_dropped, "last chunk dropped", &Worst::dw, PLUSMAX_F32, 100},
      {LinearMistake::last_chunk_dropped, "last chunk dropped", &Worst::dbias, PLUSMAX_F32, 100},
      {LinearMistake::mean_of_chunk, "mean over each chunk", &Worst::dx, PLUSMAX_F32, 100},
      {LinearMistake::first_chunk_added_to_garbage, "first chunk added to what was there", &Worst::dw, PLUSMAX_F32,
       100},
      {LinearMistake::dx_of_logits, "dX of the logits", &Worst::dx, PLUSMAX_F32, 100},
  };
  for (const auto& m : kMistakes) {
    const Worst w = mistaken(m.mistake, m.output);
    WARN(m.name << ": " << text_of(w));
    INFO(m.name);
    if (m.result == nullptr) {
      CHECK(w.any() <= 1);
    } else {
      CHECK(w.*m.result > m.at_least);
    }
  }
}

TEST_CASE(
    "linear dominance: 1024 equal tokens in chunks of one stop a bf16 dW at a quarter, which only its own bound allows",
    "[linear]") {
  LinearCase c{LinearData::same_sign, PLUSMAX_BF16, std::vector<double>(1024, 1), {0, 0}, {}, {}, {}, {}, {}};
  c.targets.assign(1024, 0);
  c.in.tokens = 1024, c.in.vocab = 2, c.in.features = 1;
  c.tie();
  const auto worst = [&](plusmax_dtype accumulator, LinearMistake mistake) {
    SimulatedLinear kernel{kH100, all_as(PLUSMAX_F32, PLUSMAX_BF16, accumulator), 1};
    kernel.mistake = mistake;
    Worst w;
    Judge(kernel, c, false, w).all();
    return w.dw;
  };
  CHECK(worst(PLUSMAX_F32, LinearMistake::none) <= 1);
  CHECK(worst(PLUSMAX_F32, LinearMistake::bf16_dw) > 100);
  CHECK(worst(PLUSMAX_BF16, LinearMistake::none) <= 1);
}

TEST_CASE("linear dominance: a bf16 accumulator costs more with every chunk, and its bound says so", "[linear]") {
  std::mt19937_64 random(93);
  const LinearCase c = linear_case(LinearData::same_sign, PLUSMAX_BF16, {512, 24, 12}, random);
  double before = 0;
  for (const std::size_t chunk : {512, 64, 8, 1}) {
    const auto worst = [&](plusmax_dtype accumulator, LinearMistake mistake) {
      SimulatedLinear kernel{kH100, all_as(PLUSMAX_BF16, PLUSMAX_BF16, accumulator), chunk};
      kernel.mistake = mistake;
      Worst w;
      Judge(kernel, c, false, w).all();
      return w.dw;
    };
    const double f32 = worst(PLUSMAX_F32, LinearMistake::none), mistaken = worst(PLUSMAX_F32, LinearMistake::bf16_dw),
                 asked_for = worst(PLUSMAX_BF16, LinearMistake::none);
    WARN("chunks of " << chunk << ": f32 " << f32 << ", bf16 against the bound of f32 " << mistaken
                      << ", against its own " << asked_for);
    CHECK(f32 <= 1);
    CHECK(asked_for <= 1);
    CHECK(mistaken >= before);
    before = mistaken;
  }
}

TEST_CASE("linear dominance: the reduced loss of a batch is bounded by its tokens' bounds", "[linear]") {
  std::mt19937_64 random(92);
  double worst = 0;
  for (const plusmax_dtype chunk : {PLUSMAX_F32, PLUSMAX_BF16}) {
    const LinearCase c = linear_case(LinearData::zero_mean, PLUSMAX_BF16, {24, 50, 16}, random);
    const SimulatedLinear kernel{kH100, all_as(chunk, PLUSMAX_BF16), 6};
    const LinearCrossEntropy exact = linear_cross_entropy(c.in);
    const LinearCrossEntropyShape shape = kernel.shape(c, exact);
    const LinearCrossEntropyBound bound = linear_cross_entropy_bound(c.in, exact, shape, kernel.storage);
    const LinearResults got = kernel.run(c, exact);
    const Divisors d = divisors_of(Reduction::mean, c.targets, c.in.ignore_index, {}, c.in.vocab);
    std::vector<ReducedRow> rows;
    double sum = 0;
    for (std::size_t i = 0; i < exact.tokens.size(); ++i) {
      const CrossEntropyRow& row = exact.tokens[i].row;
      rows.push_back({row.cross_entropy, row.z_loss, bound.tokens[i].cross_entropy, bound.tokens[i].z_loss});
      sum += static_cast<double>(got.tokens[i].loss);
    }
    const ReducedLoss reduced = reduce(Reduction::mean, rows, d, false, EmptyMean::zero, shape.cross_entropy);
    const Judgement j = judge_reduced_loss(static_cast<float>(sum / d.num_valid), PLUSMAX_F32, reduced);
    CHECK(j.passed);
    CHECK_FALSE(judge_reduced_loss(static_cast<float>(sum / (d.num_valid - 1)), PLUSMAX_F32, reduced).passed);
    worst = std::max(worst, j.ratio);
  }
  CHECK(worst > 1e-3);
}
