// A small call of a case, for checks that compare launches: a few of its tokens, classes and features, in several
// chunks.
#pragma once

#include "properties/ops/linear_cross_entropy/exact.hpp"

#include <memory>

namespace plusmax::properties::linear_cross_entropy {

// What cannot be cut keeps its size: lists of classes or features, X and W element by element.
Call few_tokens_of(const Case&);
// With every output, and every gradient that the variant has. The last few are kept.
std::shared_ptr<const Exact> few_tokens_of(const Case&, const Subject&);

// dW and dbias overwritten.
Call overwriting(Call);

}  // namespace plusmax::properties::linear_cross_entropy
