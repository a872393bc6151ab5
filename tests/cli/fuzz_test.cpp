// What a search finds does not depend on how it was shared out, nor on what ends a process on the way.
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace plusmax::cli::testing;

TEST_CASE("fuzz keeps the same failures with any number of processes", "[cli][fuzz]") {
  const std::string directory = fresh_directory("shared_out");
  const auto found_by = [&](const char* jobs) {
    const std::string out = directory + "/" + jobs;
    const Answer answer = run_plusmax({"fuzz", "--module", mutant_module("bf16_exponent"), "--cases", "200", "--seed",
                                       "3", "--jobs", jobs, "--out", out, "-q"});
    CHECK(answer.code == 1);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(out + "/failures"))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  };
  const std::vector<std::string> alone = found_by("1");
  CHECK(!alone.empty());
  CHECK(found_by("2") == alone);
  CHECK(found_by("5") == alone);
}

TEST_CASE("6: a stored failure that ends its process does not hide those behind it", "[cli][fuzz]") {
  const std::string directory = fresh_directory("behind_a_crash");
  std::filesystem::create_directories(directory + "/failures");
  std::ofstream(directory + "/failures/a.case") << "logsumexp f32 rows=1 cols=2\n";
  std::ofstream(directory + "/failures/b.case") << "logsumexp f32 rows=1 cols=7 seed=5\n";
  const Answer answer = run_plusmax({"fuzz", "--module", PLUSMAX_CRASHING_MODULE, "--cases", "1", "--check", "oracle",
                                     "--failures", directory + "/failures", "--out", directory + "/out"});
  CHECK(answer.code == 6);
  const std::string records = read(directory + "/out/records.jsonl");
  CHECK(records.find("rows=1 cols=2\"") != std::string::npos);
  CHECK(records.find("rows=1 cols=7 seed=5\"") != std::string::npos);
}
