// Certified inner products: double-double sums, and with each what the bound of a computed one is made of. Proof:
// docs/numerics.md section 4.10.
#pragma once

#include "reference/error.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace plusmax::reference {

// [rows, cols], element (i, j) at data[i * row_stride + j * col_stride].
struct Matrix {
  std::span<const double> data;
  std::size_t rows = 0, cols = 0, row_stride = 0, col_stride = 1;

  double operator()(std::size_t i, std::size_t j) const { return data[i * row_stride + j * col_stride]; }
  Matrix transposed() const { return {data, cols, rows, col_stride, row_stride}; }
};
Matrix row_major(std::span<const double>, std::size_t rows, std::size_t cols);

// One sum of products t_1 + .. + t_n, its prefixes s_k = t_1 + .. + t_k.
struct InnerProduct {
  Certified sum;         // its class is what IEEE arithmetic makes of terms that are not finite
  double magnitude = 0;  // A = sum |t_k|
  double prefix = 0;     // P = max |s_k|
  double term = 0;       // T = max |t_k|
  double at_ends = 0;    // sum of |s_k| over the given ends k
  double added = 0;      // sum of |parts| from end to end, the rest included, but for one that begins at 0
};

// [rows, cols] of them, each over `terms` products.
struct InnerProducts {
  std::size_t rows = 0, cols = 0, terms = 0;
  std::size_t additions = 0;  // how many parts `added` is about
  std::vector<InnerProduct> elements;

  const InnerProduct& operator()(std::size_t i, std::size_t j) const { return elements[i * cols + j]; }
  InnerProduct& operator()(std::size_t i, std::size_t j) { return elements[i * cols + j]; }
};

// Whether every product of two factors is a double: for two of 24 bits it is.
enum class Factors { exact, rounded };
// sum_k a(i, k) b(k, j). `ends` are ascending counts of terms. `before`, [rows, cols] row by row or empty, is what the
// sum starts from: term 0, counted in A, P and T. Throws std::invalid_argument for matrices that do not fit.
InnerProducts inner_products(const Matrix& a, const Matrix& b, Factors, std::span<const std::size_t> ends = {},
                             std::span<const double> before = {});

// [rows, cols] row by row: sum_k a(i, k) |b(k, j)| for a without negative elements, rounded up: what errors a(i, k) of
// one factor do to the sums.
std::vector<double> error_products(const Matrix& a, const Matrix& b);

}  // namespace plusmax::reference
