// Held by the one process that writes into a directory.
#pragma once

#include <filesystem>

namespace plusmax::reports {

// A lock of the directory itself: no file of its own to leave behind, and the system lets go of it when the process
// ends, however it does. On a file system without such locks nothing is held.
class DirectoryLock {
 public:
  enum Use { writes, reads };  // any number may read while nobody writes
  // Throws FileError if another process holds the directory, or if it cannot be opened.
  explicit DirectoryLock(const std::filesystem::path& directory, Use use = writes);
  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

 private:
  int descriptor_;
};

}  // namespace plusmax::reports
