#include "properties/ops/linear_cross_entropy/inspect.hpp"

#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

const char* reduced_name(const Options& o) { return o.reduction == Reduction::sum ? "sum" : "mean"; }

// What a case asks for, with the number that lines and answers have for it. `where`: a result of a token, of a class,
// of the call; `columns`: features, or 1 where there is no list of them.
struct Asked {
  Part part;
  std::string name;
  std::int64_t rows;
  std::int64_t columns;  // 0: one number a row
};

std::vector<Asked> asked(const Case& of, const Options& o) {
  std::vector<Asked> all;
  if (o.outputs & kLoss) all.push_back({Part::loss, "loss", of.rows, 0});
  if (o.outputs & kZLoss) all.push_back({Part::z_loss, "z_loss", of.rows, 0});
  if (o.outputs & kLse) all.push_back({Part::lse, "lse", of.rows, 0});
  if (o.gradients & kDhidden) all.push_back({Part::dhidden, "dhidden", of.rows, o.features});
  if (o.gradients & kDweight) all.push_back({Part::dweight, "dweight", of.cols, o.features});
  if (o.gradients & kDbias) all.push_back({Part::dbias, "dbias", of.cols, 0});
  if (o.reduction != Reduction::none) all.push_back({Part::reduced, reduced_name(o), 1, 0});
  return all;
}

// use(name, place) of the first numbers of what is asked for.
template <class Use>
void each(const Asked& of, InspectLimits most, Use use) {
  const std::int64_t rows = of.part == Part::reduced ? 1 : std::min(of.rows, most.rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    if (of.columns == 0) use(of.name, At{r, 0});
    for (std::int64_t k = 0; k < std::min(of.columns, most.cols); ++k) use(fmt::format("{}[{}]", of.name, k), At{r, k});
  }
}

RowResult whole(std::int64_t row, std::string result, std::int64_t got, std::int64_t want, bool passed) {
  const double error = std::fabs(static_cast<double>(got) - static_cast<double>(want));
  return {row,
          std::move(result),
          passed,
          static_cast<double>(got),
          static_cast<double>(want),
          error,
          0,
          passed ? 0 : HUGE_VAL,
          0,
          "finite"};
}

void add_whole(const Launched& launch, InspectLimits most, std::vector<RowResult>& lines) {
  const Call& call = launch.call();
  const Results& results = launch.results();
  const std::int64_t tokens = results.argmax.empty() ? 0 : std::min(call.tokens(), most.rows);
  for (std::int64_t t = 0; t < tokens; ++t)
    lines.push_back(
        whole(t, "argmax", results.argmax[static_cast<std::size_t>(t)], launch.argmax(t), launch.argmax_fits(t)));
  std::int64_t bad = 0;
  for (std::int64_t t = 0; t < call.tokens(); ++t) bad += call.is_bad(t);
  const auto one = [&](const char* name, std::optional<std::int64_t> got, std::int64_t want) {
    if (got) lines.push_back(whole(0, name, *got, want, *got == want));
  };
  one("num_valid", results.num_valid, call.valid());
  one("bad_targets", results.bad_targets, bad);
  one("excess_tokens", results.excess_tokens, call.excess());
}

struct Cause {
  const char *name, *formula;
  void (*remove)(LinearCrossEntropyShape&);
};
void without_steps(ProductShape& product) { product.step_error = product.underflow = 0; }
constexpr Cause kCauses[] = {
    {"products of the logits", "N c u M", [](LinearCrossEntropyShape& s) { without_steps(s.logits); }},
    {"cross_entropy of the stored logits", "docs/numerics.md 3d, 3e",
     [](LinearCrossEntropyShape& s) {
       s.cross_entropy = {};
       s.cross_entropy.cap_slope = CapSlope::exponential;
     }},
    {"products of the gradients", "N c u M", [](LinearCrossEntropyShape& s) {
       for (ProductShape* product : {&s.dx, &s.dw, &s.dbias}) without_steps(*product);
     }}};

// Without the causes one after the other; the last is without all of them.
std::vector<Launched> reduced_launches(const std::shared_ptr<const Exact>& exact, Planning planning) {
  std::vector<Launched> all;
  all.emplace_back(exact, Measured{{}, planning});
  for (const Cause& cause : kCauses) {
    cause.remove(planning.shape);
    all.emplace_back(exact, Measured{{}, planning});
  }
  return all;
}

RowBound bound_line(const std::vector<Launched>& launches, const Asked& of, std::string name, At at) {
  const reference::Certified want = launches.front().want(of.part, at);
  RowBound entry{at.row, std::move(name), reference::name_of(want.value_class), losses::value_of(want), 0, 0, 0, {}};
  entry.bound = launches.front().bound_of(of.part, at).value;
  if (want.value_class != reference::ValueClass::finite || !(entry.bound > 0)) return entry;
  double rest = entry.bound;
  for (std::size_t i = 0; i < std::size(kCauses); ++i) {
    const double less = launches[i + 1].bound_of(of.part, at).value;
    entry.terms.push_back({kCauses[i].name, kCauses[i].formula, rest - less});
    rest = less;
  }
  entry.terms.push_back({"stored logits, their gradient, the result", "ulp/2 each", rest});
  return entry;
}

}  // namespace

std::vector<RowResult> inspect(const Case& of, const Subject& subject, InspectLimits most) {
  const auto exact = exact_of(of);
  const Launched launch(exact, execute(subject, exact->call(), execution_of(subject)));
  std::vector<RowResult> lines;
  for (const Asked& part : asked(of, exact->call().options))
    each(part, most, [&](std::string name, At at) {
      const reference::Certified want = launch.want(part.part, at);
      const reference::Judgement j = launch.judged(part.part, at);
      lines.push_back({at.row, std::move(name), j.passed, launch.got(part.part, at), losses::value_of(want), j.error,
                       j.bound, j.ratio, j.ulps, reference::name_of(want.value_class)});
    });
  add_whole(launch, most, lines);
  return lines;
}

std::vector<RowBound> explain(const Case& of, const Subject& subject, InspectLimits most) {
  const auto exact = exact_of(of);
  const auto launches = reduced_launches(exact, planning_of(subject, exact->call()));
  std::vector<RowBound> lines;
  for (const Asked& part : asked(of, exact->call().options))
    each(part, most,
         [&](std::string name, At at) { lines.push_back(bound_line(launches, part, std::move(name), at)); });
  return lines;
}

std::vector<ResultName> results(const Case& of) {
  const Options o = options_of(of);
  std::vector<ResultName> names;
  for (const Asked& part : asked(of, o)) {
    const Per per = part.part == Part::reduced ? Per::call : part.columns > 0 ? Per::element : Per::row;
    names.push_back({part.name, per, part.rows, part.columns});
  }
  if (o.outputs & kArgmax) names.push_back({"argmax", Per::row});
  if (o.reduction != Reduction::none) names.push_back({"num_valid", Per::call});
  if (o.outputs & kBadTargets) names.push_back({"bad_targets", Per::call});
  if (o.outputs & kExcessTokens) names.push_back({"excess_tokens", Per::call});
  return names;
}

}  // namespace plusmax::properties::linear_cross_entropy
