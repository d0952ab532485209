// The loss of one query's scores over all of its pairs, without listing them.
//
// For a ramp coef * max(0, edge - (s_i - s_j))^2, i above j, the pair is active when s_i < s_j + edge. With the scores
// sorted, the active losers of a row are a suffix and the active winners a prefix, so one sweep down and one sweep up
// count every active pair by level: O(l log l + l * log levels). Both directions use the one predicate s_i < s_j + edge
// (s_j + edge rounded once), or rounding would make the Hessian asymmetric and the slopes not sum to zero.
#pragma once
#include <array>
#include <cmath>

#include "directions.hpp"
#include "losses.hpp"
#include "sorted.hpp"

namespace rankine {

/// What is kept of one query: its rows in the order of their scores, those without active pairs perhaps left out.
template <std::size_t N>
struct Sorted {
  std::span<Index> row;                          // the row, counted within the query
  std::span<Index> level;                        // of that row
  std::array<std::span<Index>, N> lowest_loser;  // by ramp: active losers of a winner at p are at >= lowest_loser[p]
  std::array<std::span<Index>, N> end_winner;    // by ramp: active winners over a loser at p are at < end_winner[p]
  std::span<double> curvature;                   // the diagonal of the Hessian in the scores
};

/// Memory that sweeps reuse from query to query.
struct Scratch {
  Room<double> centred, score;                                  // by row, by position
  Room<double> win, lose;                                       // by position
  Room<double> lose_value, lose_weight, win_value, win_weight;  // by position: what the sweeps say
  Room<double> slope_at;                                        // by position
  Room<double> rows, slope;                                     // by row
  Room<Index> rank, moved;
  Room<double> moved_curvature;
  Room<std::int64_t> keys;
  SortScratch sort;
  CountScratch count;
};

/// The weights of a query in the order of its positions; nullptr where all are one.
struct Weights {
  const double *win = nullptr, *lose = nullptr;
};
template <class Team>
Weights gather_weights(const Queries& queries, std::size_t q, std::span<const Index> row, Scratch& scratch,
                       const Team& team) {
  auto gather = [&](std::span<const double> all, Room<double>& into) -> const double* {
    if (all.empty()) return nullptr;
    const double* from = all.data() + queries.begin(q);
    double* out = into.room(row.size()).data();
    each_block(team, row.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t p = begin; p < end; ++p) out[p] = from[static_cast<std::size_t>(row[p])];
    });
    return out;
  };
  return {gather(queries.win, scratch.win), gather(queries.lose, scratch.lose)};
}

/// The scores of a query centred on their mean: large counts times a large common offset would cancel badly.
template <class Team>
std::span<const double> centre(std::span<const double> score, Scratch& scratch, const Team& team) {
  const double n = static_cast<double>(score.size());
  const double mean = sum_blocks(team, score.size(), [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += score[i] / n;
    return sum;
  });
  const auto centred = scratch.centred.room(score.size());
  const double n_wrong = sum_blocks(team, score.size(), [&](std::size_t begin, std::size_t end) {
    double wrong = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
      centred[i] = score[i] - mean;
      wrong += std::isfinite(centred[i]) ? 0.0 : 1.0;
    }
    return wrong;
  });
  if (n_wrong != 0.0)
    throw std::overflow_error("the scores overflow: scale the features, or start from smaller weights");
  return centred;
}

/// Leaves the rows out that are in no active pair, if they are many: returns how many are kept, at the front.
template <std::size_t N, class Team>
std::size_t keep_active(const Sorted<N>& sorted, Scratch& scratch, const Team& team) {
  const std::size_t n = sorted.row.size();
  const auto active = static_cast<std::size_t>(sum_blocks(team, n, [&](std::size_t begin, std::size_t end) {
    double count = 0.0;
    for (std::size_t p = begin; p < end; ++p) count += sorted.curvature[p] != 0.0 ? 1.0 : 0.0;
    return count;
  }));
  if (4 * active > 3 * n) return n;
  const auto rank = scratch.rank.room(n + 1);  // the active positions before each
  Index before = 0;
  for (std::size_t p = 0; p < n; ++p) {
    rank[p] = before;
    before += sorted.curvature[p] != 0.0;
  }
  rank[n] = before;
  auto squeeze = [&](std::span<Index> all, auto change) {
    for (std::size_t p = 0; p < n; ++p)
      if (rank[p] != rank[p + 1]) all[static_cast<std::size_t>(rank[p])] = change(all[p]);
  };
  const auto same = [](Index x) { return x; };
  const auto ranked = [&](Index x) { return rank[static_cast<std::size_t>(x)]; };
  team.each(2 + 2 * N, [&](std::size_t array) {
    if (array == 0) squeeze(sorted.row, same);
    if (array == 1) squeeze(sorted.level, same);
    for (std::size_t r = 0; r < N; ++r) {
      if (array == 2 + 2 * r) squeeze(sorted.lowest_loser[r], ranked);
      if (array == 3 + 2 * r) squeeze(sorted.end_winner[r], ranked);
    }
  });
  for (std::size_t p = 0; p < n; ++p)
    if (rank[p] != rank[p + 1]) sorted.curvature[static_cast<std::size_t>(rank[p])] = sorted.curvature[p];
  return active;
}

inline std::size_t count_levels(std::span<const Index> level) {
  Index top = -1;
  for (const Index l : level) top = std::max(top, l);
  return static_cast<std::size_t>(top + 1);
}

