#include "cli/progress.hpp"

#include "reports/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace plusmax::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kTerminalSeconds = 0.2, kPlainSeconds = 10;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

}  // namespace

bool colours_wanted(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  return ::isatty(descriptor) == 1 && (no_color == nullptr || *no_color == '\0');
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(::isatty(2) == 1), begin_(Clock::now()), last_(begin_) {}

void Progress::add(const properties::Record& record) {
  using properties::Outcome;
  ++done_;
  if (record.outcome != Outcome::passed && record.outcome != Outcome::skipped) ++bad_;
  if (!(record.worst_ratio <= worst_)) worst_ = record.worst_ratio;
}

void Progress::add_other(bool good) {
  ++done_;
  if (!good) ++bad_;
}

std::string Progress::text() const {
  const double elapsed = seconds_since(begin_);
  std::string line = total_ > 0 ? fmt::format("{}/{}", done_, total_) : fmt::format("{}", done_);
  line += fmt::format(" done, {} bad, worst error/bound {}, {}", bad_, reports::brief(worst_), reports::duration(elapsed));
  double left = -1;
  if (seconds_ > 0) left = seconds_ - elapsed;
  else if (total_ > 0 && done_ > 0) left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - std::min(done_, total_));
  if (left >= 0) line += fmt::format(", {} left", reports::duration(left));
  return line;
}

void Progress::tick() {
  if (quiet_ || seconds_since(last_) < (terminal_ ? kTerminalSeconds : kPlainSeconds)) return;
  last_ = Clock::now();
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%.100s", text().c_str());
    std::fflush(stderr);
    shown_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text().c_str());
  }
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace plusmax::cli
