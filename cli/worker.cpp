#include "cli/worker.hpp"

#include "cli/interrupt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace plusmax::cli {
namespace {

// First letter of an answer.
constexpr char kNote = 'N', kResult = 'R', kThrew = 'E', kResultOfBroken = 'r', kThrewOfBroken = 'e';

// One answer is one line.
std::string answer_line(char kind, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return kind + text + '\n';
}

bool write_all(int descriptor, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(descriptor, text.data() + at, text.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return true;
}

// The parent closes its end: end of file, and the child is done.
void serve(const PoolWork& work, int in, int out) {
  std::FILE* requests = ::fdopen(in, "r");
  unsigned long long group, first, units;
  bool started = false;
  while (requests != nullptr && std::fscanf(requests, "%llu %llu %llu", &group, &first, &units) == 3) {
    for (unsigned long long unit = first; unit < units; ++unit) {
      std::string text;
      bool threw = false, broken = false;
      try {
        if (!started && work.start) work.start();
        started = true;
        text = work.work(group, unit, [out](const std::string& line) { write_all(out, answer_line(kNote, line)); });
        broken = work.broken && work.broken();
      } catch (const std::exception& error) {
        text = error.what();
        threw = broken = true;  // what it left behind is not known
      }
      const char kind = broken ? (threw ? kThrewOfBroken : kResultOfBroken) : (threw ? kThrew : kResult);
      if (!write_all(out, answer_line(kind, std::move(text)))) return;
      if (broken) return;
    }
  }
}

void close_above_standard_streams(int keep_a, int keep_b) {
  // Pipe ends of other workers would keep those from seeing the end of their input.
  for (int descriptor = 3; descriptor < 1024; ++descriptor)
    if (descriptor != keep_a && descriptor != keep_b && (::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0) ::close(descriptor);
}

}  // namespace

Worker::Worker(const PoolWork& work) {
  int requests[2], answers[2];
  if (::pipe2(requests, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
  if (::pipe2(answers, O_CLOEXEC) != 0) {
    const int code = errno;
    ::close(requests[0]), ::close(requests[1]);
    throw std::system_error(code, std::generic_category(), "cannot make a pipe");
  }
  std::fflush(nullptr);  // or the child would print the parent's buffers again
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) {
    const int code = errno;
    ::close(requests[0]), ::close(requests[1]), ::close(answers[0]), ::close(answers[1]);
    throw std::system_error(code, std::generic_category(), "cannot fork; use fewer --jobs");
  }
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);  // it died before the line above
    ignore_interrupts();
    close_above_standard_streams(requests[0], answers[1]);
    serve(work, requests[0], answers[1]);
    std::fflush(nullptr);
    ::_exit(0);
  }
  ::close(requests[0]), ::close(answers[1]);
  to_child_ = requests[1], from_child_ = answers[0];
  ::fcntl(from_child_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
  ::close(to_child_), ::close(from_child_);
  if (reaped_) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {}
}

void Worker::send(std::size_t group, std::size_t first_unit, std::size_t units) {
  write_all(to_child_, fmt::format("{} {} {}\n", group, first_unit, units));
}

bool Worker::read() {
  char block[65536];
  for (;;) {
    const ssize_t count = ::read(from_child_, block, sizeof block);
    if (count > 0) buffer_.append(block, static_cast<std::size_t>(count));
    else if (count < 0 && errno == EINTR) continue;
    else return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<Worker::Answer> Worker::take() {
  const std::size_t end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  const char kind = buffer_[0];
  Answer answer{kind == kNote                                ? Answer::note
                : kind == kThrew || kind == kThrewOfBroken ? Answer::threw
                                                           : Answer::result,
                kind == kResultOfBroken || kind == kThrewOfBroken, buffer_.substr(1, end - 1)};
  buffer_.erase(0, end + 1);
  return answer;
}

std::string Worker::obituary() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  reaped_ = true;
  if (WIFSIGNALED(status)) {
    const char* name = ::sigabbrev_np(WTERMSIG(status));
    return fmt::format("SIG{} ({})", name != nullptr ? name : "?", ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("exit status {}", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

}  // namespace plusmax::cli
