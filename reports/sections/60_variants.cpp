// What was run: variants by storage types.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::Outcome;
using properties::Record;

struct Counts {
  std::uint64_t run = 0, bad = 0, skipped = 0, compared = 0;
  double worst = 0, ulps = 0, sum = 0, probabilistic = 0, seconds = 0;
};

void raise(double& worst, double value) {
  if (!(value <= worst)) worst = value;
}

std::string html(const Page& page) {
  std::map<std::tuple<std::string, std::string, std::string>, Counts> table;
  for (const Record& r : page.data.records) {
    if (!r.mutant.empty() || r.variant.empty()) continue;  // a case set aside has no variant
    Counts& c = table[{r.op, r.variant, r.dtype}];
    c.seconds += r.seconds;
    if (r.outcome == Outcome::skipped) {
      ++c.skipped;
      continue;
    }
    c.run += r.checks;
    if (r.outcome != Outcome::passed) c.bad += r.checks;
    c.compared += r.compared;
    raise(c.worst, r.worst_ratio), raise(c.ulps, r.worst_ulps), raise(c.sum, r.sum_ratio), raise(c.probabilistic, r.worst_probabilistic);
  }
  if (table.empty()) return "";
  Table out({{"operation"}, {"variant"}, {"dtype"}, {"checks run", true}, {"bad", true}, {"skipped", true}, {"results", true}, {"worst error/bound", true},
             {"sum alone", true}, {"probabilistic", true}, {"worst ulps", true}, {"time", true}}, "sortable");
  const auto count = [](std::uint64_t n) { return Table::Cell{grouped(n), static_cast<double>(n), ""}; };
  const auto real = [](double v) { return Table::Cell{brief(v), v, ""}; };
  for (const auto& [key, c] : table) {
    const auto& [op, variant, dtype] = key;
    Table::Cell bad = count(c.bad);
    if (c.bad > 0) bad.classes = "bad";
    out.row({{code(op)}, {code(variant)}, {escaped(dtype)}, count(c.run), bad, count(c.skipped), count(c.compared), real(c.worst), real(c.sum),
             {brief(c.probabilistic), c.probabilistic, c.probabilistic > 1 ? "warn" : ""}, real(c.ulps), {duration(c.seconds), c.seconds, ""}});
  }
  return out.html();
}

}  // namespace
extern const Section variants;
const Section variants = {"variants", "Variants and storage types", html};
}  // namespace plusmax::reports::sections
