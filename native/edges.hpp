// The edges of each column: how many cells hold its extremes, and the values next to them. A sentinel such as -999 is
// an extreme that repeats, far from its neighbour.
#pragma once
#include "columns.hpp"

namespace rankine {

/// One entry a column. A column of one value has no neighbours: next_least is infinite, next_greatest is -infinite.
struct ColumnEdges {
  std::vector<Offset> n_least, n_greatest;
  std::vector<double> next_least, next_greatest;

  explicit ColumnEdges(std::size_t m)
      : n_least(m, 0),
        n_greatest(m, 0),
        next_least(m, std::numeric_limits<double>::infinity()),
        next_greatest(m, -std::numeric_limits<double>::infinity()) {}
};

/// `least` and `greatest` are the extremes of the columns, as column_stats finds them.
inline ColumnEdges column_edges(const AnyRows& rows, std::span<const double> least, std::span<const double> greatest,
                                const Workers& workers) {
  const std::size_t n = n_rows(rows), m = n_features(rows);
  const std::size_t n_blocks = std::clamp<std::size_t>((std::size_t{1} << 21) / std::max<std::size_t>(m, 1), 1, 16);
  std::vector<ColumnEdges> part(n_blocks, ColumnEdges(0));
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    ColumnEdges edges(m);
    auto see = [&](std::size_t j, double v, Offset times) {
      edges.n_least[j] += v == least[j] ? times : 0;
      edges.n_greatest[j] += v == greatest[j] ? times : 0;
      edges.next_least[j] = v > least[j] && v < edges.next_least[j] ? v : edges.next_least[j];
      edges.next_greatest[j] = v < greatest[j] && v > edges.next_greatest[j] ? v : edges.next_greatest[j];
    };
    const auto [begin, end] = block_range(n, n_blocks, b);
    std::vector<Offset> absent(m, static_cast<Offset>(end - begin));
    each_cell(rows, begin, end, [&](std::size_t, std::size_t j, double v) {
      see(j, v, 1);
      --absent[j];
    });
    for (std::size_t j = 0; j < m; ++j)
      if (absent[j] > 0) see(j, 0.0, absent[j]);
    part[b] = std::move(edges);
  });
  ColumnEdges all(m);
  for (const ColumnEdges& edges : part)
    for (std::size_t j = 0; j < m; ++j) {
      all.n_least[j] += edges.n_least[j];
      all.n_greatest[j] += edges.n_greatest[j];
      all.next_least[j] = std::min(all.next_least[j], edges.next_least[j]);
      all.next_greatest[j] = std::max(all.next_greatest[j], edges.next_greatest[j]);
    }
  return all;
}

}  // namespace rankine
