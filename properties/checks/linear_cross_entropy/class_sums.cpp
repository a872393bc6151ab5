// Catches a dlogit that is lost, doubled or summed elsewhere: over the classes those of a token add up to what its
// z-loss gives, so dbias does to that of all tokens, and each column of dW to X times it.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// u s times gamma of a token: of the z-loss p keeps its whole sum, which is 1. Everything else cancels.
double z_loss_part(const Launched& at, const reference::LinearToken& token) {
  const auto t = static_cast<std::int64_t>(token.token);
  return static_cast<double>(at.call().upstream_at(t)) * at.call().options.scale * token.row.coefficients.z_loss.hi;
}

void column(const Launched& at, Part part, std::int64_t k, Tally& tally) {
  reference::DoubleDouble sum;
  double bound = 0, largest = 0;
  bool promised = true;
  for (std::int64_t j = 0; j < at.call().vocab(); ++j) {
    const Number element = at.number(part, {j, k});
    promised = promised && element.promised;
    sum = reference::add(sum, {element.got, 0});
    bound += element.slack;
    largest = std::max(largest, std::fabs(element.want));
  }
  double want = 0, size = 0;
  std::vector<double> scratch;
  for (const reference::LinearToken& token : at.exact().values().tokens) {
    const double x = part == Part::dbias ? 1
                                         : at.call().hidden->row(static_cast<std::int64_t>(token.token),
                                                                 scratch)[static_cast<std::size_t>(k)];
    const double term = token.row.gradient_is_zero ? 0 : z_loss_part(at, token) * x;
    want += term, size += std::fabs(term);
  }
  // Doubles are off by a few 2^-53 of the largest that went into each.
  bound += std::ldexp(size + largest, -50) * static_cast<double>(at.call().tokens());
  if (!promised || !(bound < largest)) return tally.part_skipped("elements whose bounds together hide the largest");
  const double error = std::fabs((sum.hi - want) + sum.lo);
  tally.at_least(part == Part::dbias ? "distance of dbias from its sum (both negated)"
                                     : "distance of a column of dweight from its sum (both negated)",
                 k, -error, -bound, at.call().vocab());
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  Call call = overwriting(exact->call());
  call.options.own_dweight_type = call.options.accumulate_in_dweight_type = false;
  const bool capped = call.options.softcap > 0;  // its slope weighs the classes
  call.options.softcap = 0;
  const auto at = capped ? launched(subject, call, tally) : launched(subject, call, exact, tally);
  if (at && at->has(Part::dbias)) column(*at, Part::dbias, 0, tally);
  for (std::int64_t k = 0; at && at->has(Part::dweight) && k < call.features(); ++k)
    column(*at, Part::dweight, k, tally);
  tally.part_skipped("no gradient");
  tally.finish();
}

}  // namespace
extern const Check class_sums;
const Check class_sums = {
    "class_sums", "without a cap dbias and each column of dW add up to 0 over the classes, or to what the z-loss gives",
    false, relation_refusal, run};
}  // namespace plusmax::properties::linear_cross_entropy
