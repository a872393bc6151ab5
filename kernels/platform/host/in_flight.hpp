// Copies between their issue and their landing. What lands when is the schedule's choice: `forward` waits until nobody
// else can go on and then takes the oldest, `reverse` the newest, `random` draws.
#pragma once

#include "kernels/platform/host/machine.hpp"

#include <vector>

namespace plusmax::simt {

struct Operation {
  enum class Kind : std::uint8_t { load, store, send };
  Kind kind;
  char* to;
  const char* from;  // null: a send
  unsigned bytes;
  void* barrier;  // null: a store
  unsigned fiber;
  const char* file;
  int line;
  std::uint64_t id = 0;       // the time of its issue
  std::vector<char> value{};  // what is to be written, once it has been read
  bool read = false;
};
const char* name_of(Operation::Kind);

// Draws its id; `code`: return address in the kernel.
void issue(Operation, const void* code);
// Lands those of one thread's stores that were issued before `before`; read_only: only as far as reading their sources.
void land_stores(unsigned fiber, std::uint64_t before, bool read_only);

}  // namespace plusmax::simt
