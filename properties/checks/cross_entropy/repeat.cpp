// Catches what depends on who comes first: a missing barrier, a loss reduced in order of arrival, a workspace assumed
// to be 0.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/exact.hpp"
#include "properties/ops/cross_entropy/measure.hpp"
#include "properties/ways.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

// Above this one repetition must do: the host runs every schedule on one core, and a row costs it as much as a thousand
// columns do.
constexpr std::int64_t kManyTimes = std::int64_t{1} << 19;
constexpr std::int64_t kOfRow = 1024;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.rows == 0 ? "needs at least one row" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const bool small = of.rows <= kManyTimes / (of.cols + kOfRow);
  const auto exact = exact_of(of);
  const Call call = small ? with_all_outputs(exact->call()) : exact->call();
  const auto first = measure(subject, call, execution_of(subject), tally);
  for (const Way& way : kWays) {
    if (!first) break;
    if (small == (&way == &kAgain)) continue;  // runs from a graph are repetitions, too
    const auto measured = measure(subject, call, in_way(subject, way), tally);
    if (measured) same_bits(way.name, measured->results, first->results, of.cols, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check repeat;
const Check repeat = {"repeat", "the same input gives the same bits, in any schedule and whatever the workspace held",
                      false,    applies,
                      run,      true};
}  // namespace plusmax::properties::cross_entropy
