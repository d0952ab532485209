// What the columns of a block of dense rows look like. A register of columns at a time goes down the block, with its
// notes in registers; it goes down twice, because the spread of a column that is far from zero keeps its digits only
// around the mean. A block of a few hundred rows is in cache by then. The last register of a row overlaps the one
// before when n_features is not a multiple of W: those columns are then noted twice, alike.
#pragma once
#include "kernels.hpp"
#include "lanes.hpp"

namespace rankine::RANKINE_ISA {

template <class Value>
[[gnu::always_inline]] inline void describe_register(const Value* x, std::size_t n_rows, std::size_t n,
                                                     const ColumnNotes& out) {
  Lanes least = load(x), greatest = least, sum{}, square{};
  Bits filled{};
  for (std::size_t i = 0; i < n_rows; ++i) {
    const Lanes v = load(x + i * n);
    least = v < least ? v : least;
    greatest = v > greatest ? v : greatest;
    sum += v;
    filled -= (Bits)(v != Lanes{});
  }
  const Lanes mean = sum / all(static_cast<double>(n_rows));
  for (std::size_t i = 0; i < n_rows; ++i) {
    const Lanes d = load(x + i * n) - mean;
    square += d * d;
  }
  store(out.least, least);
  store(out.greatest, greatest);
  store(out.mean, mean);
  store(out.square, square);
  store(out.n_filled, filled);
}

/// Notes of n_rows rows, at least one, of n features.
template <class Value>
void describe_columns(const Value* x, std::size_t n_rows, std::size_t n, const ColumnNotes& out) {
  auto at = [&](std::size_t j) {
    return ColumnNotes{out.least + j, out.greatest + j, out.mean + j, out.square + j, out.n_filled + j};
  };
  if (n >= W) {
    for (std::size_t j = 0; j < n; j += W) {
      const std::size_t from = j + W <= n ? j : n - W;
      describe_register(x + from, n_rows, n, at(from));
    }
    return;
  }
  for (std::size_t j = 0; j < n; ++j) {
    double least = static_cast<double>(x[j]), greatest = least, sum = 0.0, square = 0.0;
    std::int64_t filled = 0;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const auto v = static_cast<double>(x[i * n + j]);
      least = v < least ? v : least;
      greatest = v > greatest ? v : greatest;
      sum += v;
      filled += v != 0.0;
    }
    const double mean = sum / static_cast<double>(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double d = static_cast<double>(x[i * n + j]) - mean;
      square += d * d;
    }
    const ColumnNotes to = at(j);
    *to.least = least, *to.greatest = greatest, *to.mean = mean, *to.square = square, *to.n_filled = filled;
  }
}

}  // namespace rankine::RANKINE_ISA
