// A timed call of linear_cross_entropy in device memory.
#pragma once

#include "properties/bench_logits.hpp"
#include "properties/losses/results.hpp"
#include "properties/ops/linear_cross_entropy/bench_data.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

class BenchMemory {
 public:
  using Buffer = std::unique_ptr<DeviceBuffer>;

  BenchMemory(const Module&, const BenchData&);

  plusmax::linear_cross_entropy::Params params() const;  // without a plan
  // As a call finds it: results hold NaN and no count, or what is added to.
  void reset();

  const DeviceBuffer* dhidden() const { return dhidden_.get(); }
  const DeviceBuffer* dweight() const { return dweight_.get(); }
  std::size_t dhidden_bytes() const { return dhidden_bytes_; }
  std::size_t dweight_bytes() const { return dweight_bytes_; }
  std::vector<unsigned char> small_results() const;  // every output but dX and dW, byte by byte

  // Empty without the output.
  losses::Output loss() const { return numbers(loss_rows_, data_.tokens()); }
  losses::Output lse() const { return numbers(lse_, data_.tokens()); }
  losses::Output z_loss() const { return numbers(z_loss_, data_.tokens()); }
  losses::Output reduced() const { return numbers(loss_, 1); }
  losses::Output dhidden_row(std::int64_t token) const;
  losses::Output dweight_row(std::int64_t column) const;
  losses::Output dbias() const;

 private:
  struct Output {
    Buffer buffer;
    std::size_t bytes = 0;
  };
  Output output(const char* name, std::int64_t count, std::size_t size) const;
  Buffer input(const char* name, const void* values, std::size_t bytes) const;
  // `block` over and over.
  Buffer repeated(const char* name, const std::vector<unsigned char>& block, std::size_t bytes) const;
  std::vector<const Output*> outputs() const;
  losses::Output numbers(const Output&, std::int64_t count) const;

  const Module& module_;
  const BenchData& data_;
  std::size_t dhidden_bytes_ = 0, dweight_bytes_ = 0;
  Buffer hidden_, weight_, bias_, targets_, class_weights_, upstream_, normalizer_;
  Buffer dhidden_, dweight_, dweight_before_, dbias_before_;
  Output loss_rows_, z_loss_, lse_, argmax_, loss_, num_valid_, bad_targets_, excess_tokens_, dbias_;
};

}  // namespace plusmax::properties::linear_cross_entropy
