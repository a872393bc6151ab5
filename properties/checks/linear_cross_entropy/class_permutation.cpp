// Catches what depends on a class's place: a slice that begins elsewhere, a bias or a weight of another class, a
// dropped tail of the vocabulary.
#include "properties/check.hpp"
#include "properties/ops/linear_cross_entropy/edits.hpp"
#include "properties/ops/linear_cross_entropy/few_tokens.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"

namespace plusmax::properties::linear_cross_entropy {
namespace {

std::string applies(const Case& of, const Subject& subject) {
  if (std::string why = relation_refusal(of, subject); !why.empty()) return why;
  return of.cols < 2 ? "needs two classes" : "";
}

void run(const Case& of, Subject& subject, Record& record) {
  Tally tally(record);
  const auto exact = few_tokens_of(of, subject);
  const auto given = launched(subject, exact, execution_of(subject), tally);
  for (const Order& order : orders_of(exact->call().vocab(), random_of(of, "class_permutation"))) {
    const auto moved = given ? launched(subject, rearranged_classes(exact->call(), order.places), tally) : std::nullopt;
    if (!moved) continue;
    const auto counterpart = [&](Part part, At at) {
      const bool of_class = part == Part::dweight || part == Part::dbias;
      return Counterpart{of_class ? At{order.places[static_cast<std::size_t>(at.row)], at.column} : at};
    };
    agree_all(std::string(order.name) + " classes", *moved, *given, counterpart, tally);
  }
  tally.finish();
}

}  // namespace
extern const Check class_permutation;
const Check class_permutation = {
    "class_permutation", "the order of the classes moves dW and dbias along, and no other result beyond its bounds",
    true, applies, run};
}  // namespace plusmax::properties::linear_cross_entropy
