// Catches a single loss, or divisors, that are not those of the whole batch: ignored tokens counted, a mean over each
// chunk, a z-loss divided by weights.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

Call reduced_by(Call call, Reduction reduction, std::optional<std::pair<double, double>> normalizer = {}) {
  call.options.reduction = reduction;
  call.options.normalizer = normalizer;
  return call;
}

// got / of: the losses of the tokens stay, all else is divided.
void divided(const char* what, const Launched& got, const Launched& sum, double by, Tally& tally) {
  const auto counterpart = [by](Part part, At place) {
    const bool of_token = part == Part::loss || part == Part::z_loss || part == Part::lse;
    return Counterpart{place, of_token ? 1 : 1 / by};
  };
  agree_all(what, got, sum, counterpart, tally);
}

// Without weights a mean is the sum over the number of tokens that count, in the loss and in every gradient.
void over_the_batch(const Subject& subject, Call call, Tally& tally) {
  call.class_weights.clear();
  const auto sum = launched(subject, reduced_by(call, Reduction::sum), tally);
  const auto mean = launched(subject, reduced_by(call, Reduction::mean), tally);
  if (!sum || !mean) return;
  const auto valid = static_cast<double>(call.valid());
  tally.holds("num_valid", mean->results().num_valid == call.valid(), 0,
              static_cast<double>(*mean->results().num_valid), valid, 0, call.tokens());
  bool bad = false;
  for (std::int64_t t = 0; t < call.tokens(); ++t) bad = bad || call.is_bad(t);
  if (valid > 0 && !bad) divided("mean against sum", *mean, *sum, valid, tally);
  // A mean by other numbers than the count.
  const auto given = launched(subject, reduced_by(call, Reduction::mean, std::pair(4.0, 4.0)), tally);
  if (given) divided("mean by a normalizer against sum", *given, *sum, 4, tally);
  if (valid == 0 || bad) return;
  const auto counted =
      measure(subject, reduced_by(call, Reduction::mean, std::pair(valid, valid)), execution_of(subject), tally);
  if (counted) same_results("a normalizer equal to the count", counted->results, mean->results(), call, tally);
}

// The sum of the losses that the call gave, in double.
void sum_of_tokens(const Subject& subject, const Call& call, Tally& tally) {
  const auto at = launched(subject, reduced_by(call, Reduction::sum), tally);
  if (!at || !at->reduced().promised) return;
  double sum = 0, slack = at->reduced().slack;
  for (std::int64_t t = 0; t < call.tokens(); ++t) sum += at->results().loss.at(t), slack += at->loss(t).slack;
  tally.within("sum of the tokens' losses", 0, at->reduced().got, sum, slack, call.tokens() * call.vocab());
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = overwriting(few_tokens_of(of, subject)->call());
  over_the_batch(subject, call, tally);
  sum_of_tokens(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check reduction;
const Check reduction = {
    "reduction",
    "sum and mean are those of the tokens' losses, and a mean divides by the whole batch, whatever the chunk",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
