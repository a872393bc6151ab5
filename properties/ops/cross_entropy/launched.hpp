// A call, what it left in memory, and what it should have left: single numbers with their bounds, for relations between
// two calls.
#pragma once

#include "properties/ops/cross_entropy/measure.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace plusmax::properties::cross_entropy {

class Launched {
 public:
  Launched(Call call, Measured measured)
      : exact_(std::make_unique<Exact>(std::move(call))), measured_(std::move(measured)) {}
  Launched(Launched&&) = default;  // no copies: one would look into the other's row

  const Call& call() const { return exact_->call(); }
  const Exact& exact() const { return *exact_; }
  const Results& results() const { return measured_.results; }
  const CrossEntropyShape& shape() const { return measured_.shape; }
  std::int64_t rows() const { return call().rows->rows(); }
  std::int64_t cols() const { return call().rows->cols(); }

  // Every number of a small call; of a large one gradients at the columns that stand for their rows.
  void judge(std::string_view what, Tally&) const;

  // Of outputs that the call has.
  Number loss(std::int64_t row) const { return of({reference::CrossEntropyResult::loss}, row, results().loss); }
  Number z_loss(std::int64_t row) const { return of({reference::CrossEntropyResult::z_loss}, row, results().z_loss); }
  Number lse(std::int64_t row) const { return of({reference::CrossEntropyResult::lse}, row, results().lse); }
  Number gradient(std::int64_t row, std::int64_t column) const;
  Number reduced() const;
  // Whether anything is said of the row's loss: not where an intermediate overflows.
  bool loss_promised(std::int64_t row) const;

  // Whether the row's target counts and its gradient is finite, and what is known of it. Valid until another row is
  // asked for.
  bool differentiable(std::int64_t row) const;
  const reference::CrossEntropyRow& exact_row(std::int64_t row) const;

 private:
  Number of(reference::CrossEntropyQuestion, std::int64_t row, const Output&) const;
  const RowView& look_at(std::int64_t row) const;

  std::unique_ptr<const Exact> exact_;
  Measured measured_;
  // The row that was asked for last.
  mutable std::int64_t row_ = -1;
  mutable std::unique_ptr<RowView> view_;
  mutable std::vector<double> elements_;
};

// A launch, or nothing (noted in the tally) if the variant refuses the call.
std::optional<Launched> launched(const Subject&, const Call&, Tally&);

// Columns that stand for a row: all of a narrow one, else its ends, the target and a spread between.
std::vector<std::int64_t> columns_of(const Call&, std::int64_t row);

}  // namespace plusmax::properties::cross_entropy
