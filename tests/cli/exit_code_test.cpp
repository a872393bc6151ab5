// Every exit code, from a real run.
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <sys/wait.h>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace plusmax::cli::testing;

namespace {

// The first line of `text` that begins so, run by a shell in `directory`: its exit code.
int run_printed(const std::string& text, const std::string& beginning, const std::string& directory) {
  const std::size_t at = text.find(beginning);
  REQUIRE(at != std::string::npos);
  std::string line = text.substr(at, text.find('\n', at) - at);
  REQUIRE(line.starts_with("./plusmax "));
  line.replace(0, 9, PLUSMAX_BINARY_DIR "/plusmax");
  const int status = std::system(("cd " + directory + " && " + line + " > replay.txt 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("replay shows the answer of each row and passes", "[cli][exit]") {
  const Answer text = run_plusmax({"replay", kLine, "--backend", "host"});
  CHECK(text.code == 0);
  CHECK(text.err == "");
  CHECK(text.out.find("2.3132617") != std::string::npos);
  CHECK(text.out.find("-inf") != std::string::npos);
  const Answer json = run_plusmax({"replay", kLine, "--backend", "host", "--json"});
  CHECK(json.code == 0);
  CHECK(json.out.find("\"got\": 2.3132617") != std::string::npos);
  CHECK(json.out.find("\"got\": \"-inf\"") != std::string::npos);
}

TEST_CASE("explain, list and doctor answer", "[cli][exit]") {
  CHECK(run_plusmax({"explain", kLine, "--backend", "host"}).out.find("warp_per_row") != std::string::npos);
  CHECK(run_plusmax({"list", "--backend", "host", "--json"}).out.find("\"oracle\"") != std::string::npos);
  const Answer doctor = run_plusmax({"doctor"});
  CHECK(doctor.code == 0);
  CHECK(doctor.out.find("self test passed") != std::string::npos);
}

TEST_CASE("0: a check that passes leaves all its files", "[cli][exit]") {
  const std::string directory = fresh_directory("pass");
  const Answer answer = run_plusmax({"check", "--cases", case_file(directory, kLine + "\n"), "--backend", "host", "--out", directory + "/out"});
  INFO(answer.err << answer.out);
  CHECK(answer.code == 0);
  CHECK(answer.out.find("seed 0") != std::string::npos);
  for (const char* name : {"records.jsonl", "run.json", "report.json", "report.html", "summary.md", "junit.xml"})
    CHECK(std::filesystem::exists(directory + "/out/" + name));
  const std::string html = read(directory + "/out/report.html");
  std::filesystem::remove(directory + "/out/report.html");
  CHECK(run_plusmax({"report", directory + "/out"}).code == 0);
  CHECK(read(directory + "/out/report.html") == html);
}

TEST_CASE("records are the same whatever the number of processes", "[cli][exit]") {
  const std::string directory = fresh_directory("order");
  std::string lines;
  for (int cols = 1; cols < 40; cols += 3) lines += "logsumexp f32 rows=3 cols=" + std::to_string(cols) + " seed=1\n";
  const std::string file = case_file(directory, lines);
  std::string first;
  for (const char* jobs : {"1", "3"}) {
    CHECK(run_plusmax({"check", "--cases", file, "--backend", "host", "--jobs", jobs, "--out", directory + "/out", "-q"}).code == 0);
    std::string text = read(directory + "/out/records.jsonl");
    for (std::size_t at = 0; (at = text.find("\"seconds\":", at)) != std::string::npos;) text.erase(at, text.find('}', at) - at);
    if (first.empty()) first = text;
    CHECK(text == first);
  }
  CHECK(lines_of(first) > 50);
}

TEST_CASE("1: a wrong kernel fails, with a replay line that fails as well", "[cli][exit]") {
  const std::string directory = fresh_directory("fail"), module = mutant_module("missing_max");
  const Answer answer = run_plusmax({"check", "--module", module, "--cases", case_file(directory, kLine + "\n"), "--out", directory + "/out"});
  CHECK(answer.code == 1);
  CHECK(run_printed(answer.out, "./plusmax replay '" + kLine + "'", directory) == 1);
  CHECK(read(directory + "/replay.txt").find(": failed: ") != std::string::npos);
}

TEST_CASE("1: an answer of a case file that the kernel contradicts is a failure", "[cli][exit]") {
  const std::string directory = fresh_directory("answers");
  const std::string file = case_file(directory, "A1 | " + kLine + " | = [2.5, -inf] | wrong on purpose\n");
  const Answer answer = run_plusmax({"check", "--cases", file, "--backend", "host", "--out", directory + "/out", "-q"});
  CHECK(answer.code == 1);
  CHECK(answer.out.find("2.5") != std::string::npos);
}

TEST_CASE("1: answers count whatever --check selects, and the printed line fails as well", "[cli][exit]") {
  const std::string directory = fresh_directory("answers"), other = "B | logsumexp f32 data=[[1],[2]] | = [1, 2]\n";
  const std::string file = case_file(directory, "A+1 | " + kLine + " | = [2.5, -inf] | wrong on purpose\n" + other);
  for (const char* check : {"oracle", "repeat", "expected"}) {
    const Answer answer = run_plusmax(
        {"check", "--cases", file, "--backend", "host", "--check", check, "--out", directory + "/out", "-q"});
    INFO(check << ": " << answer.out << answer.err);
    CHECK(answer.code == 1);
    CHECK(run_printed(answer.out, "./plusmax check --cases ", directory) == 1);
    CHECK(lines_of(read(directory + "/replayed/records.jsonl")) == 1);
  }
}

TEST_CASE("2: an id that no printed line could find again is refused", "[cli][exit]") {
  const std::string directory = fresh_directory("long_id");
  std::string text = " | " + kLine + " | = [2.5, -inf] | wrong on purpose\n";
  text.insert(0, 2000, 'A');
  const std::string file = case_file(directory, text);
  const Answer answer = run_plusmax({"check", "--cases", file, "--backend", "host", "--out", directory + "/out"});
  CHECK(answer.code == 2);
  CHECK(lines_of(answer.err) == 1);
  CHECK(answer.err.find("2000 characters") != std::string::npos);
}

TEST_CASE("4: a plan of which nothing runs here says so before it runs, too", "[cli][exit]") {
  const std::string directory = fresh_directory("dry");
  for (const std::string line : {"G | logsumexp f32 rows=1 cols=1 | gpu\n", "L | text | later needs a device\n"}) {
    const std::string file = case_file(directory, line);
    CHECK(run_plusmax({"check", "--cases", file, "--backend", "host", "--dry-run"}).code == 4);
    CHECK(run_plusmax({"check", "--cases", file, "--backend", "host", "--out", directory + "/out"}).code == 4);
  }
  const std::string file = case_file(directory, "logsumexp f64 rows=1 cols=3\n");
  CHECK(run_plusmax({"check", "--cases", file, "--variant", "warp_per_row", "--backend", "host", "--dry-run"}).code ==
        4);
}

TEST_CASE("4: a case without memory is skipped, with the bytes that it needs", "[cli][exit]") {
  const Answer explained =
      run_plusmax({"explain", "logsumexp f32 rows=1 cols=2^40", "--backend", "host", "--variant", "block_per_row"});
  CHECK(explained.code == 4);
  CHECK(explained.out.find("need 13194139533316 bytes") != std::string::npos);
  const Answer replayed =
      run_plusmax({"replay", "logsumexp f32 rows=2^40 cols=0", "--backend", "host", "--variant", "block_per_row"});
  CHECK(replayed.code == 4);
  CHECK(replayed.out.find("need 4398046511104 bytes") != std::string::npos);
}

TEST_CASE("70: output that nobody received is no success", "[cli][exit]") {
  Environment environment;
  environment.standard_output = "/dev/full";
  const std::vector<std::vector<std::string>> commands = {
      {"--version"},
      {"--help"},
      {"check", "--help"},
      {"list", "--backend", "host"},
      {"doctor"},
      {"replay", kLine, "--backend", "host"},
      {"explain", kLine, "--backend", "host"},
      {"check", "--backend", "host", "--profile", "smoke", "--dry-run"}};
  for (const std::vector<std::string>& command : commands) {
    const Answer answer = run_plusmax(command, environment);
    INFO(command.front() << ": " << answer.err);
    CHECK(answer.code == 70);
    CHECK(lines_of(answer.err) == 1);
    CHECK(answer.err.find("standard output") != std::string::npos);
  }
}

TEST_CASE("fuzz replays of its database what --dtype and --check select, before the previous run moves",
          "[cli][exit]") {
  const std::string directory = fresh_directory("database"), out = directory + "/out",
                    file = out + "/failures/one.case";
  std::filesystem::create_directories(out + "/failures");
  std::ofstream(out + "/records.jsonl").flush();
  std::ofstream(file) << "logsumexp f32 rows=1 cols=77 seed=12345\n";
  const auto fuzz = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"fuzz",  "--backend", "host",       "--cases",         "40",
                                          "--out", out,         "--failures", out + "/failures", "-v"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = run_plusmax(arguments);
    INFO(answer.err);
    CHECK(answer.code == 0);
    CHECK(std::filesystem::exists(file));
    return answer.out;
  };
  const std::string stored = ": logsumexp f32 rows=1 cols=77 seed=12345";
  const std::string all = fuzz({});
  CHECK(all.find("oracle" + stored) != std::string::npos);
  CHECK(all.find("bound_is_sharp" + stored) == std::string::npos);
  const std::string one = fuzz({"--check", "repeat"});
  CHECK(one.find("repeat" + stored) != std::string::npos);
  CHECK(one.find("oracle" + stored) == std::string::npos);
  CHECK(fuzz({"--dtype", "f16"}).find(stored) == std::string::npos);
}

TEST_CASE("report: what no run writes is refused, and a full disk is no mistake of the user", "[cli][exit]") {
  const std::string directory = fresh_directory("odd"), out = directory + "/out";
  const std::string file = case_file(directory, kLine + "\n");
  REQUIRE(run_plusmax({"check", "--cases", file, "--backend", "host", "--variant", "block_per_row", "--check", "oracle",
                       "--out", out})
              .code == 0);
  const std::string good = read(out + "/records.jsonl");
  const std::pair<const char*, const char*> edits[] = {
      {"\"compared\":2", "\"compared\":-2"},
      {"\"compared\":2", "\"compared\":2.5"},
      {"\"compared\":2", "\"checks\":18446744073709551615,\"compared\":2"},
      {"\"rows\":2", "\"rows\":-2"},
      {"\"seconds\":", "\"seconds\":\"nan\",\"was\":"},
      {"\"worst_ratio_hex\":\"", "\"worst_ratio_hex\":\"nan\",\"was\":\""}};
  for (const auto& [from, to] : edits) {
    std::string text = good;
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), std::string(from).size(), to);
    std::ofstream(out + "/records.jsonl") << text;
    const Answer answer = run_plusmax({"report", out});
    INFO(to << ": " << answer.err);
    CHECK(answer.code == 2);
    CHECK(lines_of(answer.err) == 1);
    CHECK(answer.err.find("records.jsonl:1") != std::string::npos);
  }
  std::ofstream(out + "/records.jsonl") << good;
  Environment environment;
  environment.largest_file = 1'000;
  const Answer full = run_plusmax({"report", out}, environment);
  CHECK(full.code == 70);
  CHECK(lines_of(full.err) == 1);
  std::filesystem::remove(out + "/records.jsonl");
  std::filesystem::create_directories(out + "/records.jsonl");
  const Answer answer = run_plusmax({"report", out});
  CHECK(answer.code == 2);
  CHECK(answer.err.find("records.jsonl is a directory") != std::string::npos);
}

