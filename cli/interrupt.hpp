// Ctrl-C and SIGTERM ask the run to stop; it then finishes its report.
#pragma once

namespace plusmax::cli {

void catch_interrupts();     // from now on the first signal only sets a flag; a second one ends the process at once
bool interrupted();
int interrupt_signal();      // the signal's number, 0 if there was none
void ignore_interrupts();    // in a child: the parent decides

}  // namespace plusmax::cli
