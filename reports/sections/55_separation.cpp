// How far the worst correct kernel lies from the weakest wrong one.
#include "reports/chart.hpp"
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports::sections {
namespace {

std::string html(const Page& page) {
  const Summary& s = page.summary;
  if (!s.separation) return "";
  SeparationBar bar{s.worst_ratio, {}, kSmallestSeparation};
  for (const properties::MutantResult& m : page.data.mutants)
    if (m.killed && m.has_margin) bar.margins.emplace_back(m.name, m.margin);
  return "<figure>" + svg_of(bar) + fmt::format("<figcaption>The weakest mutant, {}, exceeds its bound {} times; the worst production result reaches {} of its bound. Their "
         "ratio, {}, is the room in which a wrong kernel could hide; at least {} is wanted. Mutants killed without a margin (by a guard, a race, a repeated run) stay "
         "out of it.</figcaption></figure>\n", code(s.weakest->name), brief(s.weakest->margin), brief(s.worst_ratio), brief(*s.separation), kSmallestSeparation);
}

}  // namespace
extern const Section separation;
const Section separation = {"separation", "Separation", html};
}  // namespace plusmax::reports::sections
