#include "cli/replayed.hpp"

#include "cli/isolated.hpp"
#include "properties/operation.hpp"
#include "reference/dtype.hpp"
#include "reports/numbers.hpp"
#include "reports/record_json.hpp"

#include <fmt/format.h>

#include <sstream>

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::Check;
using properties::Outcome;
using properties::Record;
using properties::RowResult;
using properties::Subject;

constexpr std::int64_t kShownColumns = 8;

std::string to_text(const RowResult& r) {
  using reports::hex_float;
  return fmt::format("{} {} {:d} {} {} {} {} {} {} {}", r.row, r.result, r.passed, hex_float(r.got), hex_float(r.want), hex_float(r.error),
                     hex_float(r.bound), hex_float(r.ratio), hex_float(r.ulps), r.want_class);
}

RowResult row_from(const std::string& text) {
  std::istringstream in(text);
  RowResult r;
  std::string field;
  in >> r.row >> r.result >> r.passed;
  for (double* value : {&r.got, &r.want, &r.error, &r.bound, &r.ratio, &r.ulps}) {
    in >> field;
    *value = reports::parse_number(field);
  }
  in >> r.want_class;
  return r;
}

}  // namespace

Replayed replay_isolated(const Check& check, const Case& of, const Subject& given, std::int64_t most, double timeout) {
  const bool with_rows = std::string_view(check.name) == "oracle" && most > 0;
  const IsolatedAnswer answer = run_isolated(timeout, [&](const Say& say) {
    Subject subject = given;
    Record record = properties::run_check(check, of, subject);
    record.source = "replay";
    const bool ran = record.outcome == Outcome::passed || record.outcome == Outcome::untrusted || record.outcome == Outcome::failed;
    if (with_rows && ran) {
      try {
        for (const RowResult& row : properties::operation_named(of.op).inspect(of, subject, {most, kShownColumns})) say(to_text(row));
      } catch (const DeviceError&) {
        // The record tells it; there are no rows to show.
      }
    }
    return reports::to_json(record);
  });
  Replayed replayed;
  if (answer.died || answer.lines.empty()) {
    Record identity = identity_of(check, of, given, given.module->device->backend());
    identity.source = "replay";
    const Death death = answer.died ? answer.death : Death{Death::threw, "interrupted"};
    replayed.record = record_of(death, std::move(identity));
    return replayed;
  }
  replayed.record = reports::record_from_json(answer.lines.back());
  for (std::size_t i = 0; i + 1 < answer.lines.size(); ++i) replayed.rows.push_back(row_from(answer.lines[i]));
  return replayed;
}

Record identity_of(const Check& check, const Case& of, const Subject& subject, const std::string& backend) {
  Record record;
  record.op = of.op;
  record.variant = subject.variant;
  record.dtype = reference::name_of(of.dtype);
  record.backend = backend;
  record.check = check.name;
  record.mutant = subject.mutant;
  record.case_line = properties::to_line(of);
  record.rows = of.rows;
  record.cols = of.cols;
  record.seed = of.seed;
  return record;
}

Record record_of(const Death& death, Record record) {
  switch (death.kind) {
    case Death::crashed:
      record.outcome = Outcome::crashed;
      record.reason = "the process ended with " + death.what;
      break;
    case Death::timeout:
      record.outcome = Outcome::timeout;
      record.reason = death.what;
      break;
    case Death::threw:
      record.outcome = Outcome::untrusted;
      record.reason = "the harness gave up: " + death.what;
      break;
  }
  return record;
}

}  // namespace plusmax::cli
