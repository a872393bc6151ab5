#if defined(PLUSMAX_RACE)
#include "kernels/platform/host/race/knowledge.hpp"

#include "kernels/platform/host/runtime.hpp"

#include <algorithm>
#include <utility>

namespace plusmax::simt::race {

void Knowledge::add(Prefix more) {
  if (more.count == 0) return;
  for (Prefix& prefix : prefixes_)
    if (prefix.log == more.log) {
      prefix.count = std::max(prefix.count, more.count);
      return;
    }
  prefixes_.push_back(more);
}

void Knowledge::add(const Knowledge& more) {
  for (const Prefix& prefix : more.prefixes_) add(prefix);
}

void Knowledge::forget(const Log* log) {
  std::erase_if(prefixes_, [log](const Prefix& prefix) { return prefix.log == log; });
}

bool Snapshot::covers(Time time, unsigned other) const {
  if (time < cluster_start) return false;
  if (clock && clock->covers(time, other)) return true;
  if (is_agent(other)) return false;
  if (time < cluster || (other == fiber && time < self)) return true;
  if (other / kMaxThreads == fiber / kMaxThreads && time < block) return true;
  return other / kWarpSize == fiber / kWarpSize && time < warp;
}

bool Knowledge::covers(Time time, unsigned fiber) const {
  if (prefixes_.empty()) return false;
  std::vector<Prefix> seen;
  return covers(time, fiber, seen);
}

bool Knowledge::covers(Time time, unsigned fiber, std::vector<Prefix>& seen) const {
  for (const Prefix& prefix : prefixes_) {
    const bool known = std::any_of(seen.begin(), seen.end(), [&](const Prefix& old) {
      return old.log == prefix.log && old.count >= prefix.count;
    });
    if (known) continue;
    seen.push_back(prefix);
    const auto first = prefix.log->releases.begin(), last = first + std::ptrdiff_t(prefix.count);
    // Only releases made in the cluster of the access can cover it directly: those with the latest start not after it.
    auto end = std::upper_bound(first, last, time, [](Time t, const Snapshot& s) { return t < s.cluster_start; });
    for (auto at = end; at != first && std::prev(at)->cluster_start == std::prev(end)->cluster_start; --at)
      if (std::prev(at)->covers(time, fiber)) return true;
    for (std::size_t index : prefix.log->linked)
      if (index < prefix.count && prefix.log->releases[index].acquired.covers(time, fiber, seen)) return true;
  }
  return false;
}

void Log::append(Snapshot snapshot) {
  snapshot.acquired.forget(this);  // the releases before it in the same log are in every prefix that holds it
  if (!snapshot.acquired.empty()) linked.push_back(releases.size());
  releases.push_back(std::move(snapshot));
}

}  // namespace plusmax::simt::race

#endif  // PLUSMAX_RACE
