// The table of what this build contains. The harness runs each variant on its own through it; it is the only header of
// kernels/ (with types.h and error_shape.h) that the harness includes. A planted mutant is another module with the same
// table.
#pragma once

#include "kernels/cross_entropy/params.hpp"
#include "kernels/error_shape.h"
#include "kernels/linear_cross_entropy/params.hpp"
#include "kernels/logsumexp/params.hpp"
#include "kernels/platform/bench.hpp"
#include "kernels/platform/device.hpp"
#include "kernels/status.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace plusmax {

constexpr unsigned dtype_bit(plusmax_dtype dtype) { return 1u << static_cast<unsigned>(dtype); }

// kernels/OP/NAME.cu defines `extern const KernelVariant<Params> NAME = {...}` in namespace plusmax::OP.
template <class Params>
struct KernelVariant {
  const char* name;                               // its mapping: "warp_per_row"
  unsigned dtypes;                                // of dtype_bit()
  Status (*supports)(const Params&);              // why not, with the values
  std::size_t (*workspace_bytes)(const Params&);  // 0: needs none
  Status (*launch)(const Params&, void* workspace, void* stream);
  double (*bytes)(const Params&);                        // what it must move: each logit once, each result once
  typename Params::Shape (*error_shape)(const Params&);  // from the launch's own constants, for this device
};

struct Module {
  std::span<const KernelVariant<logsumexp::Params>* const> logsumexp;
  Device* device;
  Bench* bench;  // times launches on `device`
  std::span<const KernelVariant<cross_entropy::Params>* const> cross_entropy;
  std::span<const KernelVariant<linear_cross_entropy::Params>* const> linear_cross_entropy;
  // What calls of a shape (sizes, strides, types, options, alignments, which pointers are null) are run by, with this
  // module's products and variants. `budget`: bytes of workspace that a call may have; 0: as many as it likes.
  Status (*plan_linear_cross_entropy)(const linear_cross_entropy::Params& shape, const linear_cross_entropy::PlanOptions&,
                                      std::size_t budget, linear_cross_entropy::Planned&);
  // Times the algorithms of each product of a plan on what a call has left in its buffers, and keeps the fastest.
  Status (*tune_linear_cross_entropy)(linear_cross_entropy::Plan&, const linear_cross_entropy::Params& call,
                                      void* workspace, void* stream);
  // Of a call that has its plan.
  Status (*plan_product_ceiling)(const linear_cross_entropy::Params& call,
                                 std::unique_ptr<linear_cross_entropy::ProductCeiling>&);
};

// Entry point of every kernel module, the built-in one included.
using ModuleEntry = const Module* (*)();
extern "C" __attribute__((visibility("default"))) const Module* plusmax_module();

}  // namespace plusmax
