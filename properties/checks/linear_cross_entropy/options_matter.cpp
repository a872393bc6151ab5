// Catches an option that is accepted and then not used.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"
#include "reference/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {
namespace {

constexpr std::int64_t kTokens = 4, kFeatures = 3;
constexpr std::int64_t kMostClasses = 33;  // what an option does, it does with any number of classes

// Tokens of different targets, none of which is sure and none hopeless.
Call plain_call(const Case& of, const Subject& subject) {
  const Random random = random_of(of, "options_matter");
  const std::int64_t vocab = std::min(of.cols, kMostClasses);
  const auto drawn = [&](std::int64_t rows, std::uint64_t stream) {
    std::vector<double> values;
    for (std::int64_t k = 0; k < rows * kFeatures; ++k)
      values.push_back(reference::round_to(of.dtype, 0.5 + random.uniform(static_cast<std::uint64_t>(k), stream)));
    return std::make_shared<const Rows>(of.dtype, rows, kFeatures, std::move(values));
  };
  Call call;
  call.hidden = drawn(kTokens, 0);
  call.weight = drawn(vocab, 1);
  call.hidden_layout = call.weight_layout = dense(kFeatures);
  call.dhidden = call.dweight = {kFeatures, 0};
  call.options.features = kFeatures;
  call.options.chunk = 2;
  for (std::int64_t t = 0; t < kTokens; ++t) call.targets.push_back(t % vocab);
  // Not argmax: kernels have other code for it, which would hide an option that the plain one forgets.
  call.options.outputs = kLoss | kLse | kZLoss;
  call.options.gradients = kDhidden | kDweight | kDbias;
  if (!refusal(subject, call).empty()) call.options.gradients = 0;
  return call;
}

bool differ(const Number& a, const Number& b) {
  if (a.promised && b.promised) return std::fabs(a.got - b.got) > a.slack + b.slack;
  return std::isfinite(a.got) != std::isfinite(b.got);
}

// Whether any result tells the two calls apart.
bool differ(const Launched& a, const Launched& b) {
  const auto any = [&](Part part, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t r = 0; a.has(part) && b.has(part) && r < rows; ++r)
      for (std::int64_t k = 0; k < columns; ++k)
        if (differ(a.number(part, {r, k}), b.number(part, {r, k}))) return true;
    return false;
  };
  const std::int64_t vocab = a.call().vocab();
  return any(Part::loss, kTokens, 1) || any(Part::lse, kTokens, 1) || any(Part::z_loss, kTokens, 1) ||
         any(Part::dhidden, kTokens, kFeatures) || any(Part::dweight, vocab, kFeatures) || any(Part::dbias, vocab, 1) ||
         any(Part::reduced, 1, 1) || a.results().num_valid != b.results().num_valid;
}

struct Addition {
  const char* name;
  void (*to)(Call&);  // what the call with it has beyond the one without
  void (*before)(Call&) = nullptr;
  bool of_gradients = false;  // it shows in gradients alone
};
constexpr Addition kAdditions[] = {
    {"smoothing", [](Call& c) { c.options.smoothing = 0.3; }},
    {"z_loss", [](Call& c) { c.options.z_loss = 0.5; }},
    {"softcap", [](Call& c) { c.options.softcap = 2; }},
    {"scale", [](Call& c) { c.options.scale = 0.5; }},
    {"bias",
     [](Call& c) {
       for (std::int64_t j = 0; j < c.vocab(); ++j) c.bias.push_back(j % 2 ? -1 : 2);
     }},
    {"weights", [](Call& c) { c.class_weights.assign(static_cast<std::size_t>(c.vocab()), 0.25f); }},
    {"weights with smoothing",
     [](Call& c) {
       for (std::size_t k = 0; k < c.class_weights.size(); k += 2) c.class_weights[k] = 3;
     },
     [](Call& c) { c.options.smoothing = 0.9, c.class_weights.assign(static_cast<std::size_t>(c.vocab()), 1); }},
    {"upstream", [](Call& c) { c.upstream = {3}; }, nullptr, true},
    {"upstream of each token",
     [](Call& c) {
       c.upstream = {1, 2, 1, 4};
     },
     [](Call& c) { c.upstream = {1}; }, true},
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
     [](Call& c) { c.options.reduction = Reduction::mean, c.targets.assign(kTokens, c.options.ignore_index); }},
    {"max_valid_tokens", [](Call& c) { c.options.max_valid_tokens = 1; }},
    {"add_to_dweight",
     [](Call& c) {
       c.options.add_to_dweight = true;
       c.dweight_before.assign(static_cast<std::size_t>(c.vocab() * kFeatures), 1);
       c.dbias_before.assign(static_cast<std::size_t>(c.vocab()), 1);
     },
     nullptr, true}};

// Where a type holds less, numbers are others, though within their bounds.
void types(const Subject& subject, const Call& plain, Tally& tally) {
  if (plain.dtype() == PLUSMAX_F32) return;
  Call narrow = plain;
  narrow.options.own_chunk_type = true;
  const auto wide_lse = measure(subject, plain, execution_of(subject), tally);
  const auto narrow_lse = measure(subject, narrow, execution_of(subject), tally);
  if (wide_lse && narrow_lse)
    tally.holds("chunk_dtype", wide_lse->results.lse.bits != narrow_lse->results.lse.bits, 0, 0, 1, 0, plain.vocab());
  if (plain.options.gradients == 0) return;
  std::vector<std::int64_t> often;  // so often that sums in 16 bits are other sums
  for (std::int64_t k = 0; k < 16 * kTokens; ++k) often.push_back(k % kTokens);
  Call rounded = select(plain, often);  // once, or after each chunk: slices have no sum
  rounded.options.own_dweight_type = true;
  const auto once = measure(subject, rounded, execution_of(subject), tally);
  rounded.options.accumulate_in_dweight_type = true;
  const auto each = measure(subject, rounded, execution_of(subject), tally);
  if (once && each && each->planning.planned.mode == PLUSMAX_TOKEN_CHUNKS)
    tally.holds("accumulate_in_dweight_type", once->results.dweight.bits != each->results.dweight.bits, 0, 0, 1, 0,
                plain.vocab());
}

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  if (of.cols < 2) return "needs two classes: one is certain, whatever the options";
  const Options o = options_of(of);
  const bool plain = o.smoothing == 0 && o.z_loss == 0 && o.softcap == 0 && o.scale == 1 &&
                     o.weights == Weights::none && o.bias == Bias::none && o.ignored == 0;
  return plain ? "" : "has the options itself, one by one";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const Call plain = plain_call(of, subject);
  const auto nothing = launched(subject, plain, tally);
  for (const Addition& addition : kAdditions) {
    if (addition.of_gradients && plain.options.gradients == 0) continue;
    Call call = plain;
    if (addition.before) addition.before(call);
    const auto before = addition.before ? launched(subject, call, tally) : std::nullopt;
    addition.to(call);
    const auto with = launched(subject, call, tally);
    const Launched* without = before ? &*before : nothing && !addition.before ? &*nothing : nullptr;
    if (without && with)
      tally.holds(std::string("with and without ") + addition.name, differ(*without, *with), 0, 0, 1, 0, plain.vocab());
  }
  types(subject, plain, tally);
  tally.finish();
}

}  // namespace
extern const Check options_matter;
const Check options_matter = {
    "options_matter", "each option moves some result by more than the bounds of both", false, applies, run, true};
}  // namespace plusmax::properties::linear_cross_entropy
