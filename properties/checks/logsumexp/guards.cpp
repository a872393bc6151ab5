// Catches reads of the padding, writes beside the results, changed inputs and results that were never written.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

namespace plusmax::properties::logsumexp {
namespace {

// The phase with which the last logit ends at a 256-byte boundary: behind it lies nothing at all.
std::int64_t flush_phase(const Case& of, const Rows& rows, const Layout& layout) {
  const std::int64_t unit = per_bytes(of.dtype, 256);
  const std::int64_t span = (rows.rows() - 1) * layout.row_stride + (rows.cols() - 1) * layout.col_stride + 1;
  return (unit - span % unit) % unit;
}

// NaN, the largest number and +inf between the rows and on both sides of them: the same bits.
void padding(const Case& of, const Subject& subject, const Rows& rows, const Layout& layout, Tally& tally) {
  std::optional<Measured> first;
  for (const auto kind : {Padding::nan, Padding::huge, Padding::infinity}) {
    Execution execution = execution_of(subject);
    execution.padding = kind;
    execution.surrounded = execution.verify_inputs = true;
    execution.result_poison = kind == Padding::nan ? 0x5A : 0xFF;
    auto measured = measure(subject, rows, layout, execution, tally);
    if (!measured) return;
    if (first) same_bits(std::string(name_of(kind)) + " padding", measured->results, first->results, of.cols, tally);
    else first = std::move(measured);
  }
}

// Nothing mapped before the first logit, then nothing behind the last one.
void edges(const Case& of, const Subject& subject, const Rows& rows, Layout layout, Tally& tally) {
  Execution execution = execution_of(subject);
  execution.flush_left = true;
  layout.phase = 0;
  const auto left = measure(subject, rows, layout, execution, tally);
  if (left) judge_all("first logit at the edge", rows, *left, tally);
  execution.flush_left = false;
  layout.phase = flush_phase(of, rows, layout);
  const auto right = measure(subject, rows, layout, execution, tally);
  if (right) judge_all("last logit at the edge", rows, *right, tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = relation_rows(of);
  Layout layout = reshaped(of, rows.rows(), of.cols);
  padding(of, subject, rows, layout, tally);
  // With gaps of an odd length between the rows and between the results.
  (layout.row_stride >= layout.col_stride ? layout.row_stride : layout.col_stride) += 3;
  layout.lse_stride += 2;
  padding(of, subject, rows, layout, tally);
  edges(of, subject, rows, layout, tally);
  tally.finish();
}

}  // namespace
extern const Check guards;
const Check guards = {"guards", "nothing but the logits is read, nothing but the results is written", true, relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
