// What a timed call left in memory, against its certified values.
#pragma once

#include "properties/ops/linear_cross_entropy/bench_exact.hpp"
#include "properties/ops/linear_cross_entropy/bench_memory.hpp"
#include "properties/record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace plusmax::properties::linear_cross_entropy {

class BenchJudge {
 public:
  BenchJudge(const BenchData& data, const BenchMemory& memory) : data_(data), memory_(memory) {}

  // The first result beyond its bound, or that nothing could have been wrong; empty if all is well.
  std::string wrong(const Planning&);
  // Of the last call.
  const std::vector<BenchError>& errors() const { return errors_; }
  std::string sample() const;

 private:
  const BenchData& data_;
  const BenchMemory& memory_;
  std::optional<BenchExact> exact_;  // made when it is asked for: seconds
  std::vector<BenchError> errors_;
};

}  // namespace plusmax::properties::linear_cross_entropy
