// A launch beside its matrix products alone.
#pragma once

#include "properties/bench_bed.hpp"

namespace plusmax::cli {

// Tunes, then times both once a round, under load, and on a GPU rested too. Nothing is verified.
void time_in_rounds(const Module&, properties::BenchBed&, const properties::Subject&, void* workspace, properties::BenchResult&);

// In order; of nothing: 0.
double quantile(std::vector<double> values, double at);

}  // namespace plusmax::cli
