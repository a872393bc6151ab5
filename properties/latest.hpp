// The last few values that were made, by key: neighbouring checks want the same ones.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>

namespace plusmax::properties {

template <class Value>
class Latest {
 public:
  // make() answers a shared_ptr<const Value>.
  template <class Make>
  std::shared_ptr<const Value> of(const std::string& key, Make&& make) {
    for (auto entry = kept_.begin(); entry != kept_.end(); ++entry) {
      if (entry->first != key) continue;
      kept_.splice(kept_.begin(), kept_, entry);
      return entry->second;
    }
    if (kept_.size() >= kMost) kept_.pop_back();  // before the new value is made: memory holds only so many
    kept_.emplace_front(key, make());
    return kept_.front().second;
  }

 private:
  static constexpr std::size_t kMost = 4;
  std::list<std::pair<std::string, std::shared_ptr<const Value>>> kept_;  // most recent first
};

}  // namespace plusmax::properties
