#include "cli/shared_flag.hpp"

#include <cerrno>
#include <new>
#include <sys/mman.h>
#include <system_error>

namespace plusmax::cli {

SharedFlag::SharedFlag() {
  void* page = ::mmap(nullptr, sizeof *flag_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "cannot share a page with child processes");
  flag_ = new (page) std::atomic<bool>(false);
}

SharedFlag::~SharedFlag() { ::munmap(flag_, sizeof *flag_); }

}  // namespace plusmax::cli
