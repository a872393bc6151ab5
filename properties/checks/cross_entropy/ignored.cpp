// Catches ignored rows that count: in a mean, in a gradient, through what their logits hold, under any number.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/edits.hpp"
#include "properties/ops/cross_entropy/launched.hpp"

#include <algorithm>
#include <limits>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Three rows and an ignored one behind each of the first two; nobody's target is `ignore`.
struct Scene {
  Call call;
  std::vector<std::int64_t> dead;
};

std::int64_t another_target(const Call& call, std::int64_t row, std::int64_t ignore) {
  const std::int64_t cols = call.rows->cols();
  const std::int64_t target = call.ignores(row) ? 0 : call.is_bad(row) ? cols + 5 : call.target(row);
  return target == ignore ? (ignore + 1) % cols : target;
}

Scene scene_of(const Call& given, std::int64_t ignore, double filler) {
  const std::int64_t last = given.rows->rows() - 1, middle = last / 2;
  const std::int64_t which[] = {0, 0, middle, last, last};
  Scene scene{select(given, which, given.layout), {1, 3}};
  Call& call = scene.call;
  for (std::size_t r = 0; r < std::size(which); ++r) call.targets[r] = another_target(given, which[r], ignore);
  call.options.ignore_index = ignore;
  for (const std::int64_t r : scene.dead) {
    call.targets[static_cast<std::size_t>(r)] = ignore;
    if (call.upstream.size() > 1) call.upstream[static_cast<std::size_t>(r)] = std::numeric_limits<float>::quiet_NaN();
  }
  call = with_rows(call, edited(*call.rows, call.rows->cols(), [&](std::int64_t r, auto in, auto out) {
                     if (r == 1 || r == 3) {
                       std::fill(out.begin(), out.end(), filler);
                     } else {
                       std::copy(in.begin(), in.end(), out.begin());
                     }
                   }));
  return scene;
}

void expect_zero(const std::string& what, const Scene& scene, const Results& at, Tally& tally) {
  const std::int64_t cols = scene.call.rows->cols();
  for (const std::int64_t r : scene.dead) {
    const auto row = static_cast<std::size_t>(r);
    for (const std::uint64_t bits :
         {at.loss.bits[row], at.z_loss.bits[row], at.lse.bits[row], at.state.bits[2 * row], at.state.bits[2 * row + 1]})
      tally.same_bits(what + ": results of an ignored row", r, bits, 0, cols);
    if (!at.argmax.empty())
      tally.holds(what + ": argmax of an ignored row", at.argmax[row] == -1, r, static_cast<double>(at.argmax[row]), -1,
                  0, cols);
    const auto gradient = at.gradient_row(r, cols);
    const auto dirty = std::count_if(gradient.begin(), gradient.end(), [](unsigned char byte) { return byte != 0; });
    tally.same_bits(what + ": gradient of an ignored row, bytes that are not 0", r, static_cast<std::uint64_t>(dirty),
                    0, cols);
  }
}

// Whatever ignored rows hold: the same bits everywhere.
void any_logits(const Subject& subject, const Call& given, Tally& tally) {
  std::optional<Results> first;
  for (const double filler : {0.0, std::numeric_limits<double>::quiet_NaN(), kInfinity}) {
    const Scene scene = scene_of(given, given.options.ignore_index, filler);
    const auto at = launched(subject, scene.call, tally);
    if (!at) return;
    expect_zero("ignored rows hold " + std::to_string(filler), scene, at->results(), tally);
    if (first)
      same_bits("ignored rows hold something else", at->results(), *first, given.rows->cols(), tally);
    else
      first = at->results();
  }
}

// Whatever number says that a row is ignored, classes and numbers beyond 32 bits included.
void any_index(const Subject& subject, Call given, Tally& tally) {
  const std::int64_t cols = given.rows->cols();
  given.options.int32_targets = false;
  std::optional<Results> first;
  for (const std::int64_t index :
       {std::int64_t{-1}, cols, (std::int64_t{1} << 32) + cols / 2, std::int64_t{0}, cols - 1}) {
    const Scene scene = scene_of(given, index, kInfinity);
    const auto at = launched(subject, scene.call, tally);
    if (!at) return;
    const std::string what = "ignore_index " + std::to_string(index);
    expect_zero(what, scene, at->results(), tally);
    // Where it is a class, some row may need another one.
    if (index >= 0 && index < cols)
      at->judge(what, tally);
    else if (first)
      same_bits(what, at->results(), *first, cols, tally);
    else
      first = at->results();
  }
}

void nothing_left(const Subject& subject, Call call, Tally& tally) {
  call.options.normalizer.reset();
  call.targets.assign(call.targets.size(), call.options.ignore_index);
  for (const auto reduction : {Reduction::sum, Reduction::mean}) {
    call.options.reduction = reduction;
    const auto at = launched(subject, call, tally);
    if (at) at->judge("every row ignored", tally);
  }
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = relation_call(of);
  if (!holds_target(call, call.options.ignore_index)) call.options.int32_targets = false;
  any_logits(subject, call, tally);
  any_index(subject, call, tally);
  nothing_left(subject, call, tally);
  tally.finish();
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols < 2 ? "needs two classes, one of which may be ignored" : "";
}

}  // namespace
extern const Check ignored;
const Check ignored = {"ignored", "an ignored row gives zeros, is not read, and changes no bit of anything else",
                       true,      applies,
                       run,       true};
}  // namespace plusmax::properties::cross_entropy
