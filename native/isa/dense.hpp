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

/// Asks for the memory ahead, an equal share with each of n_steps calls of next().
class Prefetch {
 public:
  Prefetch(Ahead ahead, std::size_t n_steps)
      : at_(static_cast<const char*>(ahead.at)),
        end_(at_ + ahead.n_bytes),
        share_(n_steps == 0 ? 0 : (ahead.n_bytes + n_steps - 1) / n_steps) {}
  [[gnu::always_inline]] inline void next() {
    const char* stop = at_ + share_ < end_ ? at_ + share_ : end_;
    for (; at_ < stop; at_ += 64) __builtin_prefetch(at_, 0, 2);
  }

 private:
  const char* at_;
  const char* end_;
  std::size_t share_;
};

/// Ones in the lanes of the last, overlapping register of a row that the registers before do not cover.
inline Bits uncovered(std::size_t n_features) {
  const std::size_t n_covered = n_features % W == 0 ? 0 : W - n_features % W;
  Bits mask;
  for (int l = 0; l < W; ++l) mask[l] = static_cast<std::size_t>(l) >= n_covered ? -1 : 0;
  return mask;
}
[[gnu::always_inline]] inline Lanes masked(Lanes v, Bits mask) { return (Lanes)((Bits)v & mask); }

/// out[i] = the score of row i, for R rows.
template <int R, class Value>
[[gnu::always_inline]] inline void score_rows(const Value* x, std::size_t n, const double* w, Lanes last_w,
                                              double* out) {
  Lanes even[R], odd[R];
  unrolled<R>([&](auto r) __attribute__((always_inline)) { even[r] = odd[r] = Lanes{}; });
  std::size_t j = 0;
  for (; j + 2 * W <= n; j += 2 * W) {
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

template <class Value>
inline void scores(const Value* x, std::size_t n_rows, std::size_t n, const double* w, double* out, Ahead ahead) {
  std::size_t i = 0;
  if (n < W) {
    for (; i < n_rows; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < n; ++j) sum += static_cast<double>(x[i * n + j]) * w[j];
      out[i] = sum;
    }
    return;
  }
  const Lanes last_w = masked(load(w + n - W), uncovered(n));
  Prefetch prefetch(ahead, (n_rows + 3) / 4);
  for (; i + 4 <= n_rows; i += 4) {
    prefetch.next();
    score_rows<4>(x + i * n, n, w, last_w, out + i);
  }
  prefetch.next();
  for (; i < n_rows; ++i) score_rows<1>(x + i * n, n, w, last_w, out + i);
}

/// sum += the sum over R rows of scale[r] * part(row r), column by column, where part is the value or its square.
template <int R, class Value, class Part>
[[gnu::always_inline]] inline void add_few(const Value* const* x, std::size_t n, const double* scale, Bits last,
                                           double* sum, Part part) {
  Lanes by[R];
  unrolled<R>([&](auto r) __attribute__((always_inline)) { by[r] = all(scale[r]); });
  std::size_t j = 0;
  for (; j + W <= n; j += W) {
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
template <class Value, class Part>
inline void add(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum, Ahead ahead,
                Part part) {
  constexpr std::size_t R = n_registers == 32 ? 8 : 4;
  if (n < W) {
    for (std::size_t i = 0; i < n_rows; ++i)
      for (std::size_t j = 0; j < n; ++j) sum[j] += scale[i] * part(static_cast<double>(x[i * n + j]));
    return;
  }
  const Bits last = uncovered(n);
  Prefetch prefetch(ahead, n_rows / R + 1);
  const Value* row[R + 1];
  double by[R + 1];
  std::size_t n_kept = 0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    row[n_kept] = x + i * n;
    by[n_kept] = scale[i];
    n_kept += scale[i] != 0.0;
    if (n_kept == R) {
      add_few<R>(row, n, by, last, sum, part);
      n_kept = 0;
    }
    if (i % R == 0) prefetch.next();
  }
  for (std::size_t k = 0; k < n_kept; ++k) add_few<1>(row + k, n, by + k, last, sum, part);
}

template <class Value>
inline void add_rows(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum, Ahead ahead) {
  add(x, n_rows, n, scale, sum, ahead, [](auto v) __attribute__((always_inline)) { return v; });
}
template <class Value>
inline void add_squares(const Value* x, std::size_t n_rows, std::size_t n, const double* scale, double* sum) {
  add(x, n_rows, n, scale, sum, {}, [](auto v) __attribute__((always_inline)) { return v * v; });
}

}  // namespace rankine::RANKINE_ISA
