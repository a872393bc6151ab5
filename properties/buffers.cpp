#include "properties/buffers.hpp"

#include <algorithm>

namespace plusmax::properties {

// `stride` in elements. Without elements one stays, to see that nothing is written. The last byte lies at the end of
// the buffer's last page, unless the first shall lie at a page's begin: neither side forgives a byte too many.
Buffers::Buffer Buffers::allocate(const char* name, std::size_t count, std::size_t size, std::size_t stride,
                                  bool read_only) const {
  BufferSpec spec;
  spec.name = name;
  spec.read_only = read_only;
  spec.flush_left = execution_.flush_left;
  const bool apart = stride > 1 && count > 1;
  spec.lines = apart ? count : 1;
  spec.line_bytes = apart ? size : std::max<std::size_t>(count, 1) * size;
  spec.line_stride = apart ? stride * size : spec.line_bytes;
  constexpr std::size_t kAlign = 256;
  const std::size_t bytes = (spec.lines - 1) * spec.line_stride + spec.line_bytes;
  if (!execution_.flush_left) spec.phase = (kAlign - bytes % kAlign) % kAlign;
  return device_.allocate(spec);
}

Buffers::Buffer Buffers::input(const char* name, const void* values, std::size_t count, std::size_t size,
                               std::size_t stride) const {
  Buffer buffer = allocate(name, count, size, stride, true);
  const auto* bytes = static_cast<const unsigned char*>(values);
  if (count == 0) buffer->fill(execution_.result_poison);
  if (stride == 1 && count > 0) buffer->write(0, bytes, count * size);
  for (std::size_t k = 0; stride > 1 && k < count; ++k) buffer->write(k * stride * size, bytes + k * size, size);
  buffer->seal();
  return buffer;
}

Buffers::Buffer Buffers::output(const char* name, std::int64_t count, std::size_t size) const {
  Buffer buffer = allocate(name, static_cast<std::size_t>(count), size, 1, false);
  buffer->fill(execution_.result_poison);
  return buffer;
}

Buffers::Buffer Buffers::matrix(const char* name, const Rectangle& of, std::size_t size) const {
  const auto rows = static_cast<std::size_t>(of.rows), cols = static_cast<std::size_t>(of.cols);
  const bool apart = of.stride > of.cols && of.rows > 1;
  BufferSpec spec;
  spec.name = name;
  spec.flush_left = execution_.flush_left;
  spec.phase = static_cast<std::size_t>(of.phase) * size % 256;
  spec.lines = apart ? rows : 1;
  spec.line_bytes = apart ? cols * size : std::max<std::size_t>(rows * cols, 1) * size;
  spec.line_stride = apart ? static_cast<std::size_t>(of.stride) * size : spec.line_bytes;
  Buffer buffer = device_.allocate(spec);
  buffer->fill(execution_.result_poison);
  return buffer;
}

Buffers::Buffer Buffers::workspace(std::size_t bytes) const {
  BufferSpec spec;
  spec.name = "workspace";
  spec.line_bytes = spec.line_stride = bytes;
  spec.flush_left = execution_.flush_left;
  Buffer buffer = device_.allocate(spec);
  buffer->fill(execution_.workspace_fill);
  return buffer;
}

}  // namespace plusmax::properties
