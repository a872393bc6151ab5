// Row by row: what one variant answers for a case, and what it should.
#pragma once

#include "properties/case.hpp"
#include "properties/subject.hpp"
#include "reference/bound.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plusmax::cli {

struct RowResult {
  std::int64_t row = 0;
  bool passed = false;
  double got = 0, want = 0, error = 0, bound = 0, ratio = 0, ulps = 0;
  std::string want_class;  // "finite", "-inf", "+inf", "NaN"
};

// The first `most` rows. Throws DeviceError; answers none, with `refusal` set, if the variant does not take the case.
std::vector<RowResult> inspect_rows(const properties::Case& of, const properties::Subject& subject, std::int64_t most,
                                    std::string& refusal);

struct RowBound {
  std::int64_t row = 0;
  std::string row_class;
  double want = 0;
  reference::LogsumexpBound bound;
  std::vector<reference::BoundTerm> terms;  // empty unless the row is finite
};
std::vector<RowBound> explain_rows(const properties::Case& of, const properties::Subject& subject, std::int64_t most,
                                   std::string& refusal);

}  // namespace plusmax::cli
