// Every exit code, from a real run.
#include "reports/files.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <sys/wait.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace plusmax::cli::testing;

namespace {

const std::string kLine = "logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]";

std::string case_file(const std::string& directory, const std::string& text) {
  const std::string path = directory + "/some.cases";
  std::FILE* file = std::fopen(path.c_str(), "w");
  REQUIRE(file != nullptr);
  std::fputs(text.c_str(), file);
  std::fclose(file);
  return path;
}

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

TEST_CASE("2: a directory that another run writes is left alone", "[cli][exit]") {
  const std::string directory = fresh_directory("locked"), out = directory + "/out";
  const std::string file = case_file(directory, kLine + "\n");
  const std::vector<std::string> command = {"check",     "--cases",       file,    "--backend", "host",
                                            "--variant", "block_per_row", "--out", out};
  REQUIRE(run_plusmax(command).code == 0);
  {
    const plusmax::reports::DirectoryLock lock(out);
    for (const std::vector<std::string>& other : {command, {"report", out}}) {
      const Answer answer = run_plusmax(other);
      CHECK(answer.code == 2);
      CHECK(lines_of(answer.err) == 1);
      CHECK(answer.err.find(out) != std::string::npos);
      CHECK(answer.err.find("--out") != std::string::npos);
    }
    // What it holds is not whole, and may be another run's before it is read to its end.
    const Answer elsewhere = run_plusmax({"report", out, "--out", directory + "/other"});
    CHECK(elsewhere.code == 2);
    CHECK(elsewhere.err.find(out + " is in use") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(directory + "/other"));
  }
  CHECK(run_plusmax({"report", out, "--out", directory + "/other"}).code == 0);
  {
    // The lock comes before the first byte is read: unreadable records are not even seen while another run writes.
    std::ofstream(out + "/run.json") << "no json";
    const plusmax::reports::DirectoryLock lock(out);
    CHECK(run_plusmax({"report", out}).err.find("is in use") != std::string::npos);
  }
  Environment environment;
  environment.interrupt_after = 1, environment.signal = SIGKILL;
  CHECK(run_plusmax({"fuzz", "--backend", "host", "--for", "300s", "--out", out, "-q"}, environment).code ==
        128 + SIGKILL);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(500));  // its children hold the lock, too, until they die with it
  CHECK(run_plusmax(command).code == 0);
  CHECK(run_plusmax(command).code == 0);
}

