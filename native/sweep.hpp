// The loss of one query's scores over all of its pairs, without listing them.
//
// For a ramp coef * max(0, edge - (s_i - s_j))^degree, i above j, the pair is active when s_i < s_j + edge. With the
// scores sorted, the active losers of a row are a suffix and the active winners a prefix, so one sweep down and one
// sweep up count every active pair by level: O(l log l + l * log levels). Both directions use the one predicate s_i <
// s_j + edge (s_j + edge rounded once), or rounding would make the Hessian asymmetric and the slopes not sum to zero.
#pragma once
#include "losses.hpp"
#include "positions.hpp"

namespace rankine {

inline std::size_t count_levels(std::span<const Index> level) {
  Index top = -1;
  for (const Index l : level) top = std::max(top, l);
  return static_cast<std::size_t>(top + 1);
}

/// Sums over the rows of a query.
struct Moments {
  double won = 0.0, slope_score = 0.0, shortfall = 0.0;
  Moments& operator+=(const Moments& other) {
    won += other.won;
    slope_score += other.slope_score;
    shortfall += other.shortfall;
    return *this;
  }
};

/// What a query says of itself at given scores.
struct Evaluated {
  double value;
  double shortfall;  // sum over pairs of weight * max(0, edge - m), for the first ramp
  double mass;       // sum over pairs of weight * -loss'(m)
  std::size_t n_levels, n_active;
};

/// Sorts a query by score and finds value and slope (by row). Leaves order, windows and curvature in `sorted`, for
/// `product`.
template <std::size_t N, class Team>
Evaluated evaluate(const Ramps<N>& ramps, const Queries& queries, std::size_t q, std::span<const double> score,
                   const Sorted<N>& sorted, std::span<double> slope, Scratch& scratch, const Team& team) {
  const std::size_t n = score.size();
  const Index* const level = queries.level.data() + queries.begin(q);
  const std::size_t n_levels = count_levels({level, n});
  const auto centred = centre(score, scratch, team);
  if (n_levels < 2) {  // no pairs
    std::fill(slope.begin(), slope.end(), 0.0);
    return {0.0, 0.0, 0.0, n_levels, 0};
  }
  const auto s = scratch.score.room(n);
  sort_scores(centred, sorted.row, s, scratch.sort, team);
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) sorted.level[p] = level[sorted.row[p]];
  });
  const auto lose_value = scratch.lose_value.room(n), lose_weight = scratch.lose_weight.room(n);
  const auto win_value = scratch.win_value.room(n), win_weight = scratch.win_weight.room(n);
  const auto slope_at = scratch.slope_at.room(n);
  const WeightTerms terms(queries, q, sorted.row, scratch, team);
  Evaluated all{0.0, 0.0, 0.0, n_levels, 0};
  bool first = true;
  for (std::size_t r = 0; r < N; ++r) {
    // Over active pairs with residual m = edge - s_i + s_j and slope g = c or 2c m: the slopes are -g and +g, and the
    // value is sum g m / degree = (sum of slope * score - edge * sum of the winners' slopes) / degree.
    const auto [coef, edge, degree] = ramps[r];
    find_windows(s, edge, sorted.lowest_loser[r], sorted.end_winner[r], scratch.keys, team);
    for (const auto& weight : terms) {
      SweepTask up{sorted.level.data(),
                   sorted.end_winner[r].data(),
                   s.data(),
                   weight.win,
                   win_value.data(),
                   win_weight.data(),
                   static_cast<std::int64_t>(n),
                   static_cast<std::int64_t>(n_levels),
                   false,
                   queries.adjacent};
      SweepTask down = up;
      down.window = sorted.lowest_loser[r].data();
      down.weight = weight.lose;
      down.value_sum = lose_value.data();
      down.weight_sum = lose_weight.data();
      down.down = true;
      sweep_both(queries, up, down, scratch.count, team);
      const double scale = weight.sign * coef * degree;
      const Moments m = sum_blocks<Moments>(team, n, [&](std::size_t begin, std::size_t end) {
        Moments sum;
        for (std::size_t p = begin; p < end; ++p) {
          const double win = weight.win == nullptr ? scale : scale * weight.win[p];
          const double lose = weight.lose == nullptr ? scale : scale * weight.lose[p];
          const double short_of = win * ((edge - s[p]) * lose_weight[p] + lose_value[p]);
          double won = -short_of, lost = lose * ((edge + s[p]) * win_weight[p] - win_value[p]);
          double curvature = win * lose_weight[p] + lose * win_weight[p];
          if (degree == 1) won = -win * lose_weight[p], lost = lose * win_weight[p], curvature = 0.0;
          slope_at[p] = first ? won + lost : slope_at[p] + (won + lost);
          sorted.curvature[p] = first ? curvature : sorted.curvature[p] + curvature;
          sum.won += won;
          sum.slope_score += (won + lost) * s[p];
          sum.shortfall += short_of;
        }
        return sum;
      });
      all.value += (m.slope_score - edge * m.won) / degree;
      all.mass -= m.won;
      if (r == 0) all.shortfall += m.shortfall / (coef * degree);
      first = false;
    }
  }
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) slope[static_cast<std::size_t>(sorted.row[p])] = slope_at[p];
  });
  // No loss is negative, though sums of pairs that are nearly apart may round to less.
  all.value = std::max(all.value, 0.0);
  all.shortfall = std::max(all.shortfall, 0.0);
  all.n_active = keep_active(sorted, scratch, team);
  return all;
}

