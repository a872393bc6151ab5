// The guarded buffers of one call of cross_entropy.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/buffers.hpp"
#include "properties/ops/cross_entropy/inputs.hpp"
#include "properties/ops/cross_entropy/results.hpp"
#include "properties/storage.hpp"

#include <cstddef>

namespace plusmax::properties::cross_entropy {

class Memory {
 public:
  // `state`: what a backward call reads, which writes the gradient alone; null for a forward one.
  Memory(Device&, const Call&, const Output* state, const Execution&);

  void place(plusmax::cross_entropy::Params&);  // the addresses
  void* workspace(std::size_t bytes);
  void demand_intact() const;  // throws DeviceError
  Results results() const;

 private:
  using Buffer = Buffers::Buffer;

  std::size_t result_size() const;
  Buffer targets() const;
  Buffer state_input(const Output&) const;
  void demand_unwritten() const;
  Output read(const Buffer&, std::int64_t count) const;
  std::vector<unsigned char> read_gradient() const;

  const Buffers buffers_;
  const Call& call_;
  const Execution& execution_;
  const bool backward_;
  Storage storage_;
  Buffer logits_, targets_, weights_, upstream_, normalizer_;
  Buffer loss_rows_, z_loss_, lse_, state_, argmax_, loss_, num_valid_, bad_targets_, gradient_, workspace_;
};

}  // namespace plusmax::properties::cross_entropy
