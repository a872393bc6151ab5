// Ctrl-C and full disks: what was recorded is kept, and the report is finished.
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <filesystem>

using namespace plusmax::cli::testing;

TEST_CASE("Ctrl-C during fuzz keeps the records and finishes the report", "[cli][interrupt]") {
  const std::string directory = fresh_directory("interrupt");
  Environment environment;
  environment.interrupt_after = 6;
  const Answer answer = run_plusmax({"fuzz", "--backend", "host", "--for", "300s", "--out", directory + "/out"}, environment);
  INFO(answer.out << answer.err);
  CHECK(answer.code == 130);
  CHECK(lines_of(read(directory + "/out/records.jsonl")) > 0);
  CHECK(read(directory + "/out/report.html").find("interrupted") != std::string::npos);
  CHECK(read(directory + "/out/run.json").find("\"interrupted\": true") != std::string::npos);
  CHECK(read(directory + "/out/report.json").find("\"verdict\":\"PASSED\"") == std::string::npos);
  CHECK(answer.out.find("INTERRUPTED") != std::string::npos);
  CHECK(run_plusmax({"report", directory + "/out"}).code == 3);
}

TEST_CASE("an interrupt that whoever started us ignores stays ignored", "[cli][interrupt]") {
  const std::string directory = fresh_directory("nohup");
  Environment environment;
  environment.interrupt_after = 1, environment.ignores_interrupts = true;
  const Answer answer =
      run_plusmax({"fuzz", "--backend", "host", "--for", "3s", "--out", directory + "/out"}, environment);
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
}

TEST_CASE("a full disk ends the run with one line and keeps what was recorded", "[cli][interrupt]") {
  const std::string directory = fresh_directory("full");
  Environment environment;
  environment.largest_file = 20'000;  // a write beyond it fails as one to a full disk does
  const Answer answer = run_plusmax({"check", "--profile", "smoke", "--backend", "host", "--variant", "block_per_row", "--check", "oracle", "--out", directory + "/out", "-q"}, environment);
  CHECK(answer.code == 70);
  INFO(answer.err);
  CHECK(lines_of(answer.err) == 1);
  CHECK(answer.err.find("records.jsonl") != std::string::npos);
  CHECK(answer.err.find("--out") != std::string::npos);
  const std::string records = read(directory + "/out/records.jsonl");
  CHECK(lines_of(records) > 5);
  CHECK(records.back() == '\n');  // no half line
  CHECK(run_plusmax({"report", directory + "/out", "-q"}).code == 3);
}

TEST_CASE("a run that could not write its records has not passed, and no report of it says so", "[cli][interrupt]") {
  const std::string directory = fresh_directory("unrecorded"), out = directory + "/out";
  const std::vector<std::vector<std::string>> commands = {
      {"check", "--profile", "smoke", "--backend", "host", "--variant", "split_row", "--dtype", "f16", "--jobs", "1"},
      {"fuzz", "--backend", "host", "--variant", "block_per_row", "--cases", "200", "--seed", "3"},
      {"mutants", "--backend", "host", "--match", "^missing_max$"}};
  for (std::vector<std::string> command : commands) {
    INFO(command.front());
    command.insert(command.end(), {"--out", out});
    Environment environment;
    environment.largest_file = 20'000;  // room for run.json, summary.md and junit.xml without records, and some records
    const Answer answer = run_plusmax(command, environment);
    INFO(answer.out << answer.err);
    CHECK(answer.code == 70);
    CHECK(answer.out.find("PASSED") == std::string::npos);
    CHECK(answer.out.find("INTERRUPTED: ") != std::string::npos);
    CHECK(answer.out.find("records.jsonl") != std::string::npos);
    CHECK(read(out + "/run.json").find("\"interrupted\": true") != std::string::npos);
    CHECK(read(out + "/run.json").find("\"unrecorded\": ") != std::string::npos);
    CHECK(read(out + "/summary.md").find("INTERRUPTED") != std::string::npos);
    const Answer again = run_plusmax({"report", out});
    CHECK(again.code == 3);
    CHECK(again.out.find("not everything was recorded: cannot write ") != std::string::npos);
    for (const char* name : {"/report.html", "/report.json", "/summary.md", "/junit.xml"}) {
      INFO(name);
      CHECK(read(out + name).find("not everything was recorded: cannot write ") != std::string::npos);
      CHECK(read(out + name).find("PASSED") == std::string::npos);
    }
    CHECK(run_plusmax({"report", out, "--out", directory + "/other", "-q"}).code == 3);
  }
}
