// Everything that went wrong, unfolded: what came, what should have, and the line that shows it again.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/record_json.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports::sections {
namespace {

using properties::MutantResult;
using properties::Outcome;
using properties::Record;

constexpr std::size_t kShown = 100;

std::string failure(const Record& r, const properties::RunInfo& info) {
  std::string text = fmt::format("<div class=\"failure\"><b class=\"bad\">{}</b> {} {} {} {}{}", name_of(r.outcome), code(r.op), code(r.variant), escaped(r.dtype), code(r.check),
                                 r.case_id.empty() ? "" : " [" + escaped(r.case_id) + "]");
  text += "<p>" + escaped(r.reason) + "</p>";
  if (r.worst_row >= 0)
    text += fmt::format("<p>row {}: got {} = {}, want {} = {}; error {}, bound {}, error/bound {}, {} ulp</p>", r.worst_row, decimal(r.got), code(hex_float(r.got)),
                        decimal(r.want), code(hex_float(r.want)), brief(r.error, 4), brief(r.bound, 4), brief(r.worst_ratio, 4), brief(r.worst_ulps, 4));
  return text + "<pre>" + escaped(replay_command(r, info)) + "</pre></div>\n";
}

std::string html(const Page& page) {
  std::string text;
  std::size_t count = 0;
  for (const Record& r : page.data.records) {
    if (!r.mutant.empty() || r.outcome == Outcome::passed || r.outcome == Outcome::skipped) continue;
    if (++count <= kShown) text += failure(r, page.data.info);
  }
  if (count > kShown) text += fmt::format("<p>{} more are in records.jsonl.</p>", count - kShown);
  for (const MutantResult& m : page.data.mutants)
    if (!m.killed)
      text += fmt::format("<div class=\"failure\"><b class=\"bad\">survived</b> mutant {}: {} did not kill it<p>{}</p><p class=\"soft\">{}</p></div>\n", code(m.name),
                          code(m.killed_by), escaped(m.detail), escaped(m.why));
  return text;
}

}  // namespace
extern const Section failures;
const Section failures = {"failures", "Failures", html};
}  // namespace plusmax::reports::sections
