// Catches an upstream gradient that is no factor: only 1 was ever tried, another row's is taken, the loss is multiplied
// too.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/scaled.hpp"

#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

void same_losses(const char* what, Results got, const Results& want, std::int64_t cols, Tally& tally) {
  got.gradient.clear();
  same_bits(what, got, want, cols, tally);
}

void scales(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  const std::int64_t cols = call.rows->cols();
  for (const double factor : {8.0, 0.25, -1.0, 0.0}) {
    const auto at = measure(subject, with_upstream(call, factor), execution_of(subject), tally);
    if (!at) return;
    same_losses("another upstream gradient", at->results, given, cols, tally);
    std::vector<double> gradient, before;
    for (std::int64_t r = 0; r < call.rows->rows(); ++r) {
      if (factor != 0) {
        scaled_gradient("upstream times " + std::to_string(factor), at->results, given, factor, r, cols, tally);
        continue;
      }
      at->results.gradient_row(r, cols, gradient);
      given.gradient_row(r, cols, before);
      for (std::int64_t j = 0; j < cols; ++j)
        if (const auto k = static_cast<std::size_t>(j); before[k] == before[k] && gradient[k] != 0)
          tally.within("upstream 0: gradient of column " + std::to_string(j), r, gradient[k], 0, 0, cols);
    }
  }
}

// One for each row: what it is alone, and of an ignored row it is not even read.
void per_row(const Subject& subject, const Call& call, const Results& given, Tally& tally) {
  const std::int64_t rows = call.rows->rows(), cols = call.rows->cols();
  constexpr float kValues[] = {3, -0.7f, 1.5f, 40};
  Call each = call;
  each.upstream.resize(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r)
    each.upstream[static_cast<std::size_t>(r)] = call.ignores(r)
                                                     ? std::numeric_limits<float>::quiet_NaN()
                                                     : kValues[static_cast<std::size_t>(r) % std::size(kValues)];
  if (rows == 1) each.upstream.push_back(0);  // a list all the same
  const auto at = measure(subject, each, execution_of(subject), tally);
  if (!at) return;
  same_losses("upstream gradients of each row", at->results, given, cols, tally);
  for (std::int64_t r = 0; r < rows; ++r) {
    Call one = call;
    one.upstream.assign(1, call.ignores(r) ? 1 : each.upstream[static_cast<std::size_t>(r)]);
    const auto alone = measure(subject, one, execution_of(subject), tally);
    if (alone) same_row("its own upstream gradient", at->results, r, alone->results, r, cols, tally);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call call = lifted(relation_call(of));
  const auto given = measure(subject, call, execution_of(subject), tally);
  if (given) {
    scales(subject, call, given->results, tally);
    per_row(subject, call, given->results, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check upstream;
const Check upstream = {
    "upstream",
    "the upstream gradient multiplies its row's gradient, exactly where it is a power of two, and nothing else",
    false,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::cross_entropy
