// The entry point of a kernel module: the variants that were compiled into it, and the machine they run on.
#include "kernels/catalog.hpp"
#include "kernels/platform/backend.hpp"

// generated from the file names
namespace plusmax::logsumexp {
std::span<const KernelVariant<Params>* const> variants();
}
namespace plusmax::cross_entropy {
std::span<const KernelVariant<Params>* const> variants();
}
namespace plusmax::linear_cross_entropy {
std::span<const KernelVariant<Params>* const> variants();
Status plan_call(const Params&, const PlanOptions&, std::size_t, Planned&);
Status tune(Plan&, const Params&, void*, void*);
Status plan_product_ceiling(const Params&, std::unique_ptr<ProductCeiling>&);
}

extern "C" __attribute__((visibility("default"))) const plusmax::Module* plusmax_module() {
  static const plusmax::Module module{plusmax::logsumexp::variants(), plusmax::backend_device(),
                                      plusmax::backend_bench(), plusmax::cross_entropy::variants(),
                                      plusmax::linear_cross_entropy::variants(),
                                      plusmax::linear_cross_entropy::plan_call, plusmax::linear_cross_entropy::tune,
                                      plusmax::linear_cross_entropy::plan_product_ceiling};
  return &module;
}
