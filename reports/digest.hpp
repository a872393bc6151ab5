// The records of a long search, without losing a figure of its report: what stands out is kept as it is, the rest is
// summed.
#pragma once

#include "properties/record.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace plusmax::reports {

class Digest {
 public:
  // True if the record stands out: it did not pass, it is undecided, it is the worst so far of its operation,
  // variant, storage type and length, or one of the three worst of its variant and storage type. If not, it is summed.
  bool keeps(const properties::Record& record);
  // How many checks the sums stand for.
  std::uint64_t summed() const { return summed_; }
  // One record for each variant, storage type and check: sums of counts, the worst of the results. Begins anew.
  std::vector<properties::Record> take();

 private:
  using Kind = std::tuple<std::string, std::string, std::string, std::string>;  // op, variant, dtype, check

  std::map<std::tuple<std::string, std::string, std::string, int>, double> worst_by_length_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> worst_;  // ascending
  std::map<Kind, properties::Record> sums_;
  std::uint64_t summed_ = 0;
};

}  // namespace plusmax::reports
