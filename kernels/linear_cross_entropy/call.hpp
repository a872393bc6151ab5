// What a call does before and behind its products, whatever the mode.
#pragma once

#include "kernels/cross_entropy/common.cuh"
#include "kernels/linear_cross_entropy/parts.hpp"

namespace plusmax::linear_cross_entropy {

using cross_entropy::kFloats;

inline Status check_mode(const Params& p, plusmax_linear_mode mode, const char* name) {
  if (p.plan == nullptr) return Status::error(PLUSMAX_INVALID_ARGUMENT, "%s: no plan", name);
  if (p.plan->options.mode != mode)
    return Status::error(PLUSMAX_UNSUPPORTED, "%s: the plan is for mode %d, not %d", name,
                         static_cast<int>(p.plan->options.mode), static_cast<int>(mode));
  return {};
}

// X and W once, and each gradient once.
inline double bytes_moved(const Params& p) {
  const double size = element_size(p.dtype), hidden = static_cast<double>(p.tokens) * static_cast<double>(p.features);
  const double weight = static_cast<double>(p.vocab) * static_cast<double>(p.features);
  return hidden * size * (p.dhidden != nullptr ? 2 : 1) + weight * size +
         (p.dweight != nullptr ? weight * element_size(p.dweight_type) : 0);
}

// Counts, compact rows, the bias as products want it.
inline Status begin_call(const Params& p, const Workspace& space, void* stream) {
  if (Status status = cross_entropy::launch_count(whole_call(p, space), space.counts, stream); !status.ok())
    return status;
  if (Status status = launch_compact(p, space, stream); !status.ok()) return status;
  if (p.bias == nullptr) return {};
  return launch_convert({const_cast<void*>(p.bias), p.dtype, 1, p.vocab, p.vocab},
                        {space.bias, chunk_dtype(p), 1, p.vocab, p.vocab}, false, stream);
}

// Sums over all tokens become dweight and dbias; over no tokens they are 0.
inline Status round_sums(const Params& p, const Workspace& space, void* stream) {
  const bool none = p.plan->chunks == 0;
  if (p.dweight != nullptr && (space.dweight != nullptr || none))
    if (Status status = launch_convert({none ? nullptr : space.dweight, PLUSMAX_F32, p.vocab, p.features, p.features},
                                       {p.dweight, p.dweight_type, p.vocab, p.features, p.dweight_stride},
                                       p.add_to_dweight, stream);
        !status.ok())
      return status;
  if (p.dbias == nullptr || (space.dbias == nullptr && !none)) return {};
  return launch_convert({none ? nullptr : space.dbias, PLUSMAX_F32, 1, p.vocab, p.vocab},
                        {p.dbias, p.dweight_type, 1, p.vocab, p.vocab}, p.add_to_dweight, stream);
}

inline Status end_call(const Params& p, const Workspace& space, void* stream) {
  if (Status status = launch_leave_out(p, space, stream); !status.ok()) return status;
  if (Status status = round_sums(p, space, stream); !status.ok()) return status;
  cross_entropy::Params whole = whole_call(p, space);
  whole.normalizer = space.normalizer;
  return cross_entropy::launch_reduce(whole, space.counts, stream);
}

}  // namespace plusmax::linear_cross_entropy
