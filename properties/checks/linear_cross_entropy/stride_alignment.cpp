// Catches strides taken from the shape or from another operand, row offsets in 32 bits, loads that assume an alignment.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

// What the plan does not look at: where X and dX lie, and the targets.
void equal_bits(const Subject& subject, const Call& base, const Results& given, Tally& tally) {
  const auto expect_same = [&](const char* what, auto edit) {
    Call moved = base;
    edit(moved);
    const auto measured = measure(subject, moved, execution_of(subject), tally);
    if (measured) same_results(what, measured->results, given, base, tally);
  };
  expect_same("X further apart, in another phase",
              [](Call& c) { c.hidden_layout.row_stride += 3, ++c.hidden_layout.phase; });
  expect_same("dX further apart, in another phase", [](Call& c) { c.dhidden.stride += 5, ++c.dhidden.phase; });
  expect_same("targets further apart", [](Call& c) { c.options.target_stride += 3; });
}

// Other strides and alignments of W and dW may mean other products, so only the bounds hold.
void within_bounds(const Subject& subject, const Launched& given, Tally& tally) {
  const std::int64_t unit = per_bytes(given.call().dtype(), 128);
  const auto expect_near = [&](const char* what, auto edit) {
    Call moved = given.call();
    edit(moved);
    const auto at = launched(subject, moved, given.shared(), tally);
    if (at) agree_all(what, *at, given, tally);
  };
  expect_near("W further apart, in another phase",
              [](Call& c) { c.weight_layout.row_stride += 3, ++c.weight_layout.phase; });
  expect_near("dW further apart, in another phase", [](Call& c) { c.dweight.stride += 5, ++c.dweight.phase; });
  expect_near("all aligned", [&](Call& c) {
    c.weight_layout = {(c.features() + unit - 1) / unit * unit, 1, 1, 0};
    c.dweight = {c.weight_layout.row_stride, 0};
  });
}

// Memory that is not there costs nothing on the host: the second row lies beyond 2^32 bytes, the third beyond 2^32
// elements.
void far_rows(const Subject& subject, const Launched& given, Tally& tally) {
  if (std::string_view(subject.module->device->backend()) != "host") return;
  const auto far = [](std::int64_t& stride, std::int64_t rows) {
    stride = ((rows > 2 ? std::int64_t{1} << 31 : std::int64_t{1} << 32) + (std::int64_t{1} << 20)) / 256 * 256;
  };
  Call tokens = given.call();
  far(tokens.hidden_layout.row_stride, tokens.tokens());
  far(tokens.dhidden.stride, tokens.tokens());
  if (const auto at = measure(subject, tokens, execution_of(subject), tally))
    same_results("tokens beyond 2^32 elements", at->results, given.results(), tokens, tally);
  Call classes = given.call();
  far(classes.weight_layout.row_stride, classes.vocab());
  far(classes.dweight.stride, classes.vocab());
  if (const auto at = launched(subject, classes, given.shared(), tally))
    agree_all("classes beyond 2^32 elements", *at, given, tally);
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto given = launched(subject, few_tokens_of(of, subject), execution_of(subject), tally);
  if (given) {
    equal_bits(subject, given->call(), given->results(), tally);
    within_bounds(subject, *given, tally);
    far_rows(subject, *given, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check stride_alignment;
const Check stride_alignment = {
    "stride_alignment",
    "where X, dX and the targets lie changes no bit; where W and dW do moves nothing out of its bounds",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::linear_cross_entropy
