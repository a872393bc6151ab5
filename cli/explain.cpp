// explain 'LINE': where the error bound of each row comes from.
#include "cli/verbs.hpp"
#include "cli/isolated.hpp"
#include "properties/memory.hpp"
#include "properties/operation.hpp"
#include "reports/json_writer.hpp"
#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <memory>

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::RowBound;
using properties::Subject;
using reports::brief;

// What the child says last.
constexpr const char* kExplained = "explained";
constexpr const char* kSkipped = "skipped";
constexpr std::int64_t kExplainedColumns = 4;

struct ExplainOptions {
  Selection selection;
  std::string line;
  std::int64_t rows = 4;
  bool json = false;
};

std::string text_of(const Subject& subject, const std::vector<RowBound>& rows, const std::string& refusal) {
  if (!refusal.empty()) return fmt::format("{}: skipped: {}\n", subject.variant, refusal);
  std::string text = fmt::format("{}\n", subject.variant);
  for (const RowBound& r : rows) {
    if (r.terms.empty()) {
      text += fmt::format("  row {}: {} must be {}; no error is allowed\n", r.row, r.result, r.row_class);
      continue;
    }
    text += fmt::format("  row {}: {} {:.12g}, |error| <= {} ({}relative for the sum alone {})\n", r.row, r.result, r.want, brief(r.bound, 4),
                        r.probabilistic > 0 ? fmt::format("probabilistic {}, ", brief(r.probabilistic, 4)) : "",
                        brief(r.sum_relative, 4));
    for (const reference::BoundTerm& term : r.terms)
      text += fmt::format("    {:>10}  {:6.1f} %  {}: {}\n", brief(term.value, 4), 100 * term.value / r.bound, term.name, term.formula);
  }
  return text;
}

void json_of(reports::JsonWriter& w, const Subject& subject, const std::vector<RowBound>& rows, const std::string& refusal) {
  w.begin_object().text("variant", subject.variant).text("skipped", refusal).begin_array("rows");
  for (const RowBound& r : rows) {
    w.begin_object().integer("row", r.row).text("result", r.result).text("class", r.row_class).exact("want", r.want).exact("bound", r.bound);
    w.real("probabilistic", r.probabilistic).real("sum_relative", r.sum_relative).begin_array("terms");
    for (const reference::BoundTerm& term : r.terms)
      w.begin_object().text("name", term.name).text("formula", term.formula).exact("value", term.value).end_object();
    w.end_array().end_object();
  }
  w.end_array().end_object();
}

// In a child, as it asks the device for the shape of its launch. `any`: some variant takes the case.
std::string explain_all(const ExplainOptions& options, const Case& of, const std::vector<Subject>& subjects,
                        bool& any) {
  reports::JsonWriter w;
  std::string text = properties::to_line(of) + "\n";
  w.begin_object().text("case", properties::to_line(of)).begin_array("variants");
  const properties::Operation& operation = properties::operation_named(of.op);
  for (const Subject& subject : subjects) {
    std::string refusal = operation.refusal(subject, of);
    if (refusal.empty()) refusal = properties::memory_refusal(of, *subject.module->device);
    std::vector<RowBound> rows;
    if (refusal.empty()) rows = operation.explain(of, subject, {options.rows, kExplainedColumns});
    any |= refusal.empty();
    text += text_of(subject, rows, refusal);
    json_of(w, subject, rows, refusal);
  }
  w.end_array().end_object();
  return options.json ? w.str() : text;
}

int explain(const ExplainOptions& options) {
  options.selection.validate();
  const Case of = properties::parse_case(options.line);
  properties::operation_named(of.op);
  Selection selection = options.selection;
  selection.op = of.op;
  const std::vector<Subject> subjects = select_subjects(choose_backend(selection), selection);
  const IsolatedAnswer answer = run_isolated(0, [&](const Say& say) {
    bool any = false;
    const std::string text = explain_all(options, of, subjects, any);
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      say(text.substr(begin, end - begin));
    return std::string(any ? kExplained : kSkipped);
  });
  if (answer.died) {
    fmt::print(stderr, "plusmax: explaining {} failed: {}\n", properties::to_line(of), answer.death.what);
    return answer.death.kind == Death::threw ? reports::kInternal : reports::kCrashedOrTimedOut;
  }
  for (std::size_t i = 0; i + 1 < answer.lines.size(); ++i) fmt::print("{}\n", answer.lines[i]);
  return answer.lines.back() == kExplained ? reports::kAllPassed : reports::kAllSkipped;
}

}  // namespace

RunVerb add_explain(Arguments& arguments) {
  auto options = std::make_shared<ExplainOptions>();
  arguments.option("line", options->line, "the case line, as one word", {.required = true});
  add_backend(arguments, options->selection);
  arguments.option("--module", options->selection.module, "explain the kernel module at this path instead");
  arguments.option("--variant", options->selection.variant, "only this variant");
  arguments.option("--rows", options->rows, "how many rows to explain", {.refuse = refuse_no_count, .shows_default = true});
  arguments.flag("--json", options->json, "as JSON");
  return [options](const Invocation&) { return explain(*options); };
}

}  // namespace plusmax::cli
