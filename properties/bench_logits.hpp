// The logits that bench times, alike in every buffer, and memory for what a launch leaves.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/case.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace plusmax::properties {

// Memory of the module's device. Throws std::bad_alloc.
std::unique_ptr<DeviceBuffer> bench_memory(const Module&, const char* name, std::size_t bytes);

class BenchLogits {
 public:
  // Throws UsageError for a case that is not dense or not drawn, std::bad_alloc without the memory.
  BenchLogits(const Case&, const Module&);

  const Case& whole() const { return whole_; }
  const Case& distinct() const { return distinct_; }  // the rows that repeat
  std::int64_t as_distinct(std::int64_t row) const { return row % distinct_.rows; }

  int buffers() const { return static_cast<int>(buffers_.size()); }
  std::size_t bytes() const { return bytes_; }
  std::size_t row_bytes() const { return row_bytes_; }
  DeviceBuffer& buffer(int index) const { return *buffers_[static_cast<std::size_t>(index)]; }
  std::unique_ptr<DeviceBuffer> copy() const;  // one more buffer, written like the others

 private:
  Case whole_, distinct_;
  const Module& module_;
  std::size_t row_bytes_, bytes_;
  std::vector<unsigned char> block_;  // the distinct rows
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
};

// A launch that the device has finished, or why it did not run.
template <class Launch>
std::string finished(const Module& module, Launch&& launch) {
  const Status status = launch(module.device->stream());
  if (!status.ok()) return status.message;
  module.device->synchronize();
  return "";
}
// "launch 3 of 10 gave row 7 other bits than the first"
std::string other_bits(int launch, int times, std::int64_t row, const char* what);

}  // namespace plusmax::properties
