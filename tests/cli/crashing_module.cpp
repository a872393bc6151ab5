// A foreign kernel module whose only variant ends the process, but for rows of 7 columns: the production table with
// another launch.
#include "kernels/catalog.hpp"

#include <dlfcn.h>
#include <cstdlib>

namespace {

using Variant = plusmax::KernelVariant<plusmax::logsumexp::Params>;

Variant production_variant;

plusmax::Status crash(const plusmax::logsumexp::Params& p, void* workspace, void* stream) {
  if (p.cols != 7) std::abort();
  return production_variant.launch(p, workspace, stream);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const plusmax::Module* plusmax_module() {
  static Variant variant;
  static const Variant* table[] = {&variant};
  static plusmax::Module module;
  // The program's own entry comes first in the global scope.
  const auto production = reinterpret_cast<plusmax::ModuleEntry>(dlsym(RTLD_DEFAULT, "plusmax_module"))();
  variant = production_variant = *production->logsumexp[0];
  variant.name = "crashing";
  variant.launch = crash;
  module = *production;
  module.logsumexp = table;
  module.cross_entropy = {};
  module.linear_cross_entropy = {};
  return &module;
}
