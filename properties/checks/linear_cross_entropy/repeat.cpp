// Catches what depends on who comes first: a missing barrier, sums in order of arrival, tokens compacted in any order,
// a workspace assumed to be 0.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"
#include "properties/ways.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

// Above this one repetition must do, in reverse: the host runs every schedule on one core, and a token costs it as much
// as a thousand classes do.
constexpr std::int64_t kManyTimes = std::int64_t{1} << 14;
constexpr std::int64_t kOfToken = 1024;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.rows == 0 ? "needs at least one token" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = exact_of(of);
  const bool small = of.rows <= kManyTimes / (of.cols + kOfToken);
  const Call call = small ? with_all_outputs(exact->call(), subject) : exact->call();
  const auto first = measure(subject, call, execution_of(subject), tally);
  for (const Way& way : kWays) {
    if (!first) break;
    if (small ? &way == &kAgain : &way != &kInReverse) continue;  // runs from a graph are repetitions, too
    const auto measured = measure(subject, call, in_way(subject, way), tally);
    if (measured) same_results(way.name, measured->results, first->results, call, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check repeat;
const Check repeat = {
    "repeat", "the same plan and input give the same bits, in any schedule and whatever the workspace held",
    false,    applies,
    run,      true};
}  // namespace plusmax::properties::linear_cross_entropy
