// Catches strides taken from the shape, row offsets in 32 bits, loads that assume an alignment.
#include "properties/check.hpp"
#include "properties/ops/logsumexp/measure.hpp"

#include <string_view>

namespace plusmax::properties::logsumexp {
namespace {

bool by_rows(const Layout& layout) { return layout.row_stride >= layout.col_stride; }

// The same starts modulo 128 bytes, so the same bits.
void equal_bits(const Case& of, const Subject& subject, const Rows& rows, const Layout& base, const Measured& given, Tally& tally) {
  const std::int64_t unit = per_bytes(of.dtype, 128);
  const auto expect_same = [&](std::string_view what, const Layout& layout) {
    const auto moved = measure(subject, rows, layout, execution_of(subject), tally);
    if (moved) same_bits(what, moved->results, given.results, of.cols, tally);
  };
  for (const std::int64_t more : {unit, 5 * unit}) {
    Layout wider = base;
    (by_rows(base) ? wider.row_stride : wider.col_stride) += more;
    expect_same("stride longer by " + std::to_string(more), wider);
  }
  Layout later = base;
  later.phase = (base.phase + unit) % (2 * unit);
  expect_same("start moved by 128 bytes", later);
  Layout spread = base;
  spread.lse_stride = base.lse_stride + 3;
  expect_same("results further apart", spread);
}

// Memory that is not there costs nothing on the host: the second row lies beyond 2^32 bytes, the third beyond 2^32 elements.
void far_rows(const Case& of, const Subject& subject, const Rows& rows, const Layout& base, const Measured& given, Tally& tally) {
  if (std::string_view(subject.module->device->backend()) != "host" || base.col_stride != 1 || rows.rows() < 2) return;
  const std::int64_t unit = per_bytes(of.dtype, 128);
  Layout far = base;
  const std::int64_t lines = rows.rows() > 2 ? std::int64_t{1} << 31 : std::int64_t{1} << 32;
  far.row_stride = (lines + (std::int64_t{1} << 20)) / unit * unit + base.row_stride % unit;
  const auto moved = measure(subject, rows, far, execution_of(subject), tally);
  if (moved) same_bits("rows beyond 2^32 elements", moved->results, given.results, of.cols, tally);
}

// Any other start: other threads meet other elements, so only the bound holds.
void other_phases(const Case& of, const Subject& subject, const Rows& rows, const Layout& base, Tally& tally) {
  const std::int64_t unit = per_bytes(of.dtype, 128);
  for (const std::int64_t by : {std::int64_t{1}, unit / 8 - 1, unit / 2 + 1, unit - 1}) {
    Layout moved = base;
    moved.phase = (base.phase + by) % unit;
    if (by_rows(base)) moved.row_stride = base.row_stride + by;  // each row another phase
    const auto measured = measure(subject, rows, moved, execution_of(subject), tally);
    if (measured) judge_all("start moved by " + std::to_string(by) + " elements", rows, *measured, tally);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Rows rows = peaked(relation_rows(of));
  const Layout base = reshaped(of, rows.rows(), of.cols);
  const auto given = measure(subject, rows, base, execution_of(subject), tally);
  if (given) {
    equal_bits(of, subject, rows, base, *given, tally);
    far_rows(of, subject, rows, base, *given, tally);
    other_phases(of, subject, rows, base, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check stride_alignment;
const Check stride_alignment = {"stride_alignment",
                                "strides, and starts moved by 128 bytes, change no bit of a result; other starts keep it within its bound",
                                true, relation_refusal, run};
}  // namespace plusmax::properties::logsumexp
