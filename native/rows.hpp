// Rows of features, dense or sparse, borrowed from NumPy: the verb dot, with products accumulated in double.
// A sparse matrix (sparse.hpp) is checked once, when its rows are made; kernels then index freely.
#pragma once
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <variant>

#include "sparse.hpp"

namespace rankine {

template <class Value>
struct DenseRows {
  std::span<const Value> value;
  std::size_t n_rows, n_features;

  static constexpr bool fused = true;  // a pass does all that it does with a query while its rows are hot

  /// Eight independent sums, so that the compiler may use the width of the machine without changing the result.
  double dot(std::size_t row, std::span<const double> w) const {
    const Value* x = value.data() + row * n_features;
    double lane[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= n_features; j += 8)
      for (std::size_t k = 0; k < 8; ++k) lane[k] += static_cast<double>(x[j + k]) * w[j + k];
    double sum = 0.0;
    for (; j < n_features; ++j) sum += static_cast<double>(x[j]) * w[j];
    return sum + (((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])));
  }
};

using AnyRows = std::variant<DenseRows<float>, DenseRows<double>, SparseRows<float>, SparseRows<double>>;

inline std::size_t n_rows(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.n_rows; }, rows);
}
inline std::size_t n_features(const AnyRows& rows) {
  return std::visit([](const auto& r) { return r.n_features; }, rows);
}

}  // namespace rankine
