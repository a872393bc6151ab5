#include "kernels/platform/cuda/buffer.hpp"

#include "kernels/platform/cuda/call.hpp"

#include <new>

namespace plusmax::cuda {
namespace {

constexpr unsigned char kGuard = 0xff;
constexpr std::size_t kZone = 64 * 1024;  // red zone before the first and behind the last line
constexpr std::size_t kBoundary = 256;    // cudaMalloc's own alignment

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
std::size_t body_bytes(const BufferSpec& spec) {
  return spec.lines == 0 ? 0 : (spec.lines - 1) * spec.line_stride + spec.line_bytes;
}

}  // namespace

CudaBuffer::CudaBuffer(const BufferSpec& spec, cudaStream_t stream) : spec_(spec), name_(spec.name), stream_(stream) {
  spec_.name = name_.c_str();
  if (spec.lines > 1 && spec.line_stride < spec.line_bytes)
    throw DeviceError("buffer '" + name_ + "': line_stride " + std::to_string(spec.line_stride) + " < line_bytes " +
                      std::to_string(spec.line_bytes));
  allocated_ = kZone + round_up(spec.phase + body_bytes(spec), kBoundary) + kZone;
  const cudaError_t error = cudaMalloc(&base_, allocated_ + kBoundary);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw std::bad_alloc();
  }
  check(error, __FILE__, __LINE__, ("cudaMalloc of " + std::to_string(allocated_) + " bytes").c_str());
  lines_ = base_ + kZone + spec.phase;
  scratch_ = reinterpret_cast<unsigned long long*>(base_ + allocated_);
  try {
    cuda::fill({base_, 1, allocated_, allocated_}, kGuard, stream_);
    PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  } catch (...) {
    cudaFree(base_);
    throw;
  }
}

CudaBuffer::~CudaBuffer() {
  cudaFree(base_);
  cudaGetLastError();  // a lost device has been reported by whoever lost it
}

void CudaBuffer::check_range(const char* what, std::size_t offset, std::size_t bytes) const {
  const std::size_t within = spec_.lines > 1 ? offset % spec_.line_stride : offset;
  if (bytes == 0 || (offset < body_bytes(spec_) && within <= spec_.line_bytes && bytes <= spec_.line_bytes - within))
    return;
  throw DeviceError("buffer '" + name_ + "': " + what + " of " + std::to_string(bytes) + " bytes at " +
                    std::to_string(offset) + " leaves its line of " + std::to_string(spec_.line_bytes) + " bytes");
}

void CudaBuffer::write(std::size_t offset, const void* from, std::size_t bytes) {
  check_range("write", offset, bytes);
  if (bytes == 0) return;
  PLUSMAX_CUDA(cudaMemcpyAsync(lines_ + offset, from, bytes, cudaMemcpyHostToDevice, stream_));
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  if (sealed_) sealed_sum_ = checksum();
}

void CudaBuffer::read(std::size_t offset, void* to, std::size_t bytes) const {
  check_range("read", offset, bytes);
  if (bytes == 0) return;
  PLUSMAX_CUDA(cudaMemcpyAsync(to, lines_ + offset, bytes, cudaMemcpyDeviceToHost, stream_));
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
}

void CudaBuffer::fill(unsigned char byte) {
  cuda::fill({lines_, spec_.lines, spec_.line_bytes, spec_.line_stride}, byte, stream_);
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  if (sealed_) sealed_sum_ = checksum();
}

void CudaBuffer::seal() {
  if (!spec_.read_only) return;
  sealed_ = true;
  sealed_sum_ = checksum();
}

unsigned long long CudaBuffer::checksum() const {
  unsigned long long sum = 0;
  PLUSMAX_CUDA(cudaMemsetAsync(scratch_, 0, sizeof sum, stream_));
  add_checksum(base_, allocated_ / 16, scratch_, stream_);
  PLUSMAX_CUDA(cudaMemcpyAsync(&sum, scratch_, sizeof sum, cudaMemcpyDeviceToHost, stream_));
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  return sum;
}

std::string CudaBuffer::violation() const {
  unsigned long long first = kAllMatch;
  PLUSMAX_CUDA(cudaMemsetAsync(scratch_, 0xff, sizeof first, stream_));
  const std::size_t before = static_cast<std::size_t>(lines_ - base_), body = body_bytes(spec_);
  find_mismatch({base_, 1, before, before}, kGuard, base_, scratch_, stream_);
  if (spec_.lines > 1)
    find_mismatch({lines_ + spec_.line_bytes, spec_.lines - 1, spec_.line_stride - spec_.line_bytes, spec_.line_stride},
                  kGuard, base_, scratch_, stream_);
  find_mismatch({lines_ + body, 1, allocated_ - before - body, allocated_}, kGuard, base_, scratch_, stream_);
  PLUSMAX_CUDA(cudaMemcpyAsync(&first, scratch_, sizeof first, cudaMemcpyDeviceToHost, stream_));
  PLUSMAX_CUDA(cudaStreamSynchronize(stream_));
  if (first != kAllMatch) return describe(first);
  if (sealed_ && checksum() != sealed_sum_) return "buffer '" + name_ + "': written although read-only";
  return "";
}

std::string CudaBuffer::describe(unsigned long long at) const {
  const auto before = static_cast<unsigned long long>(lines_ - base_);
  const std::string text = "buffer '" + name_ + "': a byte outside its lines was written, ";
  if (at < before) return text + std::to_string(before - at) + " bytes before its start";
  const unsigned long long offset = at - before;
  const unsigned long long line = spec_.lines > 1 && spec_.line_stride > 0 ? offset / spec_.line_stride : 0;
  if (offset >= body_bytes(spec_))
    return text + std::to_string(offset - body_bytes(spec_)) + " bytes behind its end (offset " +
           std::to_string(offset) + ")";
  return text + std::to_string(offset - line * spec_.line_stride - spec_.line_bytes) + " bytes behind line " +
         std::to_string(line) + " (offset " + std::to_string(offset) + ")";
}

}  // namespace plusmax::cuda
