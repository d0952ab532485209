// Dense rows times a vector, and a vector times dense rows, at the speed of memory.
//
// Scores take four rows at a time, so that each register of w is loaded once for four, and eight sums are under way.
// The transposed product takes eight rows at a time, so that a column's sum is read and written once for eight. Rows
// are not padded: when n_features is not a multiple of W, the last register of a row overlaps the one before, and the
// lanes that were done already are blanked. With fewer features than lanes, plain loops do.
// Everything is summed in double. A row's score is the same sum in the same order wherever the row is in its block.
#pragma once
#include "kernels.hpp"
#include "lanes.hpp"

namespace rankine::RANKINE_ISA {

/// Asks for n_bytes / 2 * rate bytes at `next`, and moves on.
template <Ahead::Rate rate, std::size_t n_bytes>
[[gnu::always_inline]] inline void fetch(const char*& next) {
  constexpr int n_lines = static_cast<int>(n_bytes * rate / 128);
  unrolled<n_lines>([&](auto l) __attribute__((always_inline)) { __builtin_prefetch(next + 64 * l, 0, 3); });
  next += 64 * n_lines;
}

/// Ones in the lanes of the last, overlapping register of a row that the registers before do not cover.
inline Bits uncovered(std::size_t n_features) {
  const std::size_t n_covered = n_features % W == 0 ? 0 : W - n_features % W;
  Bits mask;
  for (int l = 0; l < W; ++l) mask[l] = static_cast<std::size_t>(l) >= n_covered ? -1 : 0;
  return mask;
}
[[gnu::always_inline]] inline Lanes masked(Lanes v, Bits mask) { return (Lanes)((Bits)v & mask); }

/// out[i] = the score of row i, for R rows.
template <int R, Ahead::Rate rate, class Value>
[[gnu::always_inline]] inline void score_rows(const Value* x, std::size_t n, const double* w, Lanes last_w, double* out,
                                              const char*& next) {
  Lanes even[R], odd[R];
  unrolled<R>([&](auto r) __attribute__((always_inline)) { even[r] = odd[r] = Lanes{}; });
  std::size_t j = 0;
  for (; j + 2 * W <= n; j += 2 * W) {
    fetch<rate, R * 2 * W * sizeof(Value)>(next);
    const Lanes a = load(w + j), b = load(w + j + W);
    unrolled<R>([&](auto r) __attribute__((always_inline)) {
      even[r] += load(x + static_cast<std::size_t>(r) * n + j) * a;
      odd[r] += load(x + static_cast<std::size_t>(r) * n + j + W) * b;
    });
  }
  if (j + W <= n) {
    const Lanes a = load(w + j);
    unrolled<R>([&](auto r)
                    __attribute__((always_inline)) { even[r] += load(x + static_cast<std::size_t>(r) * n + j) * a; });
    j += W;
  }
  if (j < n)
    unrolled<R>([&](auto r) __attribute__((always_inline)) {
      odd[r] += load(x + static_cast<std::size_t>(r) * n + n - W) * last_w;
    });
  unrolled<R>([&](auto r) __attribute__((always_inline)) { out[r] = total(even[r] + odd[r]); });
}

template <Ahead::Rate rate, class Value>
void scores(const Value* x, std::size_t n_rows, std::size_t n, const double* w, double* out, const char* next) {
  const Lanes last_w = masked(load(w + n - W), uncovered(n));
  std::size_t i = 0;
  for (; i + 4 <= n_rows; i += 4) score_rows<4, rate>(x + i * n, n, w, last_w, out + i, next);
  for (; i < n_rows; ++i) score_rows<1, rate>(x + i * n, n, w, last_w, out + i, next);
}
template <class Value>
void scores(const Value* x, std::size_t n_rows, std::size_t n, const double* w, double* out, Ahead ahead) {
  const auto next = static_cast<const char*>(ahead.at);
  if (n < W)
    for (std::size_t i = 0; i < n_rows; ++i) {
      out[i] = 0.0;
      for (std::size_t j = 0; j < n; ++j) out[i] += static_cast<double>(x[i * n + j]) * w[j];
    }
  else if (ahead.rate == Ahead::half)
    scores<Ahead::half>(x, n_rows, n, w, out, next);
  else if (ahead.rate == Ahead::full)
    scores<Ahead::full>(x, n_rows, n, w, out, next);
  else
    scores<Ahead::nothing>(x, n_rows, n, w, out, next);
}

/// sum += the sum over R rows of scale[r] * part(row r), column by column, where part is the value or its square.
template <int R, Ahead::Rate rate, class Value, class Part>
[[gnu::always_inline]] inline void add_few(const Value* const* x, std::size_t n, const double* scale, Bits last,
                                           double* sum, const char*& next, Part part) {
  Lanes by[R];
  unrolled<R>([&](auto r) __attribute__((always_inline)) { by[r] = all(scale[r]); });
  std::size_t j = 0;
  for (; j + W <= n; j += W) {
    fetch<rate, R * W * sizeof(Value)>(next);
    Lanes s = load(sum + j);
    unrolled<R>([&](auto r) __attribute__((always_inline)) { s += part(load(x[r] + j)) * by[r]; });
    store(sum + j, s);
  }
  if (j < n) {
    Lanes s = load(sum + n - W);
    unrolled<R>([&](auto r) __attribute__((always_inline)) { s += masked(part(load(x[r] + n - W)), last) * by[r]; });
    store(sum + n - W, s);
  }
}

/// sum += the sum of scale[i] * part(row i) over the rows whose scale is not 0.
template <Ahead::Rate rate, class Value, class Part>
void add(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum, const char* next,
         Part part) {
  constexpr int R = 8;
  if (n < W) {
    for (std::size_t i = 0; i < n_rows; ++i)
      for (std::size_t j = 0; j < n && scale[i] != 0.0; ++j)
        sum[j] += scale[i] * part(static_cast<double>(x[i * n + j]));
    return;
  }
  const Bits last = uncovered(n);
  const Value* row[R];
  double by[R];
  int n_kept = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    row[n_kept] = x + i * n;
    by[n_kept] = scale[i];
    n_kept += scale[i] != 0.0;
    if (n_kept < R) continue;
    add_few<R, rate>(row, n, by, last, sum, next, part);
    n_kept = 0;
  }
  for (int k = 0; k < n_kept; ++k) add_few<1, Ahead::nothing>(row + k, n, by + k, last, sum, next, part);
}
template <class Value>
void add_rows(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum, Ahead ahead) {
  const auto next = static_cast<const char*>(ahead.at);
  const auto part = [](auto v) __attribute__((always_inline)) { return v; };
  if (ahead.rate == Ahead::half)
    add<Ahead::half>(x, n_rows, n, scale, sum, next, part);
  else if (ahead.rate == Ahead::full)
    add<Ahead::full>(x, n_rows, n, scale, sum, next, part);
  else
    add<Ahead::nothing>(x, n_rows, n, scale, sum, next, part);
}
template <class Value>
void add_squares(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum) {
  const auto next = reinterpret_cast<const char*>(x) + (16 << 10);
  add<Ahead::full>(x, n_rows, n, scale, sum, next, [](auto v) __attribute__((always_inline)) { return v * v; });
}

}  // namespace rankine::RANKINE_ISA
