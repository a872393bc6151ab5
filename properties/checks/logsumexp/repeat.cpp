// Catches what depends on who comes first: a missing barrier, a sum in order of arrival, a workspace assumed to be 0.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "properties/ways.hpp"

namespace plusmax::properties::logsumexp {
namespace {

// Above this one repetition must do: the host runs every schedule on one core.
constexpr std::int64_t kManyTimes = std::int64_t{1} << 21;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.rows == 0 ? "needs at least one row" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const bool small = of.cols == 0 || of.rows <= kManyTimes / of.cols;
  const auto given = rows_of(of);
  const std::optional<Rows> raised = small ? std::optional<Rows>(peaked(*given)) : std::nullopt;
  const Rows& rows = raised ? *raised : *given;
  const Layout layout = layout_of(of);
  const auto first = measure(subject, rows, layout, execution_of(subject), tally);
  for (const Way& way : kWays) {
    if (!first) break;
    if (small == (&way == &kAgain)) continue;  // runs from a graph are repetitions, too
    const auto measured = measure(subject, rows, layout, in_way(subject, way), tally);
    if (measured) same_bits(way.name, measured->results, first->results, of.cols, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check repeat;
const Check repeat = {"repeat", "the same input gives the same bits, in any schedule and whatever the workspace held", false, applies, run};
}  // namespace plusmax::properties::logsumexp
