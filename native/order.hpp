// How well each feature alone orders the pairs: the pairs that it orders right minus those that it orders wrong, where
// a tie counts for neither. Pair accuracy is then 1/2 + this / (2 * pairs). O(cells * log) by sorting each feature
// within each query; for sparse rows the zeros are one group of ties that costs nothing.
#pragma once
#include <bit>

#include "parallel.hpp"
#include "queries.hpp"
#include "tally.hpp"

namespace rankine {

/// A cell and the level of its row, in one integer that sorts by value, then by level.
struct PackedCell {
  std::uint64_t key;
  PackedCell(float v, Index level) {
    const auto bits = std::bit_cast<std::uint32_t>(v + 0.0F);  // -0 becomes 0
    const std::uint32_t ordered = bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u);
    key = (std::uint64_t{ordered} << 32) | static_cast<std::uint32_t>(level);
  }
  bool ties(PackedCell other) const { return key >> 32 == other.key >> 32; }
  std::size_t level() const { return key & 0xFFFFFFFFu; }
  bool operator<(PackedCell other) const { return key < other.key; }
};

/// The same for doubles, which leave no room for the level.
struct WideCell {
  double value;
  Index of_level;
  WideCell(double v, Index level) : value(v), of_level(level) {}
  bool ties(WideCell other) const { return value == other.value; }
  std::size_t level() const { return static_cast<std::size_t>(of_level); }
  bool operator<(WideCell other) const { return value < other.value; }
};

template <class Value>
using Cell = std::conditional_t<std::is_same_v<Value, float>, PackedCell, WideCell>;

/// Right minus wrong over the pairs among these cells, which are sorted here.
template <class Value>
class PairOrder {
 public:
  std::vector<Cell<Value>> cells;

  Offset count(std::size_t n_levels) {
    if (cells.size() < 2) return 0;
    if (std::all_of(cells.begin(), cells.end(), [&](auto c) { return c.ties(cells[0]); })) return 0;
    std::sort(cells.begin(), cells.end());
    level_.clear();
    for (const auto c : cells) level_.push_back(c.level());
    if (n_levels > cells.size()) n_levels = compress();
    return n_levels <= 12 ? sweep(direct_, n_levels) : sweep(tree_, n_levels);
  }

 private:
  /// Renumbers the levels of these cells 0, 1, …, so that the tally is no larger than they are.
  std::size_t compress() {
    distinct_ = level_;
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    for (std::size_t& l : level_)
      l = static_cast<std::size_t>(std::lower_bound(distinct_.begin(), distinct_.end(), l) - distinct_.begin());
    return distinct_.size();
  }

  template <class Tally>
  Offset sweep(Tally& seen, std::size_t n_levels) {
    seen.reset(n_levels + 1);
    double order = 0.0;  // whole numbers below 2^53: exact
    for (std::size_t p = 0, end = 0; p < cells.size(); p = end) {
      for (end = p; end < cells.size() && cells[end].ties(cells[p]); ++end)
        order += seen.below(level_[end]).weight + seen.below(level_[end] + 1).weight - static_cast<double>(p);
      for (std::size_t at = p; at < end; ++at) seen.add(level_[at], {1.0, 0.0});
    }
    return static_cast<Offset>(order);
  }

  std::vector<std::size_t> level_, distinct_;
  DirectTally direct_;
  TreeTally tree_;
};

inline std::size_t level_count(const Queries& queries, std::size_t q) {
  const auto level = queries.level.subspan(queries.begin(q), queries.size(q));
  return level.empty() ? 0 : static_cast<std::size_t>(*std::max_element(level.begin(), level.end())) + 1;
}

/// Sixteen columns at a time: a cache line of a row of floats.
template <class Value>
void feature_order(const DenseRows<Value>& x, const Queries& queries, std::span<Offset> order, const Workers& workers) {
  constexpr std::size_t width = 16;
  const auto cut = query_blocks(queries.query_ptr, 32);
  const std::size_t n_strips = (x.n_features + width - 1) / width, n_blocks = cut.size() - 1;
  std::vector<std::vector<Offset>> part(n_strips * n_blocks);
  parallel_blocks(part.size(), workers, [&](std::size_t b) {
    const std::size_t strip = b / n_blocks * width, last = std::min(strip + width, x.n_features);
    part[b].assign(width, 0);
    PairOrder<Value> pairs;
    for (std::size_t q = cut[b % n_blocks]; q < cut[b % n_blocks + 1]; ++q) {
      const std::size_t begin = queries.begin(q), end = begin + queries.size(q), n_levels = level_count(queries, q);
      if (n_levels < 2) continue;
      for (std::size_t j = strip; j < last; ++j) {
        pairs.cells.clear();
        for (std::size_t i = begin; i < end; ++i)
          pairs.cells.emplace_back(x.value[i * x.n_features + j], queries.level[i]);
        part[b][j - strip] += pairs.count(n_levels);
      }
    }
  });
  std::fill(order.begin(), order.end(), 0);
  for (std::size_t b = 0; b < part.size(); ++b)
    for (std::size_t k = 0; k < width && b / n_blocks * width + k < x.n_features; ++k)
      order[b / n_blocks * width + k] += part[b][k];
}

