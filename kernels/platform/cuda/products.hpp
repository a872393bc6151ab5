// Matrix products that load the device as a training step does: under its power limit the clock falls, and what runs
// next runs at that clock.
#pragma once

#include <cuda_runtime.h>

#include <memory>

namespace plusmax::cuda {

class Products {
 public:
  // Allocates the operands, 0.4 GB. Throws DeviceError.
  explicit Products(cudaStream_t);
  // Enqueues products of 8192 x 8192 x 8192 in bf16 on random data (1.4 ms each on a rested H200).
  void enqueue(int count);

 private:
  struct Operands;
  std::shared_ptr<Operands> operands_;
};

}  // namespace plusmax::cuda
