// The entry point of a kernel module: the variants that were compiled into it, and the machine they run on.
#include "kernels/catalog.hpp"
#include "kernels/platform/backend.hpp"

namespace plusmax::logsumexp {
std::span<const KernelVariant<Params>* const> variants();  // generated from the file names
}

extern "C" __attribute__((visibility("default"))) const plusmax::Module* plusmax_module() {
  static const plusmax::Module module{plusmax::logsumexp::variants(), plusmax::backend_device(),
                                      plusmax::backend_bench()};
  return &module;
}