struct Evaluated {
  double value;
  std::size_t n_levels, n_active;
};

/// Sorts a query by score and finds value and slope (by row). Leaves order, windows and curvature in `sorted`, for
/// `product`.
template <class Loss, class Team>
Evaluated evaluate(const Queries& queries, std::size_t q, std::span<const double> score,
                   const Sorted<Loss::ramps.size()>& sorted, std::span<double> slope, Scratch& scratch,
                   const Team& team) {
  const std::size_t n = score.size();
  const Index* const level = queries.level.data() + queries.begin(q);
  const std::size_t n_levels = count_levels({level, n});
  const auto centred = centre(score, scratch, team);
  if (n_levels < 2) {  // no pairs
    std::fill(slope.begin(), slope.end(), 0.0);
    return {0.0, n_levels, 0};
  }
  const auto s = scratch.score.room(n);
  sort_scores(centred, sorted.row, s, scratch.sort, team);
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) sorted.level[p] = level[sorted.row[p]];
  });
  const Weights weight = gather_weights(queries, q, sorted.row, scratch, team);
  const auto lose_value = scratch.lose_value.room(n), lose_weight = scratch.lose_weight.room(n);
  const auto win_value = scratch.win_value.room(n), win_weight = scratch.win_weight.room(n);
  const auto slope_at = scratch.slope_at.room(n);
  double total = 0.0;
  for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
    // Over active pairs with residual m = edge - s_i + s_j: the slopes are -2c m and +2c m, and the value is
    // sum c m^2 = sum c m (edge - s_i + s_j) = (sum of slope * score - edge * sum of the winners' slopes) / 2.
    const double edge = Loss::ramps[r].edge, twice = 2.0 * Loss::ramps[r].coef;
    find_windows(s, edge, sorted.lowest_loser[r], sorted.end_winner[r], scratch.keys, team);
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
    total += sum_blocks(team, n, [&](std::size_t begin, std::size_t end) {
      double moment = 0.0, won_slopes = 0.0;
      for (std::size_t p = begin; p < end; ++p) {
        const double win = weight.win == nullptr ? twice : twice * weight.win[p];
        const double lose = weight.lose == nullptr ? twice : twice * weight.lose[p];
        const double won = -win * ((edge - s[p]) * lose_weight[p] + lose_value[p]);
        const double lost = lose * ((edge + s[p]) * win_weight[p] - win_value[p]);
        const double curvature = win * lose_weight[p] + lose * win_weight[p];
        slope_at[p] = r == 0 ? won + lost : slope_at[p] + (won + lost);
        sorted.curvature[p] = r == 0 ? curvature : sorted.curvature[p] + curvature;
        won_slopes += won;
        moment += (won + lost) * s[p];
      }
      return 0.5 * (moment - edge * won_slopes);
    });
  }
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) slope[static_cast<std::size_t>(sorted.row[p])] = slope_at[p];
  });
  return {total, n_levels, keep_active(sorted, scratch, team)};
}

/// out = Hessian in the scores, times v (both by row), with the order and windows that `evaluate` left. Rows that are
/// not in `sorted` are neither read nor written.
template <class Loss, class Team>
void product(const Queries& queries, std::size_t q, std::size_t n_levels, const Sorted<Loss::ramps.size()>& sorted,
             std::span<const double> v, std::span<double> out, Scratch& scratch, const Team& team) {
  const std::size_t n = sorted.row.size();
  if (n == 0) return;
  // Equal numbers in all rows make no difference: take the middle row's, lest large ones cancel.
  const double middle = v[static_cast<std::size_t>(sorted.row[n / 2])];
  const auto value = scratch.score.room(n);
  const Weights weight = gather_weights(queries, q, sorted.row, scratch, team);
  if (n <= table_rows && few_levels(queries, n_levels)) {
    ProductTask task{sorted.row.data(),
                     sorted.level.data(),
                     sorted.curvature.data(),
                     weight.win,
                     weight.lose,
                     {},
                     {},
                     {},
                     v.data(),
                     middle,
                     out.data(),
                     static_cast<std::int64_t>(n),
                     static_cast<std::int64_t>(n_levels),
                     static_cast<int>(Loss::ramps.size()),
                     queries.adjacent};
    for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
      task.lowest_loser[r] = sorted.lowest_loser[r].data();
      task.end_winner[r] = sorted.end_winner[r].data();
      task.twice[r] = 2.0 * Loss::ramps[r].coef;
    }
    kernels().sweeps.few_product(task, value.data(), scratch.count.table.room(table_doubles).data());
    return;
  }
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) value[p] = v[static_cast<std::size_t>(sorted.row[p])] - middle;
  });
  const auto lose_value = scratch.lose_value.room(n), win_value = scratch.win_value.room(n);
  for (std::size_t r = 0; r < Loss::ramps.size(); ++r) {
    const double twice = 2.0 * Loss::ramps[r].coef;
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
        const double win = weight.win == nullptr ? twice : twice * weight.win[p];
        const double lose = weight.lose == nullptr ? twice : twice * weight.lose[p];
        const double others = win * lose_value[p] + lose * win_value[p];
        double& at = out[static_cast<std::size_t>(sorted.row[p])];
        at = (r == 0 ? sorted.curvature[p] * value[p] : at) - others;
      }
    });
  }
}

}  // namespace rankine
