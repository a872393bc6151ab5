#include "reports/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace plusmax::reports {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const char* what, int code) {
  const char* advice = code == ENOSPC || code == EFBIG || code == EDQUOT ? "free some space or name another place with --out"
                                                                        : "name a writable directory with --out";
  throw FileError(fmt::format("cannot {} {}: {}; {}", what, path.string(), std::strerror(code), advice));
}

// False, with errno set, if not everything could be written.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Every file that a run writes; a directory with anything else in it is not ours to move or delete.
bool is_run(const fs::path& directory) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".part")) name.resize(name.size() - 5);  // left by a killed run
    const bool ours = name == "run.json" || name == "records.jsonl" || name == "mutants.jsonl" || name == "bench.jsonl" ||
                      name == "report.json" || name == "report.html" || name == "summary.md" || name == "junit.xml" ||
                      name == "failures";
    if (!ours) return false;
  }
  return true;
}

void require_run(const fs::path& directory) {
  if (!fs::is_directory(directory))
    throw FileError(fmt::format("{} is a file; name a directory with --out", directory.string()));
  if (!is_run(directory))
    throw FileError(fmt::format("{} holds files that are no plusmax report; name another directory with --out",
                                directory.string()));
}

}  // namespace

LineFile::LineFile(fs::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(path_, "create", errno);
}

LineFile::~LineFile() { ::close(descriptor_); }

void LineFile::append(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  if (!write_all(descriptor_, text)) {
    const int code = errno;
    if (::ftruncate(descriptor_, size_) == 0) ::lseek(descriptor_, size_, SEEK_SET);
    fail(path_, "write", code);
  }
  size_ += static_cast<long long>(text.size());
}

void LineFile::sync() {
  // Pipes and some file systems cannot sync: EINVAL is no loss.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) fail(path_, "write", errno);
}

void write_file(const fs::path& path, std::string_view content) {
  fs::path part = path;
  part += ".part";
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) fail(path, "create", errno);
  int code = write_all(descriptor, content) && ::fsync(descriptor) == 0 ? 0 : errno;
  if (::close(descriptor) != 0 && code == 0) code = errno;
  if (code == 0 && ::rename(part.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return;
  ::unlink(part.c_str());
  fail(path, "write", code);
}

fs::path real_path(const fs::path& path) {
  // Twice: a part that only the first pass makes plain may be a link itself.
  fs::path plain = fs::weakly_canonical(fs::weakly_canonical(fs::absolute(path))).lexically_normal();
  return plain.has_filename() || !plain.has_relative_path() ? plain : plain.parent_path();  // "out/" is out
}

DirectoryLock rotate_directory(const fs::path& given) {
  fs::path directory = given;
  fs::path moved_failures;
  try {
    directory = real_path(given);
    if (fs::exists(directory)) {
      require_run(directory);
      const DirectoryLock lock(directory);
      if (!fs::is_empty(directory)) {
        fs::path old = directory;
        old += ".old";
        if (fs::exists(old)) {
          require_run(old);
          const DirectoryLock lock_of_old(old);
          fs::remove_all(old);
        }
        fs::rename(directory, old);
        moved_failures = old / "failures";
      }
    }
    fs::create_directories(directory);
    DirectoryLock lock(directory);
    // The failure database outlives its run: what failed once is tried first.
    if (!moved_failures.empty() && fs::exists(moved_failures)) fs::rename(moved_failures, directory / "failures");
    if (::access(directory.c_str(), W_OK | X_OK) != 0) fail(directory, "write to", errno);
    return lock;
  } catch (const fs::filesystem_error& error) {
    fail(error.path1().empty() ? directory : error.path1(), "create", error.code().value());
  }
}

}  // namespace plusmax::reports
