// A Case of another extent that keeps what is particular about it: its padding, its layout, its last-column patches.
#pragma once

#include "properties/case.hpp"

namespace plusmax::properties::gen {

Case with_rows(const Case&, std::int64_t rows);  // the first ones; a patch of the last row stays in the last row
Case with_cols(const Case&, std::int64_t cols);  // the same for columns
Case without_first_row(const Case&);             // patches and data move up by one
Case without_data_col(const Case&, std::int64_t col);

}  // namespace plusmax::properties::gen
