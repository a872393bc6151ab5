// Catches strides taken from the shape or from another operand, row offsets in 32 bits, loads that assume an alignment.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

// Moves logits and gradient alike.
void widen(Call& call, std::int64_t by) {
  call.layout.row_stride += by;
  call.gradient_stride += by;
}

// The same starts modulo 128 bytes, so the same bits; where the gradient begins changes none in any phase.
void equal_bits(const Subject& subject, const Call& base, const Results& given, Tally& tally) {
  const std::int64_t unit = per_bytes(base.rows->dtype(), 128);
  const auto expect_same = [&](const char* what, auto edit) {
    Call moved = base;
    edit(moved);
    const auto measured = measure(subject, moved, execution_of(subject), tally);
    if (measured) same_bits(what, measured->results, given, base.rows->cols(), tally);
  };
  expect_same("strides longer by 128 bytes", [&](Call& c) { widen(c, unit); });
  expect_same("strides longer by 640 bytes", [&](Call& c) { widen(c, 5 * unit); });
  expect_same("starts moved by 128 bytes",
              [&](Call& c) { c.layout.phase = c.gradient_phase = (c.layout.phase + unit) % (2 * unit); });
  expect_same("targets further apart", [](Call& c) { c.options.target_stride += 3; });
  if (base.options.gradient != Gradient::out_of_place) return;
  expect_same("gradient in another phase", [](Call& c) { ++c.gradient_phase; });
  expect_same("gradient rows in other phases", [](Call& c) { c.gradient_stride += 3; });
}

// Memory that is not there costs nothing on the host: the second row lies beyond 2^32 bytes, the third beyond 2^32
// elements.
void far_rows(const Subject& subject, const Call& base, const Results& given, Tally& tally) {
  if (std::string_view(subject.module->device->backend()) != "host" || base.rows->rows() < 2) return;
  const std::int64_t unit = per_bytes(base.rows->dtype(), 128);
  const std::int64_t lines = base.rows->rows() > 2 ? std::int64_t{1} << 31 : std::int64_t{1} << 32;
  Call far = base;
  widen(far, (lines + (std::int64_t{1} << 20)) / unit * unit);
  const auto measured = measure(subject, far, execution_of(subject), tally);
  if (measured) same_bits("rows beyond 2^32 elements", measured->results, given, base.rows->cols(), tally);
}

// Any other start: other threads meet other elements, so only the bound holds.
void other_phases(const Subject& subject, const Call& base, Tally& tally) {
  const std::int64_t unit = per_bytes(base.rows->dtype(), 128);
  for (const std::int64_t by : {std::int64_t{1}, unit / 2 + 1, unit - 1}) {
    Call moved = base;
    moved.layout.phase = moved.gradient_phase = (base.layout.phase + by) % unit;
    widen(moved, by);  // each row another phase
    if (const auto at = launched(subject, moved, tally))
      at->judge("starts moved by " + std::to_string(by) + " elements", tally);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call base = relation_call(of);
  const auto given = measure(subject, base, execution_of(subject), tally);
  if (given) {
    equal_bits(subject, base, given->results, tally);
    far_rows(subject, base, given->results, tally);
    other_phases(subject, base, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check stride_alignment;
const Check stride_alignment = {
    "stride_alignment",
    "strides, starts moved by 128 bytes and the place of the gradient change no bit; other starts keep the bounds",
    true,
    relation_refusal,
    run,
    true};
}  // namespace plusmax::properties::cross_entropy
