// Catches a logarithm taken too early (per lane) and elements that are counted twice or not at all.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace plusmax::properties::logsumexp {
namespace {

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols < 2 ? "needs two columns" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  const auto execution = execution_of(subject);
  const std::int64_t half = of.cols / 2;  // so that the doubled row is no wider than the case
  const Rows once = edited(rows, half, [](std::int64_t, auto in, auto out) { std::copy_n(in.begin(), out.size(), out.begin()); });
  const Rows twice = edited(rows, 2 * half, [half](std::int64_t, auto in, auto out) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = in[j % static_cast<std::size_t>(half)];
  });
  const auto single = measure(subject, once, reshaped(of, rows.rows(), half), execution, tally);
  const auto doubled = measure(subject, twice, reshaped(of, rows.rows(), 2 * half), execution, tally);
  for (std::int64_t r = 0; single && doubled && r < rows.rows(); ++r) {
    const auto at = static_cast<std::size_t>(r);
    if (!finite_row(once, r)) continue;
    const double want = single->results.lse[at] + std::numbers::ln2;
    const double bound = bound_of(once, r, single->shape).value + bound_of(twice, r, doubled->shape).value + std::ldexp(std::fabs(want) + 1, -52);
    tally.within("doubled row", r, doubled->results.lse[at], want, bound, 3 * half);
  }
  tally.part_skipped("no row with a finite result");
  tally.finish();
}

}  // namespace
extern const Check duplication;
const Check duplication = {"duplication", "a row that stands there twice has ln 2 more", true, applies, run};
}  // namespace plusmax::properties::logsumexp
