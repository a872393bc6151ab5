// What a run prints at its end.
#pragma once

#include "cli/options.hpp"
#include "reports/run_data.hpp"
#include "reports/summary.hpp"

namespace plusmax::cli {

inline constexpr std::size_t kShownFailures = 10;

// Failures with one replay line each (the first ten, then their number), the verdict, the counts, the worst error, where the
// report is (`written`: if it could be written).
void print_last_words(const reports::RunData& data, const reports::Summary& summary, const Running& running, bool written);

}  // namespace plusmax::cli
