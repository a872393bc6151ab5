// The bound against simulated kernels: their error never exceeds it, comes close to it where theory says so, and a kernel
// worse than its description exceeds it.
#include "reference/bound.hpp"
#include "reference/dtype.hpp"
#include "reference/verdict.hpp"
#include "tests/catch.hpp"
#include "tests/reference/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace plusmax::reference;
using namespace plusmax::test;
using plusmax::ErrorShape;

namespace {
constexpr float kInf = std::numeric_limits<float>::infinity();

// exp and log to nearest, then pushed by one float up or down: functions that are wrong in one direction throughout.
struct Functions {
  int push;  // -1, 0, +1
  float pushed(float y) const {
    if (push == 0 || !(y > 0x1p-120f) || y == kInf) return y;
    return std::nextafter(y, push > 0 ? kInf : 0.0f);
  }
  float exp(float x) const { return x == 0 ? 1.0f : pushed(static_cast<float>(std::exp(static_cast<double>(x)))); }
  float log(float x) const { return pushed(static_cast<float>(std::log(static_cast<double>(x)))); }
  // Half an ulp of rounding, one of the push, each at most 2^-23 of the value.
  double relative() const { return push == 0 ? 1.001 : 3.001; }
};

struct Partial { float max = -kInf, sum = 0; };

struct Simulated {
  const char* name;
  int threads;     // element i belongs to thread i mod threads
  bool online;     // keeps its own running maximum, rescales; otherwise the maximum is known beforehand
  bool rescales;   // false is a planted mistake

  ErrorShape shape(std::size_t cols, const Functions& f) const {
    const double chain = std::ceil(static_cast<double>(cols) / threads), levels = std::ceil(std::log2(threads));
    const double changes = online ? chain + levels : 0;
    return {0x1p-24, chain + levels, changes, f.relative(), 0, f.relative(), 0, 0x1p-148};
  }

  void absorb(Partial& p, float x, const Functions& f) const {
    const float max = std::max(p.max, x);
    if (max == -kInf) return;
    if (rescales && p.max != -kInf && p.max != max) p.sum *= f.exp(p.max - max);
    p.sum += f.exp(x - max);
    p.max = max;
  }
  static void merge(Partial& a, const Partial& b, const Functions& f) {
    const float max = std::max(a.max, b.max);
    if (max == -kInf) return;
    const float left = a.max == max ? a.sum : a.sum * f.exp(a.max - max);
    const float right = b.max == max ? b.sum : b.sum * f.exp(b.max - max);
    a = {max, left + right};
  }

  Partial run(const std::vector<float>& x, const Functions& f) const {
    std::vector<Partial> partials(static_cast<std::size_t>(threads));
    if (!online) {
      for (Partial& p : partials) p.max = *std::max_element(x.begin(), x.end());
    }
    for (std::size_t i = 0; i < x.size(); ++i) absorb(partials[i % partials.size()], x[i], f);
    for (std::size_t step = partials.size() / 2; step > 0; step /= 2) {
      for (std::size_t t = 0; t < step; ++t) merge(partials[t], partials[t + step], f);
    }
    return partials[0];
  }
};

constexpr Simulated kKernels[] = {
    {"sequential", 1, false, true}, {"32 threads", 32, false, true},        {"256 threads", 256, false, true},
    {"online", 1, true, true},      {"online, 128 threads", 128, true, true},
};

struct Outcome {
  Judgement lse;
  double sum_ratio;
};

Outcome judge(const Simulated& kernel, const Functions& f, const std::vector<double>& row, const ErrorShape& shape) {
  const Partial p = kernel.run(as_f32(row), f);
  const LogsumexpRow exact = logsumexp(std::span<const double>(row));
  const LogsumexpBound bound = logsumexp_bound(exact, shape);
  const float lse = p.max + f.log(p.sum);
  return {judge_logsumexp(lse, PLUSMAX_F32, exact, bound, row),
          absolute_error(p.sum, exact.sum) / exact.sum.hi / bound.sum_relative};
}

std::vector<double> plateau(std::size_t n, float below) {
  std::vector<double> x(n, below);
  x[n / 3] = 0;
  return x;
}
}  // namespace

