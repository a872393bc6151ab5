#include "reports/record_json.hpp"

#include "reports/files.hpp"
#include "reports/json.hpp"
#include "tests/catch.hpp"
#include "tests/reports/sample.hpp"

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <unistd.h>

using namespace plusmax::reports;
using plusmax::properties::Outcome;
using plusmax::properties::Record;

namespace {

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::filesystem::path fresh_directory(const char* name) {
  const auto path = std::filesystem::temp_directory_path() / ("plusmax_" + std::string(name) + "_" + std::to_string(::getpid()));
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace

TEST_CASE("a record comes back from its line bit for bit", "[reports][json]") {
  const double values[] = {0.0, -0.0, 1.0 / 3, 0x1.fffffffffffffp+1023, 0x1p-1074, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
  for (const double value : values) {
    Record r = testing::failed_record();
    r.got = r.want = r.error = r.bound = r.worst_ratio = r.worst_probabilistic = r.sum_ratio = r.worst_ulps = r.seconds = value;
    const Record back = record_from_json(to_json(r));
    for (const double got : {back.got, back.want, back.error, back.bound, back.worst_ratio, back.worst_probabilistic, back.sum_ratio, back.worst_ulps, back.seconds})
      CHECK(bits(got) == bits(value));
  }
}

TEST_CASE("every field of a record survives, and so does its line", "[reports][json]") {
  Record r = testing::failed_record();
  r.mutant = "m", r.escalations = 3, r.uncertified = 1, r.seed = ~std::uint64_t{0}, r.rows = std::int64_t{1} << 40;
  r.case_file = "my.cases", r.checks = 12;
  const Record back = record_from_json(to_json(r));
  CHECK(back.op == r.op);
  CHECK(back.variant == r.variant);
  CHECK(back.dtype == r.dtype);
  CHECK(back.backend == r.backend);
  CHECK(back.check == r.check);
  CHECK(back.mutant == r.mutant);
  CHECK(back.case_line == r.case_line);
  CHECK(back.case_id == r.case_id);
  CHECK(back.source == r.source);
  CHECK(back.case_file == r.case_file);
  CHECK(back.checks == 12);
  CHECK(back.seed == r.seed);
  CHECK(back.rows == r.rows);
  CHECK(back.outcome == r.outcome);
  CHECK(back.reason == r.reason);
  CHECK(back.ulp_histogram == r.ulp_histogram);
  CHECK(back.uncertified == 1);
  CHECK(to_json(back) == to_json(r));
}

TEST_CASE("NaN and infinities are strings, so that the file is JSON", "[reports][json]") {
  const std::string line = to_json(testing::failed_record());
  CHECK(line.find("\"got\":\"nan\"") != std::string::npos);
  CHECK(line.find("\"want\":\"-inf\"") != std::string::npos);
  CHECK(line.find("\"worst_ratio\":\"inf\"") != std::string::npos);
  CHECK(Json::accept(line));
}

TEST_CASE("a reason that is no UTF-8 does not stop the report", "[reports][json]") {
  Record r = testing::failed_record();
  r.reason = "bytes \xff\xfe";
  CHECK_NOTHROW(record_from_json(to_json(r)));
}

TEST_CASE("mutants and measurements come back from their lines", "[reports][json]") {
  const auto m = testing::survived_mutant();
  CHECK(to_json(mutant_from_json(to_json(m))) == to_json(m));
  CHECK(mutant_from_json(to_json(m)).killed == false);
  const auto b = testing::bench_result();
  CHECK(to_json(bench_from_json(to_json(b))) == to_json(b));
  const auto beside = bench_from_json(to_json(testing::bench_result_beside_products()));
  CHECK(to_json(beside) == to_json(testing::bench_result_beside_products()));
  CHECK((beside.ratio == 0.8 && beside.rested_us == 8 && beside.rested_ceiling_us == 7 && beside.rested_ratio == 1.14));
  CHECK((beside.taken_bytes == 5000 && beside.sample == "of all tokens; seed 1" && beside.errors.size() == 2));
  CHECK((beside.errors[1].result == "dweight" && beside.errors[1].judged == 2048 && beside.errors[1].worst_ratio == 0.25));
  CHECK((beside.errors[1].rms == 2e-3 && beside.errors[1].rms_bound == 8e-3));
}

TEST_CASE("a line that is no record is refused", "[reports][json]") {
  CHECK_THROWS_AS(record_from_json("{}"), std::runtime_error);
  CHECK_THROWS_AS(record_from_json("not json"), std::runtime_error);
  std::string line = to_json(testing::passed_record());
  line.replace(line.find("passed"), 6, "paused");
  CHECK_THROWS_AS(record_from_json(line), std::runtime_error);
}

TEST_CASE("a run is read back, and a cut-off last line is noted, a broken one refused with its number", "[reports][files]") {
  const auto directory = fresh_directory("read");
  const std::string line = to_json(testing::passed_record());
  std::ofstream(directory / "records.jsonl") << line << "\n" << line << "\n" << line.substr(0, 40);
  const RunData data = read_run(directory);
  CHECK(data.records.size() == 2);
  REQUIRE(data.notes.size() == 1);
  CHECK(data.notes[0] == "records.jsonl: line 3 is cut off and left out");
  std::ofstream(directory / "records.jsonl") << line << "\nbroken\n" << line << "\n";
  CHECK_THROWS_WITH(read_run(directory), ContainsSubstring("records.jsonl:2:"));
  std::filesystem::remove_all(directory);
  CHECK_THROWS_WITH(read_run(directory), ContainsSubstring("holds no records.jsonl"));
}

TEST_CASE("a previous run moves to DIR.old, and a directory with other files is left alone", "[reports][files]") {
  const auto parent = fresh_directory("rotate");
  const auto directory = parent / "out";
  { const DirectoryLock lock = rotate_directory(directory); }
  std::ofstream(directory / "records.jsonl") << "first\n";
  { const DirectoryLock lock = rotate_directory(directory.string() + "/"); }
  CHECK(std::filesystem::is_empty(directory));
  CHECK(std::filesystem::exists(parent / "out.old" / "records.jsonl"));
  std::ofstream(directory / "thesis.tex") << "mine\n";
  CHECK_THROWS_AS([&] { return rotate_directory(directory); }(), FileError);
  CHECK(std::filesystem::exists(directory / "thesis.tex"));
  std::filesystem::remove_all(parent);
}

TEST_CASE("a directory that somebody writes is refused, and so is one whose DIR.old somebody writes",
          "[reports][files]") {
  const auto parent = fresh_directory("lock");
  const auto directory = parent / "out", old = parent / "out.old";
  {
    const DirectoryLock lock = rotate_directory(directory);
    std::ofstream(directory / "records.jsonl") << "first\n";
    CHECK_THROWS_WITH([&] { return rotate_directory(directory); }(), ContainsSubstring("in use"));
    CHECK(std::filesystem::exists(directory / "records.jsonl"));
    CHECK_FALSE(std::filesystem::exists(old));
  }
  {
    const DirectoryLock lock = rotate_directory(old);
    CHECK_THROWS_WITH([&] { return rotate_directory(directory); }(), ContainsSubstring("out.old is in use"));
  }
  { const DirectoryLock lock = rotate_directory(directory); }
  CHECK(std::filesystem::exists(old / "records.jsonl"));
  std::filesystem::remove_all(parent);
}

TEST_CASE("a link to a directory stays, and what it leads to moves", "[reports][files]") {
  const auto parent = fresh_directory("link");
  std::filesystem::create_directories(parent / "real");
  std::ofstream(parent / "real" / "records.jsonl") << "first\n";
  std::filesystem::create_directory_symlink(parent / "real", parent / "out");
  { const DirectoryLock lock = rotate_directory(parent / "out"); }
  CHECK(std::filesystem::is_symlink(parent / "out"));
  CHECK(std::filesystem::is_empty(parent / "real"));
  CHECK(std::filesystem::exists(parent / "real.old" / "records.jsonl"));
  CHECK(real_path(parent / "nowhere/../out/") == std::filesystem::canonical(parent) / "real");
  std::filesystem::remove_all(parent);
}
