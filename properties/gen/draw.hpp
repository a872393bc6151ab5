// A stream of small random decisions: the generators' only source of chance, a pure function of its key.
#pragma once

#include "properties/random.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>

namespace plusmax::properties::gen {

class Draw {
 public:
  explicit Draw(std::uint64_t key) : random_{key} {}

  std::uint64_t bits() { return random_.bits(counter_++); }
  // Both ends included; low where high < low.
  std::int64_t range(std::int64_t low, std::int64_t high) {
    if (high <= low) return low;
    return low + static_cast<std::int64_t>(bits() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  double uniform(double low, double high) { return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53); }
  bool one_in(std::int64_t n) { return range(1, n) == 1; }
  template <class T>
  T of(std::initializer_list<T> choices) { return choices.begin()[range(0, static_cast<std::int64_t>(choices.size()) - 1)]; }
  template <class T>
  T of(std::span<const T> choices) { return choices[static_cast<std::size_t>(range(0, static_cast<std::int64_t>(choices.size()) - 1))]; }
  // Index into `weights`, each as likely as its weight says.
  int weighted(std::initializer_list<int> weights) {
    std::int64_t total = 0;
    for (const int weight : weights) total += weight;
    std::int64_t left = range(1, total);
    int index = 0;
    for (const int weight : weights) {
      left -= weight;
      if (left <= 0) break;
      ++index;
    }
    return index;
  }

 private:
  Random random_;
  std::uint64_t counter_ = 0;
};

}  // namespace plusmax::properties::gen