TEST_CASE("dominance: no simulated kernel exceeds its bound, on the row or on the sum alone", "[dominance]") {
  double worst = 0, worst_sum = 0;
  for (const std::size_t cols : {1, 2, 33, 255, 1000, 4099, 20011}) {
    for (const NamedRow& row : finite_rows(cols, cols + 1)) {
      for (const Simulated& kernel : kKernels) {
        for (const int push : {-1, 0, 1}) {
          const Functions f{push};
          const Outcome o = judge(kernel, f, row.x, kernel.shape(cols, f));
          INFO(kernel.name << ", " << row.name << ", " << cols << " columns, push " << push << ", ratio " << o.lse.ratio);
          CHECK(o.lse.passed);
          CHECK(o.sum_ratio <= 1);
          worst = std::max(worst, o.lse.ratio);
          worst_sum = std::max(worst_sum, o.sum_ratio);
        }
      }
    }
  }
  CAPTURE(worst, worst_sum);
  CHECK(worst > 0.5);  // sharp enough to mean something
  CHECK(worst_sum > 0.2);
}

TEST_CASE("dominance: the worst plateau brings every layout to a twentieth of the bound on its sum", "[dominance]") {
  constexpr std::size_t kCols = 128256;
  for (const Simulated& kernel : kKernels) {
    double best = 0;
    // The increment of a sum near 2^k is rounded the same way each time; the distance to the tie decides how much.
    for (float below = -9.3f; below > -10.2f; below -= 0.11f) {
      const Functions f{0};
      best = std::max(best, judge({kernel.name, kernel.threads, false, true}, f, plateau(kCols, below),
                                  Simulated{kernel.name, kernel.threads, false, true}.shape(kCols, f)).sum_ratio);
    }
    INFO(kernel.name << " reaches " << best);
    CHECK(best >= 0.05);
    CHECK(best <= 1);
  }
}

TEST_CASE("dominance: a kernel that adds more deeply than it says is found", "[dominance]") {
  const Functions f{0};
  const Simulated sequential{"sequential", 1, false, true}, claimed{"256 threads", 256, false, true};
  const Outcome o = judge(sequential, f, plateau(128256, -9.7f), claimed.shape(128256, f));
  CHECK_FALSE(o.lse.passed);
  CHECK(o.lse.ratio > 5);
}

TEST_CASE("dominance: planted mistakes exceed the bound", "[dominance]") {
  const Functions f{0};
  const Simulated good{"256 threads", 256, false, true}, forgets{"no rescale", 1, true, false};
  std::vector<double> rising = plateau(4099, -9.7f);
  std::swap(rising[4098], rising[4099 / 3]);  // the maximum comes last
  CHECK(judge(forgets, f, rising, forgets.shape(4099, f)).lse.ratio > 10);

  const std::vector<double> row = finite_rows(4099, 9)[1].x;
  const LogsumexpRow exact = logsumexp(std::span<const double>(row));
  const LogsumexpBound bound = logsumexp_bound(exact, good.shape(4099, f));
  const Partial p = good.run(as_f32(row), f);
  CHECK(judge_logsumexp(p.max + f.log(p.sum), PLUSMAX_F32, exact, bound, row).passed);
  CHECK_FALSE(judge_logsumexp(f.log(p.sum), PLUSMAX_F32, exact, bound, row).passed);            // + max forgotten
  CHECK_FALSE(judge_logsumexp(p.max + f.log(p.sum + 1), PLUSMAX_F32, exact, bound, row).passed);  // a padded 0.0 lane
  const double bf16_sum = round_to(PLUSMAX_BF16, p.sum);
  CHECK_FALSE(judge_logsumexp(p.max + std::log(bf16_sum), PLUSMAX_F32, exact, bound, row).passed);
}

TEST_CASE("dominance: an f64 sum stays within the bound of its own unit roundoff", "[dominance]") {
  for (const NamedRow& row : finite_rows(4099, 17)) {
    const LogsumexpRow exact = logsumexp(std::span<const double>(row.x));
    double sum = 0;
    for (const double x : row.x) sum += std::exp(x - exact.max);
    const double lse = exact.max + std::log(sum);
    const ErrorShape shape{0x1p-53, 4099, 0, 2, 0, 2, 0, 0x1p-1073};  // the C library: within one ulp
    const Judgement j = judge_logsumexp(lse, PLUSMAX_F64, exact, logsumexp_bound(exact, shape), row.x);
    INFO(row.name << ", ratio " << j.ratio);
    CHECK(j.passed);
    const Judgement in_f32 = judge_logsumexp(static_cast<float>(lse), PLUSMAX_F64, exact, logsumexp_bound(exact, shape), row.x);
    if (row.name == "spread") CHECK_FALSE(in_f32.passed);
  }
}
