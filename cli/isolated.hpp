// One small piece of work in a child process, answered in lines.
#pragma once

#include "cli/pool.hpp"

#include <string>
#include <vector>

namespace plusmax::cli {

struct IsolatedAnswer {
  std::vector<std::string> lines;  // those said on the way, the result last
  bool died = false;
  Death death;                     // if it died
};

// `timeout` in seconds; 0: none.
IsolatedAnswer run_isolated(double timeout, const std::function<std::string(const Say& say)>& work);

}  // namespace plusmax::cli
