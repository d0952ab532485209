// Sparse rows of features (CSR), borrowed from NumPy, and the room for a copy by column (CSC) that is made when the
// first transposed product asks for it (transposed.hpp).
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "index.hpp"
#include "isa/here.hpp"
#include "isa/sparse.hpp"
#include "room.hpp"
#include "spares.hpp"

namespace rankine {

/// The values of a sparse matrix by column; columns that never occur are not there.
template <class Value>
struct SparseColumns {
  Room<Index> column;   // which these are, ascending
  Room<Offset> offset;  // where each begins, and the end
  Room<Index> row;      // ascending in each column
  Room<Value> value;
  here::SparseRun<Value> run() const { return {offset.all().data(), row.all().data(), value.all().data()}; }
};

/// The columns, once they are made: nothing if there is no memory for them. And what products with rows reuse.
template <class Value>
struct KeptColumns {
  std::mutex mutex;
  bool asked = false;
  std::optional<SparseColumns<Value>> made;
  std::shared_ptr<Spares> spares = std::make_shared<Spares>();  // for partial sums of products
};

template <class Value>
struct SparseRows {
  std::span<const Offset> row_ptr;
  std::span<const Index> index;
  std::span<const Value> value;
  std::size_t n_rows, n_features;
  std::shared_ptr<KeptColumns<Value>> columns = std::make_shared<KeptColumns<Value>>();

  static constexpr bool fused = false;  // the transposed product is by column, once all rows have their slopes

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
  here::SparseRun<Value> run() const { return {row_ptr.data(), index.data(), value.data()}; }
  double dot(std::size_t row, std::span<const double> w) const {
    return here::sparse_dot<false>(run(), static_cast<Offset>(row), w.data());
  }
};

}  // namespace rankine
