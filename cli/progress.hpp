// One line that changes on a terminal; elsewhere a plain line every ten seconds.
#pragma once

#include "properties/record.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace plusmax::cli {

bool colours_wanted(int descriptor);  // a terminal, and NO_COLOR is not set

class Progress {
 public:
  explicit Progress(bool quiet);

  void expect(std::uint64_t total) { total_ = total; }             // 0: not known
  void until(double seconds) { seconds_ = seconds; }               // the run ends by the clock
  void add(const properties::Record& record);
  void add_other(bool good);                                       // a mutant, a measurement
  void tick();
  // Removes the line, so that something else can be printed.
  void clear();

 private:
  std::string text() const;

  bool quiet_, terminal_;
  std::uint64_t total_ = 0, done_ = 0, bad_ = 0;
  double worst_ = 0, seconds_ = 0;
  std::chrono::steady_clock::time_point begin_, last_;
  bool shown_ = false;
};

}  // namespace plusmax::cli