TEST_CASE("4: what no variant takes is skipped, which is not a success", "[cli][exit]") {
  const std::string directory = fresh_directory("skip");
  const std::string file = case_file(directory, "logsumexp f64 rows=1 cols=3\n");
  CHECK(run_plusmax({"check", "--cases", file, "--variant", "warp_per_row", "--backend", "host", "--out", directory + "/out"}).code == 4);
}

TEST_CASE("6: a check that takes too long is a timeout, and the others still run", "[cli][exit]") {
  const std::string directory = fresh_directory("timeout");
  const std::string file = case_file(directory, "logsumexp f32 rows=48 cols=262144\nlogsumexp f32 rows=1 cols=1\n");
  const Answer answer = run_plusmax({"check", "--cases", file, "--backend", "host", "--variant", "block_per_row", "--check", "oracle", "--timeout", "0.02", "--out", directory + "/out"});
  CHECK(answer.code == 6);
  const std::string records = read(directory + "/out/records.jsonl");
  CHECK(records.find("\"outcome\":\"timeout\"") != std::string::npos);
  CHECK(records.find("cols=1\"") != std::string::npos);
  CHECK(lines_of(records) == 2);
}

TEST_CASE("6: a kernel that ends its process is a crash, named by its signal, and every case is still tried", "[cli][exit]") {
  const std::string directory = fresh_directory("crash");
  const std::string file = case_file(directory, kLine + "\nlogsumexp f32 rows=1 cols=1\n");
  const Answer answer = run_plusmax({"check", "--cases", file, "--module", PLUSMAX_CRASHING_MODULE, "--check", "oracle", "--check", "repeat", "--out", directory + "/out"});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 6);
  CHECK(answer.out.find("SIGABRT") != std::string::npos);
  const std::string records = read(directory + "/out/records.jsonl");
  CHECK(lines_of(records) == 4);
  CHECK(records.find("\"passed\"") == std::string::npos);
  CHECK(run_plusmax({"replay", kLine, "--module", PLUSMAX_CRASHING_MODULE}).code == 6);
  const Answer fuzz = run_plusmax({"fuzz", "--module", PLUSMAX_CRASHING_MODULE, "--cases", "64", "--out", directory + "/fuzz"});
  CHECK(fuzz.code == 6);
  CHECK(fuzz.out.find("./plusmax replay '") != std::string::npos);
}

TEST_CASE("3: a mutant that its check does not kill fails the harness, and one that is killed does not", "[cli][exit]") {
  const std::string directory = fresh_directory("mutants");
  const Answer answer = run_plusmax({"mutants", "--match", "^missing_max$", "--backend", "host", "--out", directory + "/out"});
  INFO(answer.out << answer.err);
  CHECK(answer.code == 0);
  CHECK(answer.out.find("separation") != std::string::npos);
  // The same records with the kill taken out of them.
  std::string text = read(directory + "/out/mutants.jsonl");
  const std::size_t at = text.find("\"killed\":true");
  REQUIRE(at != std::string::npos);
  text.replace(at, 13, "\"killed\":false");
  std::FILE* file = std::fopen((directory + "/out/mutants.jsonl").c_str(), "w");
  std::fputs(text.c_str(), file);
  std::fclose(file);
  CHECK(run_plusmax({"report", directory + "/out", "-q"}).code == 3);
}