/// out = Hessian in the scores, times v (both by row), with the order and windows that `evaluate` left. Rows that are
/// not in `sorted` are neither read nor written.
template <std::size_t N, class Team>
void product(const Ramps<N>& ramps, const Queries& queries, std::size_t q, std::size_t n_levels,
             const Sorted<N>& sorted, std::span<const double> v, std::span<double> out, Scratch& scratch,
             const Team& team) {
  const std::size_t n = sorted.row.size();
  if (n == 0) return;
  // Equal numbers in all rows make no difference: take the middle row's, lest large ones cancel.
  const double middle = v[static_cast<std::size_t>(sorted.row[n / 2])];
  const auto value = scratch.score.room(n);
  const WeightTerms terms(queries, q, sorted.row, scratch, team);
  if (n <= table_rows && few_levels(queries, n_levels) && terms.size() == 1) {
    ProductTask task{sorted.row.data(),
                     sorted.level.data(),
                     sorted.curvature.data(),
                     terms.begin()->win,
                     terms.begin()->lose,
                     {},
                     {},
                     {},
                     v.data(),
                     middle,
                     out.data(),
                     static_cast<std::int64_t>(n),
                     static_cast<std::int64_t>(n_levels),
                     static_cast<int>(N),
                     queries.adjacent};
    for (std::size_t r = 0; r < N; ++r) {
      task.lowest_loser[r] = sorted.lowest_loser[r].data();
      task.end_winner[r] = sorted.end_winner[r].data();
      task.twice[r] = ramps[r].curvature();
    }
    kernels().sweep.few_levels_product(task, value.data(), scratch.count.table.room(table_doubles).data());
    return;
  }
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) value[p] = v[static_cast<std::size_t>(sorted.row[p])] - middle;
  });
  const auto lose_value = scratch.lose_value.room(n), win_value = scratch.win_value.room(n);
  bool first = true;
  for (std::size_t r = 0; r < N; ++r)
    for (const auto& weight : terms) {
      const double scale = weight.sign * ramps[r].curvature();
      SweepTask up{sorted.level.data(),
                   sorted.end_winner[r].data(),
                   value.data(),
                   weight.win,
                   win_value.data(),
                   nullptr,
                   static_cast<std::int64_t>(n),
                   static_cast<std::int64_t>(n_levels),
                   false,
                   queries.adjacent};
      SweepTask down = up;
      down.window = sorted.lowest_loser[r].data();
      down.weight = weight.lose;
      down.value_sum = lose_value.data();
      down.down = true;
      sweep_both(queries, up, down, scratch.count, team);
      each_block(team, n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
          const double win = weight.win == nullptr ? scale : scale * weight.win[p];
          const double lose = weight.lose == nullptr ? scale : scale * weight.lose[p];
          const double others = win * lose_value[p] + lose * win_value[p];
          double& at = out[static_cast<std::size_t>(sorted.row[p])];
          at = (first ? sorted.curvature[p] * value[p] : at) - others;
        }
      });
      first = false;
    }
}

}  // namespace rankine
