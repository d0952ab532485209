// What the columns of a matrix look like: extremes, mean, spread, and how many cells are not zero.
#pragma once
#include <algorithm>

#include "parallel.hpp"
#include "rows.hpp"

namespace rankine {

/// One entry a column. Zeros that a sparse matrix leaves out count as cells.
struct ColumnStats {
  std::vector<double> least, greatest, mean, spread;
  std::vector<Offset> n_filled;
};

/// Calls visit(row, column, value) for the stored cells of rows [begin, end).
template <class Visit>
void each_cell(const AnyRows& rows, std::size_t begin, std::size_t end, Visit visit) {
  std::visit(
      [&]<class R>(const R& x) {
        for (std::size_t i = begin; i < end; ++i) {
          if constexpr (requires { x.row_ptr; }) {
            x.each(i, [&](std::size_t j, double v) { visit(i, j, v); });
          } else {
            for (std::size_t j = 0; j < x.n_features; ++j)
              visit(i, j, static_cast<double>(x.value[i * x.n_features + j]));
          }
        }
      },
      rows);
}

/// Two passes, so that the spread (the standard deviation) of a column far from zero keeps its digits.
inline ColumnStats column_stats(const AnyRows& rows, const Workers& workers) {
  const std::size_t n = n_rows(rows), m = n_features(rows);
  const std::size_t n_blocks = std::clamp<std::size_t>((std::size_t{1} << 21) / std::max<std::size_t>(m, 1), 1, 16);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<ColumnStats> part(n_blocks);
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    ColumnStats& s = part[b];
    s.least.assign(m, infinity);
    s.greatest.assign(m, -infinity);
    s.mean.assign(m, 0.0);
    s.spread.assign(m, 0.0);
    s.n_filled.assign(m, 0);
    const auto [begin, end] = block_range(n, n_blocks, b);
    std::vector<Offset> stored(m, 0);
    each_cell(rows, begin, end, [&](std::size_t, std::size_t j, double v) {
      s.least[j] = std::min(s.least[j], v);
      s.greatest[j] = std::max(s.greatest[j], v);
      s.mean[j] += v;
      s.n_filled[j] += v != 0.0;
      ++stored[j];
    });
    for (std::size_t j = 0; j < m; ++j)
      if (static_cast<std::size_t>(stored[j]) < end - begin) {
        s.least[j] = std::min(s.least[j], 0.0);
        s.greatest[j] = std::max(s.greatest[j], 0.0);
      }
  });
  ColumnStats all = std::move(part[0]);
  for (std::size_t b = 1; b < n_blocks; ++b)
    for (std::size_t j = 0; j < m; ++j) {
      all.least[j] = std::min(all.least[j], part[b].least[j]);
      all.greatest[j] = std::max(all.greatest[j], part[b].greatest[j]);
      all.mean[j] += part[b].mean[j];
      all.n_filled[j] += part[b].n_filled[j];
    }
  for (double& mean : all.mean) mean /= static_cast<double>(std::max<std::size_t>(n, 1));
  std::vector<std::vector<double>> square(n_blocks);
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    square[b].assign(m, 0.0);
    const auto [begin, end] = block_range(n, n_blocks, b);
    std::vector<Offset> absent(m, static_cast<Offset>(end - begin));
    each_cell(rows, begin, end, [&](std::size_t, std::size_t j, double v) {
      square[b][j] += (v - all.mean[j]) * (v - all.mean[j]);
      --absent[j];
    });
    for (std::size_t j = 0; j < m; ++j) square[b][j] += static_cast<double>(absent[j]) * all.mean[j] * all.mean[j];
  });
  for (std::size_t j = 0; j < m; ++j) {
    all.spread[j] = 0.0;
    for (const auto& s : square) all.spread[j] += s[j];
    all.spread[j] = std::sqrt(all.spread[j] / static_cast<double>(std::max<std::size_t>(n, 1)));
  }
  return all;
}

}  // namespace rankine
