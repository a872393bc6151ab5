// Runs the command line as a user does, and keeps what it said.
#pragma once

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace plusmax::cli::testing {

struct Answer {
  int code = -1;       // 128 + signal if a signal ended it
  std::string out, err;
};

struct Environment {
  long largest_file = -1;                        // bytes; RLIMIT_FSIZE
  double interrupt_after = 0;                    // seconds; `signal`
  int signal = SIGINT;
  bool ignores_interrupts = false;  // as behind nohup or '&' of a script
  std::string standard_output;      // goes there, and is not answered
};

Answer run_plusmax(const std::vector<std::string>& arguments, const Environment& environment = {});

// A directory of this test, empty.
std::string fresh_directory(const std::string& name);

std::string read(const std::string& path);
std::size_t lines_of(const std::string& text);

// A small case of two rows, and a case file of this text in `directory`: its path.
inline const std::string kLine = "logsumexp f32 rows=2 cols=2 data=[[1,2],[-inf,-inf]]";
std::string case_file(const std::string& directory, const std::string& text);

// The module of the first mutant with that name, for this build.
std::string mutant_module(const std::string& name);

}  // namespace plusmax::cli::testing
