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
  for (int k = 11; k >= 0; --k) p = p * r + coef[k];
  const Bits power = ((Bits)shifted - (Bits)all(round) + 1023) << 52;
  return whole < cut ? p * (Lanes)power : Lanes{};
}

/// log(1 + e) for 0 <= e <= 1.
[[gnu::always_inline]] inline Lanes log_of_one_plus(Lanes e) {
  const Lanes z = e / (e + 2.0), zz = z * z;
  Lanes sum = all(1.0 / 33);
  for (int k = 31; k >= 1; k -= 2) sum = sum * zz + 1.0 / k;
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

/// W neighbours from j on, of `n_left` that there are; the rest are `other`.
[[gnu::always_inline]] inline Lanes load_some(const double* from, std::int64_t n_left, double other) {
  if (n_left >= W) return load(from);
  Lanes v = all(other);
  for (std::int64_t l = 0; l < n_left; ++l) v[l] = from[l];
  return v;
}
[[gnu::always_inline]] inline void add_some(double* to, std::int64_t n_left, Lanes v) {
  if (n_left >= W) return store(to, load(to) + v);
  for (std::int64_t l = 0; l < n_left; ++l) to[l] += v[l];
}

/// The weights of the pairs of a winner with the losers from j on; zero beyond the last.
[[gnu::always_inline]] inline Lanes pair_weights(const LogisticTask& t, std::int64_t i, std::int64_t j,
                                                 std::int64_t n_left) {
  Lanes weight = all(t.win == nullptr ? 1.0 : t.win[i]);
  if (t.gain != nullptr) weight *= t.gain[i] - load_some(t.gain + j, n_left, t.gain[i]);
  if (t.lose != nullptr) weight *= load_some(t.lose + j, n_left, 0.0);
  for (std::int64_t l = n_left; l < W; ++l) weight[l] = 0.0;
  return weight;
}

/// Calls use(loser, how many are left, the pairs, their weights) for registers of losers.
template <class Use>
[[gnu::always_inline]] inline void each_register(const LogisticTask& t, std::int64_t i, std::int64_t begin,
                                                 std::int64_t end, Use use) {
  const Lanes score = all(t.score[i]);
  for (std::int64_t j = begin; j < end; j += W) {
    const std::int64_t n_left = end - j;
    use(j, n_left, PairsAt(score - load_some(t.score + j, n_left, t.score[i])), pair_weights(t, i, j, n_left));
  }
}

/// Adds the pairs of one winner: value and mass to sums, slopes and curvature by position.
inline void logistic_pairs(const LogisticTask& t, std::int64_t i, std::int64_t begin, std::int64_t end, double* sums,
                           double* slope, double* curvature) {
  Lanes value{}, pull{}, curve{};
  each_register(t, i, begin, end,
                [&](std::int64_t j, std::int64_t n_left, const PairsAt& pairs, Lanes weight)
                    __attribute__((always_inline)) {
                      value += weight * pairs.loss;
                      const Lanes p = weight * pairs.pull, c = weight * pairs.curvature;
                      pull += p;
                      curve += c;
                      add_some(slope + j, n_left, p);
                      add_some(curvature + j, n_left, c);
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
                [&](std::int64_t j, std::int64_t n_left, const PairsAt& pairs, Lanes weight)
                    __attribute__((always_inline)) {
                      const Lanes apart = all(v[i]) - load_some(v + j, n_left, v[i]);
                      const Lanes c = weight * pairs.curvature * apart;
                      all_of_i += c;
                      add_some(out + j, n_left, -c);
                    });
  out[i] += total(all_of_i);
}

/// Subtracts the pairs of one winner from L x: y_i -= sum of c_ij x_j, y_j -= c_ij x_i.
template <class Real>
void logistic_rows(const LogisticTask& t, std::int64_t i, std::int64_t begin, std::int64_t end, const Real* x, Real* y,
                   std::int64_t stride) {
  constexpr int N = W * static_cast<int>(sizeof(double) / sizeof(Real));
  using Reals = Vector<Real, N>;
  each_register(t, i, begin, end, [&](std::int64_t j, std::int64_t n_left, const PairsAt& pairs, Lanes weight) {
    const Lanes c = weight * pairs.curvature;
    for (std::int64_t l = 0; l < (n_left < W ? n_left : W); ++l) {
      const auto by = static_cast<Real>(c[l]);
      const Real *x_i = x + i * stride, *x_j = x + (j + l) * stride;
      Real *y_i = y + i * stride, *y_j = y + (j + l) * stride;
      for (std::int64_t k = 0; k < stride; k += N) {
        store(y_i + k, load_as<Reals>(y_i + k) - by * load_as<Reals>(x_j + k));
        store(y_j + k, load_as<Reals>(y_j + k) - by * load_as<Reals>(x_i + k));
      }
    }
  });
}

}  // namespace rankine::RANKINE_ISA
