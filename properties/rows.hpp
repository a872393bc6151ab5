// The logits of one launch as exact doubles, with the certified reference of each row: computed once, shared by every
// variant and check that looks at the same data. One thread at a time.
#pragma once

#include "properties/case.hpp"
#include "reference/logsumexp.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace plusmax::properties {

class Rows {
 public:
  using Writer = std::function<void(std::int64_t row, double* out /* [cols] */)>;

  // Rows are written when they are needed: for data too large to hold.
  Rows(plusmax_dtype, std::int64_t rows, std::int64_t cols, Writer);
  // [rows][cols], exact values of the dtype.
  Rows(plusmax_dtype, std::int64_t rows, std::int64_t cols, std::vector<double> values);

  plusmax_dtype dtype() const { return dtype_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  // Row `r`: where it is stored, or written into `scratch`.
  std::span<const double> row(std::int64_t r, std::vector<double>& scratch) const;
  // Equal rows have one identity, numbered from 0, and one reference.
  std::size_t identity(std::int64_t r) const;
  const reference::LogsumexpRow& exact(std::int64_t r) const { return distinct_[identity(r)]; }

 private:
  struct Digest {
    std::uint64_t first, second;
    bool operator==(const Digest&) const = default;
  };
  struct DigestHash {
    std::size_t operator()(const Digest& d) const { return static_cast<std::size_t>(d.first); }
  };
  static Digest digest(std::span<const double>);

  plusmax_dtype dtype_;
  std::int64_t rows_, cols_;
  Writer writer_;                 // empty if values_ holds everything
  std::vector<double> values_;
  mutable std::vector<std::uint32_t> identity_;  // of each row, plus 1; 0: not asked for yet
  mutable std::deque<reference::LogsumexpRow> distinct_;
  mutable std::unordered_map<Digest, std::uint32_t, DigestHash> known_;
};

// Of a case. The last few are kept, keyed by what decides the data (strides and phase do not).
std::shared_ptr<const Rows> rows_of(const Case&);

// The given rows of others, held in memory.
Rows select(const Rows&, std::span<const std::int64_t> which);

// At most `most` row numbers of `rows`: the first, the last and a spread between, ascending.
std::vector<std::int64_t> sample_rows(std::int64_t rows, std::int64_t most);

}  // namespace plusmax::properties
