// Guarded memory for the arguments of a launch other than its logits (storage.hpp).
#pragma once

#include "properties/execution.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace plusmax::properties {

class Buffers {
 public:
  using Buffer = std::unique_ptr<DeviceBuffer>;

  Buffers(Device& device, const Execution& execution) : device_(device), execution_(execution) {}

  // `stride` in elements of `size` bytes. The input is read-only from here on.
  Buffer input(const char* name, const void* values, std::size_t count, std::size_t size, std::size_t stride) const;
  Buffer output(const char* name, std::int64_t count, std::size_t size) const;
  // A line a row, so that what lies between the rows is guard. `phase`: elements from a 256-byte boundary.
  struct Rectangle {
    std::int64_t rows, cols, stride, phase;
  };
  Buffer matrix(const char* name, const Rectangle&, std::size_t size) const;
  Buffer workspace(std::size_t bytes) const;

 private:
  Buffer allocate(const char* name, std::size_t count, std::size_t size, std::size_t stride, bool read_only) const;

  Device& device_;
  const Execution& execution_;
};

}  // namespace plusmax::properties
