// tests/cases/reported.cases: every report is there, and every answer is the reference's to the digits shown.
#include "properties/case_file.hpp"
#include "properties/ops/cross_entropy/exact.hpp"
#include "properties/ops/cross_entropy/measure.hpp"
#include "properties/ops/linear_cross_entropy/launched.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>

using namespace plusmax::properties;
using plusmax::reference::Certified;
using plusmax::reference::CrossEntropyResult;

namespace {

void agrees(const PrintedValue& want, const Certified& exact) {
  if (exact.value_class != plusmax::reference::ValueClass::finite) {
    CHECK(matches(want, cross_entropy::value_of(exact), 0));
    return;
  }
  // The answer as a double is itself rounded, unless it is exact.
  const double slack = exact.error + (want.half_unit > 0 ? std::fabs(want.value) * 0x1p-53 : 0);
  CHECK(std::fabs((exact.value.hi - want.value) + exact.value.lo) <= want.half_unit + slack);
}

// The first rows, the last ones, and those with an answer of their own.
std::set<std::int64_t> sample_of(const CaseRow& row) {
  std::set<std::int64_t> sample;
  for (std::int64_t r = 0; r < std::min<std::int64_t>(row.of.rows, 8); ++r) sample.insert({r, row.of.rows - 1 - r});
  for (const PrintedResult& result : row.answers.results)
    for (const auto& [r, value] : result.rows.apart) sample.insert({r - 1, r});
  return sample;
}

class Reference {
 public:
  explicit Reference(const CaseRow& row) : row_(row) {}

  std::size_t logsumexp() {
    const auto rows = rows_of(row_.of);
    for (const std::int64_t r : sample_of(row_)) {
      if (r < 0) continue;
      const auto& exact = rows->exact(r);
      compare("lse", r, {exact.value_class, exact.lse, exact.error});
    }
    return compared_;
  }

  std::size_t cross_entropy() {
    const auto exact = cross_entropy::exact_of(row_.of);
    const auto& call = exact->call();
    std::vector<double> scratch;
    for (const std::int64_t r : sample_of(row_)) {
      if (r < 0) continue;
      const bool gradient = row_.answers.has(Per::element);
      const auto& of =
          exact->row(r, gradient ? plusmax::reference::Outputs::loss_and_gradient : plusmax::reference::Outputs::loss);
      const auto in = exact->input(r, scratch);
      const auto one = [&](const std::string& name, CrossEntropyResult result, std::size_t column) {
        compare(name, r, plusmax::reference::cross_entropy_result(in, of, {result, column}));
      };
      one("loss", CrossEntropyResult::loss, 0);
      one("lse", CrossEntropyResult::lse, 0);
      one("z_loss", CrossEntropyResult::z_loss, 0);
      compare("argmax", r, whole(of.argmax));
      for (std::int64_t j = 0; gradient && j < row_.of.cols; ++j)
        one("gradient[" + std::to_string(j) + "]", CrossEntropyResult::gradient, static_cast<std::size_t>(j));
    }
    if (!row_.answers.has(Per::call)) return compared_;
    std::int64_t valid = 0, bad = 0;
    std::vector<plusmax::reference::ReducedRow> rows;
    for (std::int64_t r = 0; r < row_.of.rows; ++r) {
      valid += !call.ignores(r), bad += call.is_bad(r);
      const auto& of = exact->row(r, plusmax::reference::Outputs::loss);
      rows.push_back({of.cross_entropy, of.z_loss, {}, {}});
    }
    if (call.options.reduction != cross_entropy::Reduction::none) {
      const Certified loss = cross_entropy::reduced_of(*exact, rows, {}).loss;
      compare(call.options.reduction == cross_entropy::Reduction::sum ? "sum" : "mean", 0, loss);
    }
    compare("num_valid", 0, whole(valid));
    compare("bad_targets", 0, whole(bad));
    return compared_;
  }

