#include "reference/inner_product.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

namespace {
// Columns that are summed side by side, each in ascending order: the same bits whatever the width of a vector.
constexpr std::size_t kLanes = 8;
using Lanes = Eigen::Array<double, kLanes, 1>;

// Panels of kLanes columns of b, [terms, kLanes] each, the last one filled up with zeros.
class Panels {
 public:
  explicit Panels(const Matrix& b) : terms_(b.rows), count_((b.cols + kLanes - 1) / kLanes) {
    packed_.resize(count_ * terms_, Lanes::Zero());
    for (std::size_t j = 0; j < b.cols; ++j)
      for (std::size_t k = 0; k < terms_; ++k)
        packed_[j / kLanes * terms_ + k][static_cast<Eigen::Index>(j % kLanes)] = b(k, j);
  }
  std::size_t count() const { return count_; }
  const Lanes* operator[](std::size_t panel) const { return packed_.data() + panel * terms_; }

 private:
  std::size_t terms_, count_;
  std::vector<Lanes> packed_;
};

struct Sums {
  Lanes hi, lo = Lanes::Zero(), magnitude, prefix, term, at_ends = Lanes::Zero(), added = Lanes::Zero();
  Lanes part_from;  // hi where the part began
  bool from_zero;   // the part, with nothing to be added to

  Sums(const Lanes& before, bool nothing_before)
      : hi(before),
        magnitude(before.abs()),
        prefix(magnitude),
        term(magnitude),
        part_from(before),
        from_zero(nothing_before) {}
  void add(const Lanes& t) {
    const Lanes size = t.abs(), s = hi + t, back = s - hi;
    lo += (hi - (s - back)) + (t - back);
    hi = s;
    magnitude += size;
    prefix = prefix.max(s.abs());
    term = term.max(size);
  }
  void end_part() {
    if (!from_zero) added += (hi - part_from).abs();
    part_from = hi;
    from_zero = false;
  }
};

InnerProduct element(const Sums& s, Eigen::Index lane, std::size_t terms, std::size_t ends, Factors factors) {
  const double n = static_cast<double>(terms + 1), up = 1 + n * 0x1p-52;  // of plain sums, and of prefixes by their hi
  InnerProduct p;
  p.magnitude = s.magnitude[lane] * up, p.prefix = s.prefix[lane] * up, p.term = s.term[lane] * up;
  p.at_ends = (s.at_ends[lane] + static_cast<double>(ends) * n * 0x1p-52 * p.prefix) *
              (1 + static_cast<double>(ends) * 0x1p-52);
  const double parts = static_cast<double>(ends + 1);
  p.added = (s.added[lane] + parts * 2 * n * 0x1p-52 * p.prefix) * (1 + 2 * parts * 0x1p-52);
  p.sum.value_class = classify(s.hi[lane]);
  p.sum.value = p.sum.value_class == ValueClass::finite ? two_sum(s.hi[lane], s.lo[lane]) : DoubleDouble{s.hi[lane], 0};
  p.sum.error = n * n * 0x1p-106 * p.prefix;
  if (factors == Factors::rounded) p.sum.error += 0x1p-53 * p.magnitude + n * 0x1p-1074;
  return p;
}

// An infinite error of a factor 0 of the other matrix.
double not_nan(double error) { return std::isnan(error) ? std::numeric_limits<double>::infinity() : error; }

void check_fit(const Matrix& a, const Matrix& b) {
  if (a.cols != b.rows)
    throw std::invalid_argument("inner_products: " + std::to_string(a.cols) + " terms of a, " + std::to_string(b.rows) +
                                " of b");
}
}  // namespace

Matrix row_major(std::span<const double> data, std::size_t rows, std::size_t cols) {
  if (data.size() != rows * cols)
    throw std::invalid_argument(std::to_string(data.size()) + " elements for a matrix of " + std::to_string(rows) +
                                " x " + std::to_string(cols));
  return {data, rows, cols, cols, 1};
}

InnerProducts inner_products(const Matrix& a, const Matrix& b, Factors factors, std::span<const std::size_t> ends,
                             std::span<const double> before) {
  check_fit(a, b);
  const std::size_t rest = ends.empty() || ends.back() < a.cols ? 1 : 0, parts = ends.size() + rest;
  InnerProducts r{a.rows, b.cols, a.cols, parts - (before.empty() ? 1 : 0), std::vector<InnerProduct>(a.rows * b.cols)};
  const Panels panels(b);
  for (std::size_t p = 0; p < panels.count(); ++p) {
    const std::size_t first = p * kLanes, lanes = std::min(kLanes, b.cols - first);
    for (std::size_t i = 0; i < a.rows; ++i) {
      Lanes start = Lanes::Zero();
      for (std::size_t l = 0; l < lanes && !before.empty(); ++l)
        start[static_cast<Eigen::Index>(l)] = before[i * b.cols + first + l];
      Sums sums(start, before.empty());
      auto end = ends.begin();
      const auto end_after = [&](std::size_t added) {
        for (; end != ends.end() && *end == added; ++end) {
          sums.at_ends += sums.hi.abs();
          sums.end_part();
        }
      };
      end_after(0);
      for (std::size_t k = 0; k < a.cols; ++k) {
        sums.add(a(i, k) * panels[p][k]);
        end_after(k + 1);
      }
      if (rest > 0) sums.end_part();
      for (std::size_t l = 0; l < lanes; ++l)
        r(i, first + l) = element(sums, static_cast<Eigen::Index>(l), a.cols, ends.size(), factors);
    }
  }
  return r;
}

std::vector<double> error_products(const Matrix& a, const Matrix& b) {
  check_fit(a, b);
  std::vector<double> r(a.rows * b.cols);
  const Panels panels(b);
  const double up = 1 + static_cast<double>(a.cols + 2) * 0x1p-52;
  for (std::size_t p = 0; p < panels.count(); ++p) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      Lanes sum = Lanes::Zero();
      for (std::size_t k = 0; k < a.cols; ++k) sum += a(i, k) * panels[p][k].abs();
      for (std::size_t j = p * kLanes; j < std::min(b.cols, (p + 1) * kLanes); ++j)
        r[i * b.cols + j] = not_nan(sum[static_cast<Eigen::Index>(j % kLanes)] * up);
    }
  }
  return r;
}

}  // namespace plusmax::reference
