// What a timed call of cross_entropy reads beside its logits, and where it writes.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/bench_logits.hpp"
#include "properties/ops/cross_entropy/inputs.hpp"
#include "properties/ops/cross_entropy/results.hpp"

#include <memory>
#include <span>
#include <vector>

namespace plusmax::properties::cross_entropy {

class BenchMemory {
 public:
  // `call`: of the distinct rows, which repeat.
  BenchMemory(const Module&, const Call& call, const BenchLogits&);

  std::span<const std::int64_t> targets() const { return targets_; }  // of all rows
  plusmax::cross_entropy::Params params(int buffer) const;
  DeviceBuffer* gradient(int buffer) const;  // null: none is asked for
  Status restore(int buffer, void* stream) const;

  void poison(int buffer);
  std::vector<unsigned char> bytes() const;  // of every output but the gradient
  Results results() const;                   // of all rows, without their gradient
  std::vector<unsigned char> gradient_row(int buffer, std::int64_t row) const;

 private:
  using Buffer = std::unique_ptr<DeviceBuffer>;
  struct Output {
    Buffer buffer;
    std::size_t bytes = 0;
  };

  Buffer input(const char* name, const void* from, std::size_t bytes) const;
  Output output(const char* name, std::size_t count, std::size_t size) const;
  std::vector<const Output*> outputs() const;
  std::vector<unsigned char> read(const Output&) const;
  cross_entropy::Output reals(const Output&) const;

  const Module& module_;
  const Call& call_;
  const BenchLogits& logits_;
  std::vector<std::int64_t> targets_;
  Buffer target_memory_, weights_, upstream_, normalizer_, master_;
  std::vector<Buffer> gradients_;
  Output loss_rows_, z_loss_, lse_, state_, argmax_, loss_, num_valid_, bad_targets_;
};

}  // namespace plusmax::properties::cross_entropy
