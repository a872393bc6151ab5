#include "properties/gen/cases.hpp"

#include "properties/gen/hash.hpp"
#include "properties/gen/shrink.hpp"
#include "properties/random.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace plusmax::properties {

void showValue(const Case& c, std::ostream& out) { out << to_line(c); }

namespace gen {

namespace {

// The Cases of this path of shrinking that were tried and did not fail, last first.
struct Passed {
  std::uint64_t id;
  std::shared_ptr<const Passed> before;
};
using PassedList = std::shared_ptr<const Passed>;

bool contains(const PassedList& list, std::uint64_t id) {
  for (const Passed* passed = list.get(); passed != nullptr; passed = passed->before.get()) {
    if (passed->id == id) return true;
  }
  return false;
}

rc::Shrinkable<Case> node(Case c, std::size_t budget, PassedList passed) {
  return rc::shrinkable::shrink(rc::fn::constant(std::move(c)), [budget, passed](Case&& failing) {
    // RapidCheck asks for the shrinks of the i-th child only if those before it did not fail: they are behind us, and the
    // budget has that much less left.
    std::vector<rc::Shrinkable<Case>> shrinks;
    PassedList tried = passed;
    for (Case& next : simpler(failing)) {
      if (shrinks.size() == budget) break;
      const std::uint64_t id = hash_of(to_line(next));
      if (contains(passed, id)) continue;
      shrinks.push_back(node(std::move(next), budget - shrinks.size() - 1, tried));
      tried = std::make_shared<const Passed>(Passed{id, tried});
    }
    return rc::seq::fromContainer(std::move(shrinks));
  });
}

}  // namespace

rc::Shrinkable<Case> shrinkable_case(Case c, std::size_t budget) { return node(std::move(c), budget, nullptr); }

rc::Gen<Case> cases(std::string op, CaseLimits limits, std::size_t shrink_budget) {
  require_valid(limits);
  return rc::Gen<Case>([=](rc::Random random, int size) {
    return shrinkable_case(draw_case(op, limits, random.next(), size), shrink_budget);
  });
}

rc::Gen<Case> cases_where(std::string op, std::function<bool(const Case&)> wanted, CaseLimits limits, std::size_t shrink_budget) {
  require_valid(limits);
  return rc::Gen<Case>([=](rc::Random random, int size) {
    const std::uint64_t key = random.next();
    for (int i = 0; i < kDraws; ++i) {
      Case c = draw_case(op, limits, mix(key, static_cast<std::uint64_t>(i)), size + i / 16);
      if (wanted(c)) return shrinkable_case(std::move(c), shrink_budget);
    }
    throw rc::GenerationFailure("none of " + std::to_string(kDraws) + " cases is of the kind that is wanted");
  });
}

}  // namespace gen
}  // namespace plusmax::properties
