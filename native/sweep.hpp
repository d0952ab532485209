// The loss of one query's scores over all of its pairs, without listing them.
//
// For a ramp coef * max(0, edge - (s_i - s_j))^2, i above j, the pair is active when s_i < s_j + edge. With the scores
// sorted, the active losers of a row are a suffix and the active winners a prefix, so one sweep down and one sweep up
// meet every active pair in the tallies: O(l log l + l * tally). Both directions use the one predicate s_i < s_j + edge
// (s_j + edge rounded once), or rounding would make the Hessian asymmetric and the slopes not sum to zero.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "isa/choose.hpp"
#include "losses.hpp"
#include "queries.hpp"
#include "tally.hpp"

namespace rankine {

/// What one query of sorted rows holds; position p is the p-th lowest score.
template <std::size_t N>
struct Sorted {
  std::span<Index> row;                          // the row, counted within the query
  std::span<double> score;                       // centred on the mean of the query
  std::array<std::span<Index>, N> lowest_loser;  // by ramp: active losers of a winner at p are at >= lowest_loser[p]
  std::array<std::span<Index>, N> end_winner;    // by ramp: active winners over a loser at p are at < end_winner[p]
};

/// Memory that sweeps reuse from query to query.
struct Scratch {
  std::vector<std::int64_t> keys;    // of the sort
  std::vector<Index> level;          // by position
  std::vector<double> win, lose;     // by position
  std::vector<double> value, slope;  // by position
  std::vector<double> centred;       // scores by row
  DirectTally direct;
  TreeTally tree;
  AdjacentTally adjacent;
};

/// Loads level and weights of a query in the order of its positions; returns the number of levels.
inline std::size_t gather(const Queries& queries, std::size_t q, std::span<const Index> row, Scratch& scratch) {
  const std::size_t begin = queries.begin(q), n = queries.size(q);
  scratch.level.resize(n);
  scratch.win.resize(n);
  scratch.lose.resize(n);
  Index top = -1;
  for (std::size_t p = 0; p < n; ++p) {
    const std::size_t i = begin + static_cast<std::size_t>(row[p]);
    scratch.level[p] = queries.level[i];
    scratch.win[p] = queries.win.empty() ? 1.0 : queries.win[i];
    scratch.lose[p] = queries.lose.empty() ? 1.0 : queries.lose[i];
    top = std::max(top, scratch.level[p]);
  }
  return static_cast<std::size_t>(top + 1);
}

/// Calls use(tally) with the tally that is cheapest for this many levels.
template <class Use>
void with_tally(const Queries& queries, std::size_t n_levels, Scratch& scratch, Use use) {
  if (queries.adjacent)
    use(scratch.adjacent);
  else if (n_levels <= 12)
    use(scratch.direct);
  else
    use(scratch.tree);
}

/// Sweeps a query both ways for one ramp. For each position, as a winner: won(p, sums over active losers of (lose, lose
/// * value)), and as a loser: lost(p, sums over active winners of (win, win * value)). `lowest_loser` and `end_winner`
/// are the windows: filled when `find` is given (as find(winner, loser) -> active?), else read.
template <class Tally, class Find, class Won, class Lost>
void sweep(const Scratch& s, Tally& tally, std::size_t n_levels, std::span<const double> value,
           std::span<Index> lowest_loser, std::span<Index> end_winner, Find find, Won won, Lost lost) {
  const auto n = static_cast<Index>(value.size());
  constexpr bool known = std::is_same_v<Find, std::nullptr_t>;
  auto at = [](Index p) { return static_cast<std::size_t>(p); };
  tally.reset(n_levels);
  for (Index p = n - 1, next = n - 1; p >= 0; --p) {
    if constexpr (known) {
      for (; next >= lowest_loser[at(p)]; --next)
        tally.add(at(s.level[at(next)]), {s.lose[at(next)], s.lose[at(next)] * value[at(next)]});
    } else {
      for (; next >= 0 && find(at(p), at(next)); --next)
        tally.add(at(s.level[at(next)]), {s.lose[at(next)], s.lose[at(next)] * value[at(next)]});
      lowest_loser[at(p)] = next + 1;
    }
    won(at(p), tally.below(at(s.level[at(p)])));
  }
  tally.reset(n_levels);
  for (Index p = 0, next = 0; p < n; ++p) {
    auto mirror = [&](Index which) { return n_levels - 1 - at(s.level[at(which)]); };
    if constexpr (known) {
      for (; next < end_winner[at(p)]; ++next)
        tally.add(mirror(next), {s.win[at(next)], s.win[at(next)] * value[at(next)]});
    } else {
      for (; next < n && find(at(next), at(p)); ++next)
        tally.add(mirror(next), {s.win[at(next)], s.win[at(next)] * value[at(next)]});
      end_winner[at(p)] = next;
    }
    lost(at(p), tally.below(mirror(p)));
  }
}

/// Sorts a query by score and finds value, slope (by row) and curvature (by position: the diagonal of the Hessian in
/// the scores). Leaves the order and the windows in `sorted`, for `product`.
template <class Loss>
double evaluate(const Queries& queries, std::size_t q, std::span<const double> score,
                const Sorted<Loss::ramps.size()>& sorted, std::span<double> slope, std::span<double> curvature,
                Scratch& scratch) {
  const std::size_t n = score.size();
  double mean = 0.0;
  for (const double s : score) mean += s / static_cast<double>(n);
  scratch.keys.resize(sort_scratch(n));
  scratch.centred.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    scratch.centred[i] = score[i] - mean;
    if (!std::isfinite(scratch.centred[i]))
      throw std::overflow_error("the scores overflow: scale the features, or start from smaller weights");
  }
  kernels().sort(scratch.centred.data(), n, sorted.row.data(), scratch.keys.data());
  for (std::size_t p = 0; p < n; ++p) sorted.score[p] = scratch.centred[static_cast<std::size_t>(sorted.row[p])];
  std::fill(curvature.begin(), curvature.end(), 0.0);
  std::fill(slope.begin(), slope.end(), 0.0);
  const std::size_t n_levels = gather(queries, q, sorted.row, scratch);
  if (n_levels < 2) {  // no pairs: empty windows
    for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
      std::fill(sorted.lowest_loser[r].begin(), sorted.lowest_loser[r].end(), static_cast<Index>(n));
      std::fill(sorted.end_winner[r].begin(), sorted.end_winner[r].end(), 0);
    }
    return 0.0;
  }
  double total = 0.0;
  with_tally(queries, n_levels, scratch, [&](auto& tally) {
    for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
      // Over active pairs with residual m = edge - s_i + s_j: the slopes are -2c m and +2c m, and the value is
      // sum c m^2 = sum c m (edge - s_i + s_j) = (sum of slope * score - edge * sum of the winners' slopes) / 2.
      const double coef = Loss::ramps[r].coef, edge = Loss::ramps[r].edge;
      const auto& s = sorted.score;
      double moment = 0.0, won_slopes = 0.0;
      sweep(
          scratch, tally, n_levels, std::span<const double>(s), sorted.lowest_loser[r], sorted.end_winner[r],
          [&](std::size_t winner, std::size_t loser) { return s[winner] < s[loser] + edge; },
          [&](std::size_t p, Sums losers) {
            const double g = -2.0 * coef * scratch.win[p] * ((edge - s[p]) * losers.weight + losers.value);
            slope[static_cast<std::size_t>(sorted.row[p])] += g;
            curvature[p] += 2.0 * coef * scratch.win[p] * losers.weight;
            won_slopes += g;
            moment += g * s[p];
          },
          [&](std::size_t p, Sums winners) {
            const double g = 2.0 * coef * scratch.lose[p] * ((edge + s[p]) * winners.weight - winners.value);
            slope[static_cast<std::size_t>(sorted.row[p])] += g;
            curvature[p] += 2.0 * coef * scratch.lose[p] * winners.weight;
            moment += g * s[p];
          });
      total += 0.5 * (moment - edge * won_slopes);
    }
  });
  return total;
}

