#include "properties/ops/cross_entropy/measure.hpp"

#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr const char* kNames[] = {"loss", "z_loss", "lse"};

// The bytes of an element as a number.
std::uint64_t word(const unsigned char* bytes, std::size_t size) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes, size);
  return out;
}

void same_gradient(std::string_view what, const Results& got, std::int64_t row, const Results& want, std::int64_t as,
                   std::int64_t cols, Tally& tally) {
  if (got.gradient.empty() || want.gradient.empty()) return;
  const auto g = got.gradient_row(row, cols), w = want.gradient_row(as, cols);
  const std::size_t size = g.size() / static_cast<std::size_t>(cols);
  const auto is_nan = [&](const unsigned char* element) { return std::isnan(reference::decode(want.dtype, element)); };
  for (std::size_t at = 0; at < g.size(); at += size) {
    if (std::equal(g.begin() + at, g.begin() + at + size, w.begin() + at)) continue;
    if (is_nan(g.data() + at) && is_nan(w.data() + at)) continue;
    return tally.same_bits(fmt::format("{}: gradient of column {}", what, at / size), row, word(g.data() + at, size),
                           word(w.data() + at, size), cols);
  }
  tally.same_bits("gradient", row, 0, 0, cols);
}

}  // namespace

std::optional<Measured> measure(const Subject& subject, const Call& call, const Execution& execution, Tally& tally) {
  if (std::string why = refusal(subject, call); !why.empty()) {
    tally.part_skipped(std::move(why));
    return std::nullopt;
  }
  return Measured{execute(subject, call, execution), error_shape(subject, call)};
}

std::optional<Measured> measure_backward(const Subject& subject, const Call& call, const Output& state,
                                         const Execution& execution, Tally& tally) {
  if (std::string why = backward_refusal(subject, call); !why.empty()) {
    tally.part_skipped(std::move(why));
    return std::nullopt;
  }
  return Measured{execute_backward(subject, call, state, execution), error_shape(subject, call)};
}

void same_row(std::string_view what, const Results& got, std::int64_t row, const Results& want, std::int64_t as,
              std::int64_t cols, Tally& tally) {
  const Output* const gots[] = {&got.loss, &got.z_loss, &got.lse};
  const Output* const wants[] = {&want.loss, &want.z_loss, &want.lse};
  for (std::size_t k = 0; k < std::size(gots); ++k)
    same_output(what, kNames[k], *gots[k], row, *wants[k], as, row, cols, tally);
  same_output(what, "saved maximum", got.state, 2 * row, want.state, 2 * as, row, cols, tally);
  same_output(what, "saved sum", got.state, 2 * row + 1, want.state, 2 * as + 1, row, cols, tally);
  if (!got.argmax.empty() && !want.argmax.empty())
    tally.same_bits(fmt::format("{}: argmax", what), row,
                    static_cast<std::uint64_t>(got.argmax[static_cast<std::size_t>(row)]),
                    static_cast<std::uint64_t>(want.argmax[static_cast<std::size_t>(as)]), cols);
  same_gradient(what, got, row, want, as, cols, tally);
}

void same_bits(std::string_view what, const Results& got, const Results& want, std::int64_t cols, Tally& tally) {
  const std::size_t rows = std::max({want.loss.bits.size(), want.z_loss.bits.size(), want.lse.bits.size(),
                                     want.state.bits.size() / 2, want.argmax.size(), want.gradient_rows(cols)});
  for (std::size_t r = 0; r < rows; ++r)
    same_row(what, got, static_cast<std::int64_t>(r), want, static_cast<std::int64_t>(r), cols, tally);
  same_output(what, "reduced loss", got.reduced, 0, want.reduced, 0, 0, cols, tally);
  const auto count = [&](const char* name, std::optional<std::int64_t> g, std::optional<std::int64_t> w) {
    if (g && w)
      tally.same_bits(fmt::format("{}: {}", what, name), 0, static_cast<std::uint64_t>(*g),
                      static_cast<std::uint64_t>(*w), cols);
  };
  count("num_valid", got.num_valid, want.num_valid);
  count("bad_targets", got.bad_targets, want.bad_targets);
}

std::string relation_refusal(const Case& of, const Subject& subject) {
  std::string why = refusal(subject, of);
  return why.empty() ? properties::relation_refusal(of) : why;
}

Call relation_call(const Case& of) {
  const auto which = sample_rows(of.rows, kRelationRows);
  return with_all_outputs(select(call_of(of), which, reshaped(of, static_cast<std::int64_t>(which.size()), of.cols)));
}

}  // namespace plusmax::properties::cross_entropy
