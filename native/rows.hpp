// Rows of features, dense or sparse, borrowed from NumPy: the verbs dot and add, with products accumulated in double.
// A sparse matrix is checked once, when its rows are made; kernels then index freely.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

namespace rankine {

using Index = std::int32_t;   // a feature, or a row within its query
using Offset = std::int64_t;  // a position in an array of rows or of values

template <class Value>
struct DenseRows {
  std::span<const Value> value;
  std::size_t n_rows, n_features;

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
  void add(std::size_t row, double scale, std::span<double> out) const {
    const Value* x = value.data() + row * n_features;
    for (std::size_t j = 0; j < n_features; ++j) out[j] += scale * static_cast<double>(x[j]);
  }
  void add_squares(std::size_t row, double scale, std::span<double> out) const {
    const Value* x = value.data() + row * n_features;
    for (std::size_t j = 0; j < n_features; ++j) {
      const double v = static_cast<double>(x[j]);
      out[j] += scale * v * v;
    }
  }
};

template <class Value>
struct SparseRows {
  std::span<const Offset> row_ptr;
  std::span<const Index> index;
  std::span<const Value> value;
  std::size_t n_rows, n_features;

  /// Throws unless every offset and index is in range; the loops below rely on it.
  void check() const {
    if (row_ptr.size() != n_rows + 1 || row_ptr.front() != 0 || row_ptr.back() != static_cast<Offset>(value.size()) ||
        index.size() != value.size())
      throw std::invalid_argument("the row offsets do not span the values of the sparse matrix");
    for (std::size_t i = 0; i < n_rows; ++i)
      if (row_ptr[i] > row_ptr[i + 1])
        throw std::invalid_argument("the row offsets of the sparse matrix decrease after row " + std::to_string(i));
    for (const Index j : index)
      if (j < 0 || static_cast<std::size_t>(j) >= n_features)
        throw std::invalid_argument("column " + std::to_string(j) + " of the sparse matrix is out of range: it has " +
                                    std::to_string(n_features) + " columns");
  }

  template <class Visit>
  void each(std::size_t row, Visit visit) const {
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      visit(static_cast<std::size_t>(index[at]), static_cast<double>(value[at]));
    }
  }
  double dot(std::size_t row, std::span<const double> w) const {
    double sum = 0.0;
    each(row, [&](std::size_t j, double v) { sum += v * w[j]; });
    return sum;
  }
  void add(std::size_t row, double scale, std::span<double> out) const {
    each(row, [&](std::size_t j, double v) { out[j] += scale * v; });
  }
  void add_squares(std::size_t row, double scale, std::span<double> out) const {
    each(row, [&](std::size_t j, double v) { out[j] += scale * v * v; });
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
