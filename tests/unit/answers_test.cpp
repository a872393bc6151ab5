#include "properties/answers.hpp"

#include "properties/answer_check.hpp"
#include "properties/operation.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace plusmax::properties;

namespace {

// The answers of a case line as its file would print them, behind '='.
CaseRow row_of(const std::string& line, const std::string& answers) {
  return parse_case_file("f.cases", "A | " + line + " | =" + answers).at(0);
}
Answers answers_of(const std::string& line, const std::string& answers) { return row_of(line, answers).answers; }
std::string refusal(const std::string& line, const std::string& answers) {
  try {
    row_of(line, answers);
    return "accepted";
  } catch (const UsageError& error) {
    return error.what();
  }
}

Record compared(const std::string& line, const std::string& answers) {
  Record record;
  Tally tally(record);
  const CaseRow row = row_of(line, answers);
  const auto subjects = subjects_of(*host_module(), row.of.op, "two_pass");
  compare_answers("A", row, subjects.at(0), tally);
  tally.finish();
  return record;
}

const char* kLogsumexp = "logsumexp f32 rows=10 cols=1";
const char* kCrossEntropy =
    "cross_entropy f32 rows=4 cols=2 fill=constant reduction=mean targets=[0,-100,-100,1] gradient=out_of_place "
    "outputs=loss,lse,argmax,bad_targets";
const char* kRight =
    "[0.6931471806, 0, 0, 0.6931471806] lse=[0.6931471806, 0, 0, 0.6931471806] argmax=[0, -1, -1, 0] "
    "gradient=[[-0.25, 0.25], [+0, +0], [+0, +0], [0.25, -0.25]] mean=0.6931471806 num_valid=2 bad_targets=0";

}  // namespace

TEST_CASE("answers: they repeat after '...' and single rows may differ", "[answers]") {
  const Answers answers = answers_of(kLogsumexp, " [7: 1.25, 4, 5, ...]");
  CHECK(answers.at("lse", 0)->value == 4);
  CHECK(answers.at("lse", 3)->value == 5);
  CHECK(answers.at("lse", 7)->value == 1.25);
  CHECK(answers.at("lse", 9)->value == 5);
  CHECK_FALSE(answers.at("loss", 0));
  CHECK(answers_of("logsumexp f32 rows=0 cols=1", " []").empty());
}

TEST_CASE("answers: a result of its own name may have one a row, one a column of it, or one for the call",
          "[answers]") {
  const Answers answers = answers_of(
      "cross_entropy f32 rows=5 cols=4 reduction=sum gradient=in_place outputs=loss,argmax,bad_targets",
      "[0.5,...] sum=2.25 gradient=[3: [2: nan, +0, ...], [1, 2, 3, 4.5], ...]  argmax=[1,2,3,-1,0] bad_targets=7 gpu");
  CHECK(answers.at("loss", 4)->value == 0.5);
  CHECK(answers.at("sum", 0)->value == 2.25);
  CHECK(answers.at("sum", 0)->half_unit == 0.005);
  CHECK_FALSE(answers.at("sum", 1));
  CHECK(answers.at("gradient[3]", 0)->value == 4.5);
  CHECK(answers.at("gradient[1]", 4)->value == 2);
  CHECK(std::isnan(answers.at("gradient[2]", 3)->value));
  CHECK(answers.at("gradient[3]", 3)->to_the_bit);
  CHECK_FALSE(answers.at("gradient", 0));
  CHECK_FALSE(answers.at("loss[0]", 0));
  CHECK(answers.at("argmax", 3)->value == -1);
  CHECK(answers.at("bad_targets", 0)->value == 7);
  CHECK(answers.has(Per::call));
  CHECK_FALSE(answers_of("cross_entropy f32 rows=1 cols=4 reduction=mean", " mean=3").has(Per::row));
}

