// The adapter of logsumexp: rows -> guarded device memory -> one launch of one variant -> results.
#pragma once

#include "properties/execution.hpp"
#include "properties/rows.hpp"
#include "properties/subject.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plusmax::properties::logsumexp {

struct Results {
  std::vector<double> lse;           // [rows], exact
  std::vector<std::uint64_t> bits;   // [rows], as stored
};

// Why the variant does not take this shape, or empty.
std::string refusal(const Subject&, plusmax_dtype, std::int64_t rows, std::int64_t cols, const Layout&);
std::string refusal(const Subject&, const Case&);
ErrorShape error_shape(const Subject&, plusmax_dtype, std::int64_t rows, std::int64_t cols, const Layout&);

// Throws DeviceError for a fault, a race, a refused launch, a write outside the results or a changed input;
// std::bad_alloc if the device has not the memory.
Results execute(const Subject&, const Rows&, const Layout&, const Execution&);

}  // namespace plusmax::properties::logsumexp
