#include "cli/interrupt.hpp"

#include <csignal>

namespace plusmax::cli {
namespace {

volatile std::sig_atomic_t caught = 0;

void set(int action_for[2], void (*handler)(int), int flags) {
  for (int i = 0; i < 2; ++i) {
    struct sigaction inherited = {};
    sigaction(action_for[i], nullptr, &inherited);
    if (inherited.sa_handler == SIG_IGN) continue;  // whoever started us wants it ignored, as the shell does behind '&'
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(action_for[i], &action, nullptr);
  }
}

int signals[2] = {SIGINT, SIGTERM};

}  // namespace

void catch_interrupts() {
  // SA_RESETHAND: the next one has its default effect.
  set(signals, [](int signal) { caught = signal; }, static_cast<int>(SA_RESETHAND));
}
bool interrupted() { return caught != 0; }
int interrupt_signal() { return caught; }
void ignore_interrupts() { set(signals, SIG_IGN, 0); }

}  // namespace plusmax::cli
