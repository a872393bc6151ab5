// Catches targets read in another type or from another place, and bad ones that become an address or a class.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

using Narrow = std::numeric_limits<std::int32_t>;
using Wide = std::numeric_limits<std::int64_t>;

bool all_narrow(const Call& call) {
  return std::all_of(call.targets.begin(), call.targets.end(),
                     [](std::int64_t target) { return target >= Narrow::min() && target <= Narrow::max(); });
}

void stored_otherwise(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  for (const bool narrow : {false, true})
    for (const std::int64_t stride : {std::int64_t{1}, std::int64_t{4}}) {
      Call other = call;
      other.options.int32_targets = narrow;
      other.options.target_stride = stride;
      if (narrow && !all_narrow(call)) continue;
      const auto at = measure(subject, other, execution_of(subject), tally);
      if (at)
        same_bits(narrow ? "targets of 32 bits" : "targets of 64 bits", at->results, given, call.rows->cols(), tally);
    }
}

// No class of the row, each for its own reason; some become one when cut to 32 bits.
std::set<std::int64_t> no_classes(const Call& call) {
  constexpr std::int64_t k32 = std::int64_t{1} << 32;
  const std::int64_t cols = call.rows->cols();
  std::set<std::int64_t> all{-1, cols, cols + 1, Narrow::min(), Narrow::max()};
  if (!call.options.int32_targets) all.insert({k32, k32 + cols / 2, cols - 1 - k32, k32 / 2, Wide::min(), Wide::max()});
  std::erase_if(all, [&](std::int64_t t) { return (t >= 0 && t < cols) || t == call.options.ignore_index; });
  return all;
}

// What the row itself gives.
void spoiled(const std::string& what, const Launched& at, std::int64_t row, Tally& tally) {
  const std::int64_t cols = at.cols();
  const Results& results = at.results();
  const double loss = results.loss.at(row);
  tally.holds(what + ": loss", std::isnan(loss), row, loss, std::nan(""), 0, cols);
  std::vector<double> gradient;
  results.gradient_row(row, cols, gradient);
  const auto numbers = std::count_if(gradient.begin(), gradient.end(), [](double g) { return !std::isnan(g); });
  tally.same_bits(what + ": gradient, elements that are no NaN", row, static_cast<std::uint64_t>(numbers), 0, cols);
  const Number lse = at.lse(row);
  if (lse.promised) tally.within(what + ": lse", row, lse.got, lse.want, lse.slack, cols);
  if (!results.argmax.empty())
    tally.holds(what + ": argmax", results.argmax[static_cast<std::size_t>(row)] == at.exact_row(row).argmax, row,
                static_cast<double>(results.argmax[static_cast<std::size_t>(row)]),
                static_cast<double>(at.exact_row(row).argmax), 0, cols);
  if (!results.reduced.values.empty())
    tally.holds(what + ": reduced loss", std::isnan(results.reduced.at(0)), row, results.reduced.at(0), std::nan(""), 0,
                cols);
}

// A row of the call behind each of its rows, with a target that is no class, and more of them at the end.
struct Scene {
  Call call;
  std::vector<std::int64_t> good;  // where row k of the call is
};
Scene scene_of(const Call& call) {
  const auto bad = no_classes(call);
  const std::int64_t rows = call.rows->rows();
  std::vector<std::int64_t> which, targets, good;
  std::int64_t turn = 0;
  for (const std::int64_t target : bad) {
    if (turn < rows)
      good.push_back(static_cast<std::int64_t>(which.size())), which.push_back(turn),
          targets.push_back(call.target(turn));
    which.push_back(turn++ % rows), targets.push_back(target);
  }
  Scene scene{select(call, which, call.layout), good};
  scene.call.targets = targets;
  return scene;
}

void bad_rows(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  const Scene scene = scene_of(call);
  const auto at = launched(subject, scene.call, tally);
  if (!at) return;
  std::int64_t count = 0;
  for (std::int64_t r = 0; r < at->rows(); ++r)
    if (scene.call.is_bad(r)) ++count, spoiled("target " + std::to_string(scene.call.target(r)), *at, r, tally);
  tally.holds("bad_targets", at->results().bad_targets == count, 0, static_cast<double>(*at->results().bad_targets),
              static_cast<double>(count), 0, at->cols());
  for (std::size_t k = 0; k < scene.good.size(); ++k)
    same_row("between rows with targets that are no class", at->results(), scene.good[k], given,
             static_cast<std::int64_t>(k), at->cols(), tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = with_own_divisors(leveled(relation_call(of)));
  const auto given = measure(subject, call, execution_of(subject), tally);
  if (given) {
    stored_otherwise(subject, call, given->results, tally);
    bad_rows(subject, call, given->results, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check targets;
const Check targets = {
    "targets", "a target is its number however it is stored, and one that is no class spoils its own row alone",
    true,      relation_refusal,
    run,       true};
}  // namespace plusmax::properties::cross_entropy
