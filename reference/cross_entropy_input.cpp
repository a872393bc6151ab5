#include "reference/cross_entropy.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace plusmax::reference {

void check_input(const CrossEntropyInput& in) {
  const CrossEntropyOptions& o = in.options;
  const auto refuse = [](const std::string& what) { throw std::invalid_argument("cross_entropy: " + what); };
  if (in.logits.empty()) refuse("a row without columns has no loss");
  if (!in.weights.empty() && in.weights.size() != in.logits.size()) {
    refuse(std::to_string(in.weights.size()) + " weights for " + std::to_string(in.logits.size()) + " columns");
  }
  if (!in.logit_errors.empty() && in.logit_errors.size() != in.logits.size()) {
    refuse(std::to_string(in.logit_errors.size()) + " logit errors for " + std::to_string(in.logits.size()) + " columns");
  }
  if (!(o.smoothing >= 0 && o.smoothing < 1)) refuse("smoothing " + std::to_string(o.smoothing) + " is not in [0, 1)");
  if (!std::isfinite(o.z_loss)) refuse("z_loss " + std::to_string(o.z_loss) + " is not finite");
  if (!(o.softcap >= 0 && std::isfinite(o.softcap)))
    refuse("softcap " + std::to_string(o.softcap) + " is negative or not finite");
  if (std::isinf(in.upstream)) refuse("an infinite upstream gradient has no reference");
  for (const float w : in.weights) {
    if (!std::isfinite(w)) refuse("a weight of " + std::to_string(w) + " has no reference");
  }
  if (!(o.logit_scale > 0 && std::isfinite(o.logit_scale)))
    refuse("logit_scale " + std::to_string(o.logit_scale) + " is not positive and finite");
}

TargetClass target_class(const CrossEntropyInput& in) {
  if (in.target == in.ignore_index) return TargetClass::ignored;
  const bool inside = in.target >= 0 && static_cast<std::uint64_t>(in.target) < in.logits.size();
  return inside ? TargetClass::counted : TargetClass::out_of_range;
}

}  // namespace plusmax::reference