  // Small cases: every number that they have, as a judgement of a launch would want it.
  std::size_t linear_cross_entropy() {
    namespace linear = plusmax::properties::linear_cross_entropy;
    using linear::Part;
    const Subject subject = subjects_of(*host_module(), row_.of.op, "token_chunks").front();
    const auto exact = linear::exact_of(row_.of);
    const auto& call = exact->call();
    const linear::Launched reference(exact, {{}, linear::planning_of(subject, call)});
    const auto all = [&](const std::string& name, Part part, std::int64_t rows, std::int64_t columns) {
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t k = 0; k < columns; ++k) {
          const bool listed = part == Part::dhidden || part == Part::dweight;
          compare(listed ? name + "[" + std::to_string(k) + "]" : name, r, reference.want(part, {r, k}));
        }
    };
    all("loss", Part::loss, call.tokens(), 1);
    all("lse", Part::lse, call.tokens(), 1);
    all("dhidden", Part::dhidden, call.tokens(), call.features());
    all("dweight", Part::dweight, call.vocab(), call.features());
    all("dbias", Part::dbias, call.vocab(), 1);
    if (call.options.reduction != linear::Reduction::none)
      all(call.options.reduction == linear::Reduction::sum ? "sum" : "mean", Part::reduced, 1, 1);
    compare("num_valid", 0, whole(call.valid()));
    return compared_;
  }

 private:
  static Certified whole(std::int64_t value) {
    return {plusmax::reference::ValueClass::finite, {static_cast<double>(value), 0}, 0};
  }
  void compare(const std::string& result, std::int64_t r, const Certified& exact) {
    const auto want = row_.answers.at(result, r);
    if (!want) return;
    INFO(row_.where() << ": " << row_.id << " row " << r << " " << result);
    ++compared_;
    agrees(*want, exact);
  }

  const CaseRow& row_;
  std::size_t compared_ = 0;
};

}  // namespace

TEST_CASE("reported cases: all 74 reports are there, and what does not run says why", "[case_file]") {
  std::set<std::string> reports, running;
  for (const CaseRow& row : built_in_cases("reported")) {
    reports.insert(report_of(row.id));
    if (row.kind == CaseRow::Kind::run) running.insert(report_of(row.id));
    CHECK(row.reason.empty() == (row.kind == CaseRow::Kind::run));
  }
  CHECK(reports.size() == 74);
  // What is left out needs gradients of logsumexp, shards, combining, or an autograd binding.
  for (const char* id :
       {"B01", "B02", "B04", "B05", "B08", "B10",  "B11",  "B13",  "B14",  "B16",  "B17",  "B19", "B20",
        "B22", "B23", "B25", "B26", "B28", "B29",  "B31",  "B32",  "B34",  "B35",  "B37",  "B38", "B40",
        "B41", "B43", "B44", "B46", "B47", "B49",  "B50",  "B52",  "B53",  "B55",  "B56",  "B58", "B59",
        "B61", "B62", "B64", "B67", "B73", "B74",  "B76",  "B77",  "B79",  "B80",  "B82",  "B85", "B86",
        "B88", "B89", "B91", "B92", "B94", "B101", "B103", "B104", "B106", "B107", "B109", "B110"})
    CHECK(running.count(id) == 1);
  CHECK(running.size() == 64);
}

TEST_CASE("reported cases: every answer agrees with the reference to the digits shown", "[case_file]") {
  std::size_t logsumexp = 0, cross_entropy = 0, linear_cross_entropy = 0;
  for (const CaseRow& row : built_in_cases("reported")) {
    if (row.kind != CaseRow::Kind::run) continue;
    if (row.of.op == "logsumexp")
      logsumexp += Reference(row).logsumexp();
    else if (row.of.op == "cross_entropy")
      cross_entropy += Reference(row).cross_entropy();
    else
      linear_cross_entropy += Reference(row).linear_cross_entropy();
  }
  CHECK(logsumexp > 100);
  CHECK(cross_entropy > 100000);       // one row of 100000 columns has a gradient
  CHECK(linear_cross_entropy > 2000);  // two cases of 1024 tokens
}
