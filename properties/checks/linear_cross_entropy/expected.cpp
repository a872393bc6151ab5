// Catches whatever the reported bugs caught: the answers that people worked out and that the case files print.
#include "properties/answer_check.hpp"
#include "properties/check.hpp"

namespace plusmax::properties::linear_cross_entropy {
extern const Check expected;
const Check expected = {"expected", "a reported case gives the answers that its report has", true, answer_refusal,
                        check_answers};
}  // namespace plusmax::properties::linear_cross_entropy
