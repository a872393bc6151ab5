// Where a run writes: locks, links, what is moved away, and what is never touched.
#include "reports/files.hpp"
#include "tests/catch.hpp"
#include "tests/cli/run_cli.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace plusmax::cli::testing;

TEST_CASE("2: a directory that another run writes is left alone", "[cli][directory]") {
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

TEST_CASE("a path through a link or through nothing leads where it should", "[cli][directory]") {
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

TEST_CASE("report: its own directory is rewritten in place, another source is not moved away", "[cli][directory]") {
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

TEST_CASE("a file of someone else is never deleted, whatever its name ends with", "[cli][directory]") {
  const std::string directory = fresh_directory("foreign");
  const std::string file = case_file(directory, kLine + "\n");
  std::filesystem::create_directories(directory + "/out");
  std::fclose(std::fopen((directory + "/out/movie.mkv.part").c_str(), "w"));
  CHECK(run_plusmax({"check", "--cases", file, "--backend", "host", "--out", directory + "/out"}).code == 2);
  CHECK(std::filesystem::exists(directory + "/out/movie.mkv.part"));
}

TEST_CASE("a failure database that making room left in DIR.old is taken back, and never deleted", "[cli][directory]") {
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

TEST_CASE("2: a run is not written into another run, nor into a failure database", "[cli][directory]") {
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
