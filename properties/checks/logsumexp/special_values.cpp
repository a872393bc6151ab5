// Catches NaN dropped by a maximum, NaN made from -inf - -inf or inf - inf, wrong identities, and shapes without elements.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace plusmax::properties::logsumexp {
namespace {

using reference::ValueClass;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kLogits = std::int64_t{1} << 20;

// Rows with the class of result that the table of special values promises them.
struct Table {
  plusmax_dtype dtype;
  std::size_t cols;
  std::vector<double> plain;  // a finite row
  std::vector<double> values;
  std::vector<ValueClass> classes;

  std::vector<double> all(double x) const { return std::vector<double>(cols, x); }
  void add(const std::vector<double>& row, ValueClass expected) {
    values.insert(values.end(), row.begin(), row.end());
    classes.push_back(expected);
  }
  void add_with(std::vector<double> row, std::initializer_list<std::pair<std::size_t, double>> set, ValueClass expected) {
    for (const auto& [at, x] : set) row[at] = x;
    add(row, expected);
  }
};

// Where an element is handled by other code: both ends, borders of vectors, warps, blocks and tiles.
std::vector<std::size_t> positions(std::size_t cols, const Random& random) {
  std::set<std::size_t> picked;
  for (std::size_t k = 0; k < 5; ++k) picked.insert({std::min(k, cols - 1), cols - 1 - std::min(k, cols - 1)});
  for (std::size_t power = 8; power < cols; power *= 2) picked.insert({power - 1, power, std::min(power + 1, cols - 1)});
  for (std::uint64_t k = 0; k < 4; ++k) picked.insert(random.bits(k) % cols);
  std::vector<std::size_t> list(picked.begin(), picked.end());
  const std::size_t most = std::max<std::size_t>(4, static_cast<std::size_t>(kLogits) / cols / 4);
  while (list.size() > most) list.erase(list.begin() + static_cast<std::ptrdiff_t>(random.bits(list.size(), 1) % list.size()));
  return list;
}

void at_positions(Table& table, const std::vector<std::size_t>& where) {
  for (const std::size_t p : where) {
    table.add_with(table.plain, {{p, kNan}}, ValueClass::nan);
    table.add_with(table.plain, {{p, kInfinity}}, ValueClass::positive_infinity);
    table.add_with(table.all(-kInfinity), {{p, 1.5}}, ValueClass::finite);
    table.add_with(table.all(-kInfinity), {{p, kNan}}, ValueClass::nan);
  }
}

void whole_rows(Table& table) {
  const std::size_t last = table.cols - 1;
  const double largest = reference::largest(table.dtype);
  table.add(table.all(-kInfinity), ValueClass::negative_infinity);
  table.add(table.all(kInfinity), ValueClass::positive_infinity);
  table.add(table.all(kNan), ValueClass::nan);
  table.add(table.all(0.0), ValueClass::finite);
  table.add(table.all(-0.0), ValueClass::finite);
  table.add(table.all(largest), ValueClass::finite);
  table.add(table.all(-largest), ValueClass::finite);
  table.add_with(table.all(-largest), {{last, largest}}, ValueClass::finite);
  table.add_with(table.all(-kInfinity), {{0, kInfinity}}, ValueClass::positive_infinity);
  table.add_with(table.all(kInfinity), {{last, -kInfinity}}, last > 0 ? ValueClass::positive_infinity : ValueClass::negative_infinity);
  table.add_with(table.all(kInfinity), {{last, kNan}}, ValueClass::nan);
  table.add_with(table.all(kNan), {{last, kInfinity}}, last > 0 ? ValueClass::nan : ValueClass::positive_infinity);
  auto half = table.plain;
  std::fill(half.begin(), half.begin() + static_cast<std::ptrdiff_t>(table.cols / 2), -kInfinity);
  table.add(half, ValueClass::finite);
  half = table.plain;
  std::fill(half.begin() + static_cast<std::ptrdiff_t>((table.cols + 1) / 2), half.end(), -kInfinity);
  table.add(half, ValueClass::finite);
}

void run_table(const Case& of, const Subject& subject, const Table& table, Tally& tally) {
  const auto count = static_cast<std::int64_t>(table.classes.size());
  const Rows rows(of.dtype, count, static_cast<std::int64_t>(table.cols), table.values);
  const auto measured = measure(subject, rows, reshaped(of, count, static_cast<std::int64_t>(table.cols)), execution_of(subject), tally);
  for (std::int64_t r = 0; measured && r < count; ++r) {
    const double got = measured->results.lse[static_cast<std::size_t>(r)];
    const ValueClass expected = table.classes[static_cast<std::size_t>(r)];
    judge("special values", rows, r, got, measured->shape, tally);
    if (reference::classify(got) != expected)
      tally.fail("special values: row " + std::to_string(r) + ": " + reference::name_of(reference::classify(got)) + " where the table has " +
                 reference::name_of(expected));
    // One column: the stored number itself, to the last bit.
    if (table.cols == 1 && expected == ValueClass::finite)
      tally.within("one column", r, got, table.values[static_cast<std::size_t>(r)], 0, 1);
  }
}

void run_empty(const Case& of, const Subject& subject, Tally& tally) {
  const auto no_columns = measure(subject, Rows(of.dtype, 3, 0, std::vector<double>{}), dense(0), execution_of(subject), tally);
  for (std::int64_t r = 0; no_columns && r < 3; ++r)
    tally.within("cols = 0", r, no_columns->results.lse[static_cast<std::size_t>(r)], -kInfinity, 0, 0);
  // That nothing is written is seen by the launch itself.
  measure(subject, Rows(of.dtype, 0, of.cols, std::vector<double>{}), dense(of.cols), execution_of(subject), tally);
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = refusal(subject, of); !why.empty()) return why;
  return of.cols > kLogits / 8 ? "more columns than the table of special values takes" : "";
}

Table table_for(const Case& of, std::size_t cols) {
  const Random random = random_of(of, "special_values");
  Table table{of.dtype, cols, {}, {}, {}};
  for (std::size_t j = 0; j < cols; ++j) table.plain.push_back(reference::round_to(of.dtype, 4 * random.uniform(j, 7) - 2));
  at_positions(table, positions(cols, random));
  whole_rows(table);
  return table;
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  if (of.cols > 1) run_table(of, subject, table_for(of, static_cast<std::size_t>(of.cols)), tally);
  run_table(of, subject, table_for(of, 1), tally);
  run_empty(of, subject, tally);
  tally.finish();
}

}  // namespace
extern const Check special_values;
const Check special_values = {"special_values", "NaN, infinities and rows without elements give what the table of special values promises",
                              true, applies, run, true};
}  // namespace plusmax::properties::logsumexp
