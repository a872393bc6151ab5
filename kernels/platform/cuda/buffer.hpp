// Device memory with guards. All bytes outside the lines hold kGuard, which is a NaN in every dtype, so that a kernel
// that reads them shows it too.
#pragma once

#include "kernels/platform/cuda/bytes.cuh"
#include "kernels/platform/device.hpp"

namespace plusmax::cuda {

class CudaBuffer final : public DeviceBuffer {
 public:
  // Throws std::bad_alloc with no memory.
  CudaBuffer(const BufferSpec&, cudaStream_t);
  ~CudaBuffer() override;
  CudaBuffer(const CudaBuffer&) = delete;
  CudaBuffer& operator=(const CudaBuffer&) = delete;

  void* data() const override { return lines_; }
  void write(std::size_t offset, const void* from, std::size_t bytes) override;
  void read(std::size_t offset, void* to, std::size_t bytes) const override;
  void fill(unsigned char byte) override;
  void seal() override;
  std::string violation() const override;

 private:
  void check_range(const char* what, std::size_t offset, std::size_t bytes) const;
  unsigned long long checksum() const;
  std::string describe(unsigned long long offset) const;

  BufferSpec spec_;
  std::string name_;
  cudaStream_t stream_;
  std::size_t allocated_ = 0;  // bytes, a multiple of 16
  unsigned char* base_ = nullptr;
  unsigned char* lines_ = nullptr;         // line 0
  unsigned long long* scratch_ = nullptr;  // one word on the device, behind everything else
  bool sealed_ = false;
  unsigned long long sealed_sum_ = 0;
};

}  // namespace plusmax::cuda
