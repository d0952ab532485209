// Verbs of sparse rows, in blocks: products of rows with a vector, and rows added to a vector. The transposed matrix is
// sparse rows too, so a product with its rows is a transposed product.
#pragma once
#include <cstdint>

namespace rankine::RANKINE_ISA {

/// A run of sparse rows: row i holds the values at offset[i] .. offset[i + 1] - 1.
template <class Value>
struct SparseRun {
  const std::int64_t* offset;
  const std::int32_t* index;
  const Value* value;
};

/// The sum of value * w (of value^2 * w if squared) of one row. Four independent sums keep loads in flight.
template <bool squared, class Value>
[[gnu::always_inline]] inline double sparse_dot(const SparseRun<Value>& x, std::int64_t row, const double* w) {
  const std::int64_t end = x.offset[row + 1];
  std::int64_t k = x.offset[row];
  auto term = [&](std::int64_t at) {
    const auto v = static_cast<double>(x.value[at]);
    return (squared ? v * v : v) * w[x.index[at]];
  };
  double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
  for (; k + 4 <= end; k += 4) {
    a += term(k);
    b += term(k + 1);
    c += term(k + 2);
    d += term(k + 3);
  }
  for (; k < end; ++k) a += term(k);
  return (a + c) + (b + d);
}

/// sum += scale * row.
template <bool squared, class Value>
inline void sparse_add(const SparseRun<Value>& x, std::int64_t row, double scale, double* sum) {
  for (std::int64_t k = x.offset[row]; k < x.offset[row + 1]; ++k) {
    const auto v = static_cast<double>(x.value[k]);
    sum[x.index[k]] += scale * (squared ? v * v : v);
  }
}

}  // namespace rankine::RANKINE_ISA