/// out = Hessian in the scores, times v (both by row), with the order and windows that `evaluate` left.
template <class Loss>
void product(const Queries& queries, std::size_t q, const Sorted<Loss::ramps.size()>& sorted,
             std::span<const double> curvature, std::span<const double> v, std::span<double> out, Scratch& scratch) {
  const std::size_t n = v.size();
  std::fill(out.begin(), out.end(), 0.0);
  const std::size_t n_levels = gather(queries, q, sorted.row, scratch);
  if (n_levels < 2) return;
  scratch.value.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    scratch.value[p] = v[static_cast<std::size_t>(sorted.row[p])];
    out[static_cast<std::size_t>(sorted.row[p])] = curvature[p] * scratch.value[p];
  }
  with_tally(queries, n_levels, scratch, [&](auto& tally) {
    for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
      const double twice = 2.0 * Loss::ramps[r].coef;
      sweep(
          scratch, tally, n_levels, std::span<const double>(scratch.value), sorted.lowest_loser[r],
          sorted.end_winner[r], nullptr,
          [&](std::size_t p, Sums losers) {
            out[static_cast<std::size_t>(sorted.row[p])] -= twice * scratch.win[p] * losers.value;
          },
          [&](std::size_t p, Sums winners) {
            out[static_cast<std::size_t>(sorted.row[p])] -= twice * scratch.lose[p] * winners.value;
          });
    }
  });
}

}  // namespace rankine
