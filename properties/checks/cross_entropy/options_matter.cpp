// Catches an option that is accepted and then not used.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/launched.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace plusmax::properties::cross_entropy {
namespace {

constexpr std::int64_t kRows = 2;
constexpr std::int64_t kMostColumns = 257;  // what an option does, it does at any width

// Rows of different targets, none of which is sure and none hopeless.
Call plain_call(const Case& of) {
  const Random random = random_of(of, "options_matter");
  const std::int64_t cols = std::min(of.cols, kMostColumns);
  std::vector<double> logits;
  for (std::int64_t k = 0; k < kRows * cols; ++k)
    logits.push_back(reference::round_to(of.dtype, 0.5 + 4 * random.uniform(static_cast<std::uint64_t>(k))));
  Call call;
  call.rows = std::make_shared<Rows>(of.dtype, kRows, cols, std::move(logits));
  call.layout = reshaped(of, kRows, cols);
  call.gradient_stride = call.layout.row_stride;
  for (std::int64_t r = 0; r < kRows; ++r) call.targets.push_back(r % cols);
  // Not argmax: kernels have other code for it, which would hide an option that the plain one forgets.
  call.options.outputs = kLoss | kLse | kZLoss;
  call.options.gradient = Gradient::out_of_place;
  return call;
}

bool differ(const Number& a, const Number& b) {
  if (a.promised && b.promised) return std::fabs(a.got - b.got) > a.slack + b.slack;
  return std::isfinite(a.got) != std::isfinite(b.got);
}

// Whether any result tells the two calls apart.
bool differ(const Launched& a, const Launched& b) {
  for (std::int64_t r = 0; r < a.rows(); ++r) {
    if (differ(a.loss(r), b.loss(r)) || differ(a.lse(r), b.lse(r)) || differ(a.z_loss(r), b.z_loss(r))) return true;
    for (const std::int64_t j : columns_of(a.call(), r))
      if (differ(a.gradient(r, j), b.gradient(r, j))) return true;
  }
  const bool both = !a.results().reduced.values.empty() && !b.results().reduced.values.empty();
  return (both && differ(a.reduced(), b.reduced())) || a.results().num_valid != b.results().num_valid;
}

struct Addition {
  const char* name;
  void (*to)(Call&);  // what the call with it has beyond the one without
  void (*before)(Call&) = nullptr;
};
constexpr Addition kAdditions[] = {
    {"smoothing", [](Call& c) { c.options.smoothing = 0.3; }},
    {"z_loss", [](Call& c) { c.options.z_loss = 0.5; }},
    {"softcap", [](Call& c) { c.options.softcap = 2; }},
    {"scale", [](Call& c) { c.options.scale = 0.5; }},
    {"weights", [](Call& c) { c.weights.assign(static_cast<std::size_t>(c.rows->cols()), 0.25f); }},
    {"weights with smoothing",
     [](Call& c) {
       for (std::size_t k = 0; k < c.weights.size(); k += 2) c.weights[k] = 3;
     },
     [](Call& c) { c.options.smoothing = 0.9, c.weights.assign(static_cast<std::size_t>(c.rows->cols()), 1); }},
    {"upstream", [](Call& c) { c.upstream = {3}; }},
    {"upstream of each row",
     [](Call& c) {
       c.upstream = {1, 2};
     },
     [](Call& c) { c.upstream = {1}; }},
    {"ignore_index", [](Call& c) { c.options.ignore_index = 0; }},
    {"mean", [](Call& c) { c.options.reduction = Reduction::mean; },
     [](Call& c) { c.options.reduction = Reduction::sum; }},
    {"normalizer",
     [](Call& c) {
       c.options.normalizer = {7.5, 5};
     },
     [](Call& c) { c.options.reduction = Reduction::mean; }},
    {"the normalizer's count",
     [](Call& c) {
       c.options.normalizer = {7.5, 50};
     },
     [](Call& c) {
       c.options.reduction = Reduction::mean, c.options.z_loss = 1, c.options.normalizer = {7.5, 5};
     }},
    {"empty_mean", [](Call& c) { c.options.nan_if_empty = true; },
     [](Call& c) { c.options.reduction = Reduction::mean, c.targets.assign(kRows, c.options.ignore_index); }}};

// Each alone, where it must show.
void alone(const Case& of, const Subject& subject, Tally& tally) {
  const Call plain = plain_call(of);
  const auto nothing = launched(subject, plain, tally);
  for (const Addition& addition : kAdditions) {
    Call call = plain;
    if (addition.before) addition.before(call);
    const auto before = addition.before ? launched(subject, call, tally) : std::nullopt;
    addition.to(call);
    const auto with = launched(subject, call, tally);
    const Launched* without = before ? &*before : nothing && !addition.before ? &*nothing : nullptr;
    if (without && with)
      tally.holds(std::string("with and without ") + addition.name, differ(*without, *with), 0, 0, 1, 0, of.cols);
  }
}

// What differs by so much that no error can hide it.
bool must_differ(const Number& a, const Number& b) {
  return a.promised && b.promised && std::fabs(a.want - b.want) > 2 * (a.slack + b.slack);
}
bool must_differ(const Launched& a, const Launched& b) {
  for (std::int64_t r = 0; r < a.rows(); ++r) {
    if (must_differ(a.loss(r), b.loss(r)) || must_differ(a.lse(r), b.lse(r))) return true;
    for (const std::int64_t j : columns_of(a.call(), r))
      if (must_differ(a.gradient(r, j), b.gradient(r, j))) return true;
  }
  return false;
}

// Those that the case sets, each taken from it alone.
void of_case(const Case& of, const Subject& subject, Tally& tally) {
  const auto whole = launched(subject, relation_call(of), tally);
  for (std::size_t k = 0; whole && k < of.options.size(); ++k) {
    Case less = of;
    less.options.erase(less.options.begin() + static_cast<std::ptrdiff_t>(k));
    try {
      options_of(less);
    } catch (const UsageError&) {
      continue;  // another option needs it
    }
    const auto without = launched(subject, relation_call(less), tally);
    if (without && must_differ(*whole, *without))
      tally.holds("with and without " + of.options[k].first + "=" + of.options[k].second, differ(*whole, *without), 0,
                  0, 1, 0, of.cols);
  }
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols < 2 ? "needs two columns: one is certain, whatever the options" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  alone(of, subject, tally);
  of_case(of, subject, tally);
  tally.finish();
}

}  // namespace
extern const Check options_matter;
const Check options_matter = {
    "options_matter", "each option moves some result by more than the bounds of both", false, applies, run, true};
}  // namespace plusmax::properties::cross_entropy
