// Verbs of many dense rows at once, by the kernels of native/isa. They pulse now and then: a query may have ten million
// rows.
#pragma once
#include <algorithm>

#include "isa/choose.hpp"
#include "parallel.hpp"
#include "rows.hpp"

namespace rankine {

template <class Value>
const DenseKernels<Value>& dense_kernels() {
  if constexpr (sizeof(Value) == sizeof(float))
    return kernels().float32;
  else
    return kernels().float64;
}

/// Calls each(begin, end) for pieces of rows that take a millisecond or so, and the pulse in between.
template <class Each>
void each_piece(std::size_t n_rows, std::size_t n_features, const Pulse& pulse, Each each) {
  const std::size_t few = std::clamp<std::size_t>((std::size_t{1} << 20) / (n_features + 1), 1, 8192);
  for (std::size_t begin = 0; begin < n_rows; begin += few) {
    if (begin > 0) pulse();
    each(begin, std::min(begin + few, n_rows));
  }
}

/// Where rows are in a pass: their scores are taken first, their transposed product second.
enum class Turn { first, second, only };

/// What to fetch while n_rows rows are read. A block that stays in the core's cache between its two turns has time for
/// the blocks after it: 128 kB ahead, half of them in each turn. Others stream through: then what comes next.
template <class Value>
Ahead ahead_of(const DenseRows<Value>& x, std::size_t begin, std::size_t n_rows, Turn turn) {
  const auto* at = reinterpret_cast<const char*>(x.value.data() + begin * x.n_features);
  const std::size_t n_bytes = n_rows * x.n_features * sizeof(Value);
  if (turn == Turn::only || n_bytes > (std::size_t{512} << 10)) return {at + (16 << 10), Ahead::full};
  return {at + (128 << 10) + (turn == Turn::second ? n_bytes / 2 : 0), Ahead::half};
}

/// The same for a piece of the block that begins n_bytes later.
inline Ahead after(Ahead ahead, std::size_t n_bytes) {
  return {static_cast<const char*>(ahead.at) + n_bytes * ahead.rate / 2, ahead.rate};
}

/// out = X w for the rows that begin at `begin`.
template <class Value>
void score_rows(const DenseRows<Value>& x, std::size_t begin, std::span<const double> w, std::span<double> out,
                const Pulse& pulse, Turn turn) {
  const Ahead ahead = ahead_of(x, begin, out.size(), turn);
  each_piece(out.size(), x.n_features, pulse, [&](std::size_t from, std::size_t to) {
    dense_kernels<Value>().scores(x.value.data() + (begin + from) * x.n_features, to - from, x.n_features, w.data(),
                                  out.data() + from, after(ahead, from * x.n_features * sizeof(Value)));
  });
}

/// sum += X^T scale, for the rows that begin at `begin`; rows whose scale is 0 are not read.
template <class Value>
void add_rows(const DenseRows<Value>& x, std::size_t begin, std::span<const double> scale, std::span<double> sum,
              const Pulse& pulse, Turn turn) {
  const Ahead ahead = ahead_of(x, begin, scale.size(), turn);
  each_piece(scale.size(), x.n_features, pulse, [&](std::size_t from, std::size_t to) {
    dense_kernels<Value>().add_rows(x.value.data() + (begin + from) * x.n_features, to - from, x.n_features,
                                    scale.data() + from, sum.data(), after(ahead, from * x.n_features * sizeof(Value)));
  });
}

/// sum_j += the sum over rows of scale_i x_ij^2.
template <class Value>
void add_squares(const DenseRows<Value>& x, std::size_t begin, std::span<const double> scale, std::span<double> sum,
                 const Pulse& pulse) {
  each_piece(scale.size(), x.n_features, pulse, [&](std::size_t from, std::size_t to) {
    dense_kernels<Value>().add_squares(x.value.data() + (begin + from) * x.n_features, to - from, x.n_features,
                                       scale.data() + from, sum.data());
  });
}

}  // namespace rankine
