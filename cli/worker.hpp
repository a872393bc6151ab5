// One forked child of a pool, seen from the parent.
#pragma once

#include "cli/pool.hpp"

#include <optional>
#include <string>
#include <sys/types.h>

namespace plusmax::cli {

class Worker {
 public:
  explicit Worker(const PoolWork& work);  // forks; throws std::system_error
  ~Worker();                              // kills
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  struct Answer {
    enum Kind { note, result, threw } kind;
    bool last_of_process;  // the child can do no more
    std::string text;
  };

  void send(std::size_t group, std::size_t first_unit, std::size_t units);
  int descriptor() const { return from_child_; }
  bool read();                     // takes what the child has written; false when it is gone
  std::optional<Answer> take();    // the next whole answer
  std::string obituary();          // waits for the dead child: "SIGSEGV (Segmentation fault)", "exit status 1"

 private:
  pid_t pid_;
  int to_child_, from_child_;
  bool reaped_ = false;
  std::string buffer_;
};

}  // namespace plusmax::cli
