// The values of a generated Case: its fill and parameters, patches, or literal data.
#pragma once

#include "properties/case.hpp"
#include "properties/fill.hpp"
#include "properties/gen/draw.hpp"

namespace plusmax::properties::gen {

// Sets fill, parameters, seed, set, or (small) data with its rows and cols.
void draw_values(Draw&, int size, Case&);

// A value for a parameter of a fill, within its limits, for the extent and dtype of the Case; a short decimal, so that the
// line stays readable.
double draw_parameter(Draw&, const FillParameter&, const Case&);

// NaN, infinities, signed zero, extremes and subnormals of the dtype, neighbours of exp's thresholds; exact in the dtype.
double draw_special(Draw&, plusmax_dtype);

// Adds a patch, keeping them sorted by (row, col), one for each position.
void add_patch(Case&, Patch);

}  // namespace plusmax::properties::gen
