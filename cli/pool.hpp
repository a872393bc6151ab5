// Work in forked child processes, so that a crash or a timeout is a result and not the end of the run.
//
// Work comes in groups (one case on one variant) of units (one check each), run in order by one child. The child answers one
// line per unit, after any number of lines on the way. A child that dies or overruns its time is replaced, and the group
// goes on with the unit after, in a process forked then; `units` may answer more than before once `died` was called for a
// death that ended a process.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace plusmax::cli {

struct Death {
  enum Kind { crashed, timeout, threw } kind = crashed;
  std::string what;  // "SIGSEGV (Segmentation fault)", "no answer in 60 s", the exception's text
};

using Say = std::function<void(const std::string& line)>;

struct PoolWork {
  // In the parent. `groups` may be asked again and again: a search goes on until its time is up.
  std::function<bool(std::size_t group)> exists;
  std::function<std::size_t(std::size_t group)> units;
  std::function<void(std::size_t group, std::size_t unit, const std::string& line)> done;
  std::function<void(std::size_t group, std::size_t unit, const Death&)> died;
  std::function<void(std::size_t group, std::size_t unit, const std::string& line)> note;  // a line on the way
  std::function<void()> tick;        // about ten times a second
  std::function<bool()> stop;        // true: hand out nothing more; what runs may still finish

  // In the child.
  std::function<void()> start;       // once, before the first unit
  // Returns the unit's line, without a newline; `say` sends one on the way, which also sets the unit's clock back to 0.
  std::function<std::string(std::size_t group, std::size_t unit, const Say& say)> work;
  std::function<bool()> broken;      // after each unit: true if this process can do no more (a GPU context that failed)
};

// After `stop`, running units get this long before they are abandoned; an abandoned unit has no result.
inline constexpr double kStopGraceSeconds = 10;

// Throws std::system_error if no child can be started. `timeout` is in seconds for each unit; 0 means none.
void run_pool(const PoolWork& work, int jobs, double timeout);

}  // namespace plusmax::cli
