#include "tests/simt/planted.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace plusmax::planted {
namespace {

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string run_here(void (*work)(void*), void* argument) {
  std::string fault;
  try {
    work(argument);
  } catch (const Refused& e) {
    fault = std::string("refused: ") + e.what();
  } catch (const DeviceError& e) {  // used outside a kernel
    fault = e.what();
  }
  try {
    host_device().synchronize();
  } catch (const DeviceError& e) {
    fault = e.what();
  }
  return fault;
}

#if PLUSMAX_TEST_ASAN
std::string run_in_child(void (*work)(void*), void* argument) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    const std::string fault = run_here(work, argument);
    if (write(2, fault.data(), fault.size()) != ssize_t(fault.size())) _exit(2);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, std::size_t(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0 && text.empty()) text = "the child died without a word";
  return text;
}
#endif

}  // namespace

void must_start(const Status& status) {
  if (!status.ok()) throw Refused(status.message);
}

std::string fault_of(void (*work)(void*), void* argument) {
#if PLUSMAX_TEST_ASAN
  return run_in_child(work, argument);
#else
  return run_here(work, argument);
#endif
}

bool names(const std::string& fault, const std::string& words) {
  for (std::size_t at = 0, bar; at <= words.size(); at = bar + 1) {
    bar = std::min(words.find('|', at), words.size());
    if (fault.find(words.substr(at, bar - at)) != std::string::npos) return true;
  }
  return PLUSMAX_TEST_ASAN &&
         (fault.find("AddressSanitizer") != std::string::npos || fault.find("runtime error") != std::string::npos);
}

}  // namespace plusmax::planted
