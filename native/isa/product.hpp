// The upper triangle of X^T Y, added up over many rows: the largest part of an explicit Hessian.
//
// Rows are first copied into panels, where the numbers that meet lie side by side: X in tiles of n_tall columns, Y in
// panels of three registers. When n_deep rows are there, each tile meets each panel: n_tall x 3 registers of sums stay
// where they are while the rows go by, so each load serves many multiplications. Sums of n_deep products in Real are
// then added to a matrix of doubles, so that single precision loses nothing over millions of rows.
#pragma once
#include "laplacian.hpp"

namespace rankine::RANKINE_ISA {

constexpr std::size_t n_tall = n_registers == 32 ? 8 : 4;  // with 3: 24 sums of 32 registers, or 12 of 16
constexpr std::size_t n_deep = 192;
// Tiles and panels lie this many rows apart: at a distance of a power of two they would compete for the same lines of
// the cache.
constexpr std::size_t n_apart = n_deep + 2;

/// Rows of matrices are padded with zeros to a multiple of this.
template <class Real>
constexpr std::size_t padding = 3 * n_wide<Real> % n_tall == 0 ? 3 * n_wide<Real> : 3 * n_wide<Real> * n_tall / 2;
static_assert(padding<double> % n_tall == 0 && padding<float> % n_tall == 0);

/// c += x^T y for one tile of x and V registers of a panel of y.
template <int V, class Real>
[[gnu::always_inline]] inline void multiply(const Real* x, const Real* y, std::size_t n_rows, double* c,
                                            std::size_t stride) {
  constexpr int T = static_cast<int>(n_tall);
  Wide<Real> sum[T][V];
  unrolled<T>([&](auto t) __attribute__((always_inline)) {
    unrolled<V>([&](auto v) __attribute__((always_inline)) { sum[t][v] = Wide<Real>{}; });
  });
  for (std::size_t k = 0; k < n_rows; ++k, x += n_tall, y += 3 * n_wide<Real>) {
    Wide<Real> of_y[V];
    unrolled<V>([&](auto v) __attribute__((always_inline)) {
      of_y[v] = load_as<Wide<Real>>(y + static_cast<std::size_t>(v) * n_wide<Real>);
    });
    unrolled<T>([&](auto t) __attribute__((always_inline)) {
      unrolled<V>([&](auto v) __attribute__((always_inline)) { sum[t][v] += x[t] * of_y[v]; });
    });
  }
  for (int t = 0; t < T; ++t)
    for (int v = 0; v < V; ++v) {
      Real part[n_wide<Real>];
      store(part, sum[t][v]);
      double* to = c + static_cast<std::size_t>(t) * stride + static_cast<std::size_t>(v) * n_wide<Real>;
      for (std::size_t l = 0; l < n_wide<Real>; l += W) store(to + l, load(to + l) + load(part + l));
    }
}

/// c += x^T y over the rows in the panels, in the upper triangle and a little below it; the panels are empty then.
template <class Real>
void flush(Panels<Real>& p, double* c) {
  constexpr std::size_t width = 3 * n_wide<Real>;
  for (std::size_t j = 0; j < p.stride; j += width)
    for (std::size_t i = 0; i < p.n_features && i < j + width; i += n_tall) {
      const std::size_t skip = i > j ? (i - j) / n_wide<Real> : 0;  // registers that are left of the diagonal
      const Real* x = p.x + i * n_apart;
      const Real* y = p.y + j * n_apart + skip * n_wide<Real>;
      double* to = c + i * p.stride + j + skip * n_wide<Real>;
      if (skip == 0)
        multiply<3>(x, y, p.n_rows, to, p.stride);
      else if (skip == 1)
        multiply<2>(x, y, p.n_rows, to, p.stride);
      else
        multiply<1>(x, y, p.n_rows, to, p.stride);
    }
  p.n_rows = 0;
}

/// c += x^T y for rows of a query, those with curvature (the rows of y without are zero), now or at a later flush.
template <class Real>
void add_product(Panels<Real>& p, const OrderedRows<Real>& q, std::size_t begin, std::size_t end, double* c) {
  constexpr std::size_t width = 3 * n_wide<Real>;
  for (std::size_t r = begin; r < end; ++r) {
    if (q.curvature[r] == 0.0) continue;
    const Real* x = q.x + r * p.stride;
    const Real* y = q.y + r * p.stride;
    for (std::size_t i = 0; i < p.stride; i += n_tall)
      __builtin_memcpy(p.x + i * n_apart + p.n_rows * n_tall, x + i, n_tall * sizeof(Real));
    for (std::size_t j = 0; j < p.stride; j += width)
      __builtin_memcpy(p.y + j * n_apart + p.n_rows * width, y + j, width * sizeof(Real));
    if (++p.n_rows == n_deep) flush(p, c);
  }
}

}  // namespace rankine::RANKINE_ISA
