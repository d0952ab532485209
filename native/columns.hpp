// What the columns of a matrix look like: extremes, mean, spread, and how many cells are not zero.
#pragma once
#include <algorithm>

#include "blocks.hpp"
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

/// The notes of some rows of n columns, which others can be added to.
struct ColumnSums {
  std::vector<double> least, greatest, mean, square;
  std::vector<Offset> n_filled;
  double n_rows = 0.0;

  explicit ColumnSums(std::size_t n) : least(n), greatest(n), mean(n), square(n), n_filled(n) {}
  ColumnNotes notes() { return {least.data(), greatest.data(), mean.data(), square.data(), n_filled.data()}; }

  /// Squared distances from two means become those from the common one (Chan, Golub & LeVeque).
  void add(const ColumnSums& other) {
    if (other.n_rows == 0.0) return;
    if (n_rows == 0.0) {
      *this = other;
      return;
    }
    const double n = n_rows + other.n_rows, share = other.n_rows / n;
    for (std::size_t j = 0; j < mean.size(); ++j) {
      const double apart = other.mean[j] - mean[j];
      least[j] = std::min(least[j], other.least[j]);
      greatest[j] = std::max(greatest[j], other.greatest[j]);
      square[j] += other.square[j] + apart * apart * n_rows * share;
      mean[j] += apart * share;
      n_filled[j] += other.n_filled[j];
    }
    n_rows = n;
  }
};

/// The columns of the rows [begin, end), a few hundred at a time, while they are in cache.
template <class Value>
void describe(const DenseRows<Value>& x, std::size_t begin, std::size_t end, ColumnSums& sums, const Pulse& pulse) {
  const std::size_t few =
      std::clamp<std::size_t>((std::size_t{256} << 10) / (x.n_features * sizeof(Value) + 1), 1, 512);
  ColumnSums part(x.n_features);
  for (; begin < end; begin += few) {
    const std::size_t n = std::min(few, end - begin);
    dense_kernels<Value>().describe_columns(x.value.data() + begin * x.n_features, n, x.n_features, part.notes());
    part.n_rows = static_cast<double>(n);
    sums.add(part);
    pulse();
  }
}
/// Of sparse rows, with the zeros that they leave out. Two passes, so that the spread keeps its digits.
template <class Value>
void describe(const SparseRows<Value>& x, std::size_t begin, std::size_t end, ColumnSums& sums, const Pulse&) {
  const std::size_t m = x.n_features;
  std::vector<Offset> absent(m, static_cast<Offset>(end - begin));
  for (std::size_t i = begin; i < end; ++i)
    x.each(i, [&](std::size_t j, double v) {
      const bool first = absent[j]-- == static_cast<Offset>(end - begin);
      sums.least[j] = first ? v : std::min(sums.least[j], v);
      sums.greatest[j] = first ? v : std::max(sums.greatest[j], v);
      sums.mean[j] += v;
      sums.n_filled[j] += v != 0.0;
    });
  sums.n_rows = static_cast<double>(end - begin);
  for (std::size_t j = 0; j < m; ++j) {
    if (absent[j] > 0) sums.least[j] = std::min(sums.least[j], 0.0), sums.greatest[j] = std::max(sums.greatest[j], 0.0);
    sums.mean[j] /= sums.n_rows;
    sums.square[j] = static_cast<double>(absent[j]) * sums.mean[j] * sums.mean[j];
  }
  for (std::size_t i = begin; i < end; ++i)
    x.each(i, [&](std::size_t j, double v) { sums.square[j] += (v - sums.mean[j]) * (v - sums.mean[j]); });
}

inline ColumnStats column_stats(const AnyRows& rows, const Workers& workers) {
  const std::size_t n = n_rows(rows), m = n_features(rows);
  // The cut depends on the data alone, and so do the sums.
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 21) / std::max<std::size_t>(m, 1), 1);
  const std::size_t n_blocks = std::clamp<std::size_t>(std::min(room, n / 1024), 1, 32);
  std::vector<ColumnSums> part(n_blocks, ColumnSums(m));
  if (n > 0)
    parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
      const auto range = block_range(n, n_blocks, b);
      std::visit([&](const auto& x) { describe(x, range.first, range.second, part[b], pulse); }, rows);
    });
  ColumnSums all(m);
  for (const ColumnSums& p : part) all.add(p);
  if (n == 0) {
    std::fill(all.least.begin(), all.least.end(), std::numeric_limits<double>::infinity());
    std::fill(all.greatest.begin(), all.greatest.end(), -std::numeric_limits<double>::infinity());
  }
  for (double& square : all.square) square = std::sqrt(square / static_cast<double>(std::max<std::size_t>(n, 1)));
  return {std::move(all.least), std::move(all.greatest), std::move(all.mean), std::move(all.square),
          std::move(all.n_filled)};
}

}  // namespace rankine
