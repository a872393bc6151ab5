// Catches reads of the padding and of ignored tokens, writes beside the results or the workspace, changed inputs,
// results never written.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

#include <algorithm>

namespace plusmax::properties::linear_cross_entropy {
namespace {

// The token in the middle is ignored and holds what the padding holds.
Call with_dead_token(Call call, Padding kind) {
  const std::int64_t dead = call.tokens() / 2;
  if (call.tokens() < 2 || !holds_target(call, call.options.ignore_index)) return call;
  call.targets[static_cast<std::size_t>(dead)] = call.options.ignore_index;
  return with_hidden(call, [&](std::int64_t t, auto in, auto out) {
    std::ranges::copy(in, out.begin());
    if (t == dead) std::ranges::fill(out, value_of(kind, call.dtype()));
  });
}

// NaN, the largest number and +inf between the rows of X and W, on both sides of them and in a token that is ignored:
// the same bits.
void padding(const Subject& subject, const Call& call, Tally& tally) {
  std::optional<Measured> first;
  for (const auto kind : {Padding::nan, Padding::huge, Padding::infinity}) {
    Execution execution = execution_of(subject);
    execution.padding = kind;
    execution.surrounded = execution.verify_inputs = true;
    execution.result_poison = execution.workspace_fill = kind == Padding::nan ? 0x5A : 0xFF;
    auto measured = measure(subject, with_dead_token(call, kind), execution, tally);
    if (!measured) return;
    if (first)
      same_results(std::string(name_of(kind)) + " padding", measured->results, first->results, call, tally);
    else
      first = std::move(measured);
  }
}

// The phase with which the last element of `rows` ends at a 256-byte boundary: behind it lies nothing at all.
std::int64_t flush_phase(plusmax_dtype dtype, std::int64_t rows, std::int64_t features, std::int64_t stride) {
  const std::int64_t unit = per_bytes(dtype, 256);
  return (unit - ((rows - 1) * stride + features) % unit) % unit;
}

// Nothing mapped before the first element of anything, then nothing behind the last one.
void edges(const Subject& subject, Call call, std::shared_ptr<const Exact> exact, Tally& tally) {
  const auto at_edge = [&](const char* what, bool left) {
    Execution execution = execution_of(subject);
    execution.flush_left = left;
    const auto at = launched(subject, std::make_shared<const Exact>(call, exact), execution, tally);
    if (at) at->judge(what, tally);
  };
  call.hidden_layout.phase = call.weight_layout.phase = call.dhidden.phase = call.dweight.phase = 0;
  at_edge("first element at the edge", true);
  const auto phase = [&](plusmax_dtype dtype, std::int64_t rows, std::int64_t stride) {
    return flush_phase(dtype, rows, call.features(), stride);
  };
  call.hidden_layout.phase = phase(call.dtype(), call.tokens(), call.hidden_layout.row_stride);
  call.weight_layout.phase = phase(call.dtype(), call.vocab(), call.weight_layout.row_stride);
  call.dhidden.phase = phase(call.dtype(), call.tokens(), call.dhidden.stride);
  call.dweight.phase = phase(call.dweight_type(), call.vocab(), call.dweight.stride);
  at_edge("last element at the edge", false);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  Call call = exact->call();
  edges(subject, call, exact, tally);
  // Elsewhere, with gaps of odd lengths between the rows of all and between the targets.
  call.hidden_layout.row_stride += 3;
  call.weight_layout.row_stride += 1;
  call.dhidden.stride += 5;
  call.dweight.stride += 7;
  call.options.target_stride += 2;
  padding(subject, call, tally);
  edges(subject, call, exact, tally);
  tally.finish();
}

}  // namespace
extern const Check guards;
const Check guards = {"guards",
                      "nothing but the inputs is read, an ignored token not even once, and nothing but the results and "
                      "the workspace is written",
                      true,
                      relation_refusal,
                      run,
                      true};
}  // namespace plusmax::properties::linear_cross_entropy
