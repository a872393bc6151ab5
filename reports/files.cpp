#include "reports/files.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
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

fs::path run_around(const fs::path& path) {
  for (fs::path at = real_path(path);; at = at.parent_path()) {
    if (fs::exists(at / "run.json") && fs::exists(at / "records.jsonl")) return at;
    if (!at.has_relative_path()) return {};
  }
}

namespace {

fs::path old_of(fs::path directory) { return directory += ".old"; }

bool same_text(const fs::path& one, const fs::path& other) {
  std::ifstream a(one, std::ios::binary), b(other, std::ios::binary);
  using Text = std::istreambuf_iterator<char>;
  return std::string(Text(a), Text()) == std::string(Text(b), Text());
}

// `directory` is locked. Of two databases the files of the old one join the new one.
void take_back_failures(const fs::path& directory) {
  const fs::path from = old_of(directory) / "failures", to = directory / "failures";
  if (!fs::exists(from)) return;
  if (!fs::exists(to)) return fs::rename(from, to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path there = to / entry.path().filename();
    if (!fs::exists(there)) fs::rename(entry.path(), there);
    else if (!same_text(entry.path(), there))
      throw FileError(fmt::format("{} and {} differ; keep one of the two", entry.path().string(), there.string()));
  }
}

void refuse_nested(const fs::path& given, const fs::path& directory) {
  if (directory.filename() == "failures")
    throw FileError(fmt::format("{} is the name of a failure database; name another directory with --out", given.string()));
  if (const fs::path run = run_around(directory.parent_path()); !run.empty())
    throw FileError(fmt::format("{} lies in {}, which holds a run and could make no room for the next; name another directory with --out",
                                given.string(), run.string()));
}

}  // namespace

void restore_failures(const fs::path& given) {
  const fs::path directory = real_path(given);
  try {
    if (!fs::exists(old_of(directory) / "failures")) return;
    if (fs::exists(directory)) require_run(directory);
    require_run(old_of(directory));
    fs::create_directories(directory);
    const DirectoryLock lock(directory);
    take_back_failures(directory);
  } catch (const fs::filesystem_error& error) {
    fail(error.path1().empty() ? directory : error.path1(), "create", error.code().value());
  }
}

DirectoryLock rotate_directory(const fs::path& given) {
  fs::path directory = given;
  try {
    directory = real_path(given);
    refuse_nested(given, directory);
    restore_failures(directory);  // before DIR.old is deleted
    if (fs::exists(directory)) {
      require_run(directory);
      const DirectoryLock lock(directory);
      if (!fs::is_empty(directory)) {
        const fs::path old = old_of(directory);
        if (fs::is_symlink(old) && !fs::exists(old))
          throw FileError(fmt::format("{} is a link that leads nowhere; delete it, or name another directory with --out", old.string()));
        if (fs::exists(old)) {
          require_run(old);
          const DirectoryLock lock_of_old(old);
          fs::remove_all(old);
        }
        fs::rename(directory, old);
      }
    }
    fs::create_directories(directory);
    DirectoryLock lock(directory);
    // The failure database outlives its run: what failed once is tried first.
    if (!fs::exists(directory / "failures")) take_back_failures(directory);
    if (::access(directory.c_str(), W_OK | X_OK) != 0) fail(directory, "write to", errno);
    return lock;
  } catch (const fs::filesystem_error& error) {
    fail(error.path1().empty() ? directory : error.path1(), "create", error.code().value());
  }
}

}  // namespace plusmax::reports
