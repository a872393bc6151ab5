#include "cli/check_plan.hpp"

#include "cli/answers.hpp"
#include "properties/operation.hpp"
#include "properties/random.hpp"
#include "reference/dtype.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plusmax::cli {
namespace {

using properties::Case;
using properties::CaseRow;
using properties::Check;
using properties::Profile;
using properties::Record;

// Whoever gives a file with answers wants to know about them, whatever else --check selects.
std::vector<const Check*> chosen_checks(const Selection& selection, const PlannedCase& planned) {
  std::vector<const Check*> checks;
  for (const Check* check : properties::checks_of(planned.of.op))
    if (selection.checks.empty() ||
        std::find(selection.checks.begin(), selection.checks.end(), check->name) != selection.checks.end() ||
        (is_expected(*check) && has_answers(planned.row, planned.source)))
      checks.push_back(check);
  return checks;
}

// The order of a selection never changes the data of a case: its seed is mixed with nothing but the given one.
Case reseeded(Case of, std::uint64_t seed) {
  if (seed != 0) of.seed = properties::mix(seed, of.seed) >> 32;
  return of;
}

// Of a case of gigabytes only the results are judged: relations between results would show nothing there that a sample of
// its rows does not, for minutes each.
bool judges_each_row(const Check& check) { return std::string_view(check.name) == "oracle" || is_expected(check); }

// Options come with many layouts already.
std::string shape_of(Case of) {
  if (!of.options.empty()) {
    of.row_stride = of.cols;
    of.phase = 0;
  }
  of.data.clear();
  of.set.clear();
  of.parameters.clear();
  of.options.clear();
  of.fill = Case{}.fill;
  of.seed = 0;
  return properties::to_line(of);
}
std::string options_of(const Case& of) {
  std::string text = reference::name_of(of.dtype);
  for (const auto& [key, value] : of.options) text += " " + key + "=" + value;
  return text;
}

class Planner {
 public:
  Planner(const PlanRequest& request, const Backend& backend) : request_(request), selection_(request.selection), backend_(backend) {
    plan_.subjects = select_subjects(backend, selection_);
  }

  void add_profile() {
    std::vector<plusmax_dtype> dtypes;
    for (const std::string& name : dtype_names())
      if (selection_.dtype.empty() || selection_.dtype == name) dtypes.push_back(*reference::dtype_from(name));
    for (const std::string& op : operation_names()) {
      if (!selection_.op.empty() && selection_.op != op) continue;
      for (const Case& of : properties::profile_cases(request_.profile, op, dtypes))
        plan_.cases.push_back({reseeded(of, request_.seed), "", "profile", {}});
    }
  }

  void add_row(const CaseRow& row) {
    if (row.kind != CaseRow::Kind::run) return set_aside(row, row.kind == CaseRow::Kind::refused ? "refused by contract: " + row.reason : "later: " + row.reason);
    if (!selection_.op.empty() && selection_.op != row.of.op) return;
    if (!selection_.dtype.empty() && selection_.dtype != reference::name_of(row.of.dtype)) return;
    if (row.gpu && backend_.name == "host")
      return set_aside(row, fmt::format("too large for the host ({} x {} logits); --backend cuda runs it", row.of.rows, row.of.cols));
    plan_.cases.push_back({row.of, row.id, request_.case_file.empty() ? "cases" : "file", row});
  }

  void add_built_in_files() {
    for (const properties::CaseText& file : properties::built_in_case_texts()) {
      // Narrow and quick ones belong to every profile, the rest to those with time.
      if (request_.profile == Profile::smoke && std::string_view(file.name) != "smoke") continue;
      for (const CaseRow& row : properties::built_in_cases(file.name)) add_row(row);
    }
  }

  Plan finish() {
    for (std::size_t of = 0; of < plan_.cases.size(); ++of)
      for (std::size_t subject = 0; subject < plan_.subjects.size(); ++subject) add_group(of, subject);
    return std::move(plan_);
  }

 private:
  void set_aside(const CaseRow& row, const std::string& reason) {
    if (!selection_.variant.empty() || !selection_.checks.empty() || !selection_.matches(fmt::format("[{}] {}", row.id, row.text))) return;
    Record record;
    record.op = row.of.op;
    record.dtype = row.kind == CaseRow::Kind::run ? reference::name_of(row.of.dtype) : "";
    record.backend = backend_.name;
    record.case_line = row.text;
    record.case_id = row.id;
    record.source = "cases";
    record.outcome = properties::Outcome::skipped;
    record.reason = reason;
    plan_.set_aside.push_back(std::move(record));
  }

