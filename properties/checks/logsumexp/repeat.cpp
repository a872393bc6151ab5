// Catches what depends on who comes first: a missing barrier, a sum in order of arrival, a workspace assumed to be 0.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

namespace plusmax::properties::logsumexp {
namespace {

// Above this one repetition must do: the host runs every schedule on one core.
constexpr std::int64_t kManyTimes = std::int64_t{1} << 21;

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.rows == 0 ? "needs at least one row" : "";
}

struct Way {
  const char* name;
  Schedule schedule;
  std::uint64_t seed;
  unsigned char workspace;
};
constexpr Way kWays[] = {{"again", Schedule::forward, 0, 0xA7},       {"in reverse", Schedule::reverse, 0, 0x00},
                         {"workspace of ones", Schedule::forward, 0, 0xFF}, {"at random 1", Schedule::random, 1, 0x00},
                         {"at random 2", Schedule::random, 2, 0xFF},  {"at random 3", Schedule::random, 3, 0x3F}};

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const bool small = of.cols == 0 || of.rows <= kManyTimes / of.cols;
  const auto given = rows_of(of);
  const std::optional<Rows> raised = small ? std::optional<Rows>(peaked(*given)) : std::nullopt;
  const Rows& rows = raised ? *raised : *given;
  const Layout layout = layout_of(of);
  Execution execution = execution_of(subject);
  const auto first = measure(subject, rows, layout, execution, tally);
  for (const Way& way : kWays) {
    if (!first || (!small && &way != &kWays[0])) break;
    execution.schedule = way.schedule;
    execution.schedule_seed = mix(subject.schedule_seed, way.seed);
    execution.workspace_fill = way.workspace;
    const auto measured = measure(subject, rows, layout, execution, tally);
    if (measured) same_bits(way.name, measured->results, first->results, of.cols, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check repeat;
const Check repeat = {"repeat", "the same input gives the same bits, in any schedule and whatever the workspace held", false, applies, run};
}  // namespace plusmax::properties::logsumexp
