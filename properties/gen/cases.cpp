#include "properties/gen/cases.hpp"

#include "properties/gen/shrink.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace plusmax::properties {

void showValue(const Case& c, std::ostream& out) { out << to_line(c); }

namespace gen {

rc::Shrinkable<Case> shrinkable_case(Case c, std::size_t budget) {
  return rc::shrinkable::shrink(rc::fn::constant(std::move(c)), [budget](Case&& failing) {
    std::vector<Case> next = simpler(failing);
    next.resize(std::min(next.size(), budget));
    // Reaching the i-th means that i before it were tried in vain: the path has that much less left.
    std::vector<rc::Shrinkable<Case>> shrinks;
    shrinks.reserve(next.size());
    for (std::size_t i = 0; i < next.size(); ++i) shrinks.push_back(shrinkable_case(std::move(next[i]), budget - i - 1));
    return rc::seq::fromContainer(std::move(shrinks));
  });
}

rc::Gen<Case> cases(CaseLimits limits, std::size_t shrink_budget) {
  require_valid(limits);
  return rc::Gen<Case>([=](rc::Random random, int size) {
    return shrinkable_case(draw_case(limits, random.next(), size), shrink_budget);
  });
}

}  // namespace gen
}  // namespace plusmax::properties
