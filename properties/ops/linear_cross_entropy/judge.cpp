// Each number of a launch against its certified value, and launches against each other.
#include "properties/ops/linear_cross_entropy/launched.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr const char* kUnjudged = "nothing is promised: an intermediate overflows, the result does not";
constexpr const char* kNames[] = {"loss", "z_loss", "lse", "dhidden", "dweight", "dbias", "reduced loss"};
constexpr Part kOfTokens[] = {Part::loss, Part::z_loss, Part::lse};

const char* name_of(Part part) { return kNames[static_cast<int>(part)]; }

class Judge {
 public:
  Judge(std::string_view what, const Launched& of, Tally& tally)
      : what_(what), of_(of), call_(of.call()), tally_(tally) {}

  void all() {
    for (std::int64_t t = 0; t < call_.tokens(); ++t) {
      for (const Part part : kOfTokens)
        if (of_.has(part)) one(part, {t}, call_.vocab());
      if (!of_.results().argmax.empty()) argmax(t);
    }
    gradient(Part::dhidden, call_.tokens(), call_.features());
    gradient(Part::dweight, call_.vocab(), call_.features());
    gradient(Part::dbias, call_.vocab(), 1);
    if (of_.has(Part::reduced)) one(Part::reduced, {}, call_.tokens() * call_.vocab());
    counts();
  }

 private:
  void one(Part part, At at, std::int64_t logits) {
    const reference::Judgement verdict = of_.judged(part, at);
    if (!verdict.judged) return tally_.part_skipped(kUnjudged);
    tally_.judge(verdict.passed ? name_of(part) : named(name_of(part)), at.row, of_.got(part, at),
                 losses::value_of(of_.want(part, at)), verdict, logits);
  }

  void gradient(Part part, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; of_.has(part) && r < rows; ++r)
      for (std::int64_t k = 0; k < columns; ++k) {
        const reference::Judgement verdict = of_.judged(part, {r, k});
        if (!verdict.judged) {
          tally_.part_skipped(kUnjudged);
          continue;
        }
        tally_.judge_gradient(verdict.passed ? std::string() : fmt::format("{}: {} {}", what_, name_of(part), k), r,
                              of_.got(part, {r, k}), losses::value_of(of_.want(part, {r, k})), verdict);
      }
  }

  void argmax(std::int64_t t) {
    const std::int64_t got = of_.results().argmax[static_cast<std::size_t>(t)];
    tally_.holds(named("argmax"), of_.argmax_fits(t), t, static_cast<double>(got), static_cast<double>(of_.argmax(t)),
                 0, call_.vocab());
  }

  void counts() {
    const Results& r = of_.results();
    std::int64_t bad = 0;
    for (std::int64_t t = 0; t < call_.tokens(); ++t) bad += call_.is_bad(t);
    if (r.num_valid) whole("num_valid", 0, *r.num_valid, call_.valid());
    if (r.bad_targets) whole("bad_targets", 0, *r.bad_targets, bad);
    if (r.excess_tokens) whole("excess_tokens", 0, *r.excess_tokens, call_.excess());
  }
  void whole(std::string_view name, std::int64_t row, std::int64_t got, std::int64_t want) {
    tally_.holds(named(name), got == want, row, static_cast<double>(got), static_cast<double>(want), 0, call_.vocab());
  }
  std::string named(std::string_view name) const { return fmt::format("{}: {}", what_, name); }

  std::string_view what_;
  const Launched& of_;
  const Call& call_;
  Tally& tally_;
};

void same_whole(std::string_view what, const char* name, std::optional<std::int64_t> got,
                std::optional<std::int64_t> want, std::int64_t vocab, Tally& tally) {
  if (got && want)
    tally.same_bits(fmt::format("{}: {}", what, name), 0, static_cast<std::uint64_t>(*got),
                    static_cast<std::uint64_t>(*want), vocab);
}

}  // namespace

