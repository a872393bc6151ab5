// What was asked of every variant.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <map>

namespace plusmax::reports::sections {
namespace {

using properties::Outcome;
using properties::Record;

std::string html(const Page& page) {
  struct Counts {
    std::uint64_t run = 0, bad = 0, skipped = 0;
    double worst = 0;
  };
  std::map<std::pair<std::string, std::string>, Counts> counts;  // of an operation and check
  for (const Record& r : page.data.records) {
    if (!r.mutant.empty() || r.variant.empty()) continue;  // a case set aside has no variant
    Counts& c = counts[{r.op, r.check}];
    if (r.outcome == Outcome::skipped) ++c.skipped;
    else
      c.run += r.checks;
    if (r.outcome != Outcome::skipped && r.outcome != Outcome::passed) ++c.bad;
    if (!(r.worst_ratio <= c.worst)) c.worst = r.worst_ratio;
  }
  if (counts.empty()) return "";
  Table out({{"operation"}, {"check"}, {"what must hold"}, {"run", true}, {"bad", true}, {"skipped", true}, {"worst error/bound", true}}, "sortable");
  const auto count = [](std::uint64_t n, const char* classes = "") { return Table::Cell{grouped(n), static_cast<double>(n), classes}; };
  std::map<std::pair<std::string, std::string>, CheckInfo> known;
  for (const CheckInfo& check : page.data.checks) known[{check.op, check.name}] = check;
  for (const auto& [name, c] : counts) {
    const auto info = known.find(name);
    const bool margin = info == known.end() || info->second.has_margin;
    out.row({{code(name.first)}, {code(name.second)}, {info == known.end() ? "" : escaped(info->second.statement)}, count(c.run), count(c.bad, c.bad > 0 ? "bad" : ""), count(c.skipped),
             {margin ? brief(c.worst) : "exact", c.worst, ""}});
  }
  return out.html();
}

}  // namespace
extern const Section checks;
const Section checks = {"checks", "Checks", html};
}  // namespace plusmax::reports::sections
