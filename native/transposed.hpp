// Transposed products of sparse rows: out = X^T scale.
//
// Where columns are few beside the values, rows are scattered into a few partial sums, which stay in cache. Else the
// matrix is wanted by column as well: each thread then owns columns, and nothing is added up between threads. That copy
// is made at the first such product, by counting: how often each column occurs in each block of rows says where every
// value goes. Where memory is short, or where few rows have a scale at all, rows are scattered in any case.
#pragma once
#include <unistd.h>

#include <vector>

#include "rows.hpp"
#include "team.hpp"

namespace rankine {

/// Whether a copy by column is at most a quarter of the machine's memory.
template <class Value>
bool columns_fit(const SparseRows<Value>& x) {
  const double bytes = static_cast<double>(x.value.size()) * (sizeof(Value) + sizeof(Index));
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return x.n_rows < static_cast<std::size_t>(std::numeric_limits<Index>::max()) && 4.0 * bytes <= machine;
}

template <class Value>
SparseColumns<Value> sort_by_column(const SparseRows<Value>& x, const Workers& workers) {
  const std::size_t n = x.value.size(), m = x.n_features;
  const std::size_t n_blocks = std::clamp<std::size_t>(n / (4 * m + 1), 1, 16);
  Room<Offset> next(n_blocks * m);  // by block of rows and column: first a count, then where the next value goes
  parallel_blocks(n_blocks, workers, [&](std::size_t b) {
    Offset* const count = next.data() + b * m;
    std::fill_n(count, m, 0);
    const auto [begin, end] = block_range(x.n_rows, n_blocks, b);
    for (auto k = x.row_ptr[begin]; k < x.row_ptr[end]; ++k) ++count[x.index[static_cast<std::size_t>(k)]];
  });
  std::vector<Index> column;
  std::vector<Offset> offset{0};
  for (std::size_t j = 0; j < m; ++j) {
    Offset at = offset.back();
    for (std::size_t b = 0; b < n_blocks; ++b) at += std::exchange(next[b * m + j], at);
    if (at == offset.back()) continue;
    column.push_back(static_cast<Index>(j));
    offset.push_back(at);
  }
  SparseColumns<Value> out{Room<Index>(column.size()), Room<Offset>(offset.size()), Room<Index>(n), Room<Value>(n)};
  std::copy(column.begin(), column.end(), out.column.data());
  std::copy(offset.begin(), offset.end(), out.offset.data());
  parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
    Offset* const place = next.data() + b * m;
    const auto [begin, end] = block_range(x.n_rows, n_blocks, b);
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 4096 == 0) pulse();
      for (auto k = static_cast<std::size_t>(x.row_ptr[i]); k < static_cast<std::size_t>(x.row_ptr[i + 1]); ++k) {
        const auto at = static_cast<std::size_t>(place[x.index[k]]++);
        out.row[at] = static_cast<Index>(i);
        out.value[at] = x.value[k];
      }
    }
  });
  return out;
}

/// The columns of x, made at the first call; nullptr when there is no memory for them.
template <class Value>
const SparseColumns<Value>* columns_of(const SparseRows<Value>& x, const Workers& workers) {
  KeptColumns<Value>& kept = *x.columns;
  const std::lock_guard lock(kept.mutex);
  if (!kept.asked && columns_fit(x)) kept.made = sort_by_column(x, workers);
  kept.asked = true;
  return kept.made ? &*kept.made : nullptr;
}

/// out = the sum over rows of scale_i x_ij (x_ij^2 if squared). Rows that are not in `some` have no scale; all rows are
/// meant if it is empty.
template <bool squared, class Value>
void transposed_product(const SparseRows<Value>& x, std::span<const double> scale, std::span<const Offset> some,
                        std::span<double> out, const Workers& workers) {
  std::fill(out.begin(), out.end(), 0.0);
  std::size_t n_values = some.empty() ? x.value.size() : 0;
  for (const Offset i : some) {
    const auto row = static_cast<std::size_t>(i);
    n_values += static_cast<std::size_t>(x.row_ptr[row + 1] - x.row_ptr[row]);
  }
  const bool worth_a_copy = 4 * n_values > x.value.size() && 64 * x.n_features > x.value.size();
  const SparseColumns<Value>* by_column = worth_a_copy ? columns_of(x, workers) : nullptr;
  if (by_column != nullptr) {
    const auto offset = by_column->offset.all();
    const auto column = by_column->column.all();
    const std::size_t n_blocks = std::clamp<std::size_t>(x.value.size() / 32768, 1, 256);
    parallel_blocks(n_blocks, workers, [&](std::size_t b) {
      const auto [first, last] = block_range(x.value.size(), n_blocks, b);  // of values: whose columns begin there
      auto c = std::lower_bound(offset.begin(), offset.end() - 1, static_cast<Offset>(first)) - offset.begin();
      for (; c + 1 < std::ssize(offset) && offset[static_cast<std::size_t>(c)] < static_cast<Offset>(last); ++c)
        out[static_cast<std::size_t>(column[static_cast<std::size_t>(c)])] =
            here::sparse_dot<squared>(by_column->run(), c, scale.data());
    });
    return;
  }
  const std::size_t n_rows = some.empty() ? x.n_rows : some.size();
  const std::size_t n_parts = std::clamp<std::size_t>(n_values / (4 * x.n_features + 1), 1, 16);
  const Lent<std::vector<Room<double>>> part(x.columns->spares);
  part->resize(std::max<std::size_t>(part->size(), n_parts));
  parallel_blocks(n_parts, workers, [&](std::size_t b, const Pulse& pulse) {
    const auto sum = b == 0 ? out : (*part)[b].room(out.size());
    if (b > 0) std::fill(sum.begin(), sum.end(), 0.0);
    const auto [begin, end] = block_range(n_rows, n_parts, b);
    for (std::size_t i = begin; i < end; ++i) {
      if (i % 4096 == 0) pulse();
      const Offset row = some.empty() ? static_cast<Offset>(i) : some[i];
      const double s = scale[static_cast<std::size_t>(row)];
      if (s != 0.0) here::sparse_add<squared>(x.run(), row, s, sum.data());
    }
  });
  if (n_parts == 1) return;
  each_block(Together{workers}, out.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = 1; b < n_parts; ++b)
      for (std::size_t j = begin; j < end; ++j) out[j] += (*part)[b][j];
  });
}

}  // namespace rankine
