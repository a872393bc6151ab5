// The host's product. Each element of C is a sum of chains: kChain products one after the other, each rounded (those of
// 16-bit elements are exact), from 0; the chains' sums one after the other; then the bias, then what C holds. The order
// depends on k alone.
#include "kernels/platform/gemm.hpp"

#include "kernels/platform/host/runtime.hpp"
#include "kernels/primitives/dtype.cuh"

#include <memory>
#include <new>

namespace plusmax::platform {
namespace {

constexpr int kChain = 128;             // products
constexpr int kTile = 128;              // of C, rows and columns: its operands stay in the second-level cache
constexpr int kRows = 4, kColumns = 8;  // of C, in registers
constexpr int kLanes = 4;               // of a register that every x86-64 has

using Lanes __attribute__((vector_size(kLanes * sizeof(float)))) = float;

template <class T>
struct Operand {
  const T* first;
  std::int64_t line, step;  // elements from a row (column) of C to the next, and along k
};

// [count, depth] elements widened into panels of kWidth: panel[k][kWidth], padded by zeros.
template <int kWidth, class T>
void pack(const Operand<T>& from, std::int64_t line, int count, std::int64_t at, int depth, float* panels) {
  for (int panel = 0; panel < count; panel += kWidth)
    for (int k = 0; k < depth; ++k)
      for (int i = 0; i < kWidth; ++i)
        *panels++ = panel + i < count
                        ? Element<T>::widen(from.first[(line + panel + i) * from.line + (at + k) * from.step])
                        : 0.0f;
}

// What a tile is made from; a thread's stack would not hold it.
struct Panels {
  alignas(64) float a[kTile * kChain], b[kTile * kChain], sums[kTile * kTile];
};

// sums[kRows][kTile] += one chain of a panel of A with a panel of B.
void add_chain(const float* a, const float* b, int depth, float* sums) {
  constexpr int kVectors = kColumns / kLanes;
  Lanes chain[kRows][kVectors] = {};
  for (int k = 0; k < depth; ++k) {
    Lanes columns[kVectors];
    std::memcpy(columns, b + k * kColumns, sizeof columns);
    PLUSMAX_UNROLL
    for (int i = 0; i < kRows; ++i) {
      PLUSMAX_UNROLL
      for (int v = 0; v < kVectors; ++v) chain[i][v] += a[k * kRows + i] * columns[v];
    }
  }
  PLUSMAX_UNROLL
  for (int i = 0; i < kRows; ++i) {
    Lanes sum[kVectors];
    std::memcpy(sum, sums + i * kTile, sizeof sum);
    PLUSMAX_UNROLL
    for (int v = 0; v < kVectors; ++v) sum[v] += chain[i][v];
    std::memcpy(sums + i * kTile, sum, sizeof sum);
  }
}

struct Tile {
  std::int64_t row, column;
  int rows, columns;
};

template <class T>
void sum_tile(const Operand<T>& a, const Operand<T>& b, std::int64_t length, const Tile& tile, Panels& panels) {
  std::memset(panels.sums, 0, sizeof panels.sums);
  for (std::int64_t at = 0; at < length; at += kChain) {
    const int depth = static_cast<int>(length - at < kChain ? length - at : kChain);
    pack<kRows>(a, tile.row, tile.rows, at, depth, panels.a);
    pack<kColumns>(b, tile.column, tile.columns, at, depth, panels.b);
    for (int i = 0; i < tile.rows; i += kRows)
      for (int j = 0; j < tile.columns; j += kColumns)
        add_chain(panels.a + i * depth, panels.b + j * depth, depth, panels.sums + i * kTile + j);
  }
}

template <class C>
void store_tile(const Product& p, const Factors& f, bool add, const Tile& tile, const float* sums) {
  for (int i = 0; i < tile.rows; ++i) {
    C* line = static_cast<C*>(f.c) + (tile.row + i) * p.c_stride + tile.column;
    for (int j = 0; j < tile.columns; ++j) {
      float sum = sums[i * kTile + j];
      if (p.bias) sum += Element<C>::widen(static_cast<const C*>(f.bias)[tile.column + j]);
      if (add) sum += Element<C>::widen(line[j]);
      line[j] = Element<C>::narrow(sum);
    }
  }
}

template <class T>
void multiply(const Product& p, const Factors& f, bool add, Panels& panels) {
  const Operand<T> a{static_cast<const T*>(f.a), p.a_transposed ? 1 : p.a_stride, p.a_transposed ? p.a_stride : 1};
  const Operand<T> b{static_cast<const T*>(f.b), p.b_transposed ? p.b_stride : 1, p.b_transposed ? 1 : p.b_stride};
  const auto part = [](std::int64_t all, std::int64_t at) {
    return static_cast<int>(all - at < kTile ? all - at : kTile);
  };
  for (std::int64_t row = 0; row < p.m; row += kTile)
    for (std::int64_t column = 0; column < p.n; column += kTile) {
      const Tile tile{row, column, part(p.m, row), part(p.n, column)};
      sum_tile(a, b, p.k, tile, panels);
      if (p.result == p.operands)
        store_tile<T>(p, f, add, tile, panels.sums);
      else
        store_tile<float>(p, f, add, tile, panels.sums);
    }
}

}  // namespace

Gemm::~Gemm() = default;
Status Gemm::open() { return {}; }

Status Gemm::plan(const Product& product, std::size_t, PlannedProduct& planned) const {
  planned = {product, {}, 0};
  return {};
}

// A launch of one thread, so that an address outside of its buffers is the launch's fault and not the process's end.
Status Gemm::run(const PlannedProduct& planned, const Factors& factors, bool add, void*, void*) const {
  struct Call {
    const Product& product;
    const Factors& factors;
    bool add;
    std::unique_ptr<Panels> panels;
  } call{planned.product, factors, add, std::unique_ptr<Panels>(new (std::nothrow) Panels)};
  if (!call.panels)
    return Status::error(PLUSMAX_DEVICE_ERROR, "matrix product: no memory for %zu bytes of panels", sizeof(Panels));
  return simt::run(
      {dim3(1), dim3(1)},
      [](void* raw) {
        const Call& made = *static_cast<const Call*>(raw);
        with_float(made.product.operands, [&](auto element) {
          multiply<decltype(element)>(made.product, made.factors, made.add, *made.panels);
        });
      },
      &call);
}

Status Gemm::tune(PlannedProduct&, std::size_t, const Factors&, bool, void*, void*) const { return {}; }

double product_additions(std::int64_t k) {
  const std::int64_t chain = k < kChain ? k : kChain;
  return static_cast<double>(chain + (k + kChain - 1) / kChain);
}

ProductShape product_shape(const Product& p) {
  const double step = p.operands == PLUSMAX_F32 ? kRoundedProductStep : kFusedStep;
  return {0x1p-24, 1, step, static_cast<double>((p.k + kChain - 1) / kChain), true, 0x1p-149, false};
}

}  // namespace plusmax::platform
