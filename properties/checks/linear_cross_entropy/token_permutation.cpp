// Catches what depends on a token's place: results scattered to another token, a first or last token of a chunk that is
// lost, targets or upstream gradients that do not go along.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.rows < 2 ? "needs two tokens" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const auto given = launched(subject, exact, execution_of(subject), tally);
  for (const Order& order : orders_of(exact->call().tokens(), random_of(of, "token_permutation"))) {
    const auto moved = given ? launched(subject, select(exact->call(), order.places), tally) : std::nullopt;
    if (!moved) continue;
    const auto counterpart = [&](Part part, At at) {
      const bool of_token = part != Part::dweight && part != Part::dbias && part != Part::reduced;
      return Counterpart{of_token ? At{order.places[static_cast<std::size_t>(at.row)], at.column} : at};
    };
    agree_all(std::string(order.name) + " tokens", *moved, *given, counterpart, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check token_permutation;
const Check token_permutation = {
    "token_permutation", "the order of the tokens moves their losses and dX along, and leaves dW, dbias and the loss",
    true, applies, run};
}  // namespace plusmax::properties::linear_cross_entropy
