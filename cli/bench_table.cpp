#include "cli/bench_table.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <string>

namespace plusmax::cli {
namespace {

using properties::BenchResult;
using reports::brief;

std::string bytes(std::uint64_t count) { return count > 0 ? fmt::format("{} B", count) : ""; }
const char* words(const BenchResult& b) { return b.note.empty() ? "verified" : b.note.c_str(); }

class Lines {
 public:
  // Once for all that follow with the same one.
  void under(const BenchResult& b, const std::string& head) {
    if (line_.empty()) fmt::print("{}", head);
    if (b.case_line != line_) fmt::print("{}\n", b.case_line);
    line_ = b.case_line;
  }

 private:
  std::string line_;
};

void traffic(const std::vector<BenchResult>& results) {
  Lines lines;
  const std::string head = fmt::format("{:16} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10}  {}\n", "variant", "median us", "p10", "p90", "cold", "GB/s", "share", "workspace", "results");
  for (const BenchResult& b : results) {
    if (b.ratio > 0) continue;
    lines.under(b, head);
    const std::string cold = b.cold_median_us > 0 ? brief(b.cold_median_us, 4) : "";
    fmt::print("  {:14} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10}  {}\n", b.variant, brief(b.median_us, 4), brief(b.p10_us, 4), brief(b.p90_us, 4), cold,
               brief(b.bytes / b.median_us / 1e3, 4), b.op == "ceiling" ? "ceiling" : reports::percent(b.share), bytes(b.workspace_bytes), words(b));
  }
}

// What was judged is said once for all that follow with the same sample.
void errors(const BenchResult& b, std::string& sample) {
  for (const properties::BenchError& e : b.errors)
    fmt::print("    {:18} {} judged, error/bound {}, rms relative error {}, bound {}\n", e.result, e.judged, brief(e.worst_ratio), brief(e.rms), brief(e.rms_bound));
  if (b.sample != sample) fmt::print("    {}\n", b.sample);
  sample = b.sample;
}

void rounds(const std::vector<BenchResult>& results) {
  Lines lines;
  std::string sample;
  const std::string head = fmt::format("{:16} {:>10} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8} {:>14} {:>14}  {}\n", "variant", "median us", "p10", "p90", "products", "ratio", "rested us", "products", "ratio",
                                       "workspace", "taken", "results");
  for (const BenchResult& b : results) {
    if (!(b.ratio > 0)) continue;
    lines.under(b, head);
    const auto rested = [&](double value) { return b.rested_ratio > 0 ? brief(value, 4) : ""; };
    fmt::print("  {:14} {:>10} {:>10} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8} {:>14} {:>14}  {}, beside {}\n", b.variant, brief(b.median_us, 4), brief(b.p10_us, 4), brief(b.p90_us, 4), brief(b.ceiling_us, 4),
               brief(b.ratio, 4), rested(b.rested_us), rested(b.rested_ceiling_us), rested(b.rested_ratio), bytes(b.workspace_bytes), bytes(b.taken_bytes), words(b), b.ceiling);
    errors(b, sample);
  }
}

}  // namespace

void print_bench(const std::vector<BenchResult>& results) {
  traffic(results);
  rounds(results);
}

}  // namespace plusmax::cli