void Launched::judge(std::string_view what, Tally& tally) const { Judge(what, *this, tally).all(); }

void same_token(std::string_view what, const Results& got, std::int64_t token, const Results& want, std::int64_t as,
                const Call& call, Tally& tally) {
  losses::same_output(what, "loss", got.loss, token, want.loss, as, token, call.vocab(), tally);
  losses::same_output(what, "z_loss", got.z_loss, token, want.z_loss, as, token, call.vocab(), tally);
  losses::same_output(what, "lse", got.lse, token, want.lse, as, token, call.vocab(), tally);
  if (!got.argmax.empty() && !want.argmax.empty())
    same_whole(what, "argmax", got.argmax[static_cast<std::size_t>(token)], want.argmax[static_cast<std::size_t>(as)],
               call.vocab(), tally);
  for (std::int64_t k = 0; k < call.features(); ++k)
    losses::same_output(what, "dhidden", got.dhidden, token * call.features() + k, want.dhidden,
                        as * call.features() + k, token, 1, tally);
}

void same_sums(std::string_view what, const Results& got, const Results& want, const Call& call, Tally& tally) {
  const auto all = [&](const char* name, const losses::Output& g, const losses::Output& w, std::int64_t columns) {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(std::min(g.bits.size(), w.bits.size())); ++i)
      losses::same_output(what, name, g, i, w, i, i / columns, 1, tally);
  };
  all("dweight", got.dweight, want.dweight, call.features());
  all("dbias", got.dbias, want.dbias, 1);
}

void same_results(std::string_view what, const Results& got, const Results& want, const Call& call, Tally& tally) {
  for (std::int64_t t = 0; t < call.tokens(); ++t) same_token(what, got, t, want, t, call, tally);
  same_sums(what, got, want, call, tally);
  losses::same_output(what, "reduced loss", got.reduced, 0, want.reduced, 0, 0, call.vocab(), tally);
  same_whole(what, "num_valid", got.num_valid, want.num_valid, call.vocab(), tally);
  same_whole(what, "bad_targets", got.bad_targets, want.bad_targets, call.vocab(), tally);
  same_whole(what, "excess_tokens", got.excess_tokens, want.excess_tokens, call.vocab(), tally);
}

// 16-bit logits that are large are off by more than a loss of them is.
void compare(std::string_view what, std::int64_t row, const losses::Number& got, const losses::Number& want,
             double factor, std::int64_t logits, Tally& tally) {
  const double bound = got.slack + std::fabs(factor) * want.slack, expected = factor * want.got;
  if (got.promised && want.promised && !telling(bound, expected) && std::fabs(got.got - expected) <= bound)
    return tally.part_skipped("bounds too wide to tell two results apart");
  losses::agree(what, row, got, want, factor, logits, tally);
}

void agree_all(std::string_view what, const Launched& got, const Launched& want, const CounterpartOf& of,
               Tally& tally) {
  const Call& call = got.call();
  const auto all = [&](Part part, std::int64_t rows, std::int64_t columns, std::int64_t logits) {
    if (!got.has(part) || !want.has(part)) return;
    const std::string name = fmt::format("{}: {}", what, name_of(part));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t k = 0; k < columns; ++k)
        if (const auto as = of(part, {r, k}))
          compare(name, r, got.number(part, {r, k}), want.number(part, as->at), as->factor, logits, tally);
  };
  for (const Part part : kOfTokens) all(part, call.tokens(), 1, call.vocab());
  all(Part::dhidden, call.tokens(), call.features(), 1);
  all(Part::dweight, call.vocab(), call.features(), 1);
  all(Part::dbias, call.vocab(), 1, 1);
  all(Part::reduced, 1, 1, call.tokens() * call.vocab());
}

void agree_all(std::string_view what, const Launched& got, const Launched& want, Tally& tally) {
  agree_all(
      what, got, want, [](Part, At at) { return Counterpart{at}; }, tally);
}

}  // namespace plusmax::properties::linear_cross_entropy
