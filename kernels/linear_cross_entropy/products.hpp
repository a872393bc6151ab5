// What the products of a call multiply: `begin` is the first class of a slice, 0 where a tile has all.
#pragma once

#include "kernels/linear_cross_entropy/workspace.hpp"

namespace plusmax::linear_cross_entropy {

inline void* advance(const void* base, std::int64_t elements, plusmax_dtype dtype) {
  return static_cast<unsigned char*>(const_cast<void*>(base)) + elements * element_size(dtype);
}

inline platform::Factors logits_factors(const Params& p, const Workspace& space, std::int64_t begin) {
  const void* bias = p.bias == nullptr ? nullptr : advance(space.bias, begin, chunk_dtype(p));
  return {space.hidden, advance(p.weight, begin * p.weight_stride, p.dtype), space.logits, bias};
}

inline platform::Factors dweight_factors(const Params& p, const Workspace& space, std::int64_t begin) {
  void* sums =
      space.dweight != nullptr ? space.dweight : advance(p.dweight, begin * p.dweight_stride, p.dweight_type);
  return {space.logits, space.hidden, sums, nullptr};
}

// dX of a chunk takes the place of X, whose last product is dW's.
inline platform::Factors dhidden_factors(const Params& p, const Workspace& space, std::int64_t begin) {
  void* sums = space.dhidden != nullptr ? static_cast<void*>(space.dhidden) : space.hidden;
  return {space.logits, advance(p.weight, begin * p.weight_stride, p.dtype), sums, nullptr};
}

}  // namespace plusmax::linear_cross_entropy
