// Files that survive a crash, an interruption and a full disk.
#pragma once

#include "reports/directory_lock.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plusmax::reports {

// what() is one line: path, the system's own words, what to do.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Lines, each handed to the system as it is written. After a failed write the file ends with the last whole line.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path path);  // creates or truncates
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  void append(std::string_view line);  // without its newline
  void sync();                         // on disk when it returns

 private:
  std::filesystem::path path_;
  int descriptor_;
  long long size_ = 0;
};

// Under a temporary name first, so that a failure leaves the previous file whole.
void write_file(const std::filesystem::path& path, std::string_view content);

// Where a path leads: through links, without "..", "." and a slash at its end. Nothing needs to exist.
std::filesystem::path real_path(const std::filesystem::path& path);

// The nearest of `path` and the directories around it that holds a run; empty if none does.
std::filesystem::path run_around(const std::filesystem::path& path);

// Takes DIR.old/failures back, if making room was cut short before it had moved on to DIR. Throws FileError.
void restore_failures(const std::filesystem::path& directory);

// Makes `directory` new and empty; a previous run in it moves to DIR.old, replacing the one there. Directories that
// hold anything but a run, or that another process writes, are refused. Nobody else rotates it while the lock is held.
[[nodiscard]] DirectoryLock rotate_directory(const std::filesystem::path& directory);

}  // namespace plusmax::reports
