// The guarded buffers of one call of linear_cross_entropy.
#pragma once

#include "kernels/catalog.hpp"
#include "properties/buffers.hpp"
#include "properties/ops/linear_cross_entropy/inputs.hpp"
#include "properties/ops/linear_cross_entropy/results.hpp"
#include "properties/storage.hpp"

#include <cstddef>

namespace plusmax::properties::linear_cross_entropy {

class Memory {
 public:
  Memory(Device&, const Call&, const Execution&);

  void place(plusmax::linear_cross_entropy::Params&);  // the addresses
  void* workspace(std::size_t bytes);
  void demand_intact() const;  // throws DeviceError
  Results results() const;

 private:
  using Buffer = Buffers::Buffer;

  Buffer targets() const;
  Buffer bias() const;
  // Written before the launch where it adds to them.
  Buffer gradient(const char* name, plusmax_dtype, const Buffers::Rectangle&, const std::vector<double>& before) const;
  void demand_unwritten() const;

  const Buffers buffers_;
  const Call& call_;
  const Execution& execution_;
  Storage hidden_storage_, weight_storage_;
  Buffer hidden_, weight_, bias_, targets_, class_weights_, upstream_, normalizer_;
  Buffer loss_rows_, z_loss_, lse_, argmax_, loss_, num_valid_, bad_targets_, excess_tokens_;
  Buffer dhidden_, dweight_, dbias_, workspace_;
};

}  // namespace plusmax::properties::linear_cross_entropy
