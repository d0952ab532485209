// Products with all rows, or with many, by all threads: scores, and the transposed products of dense rows in partial
// sums by block of rows.
#pragma once
#include "blocks.hpp"
#include "transposed.hpp"

namespace rankine {

/// out[i] = x_i w, for n rows from `begin` on, or only for those in `some` if it is not empty.
template <class R>
void score_rows(const R& x, std::size_t begin, std::size_t n, std::span<const double> w, std::span<const Offset> some,
                std::span<double> out, const Workers& workers) {
  const std::size_t n_rows = some.empty() ? n : some.size(), n_blocks = std::min<std::size_t>(n_rows / 256 + 1, 256);
  parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
    const auto [first, last] = block_range(n_rows, n_blocks, b);
    if (!some.empty()) {
      for (const Offset i : some.subspan(first, last - first))
        out[static_cast<std::size_t>(i)] = x.dot(static_cast<std::size_t>(i), w);
    } else if constexpr (R::fused) {
      score_rows(x, begin + first, w, out.subspan(begin + first, last - first), pulse, Turn::only);
    } else {
      sparse_kernels<typename R::Stored>().dots(x.run(), static_cast<Offset>(begin + first),
                                                static_cast<Offset>(begin + last), w.data(), out.data());
    }
  });
}

/// total += the sum over blocks of rows of add(begin, end, partial sum, pulse).
template <class Add>
void add_in_blocks(std::size_t n, std::span<double> total, const Workers& workers, Add add) {
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 22) / std::max<std::size_t>(total.size(), 1), 2);
  const std::size_t n_blocks = std::min({n / 256 + 1, room, std::size_t{64}});
  std::vector<std::vector<double>> partial(n_blocks);
  parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
    partial[b].assign(total.size(), 0.0);
    const auto [first, last] = block_range(n, n_blocks, b);
    add(first, last, std::span<double>(partial[b]), pulse);
  });
  for (const auto& part : partial)
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += part[j];
}

/// total += X_q^T scale, for the rows from `begin` on.
template <class Value>
void add_transposed(const DenseRows<Value>& x, std::size_t begin, std::span<const double> scale,
                    std::span<double> total, const Workers& workers) {
  add_in_blocks(scale.size(), total, workers,
                [&](std::size_t first, std::size_t last, std::span<double> sum, const Pulse& pulse) {
                  add_rows(x, begin + first, scale.subspan(first, last - first), sum, pulse, Turn::only);
                });
}

/// out_j = the sum over rows of scale_i x_ij^2.
template <class R>
void sum_squares(const R& x, std::span<const double> scale, std::span<double> out, const Workers& workers) {
  if constexpr (R::fused) {
    std::fill(out.begin(), out.end(), 0.0);
    add_in_blocks(x.n_rows, out, workers,
                  [&](std::size_t first, std::size_t last, std::span<double> sum, const Pulse& pulse) {
                    add_squares(x, first, scale.subspan(first, last - first), sum, pulse);
                  });
  } else {
    transposed_product<true>(x, scale, {}, out, workers);
  }
}

}  // namespace rankine
