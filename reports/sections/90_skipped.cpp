// What was not run, and why.
#include "reports/group.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::Outcome;
using properties::Record;

constexpr std::size_t kShown = 60;

struct Skip {
  std::uint64_t count = 0;
  const Record* first = nullptr;
  std::set<std::string> variants;
};

std::string html(const Page& page) {
  std::map<std::tuple<std::string, std::string, std::string>, Skip> skips;  // by operation, check and kind of reason
  for (const Record& r : page.data.records) {
    if (!r.mutant.empty() || r.outcome != Outcome::skipped) continue;
    Skip& skip = skips[{r.op, r.check, pattern_of(r.reason)}];
    ++skip.count;
    if (skip.first == nullptr) skip.first = &r;
    skip.variants.insert(r.variant);
  }
  if (skips.empty()) return "";
  std::vector<const Skip*> ordered;
  for (const auto& [key, skip] : skips) ordered.push_back(&skip);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Skip* a, const Skip* b) { return a->count > b->count; });
  Table out({{"skipped", true}, {"operation"}, {"check"}, {"variants"}, {"reason, of the first"}, {"first case"}}, "sortable");
  for (std::size_t i = 0; i < std::min(ordered.size(), kShown); ++i) {
    const Skip& skip = *ordered[i];
    std::string variants;
    for (const std::string& variant : skip.variants) variants += (variants.empty() ? "" : ", ") + code(variant);
    out.row({{grouped(skip.count), static_cast<double>(skip.count), ""}, {code(skip.first->op)}, {code(skip.first->check)}, {variants}, {escaped(skip.first->reason)}, {code(skip.first->case_line)}});
  }
  const std::string more = ordered.size() > kShown ? fmt::format("<p>{} more kinds are in records.jsonl.</p>", ordered.size() - kShown) : "";
  return out.html() + more;
}

}  // namespace
extern const Section skipped;
const Section skipped = {"skipped", "Skipped", html};
}  // namespace plusmax::reports::sections