/// For each row, how many rows of its query have a lower level minus how many have a higher one.
inline std::vector<Offset> standing(const Queries& queries) {
  std::vector<Offset> out(queries.n_rows()), count;
  for (std::size_t q = 0; q < queries.n_queries(); ++q) {
    const std::size_t begin = queries.begin(q), n = queries.size(q), n_levels = level_count(queries, q);
    count.assign(n_levels + 1, 0);
    for (std::size_t i = begin; i < begin + n; ++i) ++count[static_cast<std::size_t>(queries.level[i]) + 1];
    for (std::size_t l = 0; l < n_levels; ++l) count[l + 1] += count[l];  // now: rows below level l
    for (std::size_t i = begin; i < begin + n; ++i) {
      const auto l = static_cast<std::size_t>(queries.level[i]);
      out[i] = count[l] + count[l + 1] - static_cast<Offset>(n);
    }
  }
  return out;
}

/// One column after another, each in the order of the queries. Let S be the cells of a query that are not zero, and
/// sign their signs. Against the zeros a cell of S gains sign * (its standing in the query - its standing in S), and
/// the standings in S, times sign, sum to twice the order of the pairs of a positive with a negative cell. So
///   order = sum of sign * standing + 2 * order(positive) + 2 * order(negative) - order(S).
template <class Value>
void feature_order(const SparseRows<Value>& x, const Queries& queries, std::span<Offset> order,
                   const Workers& workers) {
  std::vector<Offset> column_ptr(x.n_features + 1, 0);
  for (std::size_t i = 0; i < x.n_rows; ++i) x.each(i, [&](std::size_t j, double v) { column_ptr[j + 1] += v != 0.0; });
  for (std::size_t j = 0; j < x.n_features; ++j) column_ptr[j + 1] += column_ptr[j];
  struct Stored {
    std::size_t row;
    Value value;
  };
  std::vector<Stored> stored(static_cast<std::size_t>(column_ptr.back()));
  std::vector<Offset> next(column_ptr.begin(), column_ptr.end() - 1);
  for (std::size_t i = 0; i < x.n_rows; ++i)
    x.each(i, [&](std::size_t j, double v) {
      if (v != 0.0) stored[static_cast<std::size_t>(next[j]++)] = {i, static_cast<Value>(v)};
    });
  std::vector<std::size_t> n_levels(queries.n_queries()), query(x.n_rows);
  for (std::size_t q = 0; q < queries.n_queries(); ++q) {
    n_levels[q] = level_count(queries, q);
    std::fill_n(query.begin() + static_cast<std::ptrdiff_t>(queries.begin(q)), queries.size(q), q);
  }
  const std::vector<Offset> stand = standing(queries);
  const std::size_t n_blocks = std::min<std::size_t>(x.n_features, 256);
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    PairOrder<Value> pairs;
    const auto [first, last] = block_range(x.n_features, n_blocks, b);
    for (std::size_t j = first; j < last; ++j) {
      order[j] = 0;
      const auto end = static_cast<std::size_t>(column_ptr[j + 1]);
      for (auto at = static_cast<std::size_t>(column_ptr[j]), stop = at; at < end; at = stop) {
        const std::size_t q = query[stored[at].row];
        std::size_t n_positive = 0;
        for (stop = at; stop < end && query[stored[stop].row] == q; ++stop) {
          const bool positive = stored[stop].value > 0;
          order[j] += positive ? stand[stored[stop].row] : -stand[stored[stop].row];
          n_positive += positive;
        }
        auto among = [&](auto wanted) {
          pairs.cells.clear();
          for (std::size_t k = at; k < stop; ++k)
            if (wanted(stored[k].value)) pairs.cells.emplace_back(stored[k].value, queries.level[stored[k].row]);
          return pairs.count(n_levels[q]);
        };
        const Offset all = among([](Value) { return true; });
        if (n_positive == 0 || n_positive == stop - at)
          order[j] += all;
        else
          order[j] += 2 * among([](Value v) { return v > 0; }) + 2 * among([](Value v) { return v < 0; }) - all;
      }
    }
  });
}

}  // namespace rankine
