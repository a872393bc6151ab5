// replay 'LINE': one case on every variant, or on one; each row with what came and what should have.
#include "cli/isolated.hpp"
#include "cli/replayed.hpp"
#include "cli/verbs.hpp"
#include "properties/operation.hpp"
#include "reports/json_writer.hpp"
#include "reports/numbers.hpp"
#include "reports/record_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::Check;
using properties::Record;
using properties::RowResult;
using properties::Subject;
using reports::JsonWriter;

struct ReplayOptions {
  Selection selection;
  std::string line;
  std::int64_t rows = 16;
  double timeout = 300;
  int verbosity = 0;
  bool json = false;
};

std::vector<const Check*> chosen_checks(const Selection& selection) {
  std::vector<const Check*> checks;
  for (const std::string& name : selection.checks) checks.push_back(properties::find_check(selection.op, name));
  if (checks.empty()) checks.push_back(properties::find_check(selection.op, "oracle"));
  return checks;
}

std::string result_text(const Case& of, double value) {
  // As many digits as tell two results of this type apart.
  if (of.dtype == PLUSMAX_F64) return reports::decimal(value);
  return std::isfinite(value) ? fmt::format("{}", static_cast<float>(value)) : reports::decimal(value);
}

void print_rows(const Case& of, const std::vector<RowResult>& rows, int verbosity) {
  if (rows.empty()) return;
  fmt::print("  {:>6}  {:<12}  {:>14}  {:>20}  {:>10}  {:>10}  {:>11}  {:>9}\n", "row", "result", "got", "want", "error", "bound", "error/bound", "ulp");
  for (const RowResult& r : rows) {
    fmt::print("  {:>6}  {:<12}  {:>14}  {:>20}  {:>10}  {:>10}  {:>11}  {:>9}{}\n", r.row, r.result, result_text(of, r.got), fmt::format("{:.12g}", r.want),
               reports::brief(r.error), reports::brief(r.bound), reports::brief(r.ratio), reports::brief(r.ulps), r.passed ? "" : "  FAILED");
    if (verbosity > 0) fmt::print("  {:>6}  {:<12}  {:>14}  {:>20}\n", "", "", reports::hex_float(r.got), reports::hex_float(r.want));
  }
  if (of.rows > rows.back().row + 1) fmt::print("  ... {} rows, `--rows N` shows more\n", of.rows);
}

void print_text(const Case& of, const std::vector<Replayed>& results, int verbosity) {
  for (const Replayed& result : results) {
    const Record& r = result.record;
    fmt::print("{} {} ({}): {}{}{}\n", r.variant, r.check, r.backend, reports::name_of(r.outcome), r.reason.empty() ? "" : ": ", r.reason);
    print_rows(of, result.rows, verbosity);
  }
}

void print_json(const Case& of, const Backend& backend, const std::vector<Replayed>& results, int code) {
  JsonWriter w;
  w.begin_object().text("case", properties::to_line(of)).text("backend", backend.name).text("device", backend.device.description);
  w.integer("exit_code", code).begin_array("results");
  for (const Replayed& result : results) {
    w.begin_object().text("variant", result.record.variant).text("check", result.record.check);
    w.text("outcome", reports::name_of(result.record.outcome)).text("reason", result.record.reason).begin_array("rows");
    for (const RowResult& r : result.rows)
      w.begin_object().integer("row", r.row).text("result", r.result).boolean("passed", r.passed).exact("got", r.got).exact("want", r.want)
          .exact("error", r.error).exact("bound", r.bound).real("ratio", r.ratio).real("ulps", r.ulps).end_object();
    w.end_array().raw("record", reports::to_json(result.record)).end_object();
  }
  w.end_array().end_object();
  fmt::print("{}", w.str());
}

int replay(const ReplayOptions& options) {
  const Case of = properties::parse_case(options.line);
  properties::operation_named(of.op);
  Selection selection = options.selection;
  selection.op = of.op;
  selection.validate();
  const Backend backend = choose_backend(selection);
  reports::RunData data;
  std::vector<Replayed> results;
  for (const Subject& subject : select_subjects(backend, selection))
    for (const Check* check : chosen_checks(selection)) {
      results.push_back(replay_isolated(*check, of, subject, options.rows, options.timeout));
      data.records.push_back(results.back().record);
    }
  const int code = reports::exit_code(reports::summarize(data));
  if (options.json) {
    print_json(of, backend, results, code);
  } else {
    fmt::print("{}\nseed {}, {}\n", properties::to_line(of), of.seed, backend.device.description);
    print_text(of, results, options.verbosity);
  }
  return code;
}

}  // namespace

RunVerb add_replay(Arguments& arguments) {
  auto options = std::make_shared<ReplayOptions>();
  arguments.option("line", options->line, "the case line, as one word", {.required = true});
  add_backend(arguments, options->selection);
  arguments.option("--module", options->selection.module, "test the kernel module at this path instead");
  arguments.option("--variant", options->selection.variant, "only this variant");
  arguments.option("--check", options->selection.checks, "this check instead of the oracle (may be repeated)");
  arguments.option("--rows", options->rows, "how many rows to show", {.refuse = refuse_count, .shows_default = true});
  arguments.option("--timeout", options->timeout, "seconds for one check of one variant, 0 for none", {.refuse = refuse_seconds, .shows_default = true});
  arguments.flag("-v,--verbose", options->verbosity, "hex floats as well");
  arguments.flag("--json", options->json, "as JSON");
  return [options](const Invocation&) { return replay(*options); };
}

}  // namespace plusmax::cli
