#include "reports/html.hpp"
#include "reports/numbers.hpp"
#include "reports/record_json.hpp"
#include "reports/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plusmax::reports {
namespace {

using properties::Outcome;
using properties::Record;

std::string test_case(const Record& r, const properties::RunInfo& info) {
  std::string text = fmt::format(
      "  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"", escaped(r.op + "." + r.variant + "." + r.dtype),
      escaped(r.check + ": " + (r.checks > 1 ? grouped(r.checks) + " checks, the worst of them " : "") + r.case_line),
      r.seconds);
  if (r.outcome == Outcome::passed) return text + "/>\n";
  const char* element = r.outcome == Outcome::skipped ? "skipped" : r.outcome == Outcome::failed ? "failure" : "error";
  text += fmt::format("><{} message=\"{}\"", element, escaped(r.reason));
  if (r.outcome == Outcome::skipped) return text + "/></testcase>\n";
  return text + fmt::format(" type=\"{}\">{}</{}></testcase>\n", name_of(r.outcome), escaped(replay_command(r, info)),
                            element);
}

// What decides the verdict and belongs to no single check: each an element of its own.
std::string of_the_run(const RunData& data, const Summary& s) {
  std::string text;
  int tests = 0, errors = 0;
  const auto say = [&](const std::string& name, bool good, const std::string& why) {
    ++tests;
    text += fmt::format("  <testcase classname=\"run\" name=\"{}\"", escaped(name));
    text += good ? "/>\n" : fmt::format("><error message=\"{}\"/></testcase>\n", escaped(why));
    errors += good ? 0 : 1;
  };
  say("something ran", s.run + s.mutants + s.bench > 0, s.records > 0 ? "everything was skipped" : "nothing was selected");
  say("the run is whole", !s.interrupted, s.unrecorded.empty() ? "interrupted, so not everything was run" : "not everything was recorded: " + s.unrecorded);
  say("every comparison is decided", s.uncertified == 0, fmt::format("{} undecided by the reference", grouped(s.uncertified)));
  if (s.separation)
    say(fmt::format("separation is at least {}", kSmallestSeparation), *s.separation >= kSmallestSeparation, fmt::format("separation is {}", brief(*s.separation)));
  for (const properties::BenchResult& b : data.bench)
    say(fmt::format("time of {} {}: {}{}", b.variant, b.dtype, b.case_line, b.load.empty() ? "" : " behind " + b.load), !is_refused(b),
        b.verified ? fmt::format("refused: {} of the ceiling, more than memory allows", percent(b.share)) : "refused: " + (b.note.empty() ? "not verified" : b.note));
  return fmt::format(" <testsuite name=\"run\" tests=\"{}\" failures=\"0\" errors=\"{}\" skipped=\"0\">\n", tests, errors) + text + " </testsuite>\n";
}

}  // namespace

std::string junit_xml(const RunData& data, const Summary& s) {
  const std::uint64_t survived = s.mutants - s.killed;
  const std::uint64_t errors = s.count(Outcome::untrusted) + s.count(Outcome::crashed) + s.count(Outcome::timeout);
  const auto tests =
      std::count_if(data.records.begin(), data.records.end(), [](const Record& r) { return r.mutant.empty(); });
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"plusmax\">\n";
  text += fmt::format(
      " <testsuite name=\"checks\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n", tests,
      s.count(Outcome::failed), errors, s.count(Outcome::skipped), data.info.seconds);
  for (const Record& record : data.records)
    if (record.mutant.empty()) text += test_case(record, data.info);
  text += " </testsuite>\n";
  text += fmt::format(" <testsuite name=\"mutants\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n", s.mutants, survived);
  for (const properties::MutantResult& m : data.mutants) {
    text += fmt::format("  <testcase classname=\"mutants.{}\" name=\"{}\"", escaped(m.op), escaped(m.name));
    text += m.killed ? "/>\n"
                     : fmt::format("><failure message=\"survived {}: {}\"/></testcase>\n", escaped(m.killed_by), escaped(m.detail));
  }
  return text + " </testsuite>\n" + of_the_run(data, s) + "</testsuites>\n";
}

}  // namespace plusmax::reports
