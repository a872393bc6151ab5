#include "properties/rows.hpp"

#include "properties/latest.hpp"
#include "properties/random.hpp"

#include <bit>
#include <set>
#include <string>
#include <utility>

namespace plusmax::properties {
namespace {

// 32 MiB of doubles: larger data are written row by row whenever they are needed.
constexpr std::int64_t kStoredLogits = std::int64_t{1} << 22;

std::shared_ptr<const Rows> make_rows(const Case& of) {
  const bool repeated = of.row_stride == 0 && of.rows > 1;  // every row is the same memory
  auto writer = [of, repeated](std::int64_t row, double* out) { fill_row(of, repeated ? 0 : row, out); };
  if (of.cols > 0 && of.rows > kStoredLogits / of.cols) return std::make_shared<Rows>(of.dtype, of.rows, of.cols, writer);
  std::vector<double> values(static_cast<std::size_t>(of.rows * of.cols));
  for (std::int64_t r = 0; r < of.rows && of.cols > 0; ++r) writer(r, values.data() + r * of.cols);
  return std::make_shared<Rows>(of.dtype, of.rows, of.cols, std::move(values));
}

std::string data_key(const Case& of) {
  Case plain = of;
  plain.row_stride = of.cols;
  plain.col_stride = plain.lse_stride = 1;
  plain.phase = 0;
  plain.options.clear();
  return to_line(plain) + (of.row_stride == 0 && of.rows > 1 ? " repeated" : "");
}

}  // namespace

Rows::Rows(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, Writer writer)
    : dtype_(dtype), rows_(rows), cols_(cols), writer_(std::move(writer)), identity_(static_cast<std::size_t>(rows)) {}

Rows::Rows(plusmax_dtype dtype, std::int64_t rows, std::int64_t cols, std::vector<double> values)
    : dtype_(dtype), rows_(rows), cols_(cols), values_(std::move(values)), identity_(static_cast<std::size_t>(rows)) {
  if (values_.size() != static_cast<std::size_t>(rows * cols)) throw std::logic_error("Rows: values are not [rows][cols]");
}

std::span<const double> Rows::row(std::int64_t r, std::vector<double>& scratch) const {
  const auto cols = static_cast<std::size_t>(cols_);
  if (!writer_) return std::span(values_).subspan(static_cast<std::size_t>(r) * cols, cols);
  scratch.resize(cols);
  if (cols > 0) writer_(r, scratch.data());
  return scratch;
}

Rows::Digest Rows::digest(std::span<const double> row) {
  Digest d{0x243F6A8885A308D3ull, 0x13198A2E03707344ull};  // digits of pi: any start will do
  for (const double x : row) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    d.first = std::rotl((d.first ^ bits) * 0x9E3779B97F4A7C15ull, 29);
    d.second = std::rotl((d.second + bits) * 0xD1B54A32D192ED03ull, 37) ^ d.first;
  }
  return {mix(d.first), mix(d.second)};
}

std::size_t Rows::identity(std::int64_t r) const {
  std::uint32_t& known = identity_[static_cast<std::size_t>(r)];
  if (known == 0) {
    std::vector<double> scratch;
    const auto data = row(r, scratch);
    const auto [entry, fresh] = known_.try_emplace(digest(data), static_cast<std::uint32_t>(distinct_.size()));
    if (fresh) distinct_.push_back(reference::logsumexp(data));
    known = entry->second + 1;
  }
  return known - 1;
}

std::shared_ptr<const Rows> rows_of(const Case& of) {
  static Latest<Rows> latest;
  return latest.of(data_key(of), [&] { return make_rows(of); });
}

Rows select(const Rows& from, std::span<const std::int64_t> which) {
  std::vector<double> values, scratch;
  values.reserve(which.size() * static_cast<std::size_t>(from.cols()));
  for (const std::int64_t r : which) {
    const auto row = from.row(r, scratch);
    values.insert(values.end(), row.begin(), row.end());
  }
  return {from.dtype(), static_cast<std::int64_t>(which.size()), from.cols(), std::move(values)};
}

std::vector<std::int64_t> sample_rows(std::int64_t rows, std::int64_t most) {
  std::set<std::int64_t> picked;
  if (rows <= most) {
    for (std::int64_t r = 0; r < rows; ++r) picked.insert(r);
  } else {
    for (std::int64_t k = 0; k < most; ++k) picked.insert(most == 1 ? 0 : k * (rows - 1) / (most - 1));
  }
  return {picked.begin(), picked.end()};
}

}  // namespace plusmax::properties
