#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/clock.hpp"

#include <algorithm>

namespace plusmax::simt::race {
namespace {

bool knows(const std::vector<ClockEntry>& entries, unsigned key, Time time) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), ClockEntry(key, 0));
  return at != entries.end() && at->first == key && time < at->second;
}

std::vector<ClockEntry> merge(const std::vector<ClockEntry>& a, const std::vector<ClockEntry>& b) {
  std::vector<ClockEntry> all;
  all.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      all.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      all.push_back(*j++);
    } else {
      all.emplace_back(i->first, std::max(i->second, j->second));
      ++i, ++j;
    }
  }
  return all;
}

}  // namespace

bool Clock::covers(Time time, unsigned who) const {
  if (knows(entries, who, time)) return true;
  if (is_agent(who)) return false;
  return knows(entries, kKeyOfCluster, time) || knows(entries, key_of_block(who), time) ||
         knows(entries, key_of_warp(who), time);
}

ClockPtr clock_of(std::vector<ClockEntry> entries) {
  std::sort(entries.begin(), entries.end());
  return std::make_shared<const Clock>(Clock{std::move(entries)});
}

ClockPtr join(const ClockPtr& a, const ClockPtr& b) {
  if (!a || !b || a == b) return a ? a : b;
  // The threads of a block mostly learn the same, one after another.
  static ClockPtr last_a, last_b, last;
  if (a == last_a && b == last_b) return last;
  std::vector<ClockEntry> all = merge(a->entries, b->entries);
  last_a = a;
  last_b = b;
  last = all == a->entries ? a : all == b->entries ? b : std::make_shared<const Clock>(Clock{std::move(all)});
  return last;
}

}  // namespace plusmax::simt::race

#endif  // PLUSMAX_RACE