TEST_CASE("a path through a link or through nothing leads where it should", "[cli][exit]") {
  const std::string directory = fresh_directory("paths");
  const std::string file = case_file(directory, kLine + "\n");
  std::filesystem::create_directories(directory + "/real");
  std::filesystem::create_directory_symlink(directory + "/real", directory + "/link");
  for (const std::string out : {"/link", "/link/", "/nothing/../real/", "/./real"}) {
    const Answer answer = run_plusmax(
        {"check", "--cases", file, "--backend", "host", "--variant", "block_per_row", "--out", directory + out});
    INFO(out << ": " << answer.err);
    CHECK(answer.code == 0);
    CHECK(std::filesystem::exists(directory + "/real/report.html"));
    CHECK(std::filesystem::is_symlink(directory + "/link"));
  }
  CHECK(std::filesystem::exists(directory + "/real.old/report.html"));
  CHECK_FALSE(std::filesystem::exists(directory + "/link.old"));
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

TEST_CASE("report: its own directory is rewritten in place, another source is not moved away", "[cli][exit]") {
  const std::string directory = fresh_directory("in_place"), one = directory + "/one", two = directory + "/two";
  const std::string file = case_file(directory, kLine + "\n");
  for (const std::string& out : {one, two})
    REQUIRE(run_plusmax({"check", "--cases", file, "--backend", "host", "--variant", "block_per_row", "--out", out}).code == 0);
  CHECK(run_plusmax({"report", one, "--out", one + "/"}).code == 0);
  CHECK(run_plusmax({"report", one, "--out", two + "/../one"}).code == 0);
  CHECK(lines_of(read(one + "/records.jsonl")) > 0);
  CHECK(run_plusmax({"report", one, two, "--out", two}).code == 2);
  CHECK(run_plusmax({"report", one, two, "--out", directory + "/three"}).code == 0);
}

TEST_CASE("a file of someone else is never deleted, whatever its name ends with", "[cli][exit]") {
  const std::string directory = fresh_directory("foreign");
  const std::string file = case_file(directory, kLine + "\n");
  std::filesystem::create_directories(directory + "/out");
  std::fclose(std::fopen((directory + "/out/movie.mkv.part").c_str(), "w"));
  CHECK(run_plusmax({"check", "--cases", file, "--backend", "host", "--out", directory + "/out"}).code == 2);
  CHECK(std::filesystem::exists(directory + "/out/movie.mkv.part"));
}

TEST_CASE("a failure database that making room left in DIR.old is taken back, and never deleted", "[cli][exit]") {
  namespace fs = std::filesystem;
  const std::string directory = fresh_directory("restored"), out = directory + "/out", line = "logsumexp f32 rows=1 cols=77 seed=12345";
  const std::vector<std::string> check = {"check", "--cases", case_file(directory, kLine + "\n"), "--backend", "host", "--variant", "block_per_row", "--out", out};
  const auto lose = [&](const std::string& name) {
    fs::create_directories(out + ".old/failures");
    std::ofstream(out + ".old/failures/" + name) << line << "\n";
  };
  lose("one.case");  // DIR is not there: the process ended between moving it and making it
  CHECK(run_plusmax(check).code == 0);
  CHECK(fs::exists(out + "/failures/one.case"));
  lose("two.case");  // DIR is a run with a database of its own
  CHECK(run_plusmax(check).code == 0);
  for (const char* name : {"one.case", "two.case"}) CHECK(fs::exists(out + "/failures/" + name));
  CHECK_FALSE(fs::exists(out + ".old/failures/two.case"));
  fs::rename(out + "/failures", out + ".old/failures");
  const Answer fuzz = run_plusmax({"fuzz", "--backend", "host", "--cases", "1", "--check", "oracle", "--out", out, "-v"});
  CHECK(fuzz.code == 0);
  CHECK(fuzz.out.find("oracle: " + line) != std::string::npos);  // it was there in time to be replayed
  lose("one.case");
  std::ofstream(out + ".old/failures/one.case") << "logsumexp f32 rows=1 cols=1\n";
  const Answer differ = run_plusmax(check);
  CHECK(differ.code == 2);
  CHECK(differ.err.find("one.case") != std::string::npos);
  CHECK(fs::exists(out + ".old/failures/one.case"));
}

TEST_CASE("2: a run is not written into another run, nor into a failure database", "[cli][exit]") {
  namespace fs = std::filesystem;
  const std::string directory = fresh_directory("nested"), out = directory + "/out";
  std::vector<std::string> check = {"check", "--cases", case_file(directory, kLine + "\n"), "--backend", "host", "--variant", "block_per_row", "--out", out};
  REQUIRE(run_plusmax(check).code == 0);
  for (const char* below : {"/sub", "/sub/sub", "/failures"}) {
    check.back() = out + below;
    const Answer answer = run_plusmax(check);
    INFO(below << ": " << answer.err);
    CHECK(answer.code == 2);
    CHECK(lines_of(answer.err) == 1);
    CHECK(answer.err.find(out + below) != std::string::npos);
  }
  check.back() = directory + "/other/failures";
  CHECK(run_plusmax(check).code == 2);
  CHECK(run_plusmax({"fuzz", "--backend", "host", "--cases", "1", "--out", directory + "/fuzz", "--failures", out}).code == 2);
  check.back() = out;
  CHECK(run_plusmax(check).code == 0);
  fs::remove_all(out + ".old");
  fs::create_symlink(directory + "/nowhere", out + ".old");
  const Answer dangling = run_plusmax(check);
  CHECK(dangling.code == 2);
  CHECK(dangling.err.find(out + ".old is a link") != std::string::npos);
}
