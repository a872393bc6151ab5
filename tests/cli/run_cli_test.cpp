#include "tests/cli/run_cli.hpp"

#include "properties/mutant.hpp"
#include "tests/catch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace plusmax::cli::testing {

namespace fs = std::filesystem;

std::string case_file(const std::string& directory, const std::string& text) {
  const std::string path = directory + "/some.cases";
  std::ofstream file(path);
  file << text;
  REQUIRE(file.flush());
  return path;
}

std::string read(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

std::string fresh_directory(const std::string& name) {
  const fs::path path = fs::temp_directory_path() / ("plusmax_cli_" + std::to_string(::getpid())) / name;
  fs::remove_all(path);
  fs::create_directories(path);
  return path.string();
}

Answer run_plusmax(const std::vector<std::string>& arguments, const Environment& environment) {
  const std::string scratch = fresh_directory("answer");
  const std::string out = scratch + "/out", err = scratch + "/err";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // Whoever runs the tests may ignore it.
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, environment.ignores_interrupts ? SIG_IGN : SIG_DFL);
    const std::string& to = environment.standard_output.empty() ? out : environment.standard_output;
    if (std::freopen(to.c_str(), "w", stdout) == nullptr || std::freopen(err.c_str(), "w", stderr) == nullptr)
      ::_exit(99);
    if (environment.largest_file >= 0) {
      const rlimit limit{static_cast<rlim_t>(environment.largest_file), static_cast<rlim_t>(environment.largest_file)};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<char*> argv;
    std::string program = PLUSMAX_BINARY_DIR "/plusmax";
    argv.push_back(program.data());
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) argv.push_back(argument.data());
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(98);
  }
  if (environment.interrupt_after > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(environment.interrupt_after));
    ::kill(child, environment.signal);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Answer answer{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
  return answer;
}

std::string mutant_module(const std::string& name) {
  for (const properties::Mutant& mutant : properties::all_mutants())
    if (mutant.name == name) return properties::mutant_module_path(mutant, "host");
  FAIL("no mutant " << name);
  return "";
}

}  // namespace plusmax::cli::testing