  void add_group(std::size_t of, std::size_t subject) {
    const PlannedCase& planned = plan_.cases[of];
    const properties::Subject& under_test = plan_.subjects[subject];
    if (under_test.op != planned.of.op) return;
    Group group{of, subject, {}};
    for (const Check* check : chosen_checks(selection_, planned)) {
      if (plan_.is_huge(of) && !judges_each_row(*check)) continue;
      if (selection_.match.empty() ||
          selection_.matches(fmt::format("{} {} [{}] {}", under_test.variant, check->name, planned.id, properties::to_line(planned.of))))
        if (!check->own_rows || shows_something_new(*check, under_test.variant, planned.of)) group.checks.push_back(check);
    }
    // A type that the variant does not have is skipped once, not once for each check.
    if (!group.checks.empty() && !under_test.has(planned.of.dtype)) group.checks.resize(1);
    if (!group.checks.empty()) plan_.groups.push_back(std::move(group));
  }

  // To a check that does not look at the logits.
  bool shows_something_new(const Check& check, const std::string& variant, const Case& of) {
    const auto fresh = [&](const std::string& text) { return seen_.insert(fmt::format("{} {} {}", check.name, variant, text)).second; };
    const bool shape = fresh(shape_of(of)), options = fresh(options_of(of));
    return shape || options;
  }

  const PlanRequest& request_;
  const Selection& selection_;
  const Backend& backend_;
  Plan plan_;
  std::set<std::string> seen_;  // shapes and options that a check with rows of its own has been planned for
};

constexpr double kLaunchesPerCheck = 2.5;     // relations launch twice or more, the oracle once
constexpr double kSecondsPerCheck = 3e-3;     // whatever its size: guarded buffers, fibers, the way to a child and back

}  // namespace

bool is_expected(const Check& check) { return std::string_view(check.name) == "expected"; }

bool Plan::runs_something() const {
  return std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
    return subjects[group.subject].has(cases[group.of].of.dtype);
  });
}

bool Plan::is_huge(std::size_t of) const {
  constexpr std::int64_t kHuge = std::int64_t{1} << 28;  // logits
  return cases[of].of.cols > 0 && cases[of].of.rows > kHuge / cases[of].of.cols;
}

std::size_t Plan::units() const {
  std::size_t count = 0;
  for (const Group& group : groups) count += group.checks.size();
  return count;
}

std::uint64_t Plan::logits() const {
  std::uint64_t count = 0;
  for (const Group& group : groups) {
    const Case& of = cases[group.of].of;
    if (!subjects[group.subject].has(of.dtype)) continue;
    count += static_cast<std::uint64_t>(of.rows) * static_cast<std::uint64_t>(of.cols) * group.checks.size();
  }
  return count;
}

double Plan::estimated_seconds(int jobs) const {
  // Data and reference are made once for a case on a variant, launches come with every check.
  std::uint64_t made = 0;
  for (const Group& group : groups) made += static_cast<std::uint64_t>(cases[group.of].of.rows) * static_cast<std::uint64_t>(cases[group.of].of.cols);
  const double launches = properties::estimate_seconds(logits(), kLaunchesPerCheck) - properties::estimate_seconds(logits(), 0);
  return (properties::estimate_seconds(made, 0) + launches + kSecondsPerCheck * static_cast<double>(units())) / std::max(jobs, 1);
}

Plan make_plan(const PlanRequest& request, const Backend& backend) {
  request.selection.validate();
  Planner planner(request, backend);
  if (!request.case_file.empty()) {
    for (const CaseRow& row : properties::read_case_file(request.case_file)) {
      // A printed line finds its row by --match, which looks at the first characters only.
      constexpr std::size_t kLongestId = 256;
      if (row.id.size() > kLongestId)
        throw properties::UsageError(fmt::format("{}: the id has {} characters, at most {} are allowed", row.where(), row.id.size(), kLongestId));
      planner.add_row(row);
    }
  } else {
    planner.add_profile();
    planner.add_built_in_files();
  }
  return planner.finish();
}

}  // namespace plusmax::cli
