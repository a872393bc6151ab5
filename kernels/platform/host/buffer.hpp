// Device memory of the host machine: address space for the whole span of a buffer, memory only for the pages that hold
// lines.
#pragma once

#include "kernels/platform/device.hpp"

#include <string>
#include <vector>

namespace plusmax::simt {

class HostBuffer final : public DeviceBuffer {
 public:
  struct Range {
    char *low, *high;
  };

  explicit HostBuffer(const BufferSpec&);
  ~HostBuffer() override;
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  void* data() const override { return data_; }
  void write(std::size_t offset, const void* from, std::size_t bytes) override;
  void read(std::size_t offset, void* to, std::size_t bytes) const override;
  void fill(unsigned char byte) override;
  void seal() override;
  std::string violation() const override;

  const char* name() const { return name_.c_str(); }
  bool sealed() const { return sealed_; }
  std::size_t lines() const { return lines_; }
  std::size_t line_bytes() const { return line_bytes_; }
  std::size_t line_stride() const { return line_stride_; }
  // Mapped memory, in order, without the pages that hold no line.
  const std::vector<Range>& ranges() const { return ranges_; }
  bool reserves(const char* address) const { return address >= reserved_ && address < reserved_ + reserved_bytes_; }
  // Where an address lies, in words.
  void describe(const char* address, bool store, char* text, std::size_t size) const;

 private:
  void reserve();
  void plan_ranges();
  void protect(int access) const;
  void check_span(const char* what, std::size_t offset, std::size_t bytes) const;
  char* line(std::size_t index) const { return data_ + index * line_stride_; }
  // Calls visit(low, high) for what is mapped but belongs to no line, until it answers true.
  template <class Visit>
  void for_each_slack(Visit&& visit) const;

  std::string name_;
  std::size_t lines_, line_bytes_, line_stride_, phase_, extent_ = 0;
  bool flush_left_, read_only_, sealed_ = false;
  char *reserved_ = nullptr, *data_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::vector<Range> ranges_;
};

}  // namespace plusmax::simt
