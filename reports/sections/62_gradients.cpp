// How exact gradients are in the type that they are stored in, and how many vanish there.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace plusmax::reports::sections {
namespace {

using properties::Record;

std::string html(const Page& page) {
  struct Counts {
    std::uint64_t gradients = 0, flushed = 0;
    double ulps = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Counts> table;
  for (const Record& r : page.data.records) {
    if (!r.mutant.empty() || r.gradients == 0) continue;
    Counts& c = table[{r.op, r.variant, r.dtype}];
    c.gradients += r.gradients, c.flushed += r.flushed;
    c.ulps = std::max(c.ulps, r.worst_gradient_ulps);
  }
  if (table.empty()) return "";
  Table out({{"operation"}, {"variant"}, {"dtype"}, {"elements", true}, {"flushed to zero", true}, {"worst ulps", true}},
            "sortable");
  for (const auto& [key, c] : table) {
    const auto& [op, variant, dtype] = key;
    const double share = static_cast<double>(c.flushed) / static_cast<double>(c.gradients);
    out.row({{code(op)},
             {code(variant)},
             {escaped(dtype)},
             {grouped(c.gradients), static_cast<double>(c.gradients), ""},
             {fmt::format("{} ({})", grouped(c.flushed), percent(share)), share, ""},
             {brief(c.ulps), c.ulps, ""}});
  }
  return "<p class=\"soft\">Elements that were judged. One that is flushed to zero is 0 where its exact value is not. Where the "
         "terms of an element cancel, many ulps of the little that remains lie within its bound.</p>" +
         out.html();
}

}  // namespace
extern const Section gradients;
const Section gradients = {"gradients", "Gradients", html};
}  // namespace plusmax::reports::sections
