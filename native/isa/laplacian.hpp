// L X for one query: each row, in the order of the scores, times what its active pairs weigh, minus the rows that it is
// in an active pair with.
//
// The active losers of a winner are a suffix of the order, and its active winners a prefix for a loser. So sums of
// rows, one for each level, grow as the sweep goes down or up, and never shrink. This is the sweep of native/sweep.hpp
// with whole rows in place of numbers.
//   Few levels: going down, a loser is added to the sum of its level, and a winner of level l takes the sums 0 … l - 1.
//   Going up it is the other way round: a winner of level l is added to the sums 0 … l - 1, and a loser takes the sum
//   of its own level. Either way a row costs as much as its level is high, and high levels are rare. Many levels: the
//   sums are the nodes of a Fenwick tree.
#pragma once
#include "kernels.hpp"
#include "lanes.hpp"

namespace rankine::RANKINE_ISA {

/// One register of Real.
template <class Real>
using Wide = Vector<Real, static_cast<int>(W * sizeof(double) / sizeof(Real))>;
template <class Real>
constexpr std::size_t n_wide = W * sizeof(double) / sizeof(Real);

/// x[p] = row order[p] minus the row in the middle of the order, and y = curvature * x. Constant columns become exactly
/// zero; L 1 = 0, so the shift does not change L X.
template <class Value, class Real>
void centre(const Value* rows, std::size_t n_features, const OrderedRows<Real>& q) {
  using Both = decltype(Value{} + Real{});
  constexpr std::size_t N = n_wide<Real>;
  const auto difference = [](const Value* a, const Value* b) __attribute__((always_inline)) {
    using Values = Vector<Value, static_cast<int>(N)>;
    using Boths = Vector<Both, static_cast<int>(N)>;
    return __builtin_convertvector(
        __builtin_convertvector(load_as<Values>(a), Boths) - __builtin_convertvector(load_as<Values>(b), Boths),
        Wide<Real>);
  };
  const Value* middle = rows + static_cast<std::size_t>(q.order[q.n_rows / 2]) * n_features;
  const std::size_t whole = n_features / N * N, n_rest = n_features - whole;
  for (std::size_t p = 0; p < q.n_rows; ++p) {
    const Value* row = rows + static_cast<std::size_t>(q.order[p]) * n_features;
    Real* x = q.x + p * q.stride;
    Real* y = q.y + p * q.stride;
    // Rows are read out of their order in memory, which the machine cannot foresee: fetch a row that comes soon.
    const std::size_t soon = p + 8 < q.n_rows ? p + 8 : p;
    const auto* ahead = reinterpret_cast<const char*>(rows + static_cast<std::size_t>(q.order[soon]) * n_features);
    for (std::size_t b = 0; b < n_features * sizeof(Value); b += 64) __builtin_prefetch(ahead + b, 0, 3);
    const auto c = static_cast<Real>(q.curvature[p]);
    const auto set = [&](std::size_t j, Wide<Real> v) __attribute__((always_inline)) {
      store(x + j, v);
      store(y + j, c * v);
    };
    for (std::size_t j = 0; j < whole; j += N) set(j, difference(row + j, middle + j));
    for (std::size_t j = whole; j < q.stride; j += N) set(j, Wide<Real>{});
    Value a[N] = {}, b[N] = {};
    for (std::size_t j = 0; j < n_rest; ++j) {
      a[j] = row[whole + j];
      b[j] = middle[whole + j];
    }
    if (n_rest > 0) set(whole, difference(a, b));
  }
}

/// to += by * from, for n values, a multiple of a register.
template <class Real>
[[gnu::always_inline]] inline void add_scaled(Real* to, Real by, const Real* from, std::size_t n) {
  for (std::size_t j = 0; j < n; j += n_wide<Real>)
    store(to + j, load_as<Wide<Real>>(to + j) + by * load_as<Wide<Real>>(from + j));
}

/// Sums of rows by level, `width` columns wide, at sums + level * width.
template <class Real>
struct DirectSums {
  Real* sums;
  std::size_t width, n_levels;
  bool adjacent;

  Real* at(std::size_t level) const { return sums + level * width; }
  void add_loser(std::size_t level, Real by, const Real* x) const { add_scaled(at(level), by, x, width); }
  void take_losers(std::size_t level, Real by, Real* y) const {
    for (std::size_t l = adjacent && level > 0 ? level - 1 : 0; l < level; ++l) add_scaled(y, by, at(l), width);
  }
  void add_winner(std::size_t level, Real by, const Real* x) const {
    for (std::size_t l = adjacent && level > 0 ? level - 1 : 0; l < level; ++l) add_scaled(at(l), by, x, width);
  }
  void take_winners(std::size_t level, Real by, Real* y) const { add_scaled(y, by, at(level), width); }
};
template <class Real>
struct TreeSums {
  Real* sums;
  std::size_t width, n_levels;

  void add(std::size_t level, Real by, const Real* x) const {
    for (std::size_t at = level + 1; at <= n_levels; at += at & (~at + 1)) add_scaled(sums + at * width, by, x, width);
  }
  void take(std::size_t level, Real by, Real* y) const {
    for (std::size_t at = level; at > 0; at &= at - 1) add_scaled(y, by, sums + at * width, width);
  }
  void add_loser(std::size_t level, Real by, const Real* x) const { add(level, by, x); }
  void take_losers(std::size_t level, Real by, Real* y) const { take(level, by, y); }
  void add_winner(std::size_t level, Real by, const Real* x) const { add(n_levels - 1 - level, by, x); }
  void take_winners(std::size_t level, Real by, Real* y) const { take(n_levels - 1 - level, by, y); }
};

template <class Real, class Sums>
void subtract(const OrderedRows<Real>& q, const RampWindows& ramp, std::size_t from, Sums sums) {
  const auto n = static_cast<std::int32_t>(q.n_rows);
  const auto at = [](std::int32_t p) { return static_cast<std::size_t>(p); };
  const auto twice = static_cast<Real>(ramp.twice_coef);
  const std::size_t n_sums = (q.n_levels + 1) * sums.width;
  for (std::size_t j = 0; j < n_sums; ++j) q.sums[j] = 0;
  for (std::int32_t p = n - 1, next = n - 1; p >= 0; --p) {
    for (; next >= ramp.lowest_loser[p]; --next)
      sums.add_loser(at(q.level[next]), q.lose[next], q.x + at(next) * q.stride + from);
    if (next < n - 1) sums.take_losers(at(q.level[p]), -twice * q.win[p], q.y + at(p) * q.stride + from);
  }
  for (std::size_t j = 0; j < n_sums; ++j) q.sums[j] = 0;
  for (std::int32_t p = 0, next = 0; p < n; ++p) {
    for (; next < ramp.end_winner[p]; ++next)
      sums.add_winner(at(q.level[next]), q.win[next], q.x + at(next) * q.stride + from);
    if (next > 0) sums.take_winners(at(q.level[p]), -twice * q.lose[p], q.y + at(p) * q.stride + from);
  }
}

/// y -= the rows on the other side of the active pairs of a ramp, in the columns from … from + width - 1.
template <class Real>
void subtract_pairs(const OrderedRows<Real>& q, const RampWindows& ramp, std::size_t from, std::size_t width) {
  if (q.adjacent || q.n_levels <= 12)
    subtract(q, ramp, from, DirectSums<Real>{q.sums, width, q.n_levels, q.adjacent});
  else
    subtract(q, ramp, from, TreeSums<Real>{q.sums, width, q.n_levels});
}

}  // namespace rankine::RANKINE_ISA
