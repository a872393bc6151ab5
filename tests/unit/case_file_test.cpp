#include "properties/case_file.hpp"

#include "reference/logsumexp.hpp"
#include "tests/catch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>

using namespace plusmax::properties;

namespace {

CaseRow one(const std::string& line) {
  const auto rows = parse_case_file("f", line);
  REQUIRE(rows.size() == 1);
  return rows[0];
}
std::string refusal(const std::string& text) {
  try {
    return "accepted, rows: " + std::to_string(parse_case_file("f.cases", text).size());
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("case file: plain lines, full lines and comments are read with their place", "[case_file]") {
  const auto rows = parse_case_file("f.cases",
                                    "# a comment\n"
                                    "\n"
                                    "logsumexp f32 rows=3 cols=33 seed=4\n"
                                    "  A1a | logsumexp f16 rows=2 cols=1 | = [1.5, -inf] gpu | a note | with a bar\r\n"
                                    "A2 | anything, x=[[1]] | later needs a second device | why\n"
                                    "A3 | anything | refused by contract\n"
                                    "A4 | logsumexp f16 rows=2 cols=1");
  REQUIRE(rows.size() == 5);
  CHECK(rows[0].id.empty());
  CHECK(rows[0].where() == "f.cases:3");
  CHECK(to_line(rows[0].of) == "logsumexp f32 rows=3 cols=33 seed=4");
  CHECK(rows[0].expected.empty());
  CHECK_FALSE(rows[0].expected.at(0));
  CHECK(rows[1].id == "A1a");
  CHECK(rows[1].gpu);
  CHECK(rows[1].note == "a note | with a bar");
  CHECK(rows[1].expected.at(0)->value == 1.5);
  CHECK(rows[1].expected.at(0)->half_unit == 0.05);
  CHECK(rows[1].expected.at(1)->value == -HUGE_VAL);
  CHECK(rows[2].kind == CaseRow::Kind::later);
  CHECK(rows[2].reason == "needs a second device");
  CHECK(rows[2].note == "why");
  CHECK(rows[3].kind == CaseRow::Kind::refused);
  CHECK(rows[3].reason == "by contract");
  CHECK(rows[4].where() == "f.cases:7");
  CHECK(report_of("B13a") == "B13");
  CHECK(report_of("B13") == "B13");
}

TEST_CASE("case file: answers repeat after '...' and single rows may differ", "[case_file]") {
  const CaseRow row = one("A | logsumexp f32 rows=10 cols=1 | = [7: 1.25, 4, 5, ...]");
  CHECK(row.expected.at(0)->value == 4);
  CHECK(row.expected.at(3)->value == 5);
  CHECK(row.expected.at(7)->value == 1.25);
  CHECK(row.expected.at(9)->value == 5);
  CHECK(one("A | logsumexp f32 rows=0 cols=1 | = []").expected.empty());
}

TEST_CASE("case file: an answer matches within half a unit of its last digit and the bound, and not beyond",
          "[case_file]") {
  const CaseRow row = one("A | logsumexp f32 rows=6 cols=1 | = [2.50, 3, nan, inf, -inf, 2.061153620e-9]");
  CHECK(expected_matches(row, 0, 2.50499, 0));
  CHECK_FALSE(expected_matches(row, 0, 2.5051, 0));
  CHECK(expected_matches(row, 0, 2.5051, 1e-3));
  CHECK_FALSE(expected_matches(row, 0, std::nan(""), 1e9));
  CHECK_FALSE(expected_matches(row, 0, HUGE_VAL, 1e9));
  CHECK(expected_matches(row, 1, 3, 0));
  CHECK_FALSE(expected_matches(row, 1, std::nextafter(3.0, 4.0), 0));
  CHECK(expected_matches(row, 2, std::nan(""), 0));
  CHECK_FALSE(expected_matches(row, 2, 0, 1e9));
  CHECK(expected_matches(row, 3, HUGE_VAL, 0));
  CHECK_FALSE(expected_matches(row, 3, -HUGE_VAL, 1e9));
  CHECK_FALSE(expected_matches(row, 4, 1, 1e9));
  CHECK_FALSE(expected_matches(row, 0, 2.5, std::nan("")));
  CHECK(expected_matches(row, 5, 2.0611536204e-9, 0));
  CHECK_FALSE(expected_matches(row, 5, 2.0611536206e-9, 0));
  CHECK(expected_matches(one("logsumexp f32 rows=1 cols=1"), 0, 17, 0));
}

TEST_CASE("case file: a hexadecimal answer is exact", "[case_file]") {
  const auto rows = parse_case_file("f.cases", "A1 | logsumexp f32 rows=1 cols=1 | = [0x1.2ep1]");
  CHECK(rows[0].expected.at(0)->value == 2.359375);
  CHECK(rows[0].expected.at(0)->half_unit == 0);
}

TEST_CASE("case file: mistakes are refused with file, line and what to write", "[case_file]") {
  const std::pair<std::string, std::string> refusals[] = {
      {"\nlogsumexp f32 rows=1", "f.cases:2: cols is missing"},
      {"A | logsumexp f32 rows=1 cols=1 | = 3", "f.cases:1: '= 3': write the answers as = [1.5, -inf]"},
      {"A | logsumexp f32 rows=1 cols=1 | = [3", "write the answers as"},
      {"A | logsumexp f32 rows=2 cols=1 | = [3]", "1 answers for 2 rows"},
      {"A | logsumexp f32 rows=1 cols=1 | = [3, 4]", "2 answers for 1 rows"},
      {"A | logsumexp f32 rows=1 cols=1 | = [...]", "0 answers for 1 rows"},
      {"A | logsumexp f32 rows=3 cols=1 | = [..., 3]", "'...' is not at the end"},
      {"A | logsumexp f32 rows=1 cols=1 | = [x]", "answer 'x': write a number"},
      {"A | logsumexp f32 rows=1 cols=1 | = [1: 2, 3]", "answer '1: 2': the case has rows 0 to 0"},
      {"A | logsumexp f32 rows=1 cols=1 | = [3] fast", "write = [ANSWERS], gpu"},
      {"A | logsumexp f32 rows=1 cols=1 | sometime", "'sometime': write = [ANSWERS]"},
      {"A | text | later", "'later': say why"},
      {"A | text | refused", "'refused': say why"},
      {"A | text | laterx needs a device", "'laterx needs a device': write = [ANSWERS]"},
      {"A | text | refusedx by contract", "'refusedx by contract': write = [ANSWERS]"},
      {"A | logsumexp f32 rows=4 cols=1 | = [2: 1.5, 2: 2.5, 3, ...]", "answer '2: 2.5': row 2 has an answer already"},
      {"A | text |", "unknown operation 'text'"},
      {"| logsumexp f32 rows=1 cols=1", "id '': write one word"},
      {"A B | logsumexp f32 rows=1 cols=1", "id 'A B': write one word"},
      {"A | logsumexp f32 rows=1 cols=1\nA | logsumexp f32 rows=1 cols=1", "f.cases:2: id A is given twice"},
  };
  for (const auto& [text, expected] : refusals) {
    INFO(text);
    const std::string got = refusal(text);
    INFO(got);
    CHECK(got.find(expected) != got.npos);
    CHECK(got.find('\n') == got.npos);
  }
}

TEST_CASE("case file: a file is read from disk, and one that cannot be read is named", "[case_file]") {
  const std::string path = PLUSMAX_BINARY_DIR "/case_file_test." + std::to_string(getpid()) + ".cases";
  std::ofstream(path) << "logsumexp f32 rows=1 cols=1\n";
  CHECK(read_case_file(path).size() == 1);
  CHECK(read_case_file(path)[0].where() == path + ":1");
  std::ofstream(path, std::ios::trunc).flush();
  CHECK(read_case_file(path).empty());
  std::remove(path.c_str());
  for (const std::string& bad : {path, std::string(PLUSMAX_BINARY_DIR)}) {
    try {
      read_case_file(bad);
      FAIL("read " << bad);
    } catch (const UsageError& error) {
      CHECK(std::string(error.what()).find("cannot read case file " + bad + ": ") == 0);
    }
  }
}

TEST_CASE("case file: the built-in files are those of tests/cases", "[case_file]") {
  for (const char* name : {"edges", "reported", "smoke"}) {
    const auto compiled = built_in_cases(name),
               read = read_case_file(PLUSMAX_SOURCE_DIR "/tests/cases/" + std::string(name) + ".cases");
    REQUIRE(compiled.size() == read.size());
    CHECK(compiled.size() > 30);
    for (std::size_t i = 0; i < read.size(); ++i) {
      CHECK(compiled[i].text == read[i].text);
      CHECK(compiled[i].line == read[i].line);
    }
  }
  CHECK_THROWS_AS(built_in_cases("reportet"), UsageError);
}

TEST_CASE("reported cases: all 74 reports are there, and what does not run says why", "[case_file]") {
  std::set<std::string> reports, running;
  for (const CaseRow& row : built_in_cases("reported")) {
    reports.insert(report_of(row.id));
    if (row.kind == CaseRow::Kind::run) running.insert(report_of(row.id));
    CHECK(row.reason.empty() == (row.kind == CaseRow::Kind::run));
  }
  CHECK(reports.size() == 74);
  for (const char* id : {"B01", "B04", "B08", "B10", "B13", "B14", "B16", "B17", "B19",  "B28", "B31",
                         "B32", "B40", "B41", "B44", "B73", "B76", "B79", "B80", "B103", "B110"})
    CHECK(running.count(id) == 1);
}

TEST_CASE("reported cases: every answer agrees with the reference to the digits shown", "[case_file]") {
  std::size_t compared = 0;
  for (const CaseRow& row : built_in_cases("reported")) {
    if (row.kind != CaseRow::Kind::run) continue;
    std::set<std::int64_t> sample;
    for (std::int64_t r = 0; r < std::min<std::int64_t>(row.of.rows, 8); ++r) sample.insert({r, row.of.rows - 1 - r});
    for (const auto& [r, value] : row.expected.exceptions) sample.insert({r - 1, r});
    for (const std::int64_t r : sample) {
      const auto want = row.expected.at(r);
      if (!want) continue;
      std::vector<double> logits(static_cast<std::size_t>(row.of.cols));
      fill_row(row.of, r, logits.data());
      const auto exact = plusmax::reference::logsumexp(std::span<const double>(logits));
      INFO(row.where() << ": " << row.id << " row " << r);
      ++compared;
      using plusmax::reference::ValueClass;
      if (exact.value_class != ValueClass::finite) {
        const double special = exact.value_class == ValueClass::nan                 ? std::nan("")
                               : exact.value_class == ValueClass::positive_infinity ? HUGE_VAL
                                                                                    : -HUGE_VAL;
        CHECK(expected_matches(row, r, special, 0));
        continue;
      }
      // The answer as a double is itself rounded, unless it is exact.
      const double slack = exact.error + (want->half_unit > 0 ? std::fabs(want->value) * 0x1p-53 : 0);
      const double difference = (exact.lse.hi - want->value) + exact.lse.lo;
      CHECK(std::fabs(difference) <= want->half_unit + slack);
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("case files: every line that runs on the host stays small", "[case_file]") {
  for (const CaseText& file : built_in_case_texts())
    for (const CaseRow& row : built_in_cases(file.name)) {
      if (row.kind != CaseRow::Kind::run || row.gpu) continue;
      INFO(row.where());
      CHECK(row.of.rows * row.of.cols <= std::int64_t{1} << 24);
      // each row may be a mapping of its own, two with the gap behind it, and Linux allows 65530 of them
      if (row.of.row_stride > 4096) CHECK(row.of.rows < 20000);
    }
}

TEST_CASE("docs/adding.md: its cases can be read, and its fill is the one in the tree", "[case_file][docs]") {
  const auto text_of = [](const std::string& path) {
    std::ifstream file(PLUSMAX_SOURCE_DIR "/" + path);
    REQUIRE(file.is_open());
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string page = text_of("docs/adding.md");
  const auto block = [&](const std::string& language) {
    const std::string fence = "```" + language + "\n";
    const std::size_t begin = page.find(fence);
    REQUIRE(begin != page.npos);
    return page.substr(begin + fence.size(), page.find("```\n", begin + fence.size()) - begin - fence.size());
  };
  CHECK(parse_case_file("docs/adding.md", block("cases")).size() == 6);
  CHECK(block("cpp") == text_of("properties/fills/alternating.cpp"));
}
