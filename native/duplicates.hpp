// Rows that are equal cell by cell. Hashes find the candidates, cells decide, so a collision is never reported.
#pragma once
#include <bit>

#include "parallel.hpp"
#include "queries.hpp"

namespace rankine {

/// The hash of a cell. A row's hash is the sum over its cells that are not zero, so it is the same for dense and sparse
/// rows, for float and double, and whatever the order in which the cells are stored.
inline std::uint64_t cell_hash(std::size_t column, double value) {
  std::uint64_t h = std::bit_cast<std::uint64_t>(value) + (column + 1) * 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

template <class Value>
std::uint64_t row_hash(const DenseRows<Value>& x, std::size_t i) {
  const Value* row = x.value.data() + i * x.n_features;
  std::uint64_t h = 0;
  for (std::size_t j = 0; j < x.n_features; ++j) h += row[j] == 0 ? 0 : cell_hash(j, static_cast<double>(row[j]));
  return h;
}

template <class Value>
std::uint64_t row_hash(const SparseRows<Value>& x, std::size_t i) {
  std::uint64_t h = 0;
  x.each(i, [&](std::size_t j, double v) { h += v == 0.0 ? 0 : cell_hash(j, v); });
  return h;
}

inline void row_hashes(const AnyRows& rows, std::span<std::uint64_t> hash, const Workers& workers) {
  std::visit(
      [&](const auto& x) {
        const std::size_t n_blocks = std::min<std::size_t>(x.n_rows / 256 + 1, 256);
        parallel_blocks(n_blocks, workers, [&](std::size_t b) {
          const auto [begin, end] = block_range(x.n_rows, n_blocks, b);
          for (std::size_t i = begin; i < end; ++i) hash[i] = row_hash(x, i);
        });
      },
      rows);
}

template <class Value>
bool equal_rows(const DenseRows<Value>& x, std::size_t a, std::size_t b) {
  const Value* at = x.value.data();
  return std::equal(at + a * x.n_features, at + (a + 1) * x.n_features, at + b * x.n_features);
}

template <class Value>
bool equal_rows(const SparseRows<Value>& x, std::size_t a, std::size_t b) {
  auto cells = [&](std::size_t row) {
    std::vector<std::pair<std::size_t, double>> out;
    x.each(row, [&](std::size_t j, double v) {
      if (v != 0.0) out.emplace_back(j, v);
    });
    std::sort(out.begin(), out.end());
    return out;
  };
  return cells(a) == cells(b);
}

/// For each row, the first row of its query with the same cells: itself unless it repeats an earlier one.
inline void first_equal(const AnyRows& rows, std::span<const Offset> query_ptr, std::span<const std::uint64_t> hash,
                        std::span<Offset> first, const Workers& workers) {
  const auto cut = query_blocks(query_ptr, 256);
  std::visit(
      [&](const auto& x) {
        parallel_blocks(cut.size() - 1, workers, [&](std::size_t b) {
          std::vector<std::pair<std::uint64_t, std::size_t>> sorted;
          std::vector<std::size_t> distinct;  // of the rows with one hash: more than one only after a collision
          for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) {
            sorted.clear();
            for (auto i = static_cast<std::size_t>(query_ptr[q]); i < static_cast<std::size_t>(query_ptr[q + 1]); ++i)
              sorted.emplace_back(hash[i], i);
            std::sort(sorted.begin(), sorted.end());
            for (std::size_t p = 0; p < sorted.size(); ++p) {
              const auto [h, row] = sorted[p];
              if (p == 0 || sorted[p - 1].first != h) distinct.clear();
              const auto same = std::find_if(distinct.begin(), distinct.end(),
                                             [&, row = row](std::size_t other) { return equal_rows(x, row, other); });
              first[row] = static_cast<Offset>(same == distinct.end() ? row : *same);
              if (same == distinct.end()) distinct.push_back(row);
            }
          }
        });
      },
      rows);
}

}  // namespace rankine
