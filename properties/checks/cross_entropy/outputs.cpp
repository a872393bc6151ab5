// Catches results that depend on what else is asked for: another path without a gradient, a maximum found only with
// argmax, logits overwritten before their last use.
#include "properties/check.hpp"
#include "properties/ops/cross_entropy/measure.hpp"

namespace plusmax::properties::cross_entropy {
namespace {

struct Choice {
  const char* name;
  unsigned outputs;
  Gradient gradient;
  unsigned also = 0;
};
constexpr Choice kChoices[] = {{"gradient in place", ~0u, Gradient::in_place},
                               {"no gradient", ~0u, Gradient::none},
                               {"loss and gradient alone", kLoss, Gradient::in_place},
                               {"gradient alone", 0, Gradient::out_of_place},
                               {"loss alone", kLoss, Gradient::none},
                               {"lse and argmax alone", kLse | kArgmax, Gradient::out_of_place},
                               {"z-loss and state alone", kZLoss | kState, Gradient::in_place},
                               {"argmax as well", ~0u, Gradient::in_place, kArgmax}};

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  Call call = relation_call(of);
  call.options.gradient = Gradient::out_of_place;
  const auto whole = measure(subject, call, execution_of(subject), tally);
  const auto expect_same = [&](const char* what, const Call& other) {
    const auto measured = whole ? measure(subject, other, execution_of(subject), tally) : std::nullopt;
    if (measured) same_bits(what, measured->results, whole->results, of.cols, tally);
  };
  for (const Choice& choice : kChoices) {
    if (choice.also != 0 && (call.options.outputs & choice.also) != 0) continue;  // asked for already
    Call other = call;
    other.options.outputs = (other.options.outputs & choice.outputs) | choice.also;
    other.options.gradient = choice.gradient;
    expect_same(choice.name, other);
  }
  // What divides nothing changes no row.
  if (call.options.reduction != Reduction::mean) {
    call.options.reduction = call.options.reduction == Reduction::sum ? Reduction::none : Reduction::sum;
    expect_same("with and without a sum", call);
  }
  tally.finish();
}

}  // namespace
extern const Check outputs;
const Check outputs = {
    "outputs", "no bit of a result depends on which others are asked for, or on where the gradient goes",
    false,     relation_refusal,
    run,       true};
}  // namespace plusmax::properties::cross_entropy
