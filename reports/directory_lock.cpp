#include "reports/directory_lock.hpp"

#include "reports/files.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

namespace plusmax::reports {
namespace {

bool leads_to(const std::filesystem::path& path, int descriptor) {
  struct stat there = {}, here = {};
  return ::stat(path.c_str(), &there) == 0 && ::fstat(descriptor, &here) == 0 && there.st_dev == here.st_dev &&
         there.st_ino == here.st_ino;
}

}  // namespace

DirectoryLock::DirectoryLock(const std::filesystem::path& directory, Use use) {
  for (;;) {
    descriptor_ = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0)
      throw FileError(fmt::format("cannot open {}: {}; name a readable and writable directory with --out",
                                  directory.string(), std::strerror(errno)));
    if (::flock(descriptor_, (use == reads ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(descriptor_);
      throw FileError(fmt::format("{} is in use by another run; wait for its end{}", directory.string(),
                                  use == reads ? "" : ", or name another directory with --out"));
    }
    // Between the two calls above another run may have moved it away: then the lock is one of its DIR.old.
    if (leads_to(directory, descriptor_)) return;
    ::close(descriptor_);
  }
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

}  // namespace plusmax::reports
