// Catches NaN dropped by a maximum, NaN made from -inf - -inf, inf - inf or 0 * inf, wrong identities, a cap that
// unmasks, a row of one column that is not exact.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/launched.hpp"
#include "properties/ops/cross_entropy/special_rows.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

using reference::ValueClass;
constexpr std::int64_t kMostColumns = std::int64_t{1} << 15;
constexpr std::int64_t kNarrow = 64;  // wider rows get one set of options besides their own

void expect_class(const char* what, std::int64_t row, double got, ValueClass wanted, const SpecialRow& of,
                  Tally& tally) {
  if (reference::classify(got) == wanted) return;
  tally.fail(std::string(of.name) + ": row " + std::to_string(row) + ", target " + std::to_string(of.target) + ": " +
             what + " is " + reference::name_of(reference::classify(got)) + " where the table has " +
             reference::name_of(wanted));
}

// What the table says, without the reference.
void against_table(const std::vector<SpecialRow>& table, const Launched& at, Tally& tally) {
  const Factors o = factors_of(at.call());
  std::vector<double> gradient;
  for (std::int64_t r = 0; r < at.rows(); ++r) {
    const SpecialRow& row = table[static_cast<std::size_t>(r)];
    if (!row.expected) continue;
    expect_class("lse", r, at.results().lse.at(r), row.expected->lse, row, tally);
    expect_class("loss", r, at.results().loss.at(r), o.smoothing > 0 ? row.expected->smoothed : row.expected->loss, row,
                 tally);
    at.results().gradient_row(r, at.cols(), gradient);
    const ValueClass of_gradient = row.expected->loss == ValueClass::nan ? ValueClass::nan : ValueClass::finite;
    for (const double g : gradient) expect_class("gradient", r, g, of_gradient, row, tally);
    // A label that is certain: nothing is left to round.
    if (!row.certain || o.smoothing > 0 || o.z_loss > 0) continue;
    tally.within("loss of a certain label", r, at.results().loss.at(r), 0, 0, at.cols());
    for (const double g : gradient) tally.within("gradient of a certain label", r, g, 0, 0, 1);
  }
}

void run_table(const Subject& subject, const Case& of, std::int64_t cols, void (*edit)(Call&), Tally& tally) {
  const auto table = special_rows(of.dtype, static_cast<std::size_t>(cols), random_of(of, "special_values"));
  Call call = call_of_rows(of, table);
  edit(call);
  const auto at = launched(subject, with_all_outputs(call), tally);
  if (!at) return;
  // Weights may be 0 or of any sign, which makes other classes of infinities.
  if (call.weights.empty()) against_table(table, *at, tally);
  at->judge("special values", tally);
}

void weigh(Call& call) {
  constexpr float kWeights[] = {1, -2, 0};
  for (std::int64_t c = 0; c < call.rows->cols(); ++c) call.weights.push_back(kWeights[c % 3]);
}

constexpr void (*kEdits[])(Call&) = {[](Call& c) { c.options.smoothing = 0.25, c.options.z_loss = 0.5; },
                                     [](Call& c) { c.options.softcap = 30; }, weigh};

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  run_table(
      subject, of, of.cols, [](Call&) {}, tally);
  const std::size_t chosen = random_of(of, "special_values").bits(0, 3) % std::size(kEdits);
  for (std::size_t k = 0; k < std::size(kEdits); ++k)
    if (of.cols <= kNarrow || k == chosen) run_table(subject, of, of.cols, kEdits[k], tally);
  if (of.cols > 1)
    run_table(
        subject, of, 1, [](Call&) {}, tally);
  tally.finish();
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols > kMostColumns ? "more columns than the table of special values takes" : "";
}

}  // namespace
extern const Check special_values;
const Check special_values = {"special_values",
                              "NaN, infinities and certain labels give what the table of special values promises",
                              true,
                              applies,
                              run,
                              true};
}  // namespace plusmax::properties::cross_entropy
