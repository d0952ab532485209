// The Hessian of a pairwise objective as a matrix: the sum over queries of X_q^T L_q X_q, where L_q is the Laplacian of
// the active pairs with their weights. Column by column it equals the products of PairwisePoint.
//
// L_q X_q costs sums of rows instead of pairs (native/isa/laplacian.hpp), and one matrix product of n_rows x
// n_features² multiplications remains (native/isa/product.hpp). Worth it up to about a thousand features.
#pragma once
#include "blocks.hpp"
#include "room.hpp"
#include "sweep.hpp"

namespace rankine {

template <class Real>
const HessianKernels<Real>& hessian_kernels() {
  if constexpr (sizeof(Real) == sizeof(float))
    return kernels().single_hessian;
  else
    return kernels().double_hessian;
}

/// Memory of a thread that forms Hessians; it is used again from query to query and from call to call. Rooms
/// begin with a line of the cache: registers that straddle two lines cost twice.
template <class Real>
struct HessianScratch {
  Room<Real> x, y, sums, win, lose, panel_x, panel_y;
  Panels<Real> panels{};

  void start(std::size_t n_features, std::size_t stride) {
    const std::size_t n = stride * hessian_kernels<Real>().panel_rows;
    panels = {panel_x.room(n).data(), panel_y.room(n).data(), 0, n_features, stride};
  }
};

inline void fill_ordered(const DenseRows<float>& x, std::size_t begin, const OrderedRows<float>& out) {
  kernels().single_hessian.centre_float32(x.value.data() + begin * x.n_features, x.n_features, out);
}
inline void fill_ordered(const DenseRows<double>& x, std::size_t begin, const OrderedRows<float>& out) {
  kernels().single_hessian.centre_float64(x.value.data() + begin * x.n_features, x.n_features, out);
}
inline void fill_ordered(const DenseRows<float>& x, std::size_t begin, const OrderedRows<double>& out) {
  kernels().double_hessian.centre_float32(x.value.data() + begin * x.n_features, x.n_features, out);
}
inline void fill_ordered(const DenseRows<double>& x, std::size_t begin, const OrderedRows<double>& out) {
  kernels().double_hessian.centre_float64(x.value.data() + begin * x.n_features, x.n_features, out);
}
template <class Value, class Real>
void fill_ordered(const SparseRows<Value>& x, std::size_t begin, const OrderedRows<Real>& out) {
  std::fill_n(out.x, out.n_rows * out.stride, Real{0});
  std::fill_n(out.y, out.n_rows * out.stride, Real{0});
  for (std::size_t p = 0; p < out.n_rows; ++p)
    x.each(begin + static_cast<std::size_t>(out.order[p]), [&](std::size_t j, double v) {
      out.x[p * out.stride + j] += static_cast<Real>(v);
      out.y[p * out.stride + j] += static_cast<Real>(out.curvature[p] * v);
    });
}

/// sum += the upper triangle of the Hessian of one query, stride x stride; part of it stays in the panels.
template <std::size_t N, class R, class Real>
void add_hessian(const Ramps<N>& ramps, const R& x, const Queries& queries, std::size_t q, const Sorted<N>& sorted,
                 HessianScratch<Real>& scratch, Scratch& positions, std::span<double> sum, const Pulse& pulse) {
  const auto& kernel = hessian_kernels<Real>();
  const std::size_t begin = queries.begin(q), n = sorted.row.size(), stride = scratch.panels.stride;
  const std::span<const double> curvature = sorted.curvature;
  if (std::all_of(curvature.begin(), curvature.end(), [](double c) { return c == 0.0; })) return;
  Index top = 0;
  for (const Index level : sorted.level) top = std::max(top, level);
  const auto n_levels = static_cast<std::size_t>(top) + 1;
  // Many levels: strips of columns, so that the sums by level stay in the cache.
  const std::size_t room = (std::size_t{256} << 10) / ((n_levels + 1) * sizeof(Real));
  const std::size_t strip = std::clamp(room / kernel.padding * kernel.padding, kernel.padding, stride);
  const auto win = scratch.win.room(n), lose = scratch.lose.room(n);
  const OrderedRows<Real> rows{.x = scratch.x.room(n * stride).data(),
                               .y = scratch.y.room(n * stride).data(),
                               .sums = scratch.sums.room((n_levels + 1) * strip).data(),
                               .order = sorted.row.data(),
                               .level = sorted.level.data(),
                               .win = win.data(),
                               .lose = lose.data(),
                               .curvature = curvature.data(),
                               .n_rows = n,
                               .stride = stride,
                               .n_levels = n_levels,
                               .adjacent = queries.adjacent};
  fill_ordered(x, begin, rows);
  for (const auto& weight : WeightTerms(queries, q, sorted.row, positions, Alone{pulse})) {
    for (std::size_t p = 0; p < n; ++p) {
      win[p] = weight.win == nullptr ? Real{1} : static_cast<Real>(weight.win[p]);
      lose[p] = weight.lose == nullptr ? Real{1} : static_cast<Real>(weight.lose[p]);
    }
    for (std::size_t r = 0; r < N; ++r)
      for (std::size_t from = 0; from < stride; from += strip) {
        if (n > 8192) pulse();
        kernel.subtract_pairs(
            rows, {sorted.lowest_loser[r].data(), sorted.end_winner[r].data(), weight.sign * ramps[r].curvature()},
            from, std::min(strip, stride - from));
      }
  }
  each_piece(n, stride * 8, pulse,
             [&](std::size_t from, std::size_t to) { kernel.add_product(scratch.panels, rows, from, to, sum.data()); });
}

}  // namespace rankine
