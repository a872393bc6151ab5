// Catches reads of the padding and of ignored rows, writes beside the results, changed inputs, results never written.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>

namespace plusmax::properties::cross_entropy {
namespace {

// The row in the middle is ignored and holds what the padding holds.
Call with_dead_row(Call call, Padding kind) {
  const std::int64_t dead = call.rows->rows() / 2;
  if (call.rows->rows() < 2 || !holds_target(call, call.options.ignore_index)) return call;
  call.targets[static_cast<std::size_t>(dead)] = call.options.ignore_index;
  return with_rows(call, edited(*call.rows, call.rows->cols(), [&](std::int64_t r, auto in, auto out) {
                     if (r == dead) {
                       std::fill(out.begin(), out.end(), value_of(kind, call.rows->dtype()));
                     } else {
                       std::copy(in.begin(), in.end(), out.begin());
                     }
                   }));
}

// NaN, the largest number and +inf between the rows, on both sides of them and in a row that is ignored: the same bits.
void padding(const Subject& subject, const Call& call, Tally& tally) {
  std::optional<Measured> first;
  for (const auto kind : {Padding::nan, Padding::huge, Padding::infinity}) {
    Execution execution = execution_of(subject);
    execution.padding = kind;
    execution.surrounded = execution.verify_inputs = true;
    execution.result_poison = execution.workspace_fill = kind == Padding::nan ? 0x5A : 0xFF;
    auto measured = measure(subject, with_dead_row(call, kind), execution, tally);
    if (!measured) return;
    if (first) {
      same_bits(std::string(name_of(kind)) + " padding", measured->results, first->results, call.rows->cols(), tally);
    } else {
      first = std::move(measured);
    }
  }
}

// The phase with which the last element ends at a 256-byte boundary: behind it lies nothing at all.
std::int64_t flush_phase(const Call& call, std::int64_t stride) {
  const std::int64_t unit = per_bytes(call.rows->dtype(), 256);
  return (unit - ((call.rows->rows() - 1) * stride + call.rows->cols()) % unit) % unit;
}

// Nothing mapped before the first element of anything, then nothing behind the last one.
void edges(const Subject& subject, Call call, Tally& tally) {
  const auto at_edge = [&](const char* what, bool left) {
    Execution execution = execution_of(subject);
    execution.flush_left = left;
    auto measured = measure(subject, call, execution, tally);
    if (measured) Launched(call, std::move(*measured)).judge(what, tally);
  };
  call.layout.phase = call.gradient_phase = 0;
  at_edge("first element at the edge", true);
  call.layout.phase = flush_phase(call, call.layout.row_stride);
  call.gradient_phase = flush_phase(call, call.gradient_stride);
  at_edge("last element at the edge", false);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = relation_call(of);
  call.options.gradient = Gradient::in_place;
  padding(subject, call, tally);
  edges(subject, call, tally);
  // Elsewhere, with gaps of odd lengths between the rows of both and between the targets.
  call.options.gradient = Gradient::out_of_place;
  call.layout.row_stride += 3;
  call.gradient_stride += 5;
  call.options.target_stride += 2;
  padding(subject, call, tally);
  edges(subject, call, tally);
  tally.finish();
}

}  // namespace
extern const Check guards;
const Check guards = {
    "guards", "nothing but the inputs is read, an ignored row not even once, and nothing but the results is written",
    true,     relation_refusal,
    run,      true};
}  // namespace plusmax::properties::cross_entropy
