// Rows with options for the tests of cross_entropy: every value of every option, and with enough rows every pair of
// them.
#pragma once

#include "reference/cross_entropy.hpp"
#include "tests/reference/rows.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <utility>

namespace plusmax::test {

// Owns what a CrossEntropyInput points to.
struct OptionRow {
  std::string name;
  std::vector<double> x;
  std::vector<float> weights;
  reference::CrossEntropyInput in;
  std::array<int, 8> choice{};  // which value of each option

  void tie() { in.logits = x, in.weights = weights; }
  std::string text() const {
    std::ostringstream s;
    s << name << ", " << x.size() << " columns, target " << in.target << ", eps " << in.options.smoothing << ", lambda "
      << in.options.z_loss << ", cap " << in.options.softcap << ", scale " << in.options.logit_scale << ", weights "
      << choice[4] << ", upstream " << in.upstream << ", Z " << in.divisors.z.hi;
    return s.str();
  }
};

inline double f32(double x) { return static_cast<double>(static_cast<float>(x)); }

inline std::vector<float> draw_weights(int kind, std::size_t cols, std::mt19937_64& random) {
  std::vector<float> w(kind == 0 ? 0 : cols);
  for (float& each : w) {
    const float r = static_cast<float>(random() >> 40) * 0x1p-24f;
    each = kind == 1 ? 0.25f + r : kind == 2 ? 2 * r - 1 : random() % 3 == 0 ? 0.0f : 4 * r;
  }
  return w;
}

// Puts options drawn from `random` on a row.
inline OptionRow with_options(NamedRow row, std::mt19937_64& random) {
  OptionRow r;
  r.name = std::move(row.name);
  r.x = std::move(row.x);
  const auto draw = [&](std::size_t option, int values) {
    return r.choice[option] = static_cast<int>(random() % static_cast<unsigned>(values));
  };
  constexpr double kSmoothing[] = {0, 0.1, 0.875}, kZLoss[] = {0, 1e-4, 0.5}, kCap[] = {0, 5, 30, 20000},
                   kScale[] = {1, 0.3, 4}, kUpstream[] = {1, -2.5, 3e-5};
  r.in.options = {f32(kSmoothing[draw(0, 3)]), f32(kZLoss[draw(1, 3)]), kCap[draw(2, 4)], f32(kScale[draw(3, 3)])};
  r.weights = draw_weights(draw(4, 4), r.x.size(), random);
  r.in.upstream = f32(kUpstream[draw(5, 3)]);
  if (draw(6, 2) == 1) r.in.divisors = {{f32(5.7), 0}, 9, 0, false};
  const auto top = std::max_element(r.x.begin(), r.x.end());
  const std::size_t any = random() % r.x.size();
  const int target = draw(7, 3);
  r.in.target = target == 0 ? top - r.x.begin() : static_cast<std::int64_t>(any);
  if (target == 2) r.in.target = std::min_element(r.x.begin(), r.x.end()) - r.x.begin();
  r.tie();
  return r;
}

inline std::vector<OptionRow> option_rows(std::size_t cols, std::mt19937_64& random) {
  std::vector<OptionRow> rows;
  for (NamedRow& row : finite_rows(cols, random())) rows.push_back(with_options(std::move(row), random));
  for (OptionRow& row : rows) row.tie();
  return rows;
}

// Which pairs of option values have been seen.
class Pairs {
 public:
  void see(const OptionRow& r) {
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < a; ++b)
        seen_.insert({a * 8 + b, r.choice[static_cast<std::size_t>(a)] * 8 + r.choice[static_cast<std::size_t>(b)]});
    }
  }
  bool all() const {
    constexpr std::size_t kValues[] = {3, 3, 4, 3, 4, 3, 2, 3};
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < 8; ++a) {
      for (std::size_t b = 0; b < a; ++b) pairs += kValues[a] * kValues[b];
    }
    return seen_.size() == pairs;
  }

 private:
  std::set<std::pair<int, int>> seen_;
};

}  // namespace plusmax::test
