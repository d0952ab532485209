// One winner against a range of losers under the logistic loss log(1 + exp(-m)), a register of losers at a time.
//
// exp and log are written here, for a register at once: e = exp(-|m|) is a power of two times a polynomial, and
// log(1 + e) = 2 artanh(e / (2 + e)) a series in a square of at most 1/9. Both are right to an ulp or two, and small e
// keep their digits.
#pragma once
#include "lanes.hpp"
#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// exp(-a) for a >= 0; what is below 1e-307 is zero.
[[gnu::always_inline]] inline Lanes exp_of_minus(Lanes a) {
  constexpr double log2e = 1.4426950408889634, ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  constexpr double round = 6755399441055744.0;  // 1.5 * 2^52: what is added to it is rounded to a whole number
  constexpr double coef[] = {
      1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,      1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600};
  const Lanes cut = all(707.0), whole = a;
  a = a < cut ? a : cut;
  const Lanes shifted = all(round) - a * log2e, n = shifted - round;
  const Lanes r = (-a - n * ln2_high) - n * ln2_low;
  Lanes p = all(coef[12]);
  unrolled<12>([&](auto k) __attribute__((always_inline)) { p = p * r + coef[11 - k]; });
  const Bits power = ((Bits)shifted - (Bits)all(round) + 1023) << 52;
  return whole < cut ? p * (Lanes)power : Lanes{};
}

/// log(1 + e) for 0 <= e <= 1.
[[gnu::always_inline]] inline Lanes log_of_one_plus(Lanes e) {
  const Lanes z = e / (e + 2.0), zz = z * z;
  Lanes sum = all(1.0 / 33);
  unrolled<16>([&](auto k) __attribute__((always_inline)) { sum = sum * zz + 1.0 / (31 - 2 * k); });
  return 2.0 * z * sum;
}

/// What pairs of margin m say: the loss, minus its slope, and its curvature.
struct PairsAt {
  Lanes loss, pull, curvature;
  [[gnu::always_inline]] explicit PairsAt(Lanes m) {
    const Lanes zero{}, size = m < zero ? -m : m, e = exp_of_minus(size), inverse = 1.0 / (1.0 + e);
    pull = m > zero ? e * inverse : inverse;
    curvature = e * inverse * inverse;
    loss = (m < zero ? size : zero) + log_of_one_plus(e);
  }
};

/// Losers from j on: a whole register of them, or the last few, whose other lanes weigh nothing.
struct Losers {
  std::int64_t j, n;
};
template <bool whole>
[[gnu::always_inline]] inline Lanes load_some(const double* from, Losers at, double other) {
  if constexpr (whole) return load(from + at.j);
  double lane[W];
  for (std::int64_t l = 0; l < W; ++l) lane[l] = l < at.n ? from[at.j + l] : other;
  return load(lane);
}
template <bool whole>
[[gnu::always_inline]] inline void add_some(double* to, Losers at, Lanes v) {
  if constexpr (whole) return store(to + at.j, load(to + at.j) + v);
  double lane[W];
  store(lane, v);
  for (std::int64_t l = 0; l < at.n; ++l) to[at.j + l] += lane[l];
}

/// The weights of the pairs of a winner with some losers.
template <bool whole>
[[gnu::always_inline]] inline Lanes pair_weights(const LogisticTask& t, std::int64_t i, Losers at) {
  Lanes weight = all(t.win == nullptr ? 1.0 : t.win[i]);
  if (t.gain != nullptr) weight *= t.gain[i] - load_some<whole>(t.gain, at, t.gain[i]);
  if (t.lose != nullptr) weight *= load_some<whole>(t.lose, at, 0.0);
  if constexpr (whole) return weight;
  double lane[W];
  store(lane, weight);
  for (std::int64_t l = at.n; l < W; ++l) lane[l] = 0.0;
  return load(lane);
}

/// Calls use(whole?, losers, their pairs with a winner, the weights of the pairs) for all losers.
template <class Use>
[[gnu::always_inline]] inline void each_register(const LogisticTask& t, std::int64_t i, std::int64_t begin,
                                                 std::int64_t end, Use use) {
  const Lanes score = all(t.score[i]);
  std::int64_t j = begin;
  for (; j + W <= end; j += W) {
    const Losers at{j, W};
    use(At<1>{}, at, PairsAt(score - load(t.score + j)), pair_weights<true>(t, i, at));
  }
  if (j == end) return;
  const Losers at{j, end - j};
  use(At<0>{}, at, PairsAt(score - load_some<false>(t.score, at, t.score[i])), pair_weights<false>(t, i, at));
}

/// Adds the pairs of one winner: value and mass to sums, slopes and curvature by position.
inline void logistic_pairs(const LogisticTask& t, std::int64_t i, std::int64_t begin, std::int64_t end, double* sums,
                           double* slope, double* curvature) {
  Lanes value{}, pull{}, curve{};
  each_register(t, i, begin, end,
                [&]<int whole>(At<whole>, Losers at, const PairsAt& pairs, Lanes weight)
                    __attribute__((always_inline)) {
                      const Lanes p = weight * pairs.pull, c = weight * pairs.curvature;
                      value += weight * pairs.loss;
                      pull += p;
                      curve += c;
                      add_some<whole>(slope, at, p);
                      add_some<whole>(curvature, at, c);
                    });
  sums[0] += total(value);
  sums[1] += total(pull);
  slope[i] -= total(pull);
  curvature[i] += total(curve);
}

/// Adds the Hessian's part of the pairs of one winner, times v.
inline void logistic_product(const LogisticTask& t, std::int64_t i, std::int64_t begin, std::int64_t end,
                             const double* v, double* out) {
  Lanes all_of_i{};
  each_register(t, i, begin, end,
                [&]<int whole>(At<whole>, Losers at, const PairsAt& pairs, Lanes weight)
                    __attribute__((always_inline)) {
                      const Lanes c = weight * pairs.curvature * (all(v[i]) - load_some<whole>(v, at, v[i]));
                      all_of_i += c;
                      add_some<whole>(out, at, -c);
                    });
  out[i] += total(all_of_i);
}

/// Subtracts the pairs of one winner from L x: y_i -= sum of c_ij x_j, y_j -= c_ij x_i.
template <class Real>
void logistic_rows(const LogisticTask& t, std::int64_t i, std::int64_t begin, std::int64_t end, const Real* x, Real* y,
                   std::int64_t stride) {
  constexpr int N = W * static_cast<int>(sizeof(double) / sizeof(Real));
  using Reals = Vector<Real, N>;
  each_register(t, i, begin, end, [&]<int whole>(At<whole>, Losers at, const PairsAt& pairs, Lanes weight) {
    double by_loser[W];
    store(by_loser, weight * pairs.curvature);
    for (std::int64_t l = 0; l < at.n; ++l) {
      const auto by = static_cast<Real>(by_loser[l]);
      const Real *x_i = x + i * stride, *x_j = x + (at.j + l) * stride;
      Real *y_i = y + i * stride, *y_j = y + (at.j + l) * stride;
      for (std::int64_t k = 0; k < stride; k += N) {
        store(y_i + k, load_as<Reals>(y_i + k) - by * load_as<Reals>(x_j + k));
        store(y_j + k, load_as<Reals>(y_j + k) - by * load_as<Reals>(x_i + k));
      }
    }
  });
}

}  // namespace rankine::RANKINE_ISA
