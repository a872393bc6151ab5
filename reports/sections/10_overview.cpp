// The first screen: the verdict, the numbers that matter, and how to run it again.
#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/section.hpp"

#include <fmt/format.h>

namespace plusmax::reports::sections {
namespace {

using properties::Outcome;

std::string tile(const std::string& big, const std::string& small, const char* classes = "") {
  return fmt::format("<div class=\"tile\"><b class=\"{}\">{}</b><span>{}</span></div>\n", classes, big, small);
}

std::string checks_tile(const Summary& s) {
  std::string rest = fmt::format("checks run: {} passed, {} failed", grouped(s.count(Outcome::passed)), grouped(s.count(Outcome::failed)));
  for (const auto& [outcome, word] : {std::pair{Outcome::untrusted, "untrusted"}, {Outcome::crashed, "crashed"}, {Outcome::timeout, "timed out"}})
    if (s.count(outcome) > 0) rest += fmt::format(", {} {}", grouped(s.count(outcome)), word);
  if (s.count(Outcome::skipped) > 0) rest += fmt::format("; <a href=\"#skipped\">{} skipped</a>", grouped(s.count(Outcome::skipped)));
  return tile(grouped(s.run), rest);
}

std::string worst_tile(const Summary& s) {
  if (s.worst == nullptr) return tile("–", "worst error / bound: nothing was compared");
  return tile(brief(s.worst_ratio), fmt::format("<a href=\"#worst_cases\">worst error / bound</a>, {} {} {}", escaped(s.worst->op), escaped(s.worst->variant), escaped(s.worst->dtype)),
              s.worst_ratio <= 1 ? "" : "bad");
}

std::string separation_tile(const Summary& s) {
  if (!s.separation) return tile("–", "separation: not measured in this run; <code>./plusmax mutants</code> measures it");
  return tile(brief(*s.separation), fmt::format("<a href=\"#separation\">separation</a>: weakest mutant ({}) over worst production result; at least {} wanted",
                                                escaped(s.weakest->name), kSmallestSeparation),
              *s.separation >= kSmallestSeparation ? "" : "bad");
}

std::string mutants_tile(const Summary& s) {
  if (s.mutants == 0) return tile("–", "mutants: not run; <code>./plusmax mutants</code> runs them");
  return tile(fmt::format("{}/{}", s.killed, s.mutants), "<a href=\"#kill_matrix\">mutants killed</a> by the check they name", s.killed == s.mutants ? "" : "bad");
}

void fact(std::string& list, const char* name, const std::string& html) {
  if (!html.empty()) list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string html(const Page& page) {
  const Summary& s = page.summary;
  const properties::RunInfo& info = page.data.info;
  const bool good = exit_code(s) == kAllPassed;
  std::string text = fmt::format("<header class=\"verdict {}\"><h1>{}</h1><p>plusmax {}{}{}: {}</p></header>\n", good ? "good" : "bad", verdict(s),
                                 escaped(info.verb), info.profile.empty() ? "" : " ", escaped(info.profile), escaped(verdict_sentence(s)));
  text += "<div class=\"tiles\">\n" + checks_tile(s) + worst_tile(s) + separation_tile(s) + mutants_tile(s) + "</div>\n";
  std::string facts;
  fact(facts, "seed", fmt::format("{}", info.seed));
  fact(facts, "commit", escaped(info.git + (info.version.empty() ? "" : ", version " + info.version)));
  fact(facts, "device", escaped(info.device + (info.backend.empty() ? "" : " (" + info.backend + ")")));
  fact(facts, "toolchain", escaped(info.toolchain));
  fact(facts, "reference", escaped(fmt::format("{}; {} results compared, {} decided by the oracle, {} undecided", info.reference, grouped(s.compared),
                                               grouped(s.escalations), grouped(s.uncertified))));
  fact(facts, "run", escaped(fmt::format("{}, {}", info.started, duration(info.seconds))));
  text += "<dl class=\"facts\">" + facts + "</dl>\n";
  text += "<h3>Run it again</h3><pre>" + escaped(repeat_command(info)) + "</pre>\n";
  for (const std::string& note : page.data.notes) text += "<p class=\"warn\">" + escaped(note) + "</p>\n";
  return text;
}

}  // namespace
extern const Section overview;
const Section overview = {"overview", "", html};
}  // namespace plusmax::reports::sections
