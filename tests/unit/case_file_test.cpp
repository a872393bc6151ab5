#include "properties/case_file.hpp"

#include "tests/catch.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

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
  CHECK(rows[0].answers.empty());
  CHECK_FALSE(rows[0].answers.at("lse", 0));
  CHECK(rows[1].id == "A1a");
  CHECK(rows[1].gpu);
  CHECK(rows[1].note == "a note | with a bar");
  CHECK(rows[1].answers.at("lse", 0)->value == 1.5);
  CHECK(rows[1].answers.at("lse", 0)->half_unit == 0.05);
  CHECK(rows[1].answers.at("lse", 1)->value == -HUGE_VAL);
  CHECK(rows[2].kind == CaseRow::Kind::later);
  CHECK(rows[2].reason == "needs a second device");
  CHECK(rows[2].note == "why");
  CHECK(rows[3].kind == CaseRow::Kind::refused);
  CHECK(rows[3].reason == "by contract");
  CHECK(rows[4].where() == "f.cases:7");
  CHECK(report_of("B13a") == "B13");
  CHECK(report_of("B13") == "B13");
}

TEST_CASE("case file: mistakes are refused with file, line and what to write", "[case_file]") {
  const std::pair<std::string, std::string> refusals[] = {
      {"\nlogsumexp f32 rows=1", "f.cases:2: cols is missing"},
      {"A | logsumexp f32 rows=1 cols=1 | = 3", "f.cases:1: '= 3': write the answers as = [1.5, -inf]"},
      {"A | logsumexp f32 rows=2 cols=1 | = [3]", "f.cases:1: 1 answers for 2 rows"},
      {"A | logsumexp f32 rows=1 cols=1 | = [3] fast", "write = [ANSWERS], gpu"},
      {"A | logsumexp f32 rows=1 cols=1 | = [3] gpu [4]", "write = [ANSWERS], gpu"},
      {"A | logsumexp f32 rows=1 cols=1 | =", "'=': write the answers as"},
      {"A | logsumexp f32 rows=1 cols=1 | sometime", "'sometime': write = [ANSWERS]"},
      {"A | text | later", "'later': say why"},
      {"A | text | refused", "'refused': say why"},
      {"A | text | laterx needs a device", "'laterx needs a device': write = [ANSWERS]"},
      {"A | text | refusedx by contract", "'refusedx by contract': write = [ANSWERS]"},
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
  CHECK(parse_case_file("docs/adding.md", block("cases")).size() == 7);
  CHECK(block("cpp") == text_of("properties/fills/alternating.cpp"));
}
