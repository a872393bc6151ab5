#include "properties/ops/cross_entropy/special_rows.hpp"

#include "properties/relation.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::ValueClass;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kFinite = ValueClass::finite, kPositive = ValueClass::positive_infinity, kNothing = ValueClass::nan,
               kNegative = ValueClass::negative_infinity;
constexpr std::size_t kPicked = 2;  // of the borders, besides both ends

// Where an element is handled by other code: both ends, borders of vectors, warps, blocks and tiles.
std::vector<std::size_t> positions(std::size_t cols, const Random& random) {
  std::vector<std::size_t> borders;
  for (std::size_t power = 2; power < cols; power *= 2) borders.insert(borders.end(), {power - 1, power});
  std::set<std::size_t> picked{0, cols - 1};
  for (std::uint64_t k = 0; k < kPicked && !borders.empty(); ++k)
    picked.insert(borders[random.bits(k) % borders.size()]);
  return {picked.begin(), picked.end()};
}

struct Table {
  std::size_t cols;
  std::vector<double> plain;  // a finite row
  std::vector<SpecialRow> rows;

  std::vector<double> all(double x) const { return std::vector<double>(cols, x); }
  static std::vector<double> with(std::vector<double> row, std::size_t at, double x) {
    row[at] = x;
    return row;
  }
  void add(const char* name, std::vector<double> row, std::size_t target, std::optional<SpecialClasses> expected,
           bool certain = false) {
    rows.push_back({name, std::move(row), static_cast<std::int64_t>(target), expected, certain});
  }
};

void at_positions(Table& t, const std::vector<std::size_t>& where, const Random& random) {
  const bool alone = t.cols == 1;
  for (const std::size_t p : where) {
    const std::size_t other = (p + 1 + t.cols / 3) % t.cols, any = random.bits(p, 1) % 2 ? p : other;
    t.add("NaN at one column", Table::with(t.plain, p, kNan), any, SpecialClasses{kNothing, kNothing, kNothing});
    t.add("+inf at one column", Table::with(t.plain, p, kInfinity), any, SpecialClasses{kPositive, kNothing, kNothing});
    t.add("one finite column, the label", Table::with(t.all(-kInfinity), p, 1.5), p,
          SpecialClasses{kFinite, kFinite, alone ? kFinite : kPositive}, true);
    t.add("-inf and one NaN", Table::with(t.all(-kInfinity), p, kNan), any,
          SpecialClasses{kNothing, kNothing, kNothing});
    if (alone) continue;
    t.add("one finite column, not the label", Table::with(t.all(-kInfinity), p, 1.5), other,
          SpecialClasses{kFinite, kPositive, kPositive});
    t.add("one column masked", Table::with(t.plain, p, -kInfinity), any,
          SpecialClasses{kFinite, any == p ? kPositive : kFinite, kPositive});
  }
}

void whole_rows(Table& t, double largest) {
  const std::size_t last = t.cols - 1;
  t.add("all -inf", t.all(-kInfinity), last, SpecialClasses{kNegative, kNothing, kNothing});
  t.add("all +inf", t.all(kInfinity), 0, SpecialClasses{kPositive, kNothing, kNothing});
  t.add("all NaN", t.all(kNan), 0, SpecialClasses{kNothing, kNothing, kNothing});
  t.add("all 0", t.all(0), last, SpecialClasses{kFinite, kFinite, kFinite});
  t.add("all -0", t.all(-0.0), 0, SpecialClasses{kFinite, kFinite, kFinite});
  t.add("all the largest number", t.all(largest), 0, std::nullopt);
  t.add("all the lowest number", t.all(-largest), last, std::nullopt);
  t.add("the label at the largest number, others at the lowest", Table::with(t.all(-largest), last, largest), last,
        std::nullopt);
  if (t.cols == 1) return;
  t.add("the label at the lowest number, one at the largest", Table::with(t.all(-largest), last, largest), 0,
        std::nullopt);
  t.add("+inf, one -inf", Table::with(t.all(kInfinity), last, -kInfinity), 0,
        SpecialClasses{kPositive, kNothing, kNothing});
  t.add("-inf, the label +inf", Table::with(t.all(-kInfinity), 0, kInfinity), 0,
        SpecialClasses{kPositive, kNothing, kNothing});
  auto half = t.plain;
  std::fill(half.begin(), half.begin() + static_cast<std::ptrdiff_t>(t.cols / 2), -kInfinity);
  t.add("first half masked", half, last, SpecialClasses{kFinite, kFinite, kPositive});
  t.add("first half masked, the label in it", half, 0, SpecialClasses{kFinite, kPositive, kPositive});
  std::reverse(half.begin(), half.end());
  t.add("second half masked", half, 0, SpecialClasses{kFinite, kFinite, kPositive});
}

}  // namespace

std::vector<SpecialRow> special_rows(plusmax_dtype dtype, std::size_t cols, const Random& random) {
  Table table{cols, {}, {}};
  for (std::size_t j = 0; j < cols; ++j)
    table.plain.push_back(reference::round_to(dtype, 4 * random.uniform(j, 7) - 2));
  at_positions(table, positions(cols, random), random);
  whole_rows(table, reference::largest(dtype));
  return std::move(table.rows);
}

Call call_of_rows(const Case& of, const std::vector<SpecialRow>& table) {
  const Options given = options_of(of);
  const auto rows = static_cast<std::int64_t>(table.size()), cols = static_cast<std::int64_t>(table[0].logits.size());
  std::vector<double> logits;
  Call call;
  for (const SpecialRow& row : table) {
    logits.insert(logits.end(), row.logits.begin(), row.logits.end());
    call.targets.push_back(row.target);
  }
  call.rows = std::make_shared<Rows>(of.dtype, rows, cols, std::move(logits));
  call.layout = reshaped(of, rows, cols);
  call.gradient_stride = call.layout.row_stride;
  call.options.smoothing = given.smoothing, call.options.z_loss = given.z_loss;
  call.options.softcap = given.softcap, call.options.scale = given.scale;
  call.options.gradient = given.gradient;
  return call;
}

}  // namespace plusmax::properties::cross_entropy
