#include "reports/numbers.hpp"
#include "reports/record_json.hpp"
#include "reports/report.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace plusmax::reports {
namespace {

using properties::MutantResult;
using properties::Outcome;
using properties::Record;

constexpr int kShownFailures = 10, kShownVariants = 14, kShownBench = 10;  // with the head, never more than 60 lines

// Nothing in a table cell may end it.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string head(const RunData& data, const Summary& s) {
  std::string text = fmt::format("## plusmax {}: {}\n\n{}\n\n", data.info.verb, verdict(s), verdict_sentence(s));
  text += "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) { text += fmt::format("| {} | {} |\n", name, cell(value)); };
  row("checks run", grouped(s.run));
  if (s.worst != nullptr) row("worst error/bound", fmt::format("{} ({} {})", brief(s.worst_ratio), s.worst->variant, s.worst->dtype));
  if (s.separation) row("separation", brief(*s.separation));
  if (s.mutants > 0) row("mutants killed", fmt::format("{} of {}", s.killed, s.mutants));
  row("seed", fmt::format("{}", data.info.seed));
  row("commit", data.info.git);
  row("device", data.info.device);
  row("toolchain", data.info.toolchain);
  row("repeat", "`" + repeat_command(data.info) + "`");
  return text + "\n";
}

std::string failures(const RunData& data) {
  std::string text;
  int count = 0;
  for (const Record& r : data.records) {
    if (!r.mutant.empty() || r.outcome == Outcome::passed || r.outcome == Outcome::skipped) continue;
    if (++count <= kShownFailures)
      text += fmt::format("- {} `{}` ({})\n", name_of(r.outcome), replay_command(r, data.info), r.reason);
  }
  for (const MutantResult& m : data.mutants)
    if (!m.killed && ++count <= kShownFailures) text += fmt::format("- survived: {} by {} ({})\n", m.name, m.killed_by, m.detail);
  if (count > kShownFailures) text += fmt::format("- {} more in report.html\n", count - kShownFailures);
  return text.empty() ? "" : text + "\n";
}

std::string variants(const RunData& data) {
  struct Counts {
    std::uint64_t run = 0, bad = 0;
    double worst = 0;
  };
  std::map<std::pair<std::string, std::string>, Counts> table;
  for (const Record& r : data.records) {
    if (!r.mutant.empty() || r.outcome == Outcome::skipped) continue;
    Counts& c = table[{r.op, r.variant}];
    c.run += r.checks;
    if (r.outcome != Outcome::passed) c.bad += r.checks;
    if (!(r.worst_ratio <= c.worst)) c.worst = r.worst_ratio;
  }
  if (table.empty()) return "";
  std::string text = "| operation | variant | run | bad | worst error/bound |\n|---|---|---|---|---|\n";
  int count = 0;
  for (const auto& [key, c] : table)
    if (++count <= kShownVariants)
      text += fmt::format("| {} | {} | {} | {} | {} |\n", key.first, key.second, c.run, c.bad, brief(c.worst));
  return text + "\n";
}

std::string bench(const RunData& data) {
  if (data.bench.empty()) return "";
  std::string text = "| case | variant | median us | ceiling | share of it |\n|---|---|---|---|---|\n";
  int count = 0;
  for (const properties::BenchResult& b : data.bench)
    if (++count <= kShownBench) text += fmt::format("| {} | {} | {} | {} | {} |\n", b.case_line, b.variant, brief(b.median_us, 4), b.ceiling, percent(b.share));
  return text;
}

}  // namespace

std::string summary_markdown(const RunData& data, const Summary& s) { return head(data, s) + failures(data) + variants(data) + bench(data); }

}  // namespace plusmax::reports