TEST_CASE("answers: one matches within half a unit of its last digit and the bound, and not beyond", "[answers]") {
  const Answers answers =
      answers_of("logsumexp f32 rows=8 cols=1", " [2.50, 3, nan, inf, -inf, 2.061153620e-9, 0, +0]");
  const auto agrees = [&](std::int64_t row, double got, double bound) {
    return matches(*answers.at("lse", row), got, bound);
  };
  CHECK(agrees(0, 2.50499, 0));
  CHECK_FALSE(agrees(0, 2.5051, 0));
  CHECK(agrees(0, 2.5051, 1e-3));
  CHECK_FALSE(agrees(0, std::nan(""), 1e9));
  CHECK_FALSE(agrees(0, HUGE_VAL, 1e9));
  CHECK_FALSE(agrees(0, 2.5, std::nan("")));
  CHECK(agrees(1, 3, 0));
  CHECK_FALSE(agrees(1, std::nextafter(3.0, 4.0), 0));
  CHECK(agrees(2, std::nan(""), 0));
  CHECK_FALSE(agrees(2, 0, 1e9));
  CHECK(agrees(3, HUGE_VAL, 0));
  CHECK_FALSE(agrees(3, -HUGE_VAL, 1e9));
  CHECK_FALSE(agrees(4, 1, 1e9));
  CHECK(agrees(5, 2.0611536204e-9, 0));
  CHECK_FALSE(agrees(5, 2.0611536206e-9, 0));
  CHECK(agrees(6, 0, 0));
  CHECK(agrees(6, -0.0, 0));
  CHECK_FALSE(agrees(6, 1e-300, 1));
  CHECK(agrees(7, 0, 0));
  CHECK_FALSE(agrees(7, -0.0, 1));
}

TEST_CASE("answers: a hexadecimal one is exact", "[answers]") {
  const Answers answers = answers_of("logsumexp f32 rows=1 cols=1", " [0x1.2ep1]");
  CHECK(answers.at("lse", 0)->value == 2.359375);
  CHECK(answers.at("lse", 0)->half_unit == 0);
}

TEST_CASE("answers: mistakes are refused in one line that says what to write", "[answers]") {
  const char* one = "logsumexp f32 rows=1 cols=1";
  const char* two = "cross_entropy f32 rows=2 cols=2 gradient=in_place reduction=mean";
  const struct {
    const char *line, *answers, *expected;
  } refusals[] = {
      {one, " 3", "'= 3': write the answers as = [1.5, -inf]"},
      {one, " [3", "answer '[3': write the closing ']'"},
      {one, " [3, 4]", "2 answers for 1 rows: give one a row, or end the list with '...'"},
      {one, " [...]", "0 answers for 1 rows"},
      {kLogsumexp, " [..., 3]", "'...' is not at the end of the list: move it there"},
      {one, " [x]", "answer 'x': write a number"},
      {one, " [[1]]", "answer '[1]': write a number"},
      {one, " [1: 2, 3]", "answer '1: 2': the case has rows 0 to 0"},
      {kLogsumexp, " [2: 1.5, 2: 2.5, 3, ...]", "answer '2: 2.5': row 2 has an answer already: keep one"},
      {one, " [3] [4]", "write = [ANSWERS], gpu"},
      {one, " [3] lse=[3]", "answer 'lse' is given twice: keep one"},
      {one, " mean=3", "answer 'mean' is no result of this case line: use lse"},
      {two, " lse=[1, 2]", "answer 'lse' is no result of this case line: use loss, gradient, mean or num_valid"},
      {"cross_entropy f32 rows=1 cols=1 outputs=lse", " [3]", "answer 'loss' is no result of this case line"},
      {two, " means=3", "did you mean 'mean'?"},
      {two, " sum=3", "answer 'sum' is no result of this case line"},
      {two, " mean=[3]", "answer 'mean=[3]': write one number, as in mean=1.5"},
      {two, " mean=", "answer '': write a number"},
      {two, " mean=3x", "answer '3x': write a number"},
      {two, " loss=3", "answer 'loss=3': write one a row, as in loss=[1.5, -inf]"},
      {two, " loss=[1, 2", "answer '[1, 2': write the closing ']'"},
      {two, " gradient=[1, 2]", "answer 'gradient=[1, 2]': write a list a row, one a column"},
      {two, " gradient=[[1, 2]]", "1 answers for 2 rows"},
      {two, " gradient=[[1], ...]", "1 answers for 2 columns: give one a column"},
      {two, " gradient=[[2: 1, 2, 3], ...]", "answer '2: 1': the case has columns 0 to 1"},
      {two, " gradient=[2: [1, 2], [1, 2], ...]", "answer '2: [1, 2]': the case has rows 0 to 1"},
      {two, " gradient=[[1, 2]] x]", "1 answers for 2 rows"},
  };
  for (const auto& [line, answers, expected] : refusals) {
    INFO(line << " | =" << answers);
    const std::string got = refusal(line, answers);
    INFO(got);
    CHECK(got.find(expected) != got.npos);
    CHECK(got.find('\n') == got.npos);
  }
}

