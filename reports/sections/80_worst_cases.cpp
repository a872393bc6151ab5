// The results nearest to their bound, of each operation, variant and storage type, with their replay lines.
#include "reports/group.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::Record;

constexpr std::size_t kShown = 30, kPerGroup = 3;  // no variant and storage type may crowd out the others

std::vector<const Record*> worst_records(const std::vector<Record>& records) {
  std::vector<const Record*> all;
  for (const Record& r : records)
    if (measured(r) && !(r.worst_ratio <= 0)) all.push_back(&r);
  const auto rank = [](const Record* r) { return std::isnan(r->worst_ratio) ? INFINITY : r->worst_ratio; };
  std::stable_sort(all.begin(), all.end(), [&](const Record* a, const Record* b) { return rank(a) > rank(b); });
  std::vector<const Record*> chosen;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> taken;
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Record* r : all) {
    if (chosen.size() == kShown) break;
    if (!seen.insert({r->variant, r->check, r->case_line}).second || ++taken[{r->op, r->variant, r->dtype}] > kPerGroup) continue;
    chosen.push_back(r);
  }
  return chosen;
}

std::string html(const Page& page) {
  const std::vector<const Record*> worst = worst_records(page.data.records);
  if (worst.empty()) return "";
  Table out({{"error/bound", true}, {"operation"}, {"variant"}, {"dtype"}, {"check"}, {"row", true}, {"got, want"}, {"ulps", true}, {"replay"}}, "sortable");
  const auto both = [](double value) { return fmt::format("{} {}", brief(value, 9), code(hex_float(value))); };
  for (const Record* r : worst)
    out.row({{brief(r->worst_ratio), r->worst_ratio, r->worst_ratio <= 1 ? "" : "bad"}, {code(r->op)}, {code(r->variant)}, {escaped(r->dtype)}, {code(r->check)},
             {fmt::format("{}", r->worst_row), static_cast<double>(r->worst_row), ""}, {both(r->got) + "<br/>" + both(r->want), 0, "fixed"}, {brief(r->worst_ulps), r->worst_ulps, ""},
             {code(replay_command(*r, page.data.info))}});
  return out.html();
}

}  // namespace
extern const Section worst_cases;
const Section worst_cases = {"worst_cases", "Worst cases", html};
}  // namespace plusmax::reports::sections
