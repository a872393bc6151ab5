// One bit that a parent sets and its forked children see.
#pragma once

#include <atomic>

namespace plusmax::cli {

class SharedFlag {
 public:
  SharedFlag();  // throws std::system_error
  ~SharedFlag();
  SharedFlag(const SharedFlag&) = delete;
  SharedFlag& operator=(const SharedFlag&) = delete;

  void set() { flag_->store(true, std::memory_order_relaxed); }
  bool is_set() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::atomic<bool>* flag_;
};

}  // namespace plusmax::cli
