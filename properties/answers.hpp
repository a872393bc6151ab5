// The right answers of a case as its file prints them:
//
//   = [2.313261688, -inf]                          one a row, of the operation's main result
//   = [0.6931, 0, ...] lse=[...] mean=0.6931       more results by their names: one a row, or one number of a call
//   gradient=[[-0.25, 0.25], [+0, +0], ...]        a list a row, one a column
//
// "..." at the end of a list repeats it, and INDEX: ANSWER is one apart: [1024: 3.079, 2.079, ...]. A value with a
// decimal point is the exact answer rounded to the digits shown; one without is exact. 0 must be hit exactly, +0 to the
// bit.
#pragma once

#include "properties/case.hpp"
#include "properties/inspect.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plusmax::properties {

struct PrintedValue {
  double value = 0;
  double half_unit = 0;  // half a unit of the last digit shown; 0: exact
  bool to_the_bit = false;
};
// Does `got` agree, given how far the variant may be from the exact value? Classes must match; the difference may reach
// `bound` and half a unit of the last digit shown.
bool matches(const PrintedValue&, double got, double bound);

// How many numbers a result has.
enum class Per { call, row, element };
struct ResultName {
  std::string name;  // "lse", "gradient", "mean"
  Per per = Per::row;
  std::int64_t rows = -1, cols = -1;  // -1: as many as the case has
};

template <class T>
struct PrintedList {
  std::vector<T> values;
  bool repeats = false;
  std::vector<std::pair<std::int64_t, T>> apart;

  const T* at(std::int64_t index) const {  // null if nothing is printed for it
    for (const auto& [where, value] : apart)
      if (where == index) return &value;
    const auto i = static_cast<std::size_t>(index);
    if (values.empty() || index < 0 || (!repeats && i >= values.size())) return nullptr;
    return &values[i % values.size()];
  }
};

// Of one result. What a row or a call has one of is in column 0, of a call in row 0.
struct PrintedResult {
  ResultName of;
  PrintedList<PrintedList<PrintedValue>> rows;
};

struct Answers {
  std::vector<PrintedResult> results;

  bool empty() const;
  bool has(Per) const;
  // Of what is printed, the rows and columns that must be looked at.
  InspectLimits extent(const Case&) const;
  // Of a result as RowResult names it: "loss", "gradient[3]". Nothing if no answer is known.
  std::optional<PrintedValue> at(std::string_view result, std::int64_t row) const;
};

// Reads the text behind '=' as far as it is answers, and leaves the rest. `results` are those that the case has, `main`
// is the one that needs no name. Throws UsageError.
Answers parse_answers(std::string_view& text, const Case&, const std::vector<ResultName>& results,
                      std::string_view main);

}  // namespace plusmax::properties