TEST_CASE("answers: each number of a call is compared with its own answer", "[answers]") {
  const Record right = compared(kCrossEntropy, kRight);
  INFO(right.reason);
  CHECK(right.outcome == Outcome::passed);
  CHECK(right.compared == 4 + 4 + 4 + 8 + 3);
  const std::pair<std::string, std::string> wrong[] = {
      {"[0.6931471806, 0, 0, 0.69", "[0.6931471806, 0, 0, 0.68"},
      {"lse=[0.6931471806, 0", "lse=[0.6931471806, 1"},
      {"argmax=[0, -1", "argmax=[0, 0"},
      {"[-0.25, 0.25]", "[-0.25, 0.26]"},
      {"[+0, +0]", "[+0, nan]"},
      {"mean=0.6931", "mean=0.6932"},
      {"num_valid=2", "num_valid=4"},
      {"bad_targets=0", "bad_targets=1"},
  };
  for (const auto& [text, instead] : wrong) {
    std::string answers = kRight;
    answers.replace(answers.find(text), text.size(), instead);
    INFO(answers);
    CHECK(compared(kCrossEntropy, answers).outcome == Outcome::failed);
  }
}

TEST_CASE("answers: those of a call alone need no row", "[answers]") {
  CHECK(compared(kCrossEntropy, " mean=0.6931471806").compared == 1);
  CHECK(compared(kCrossEntropy, " mean=0.6931471806").outcome == Outcome::passed);
  CHECK(compared(kCrossEntropy, " mean=0.6931471807").outcome == Outcome::passed);  // within the variant's bound
  CHECK(compared(kCrossEntropy, " mean=0.7931471806").outcome == Outcome::failed);
}

TEST_CASE("answers: an operation names what inspect() gives, and no more", "[answers]") {
  for (const char* line :
       {kCrossEntropy, "cross_entropy f32 rows=2 cols=3 z_loss=0.1 outputs=z_loss reduction=sum",
        "cross_entropy f32 rows=2 cols=3 outputs=none gradient=in_place", "logsumexp f32 rows=2 cols=3"}) {
    INFO(line);
    const Case of = parse_case(line);
    const Operation& operation = operation_named(of.op);
    const Subject subject = subjects_of(*host_module(), of.op, "block_per_row").at(0);
    std::vector<std::string> named, given;
    for (const ResultName& result : operation.results(of)) named.push_back(result.name);
    for (const RowResult& result : operation.inspect(of, subject, {of.rows, of.cols})) {
      const std::string name = result.result.substr(0, result.result.find('['));
      if (std::find(given.begin(), given.end(), name) == given.end()) given.push_back(name);
    }
    std::sort(named.begin(), named.end());
    std::sort(given.begin(), given.end());
    CHECK(named == given);
  }
}
