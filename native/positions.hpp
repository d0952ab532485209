// One query in the order of its scores: what is kept of it for products, the memory that its sweeps use, and the steps
// around them: scores are centred, weights put in order, rows without active pairs left out.
#pragma once
#include <array>
#include <cmath>

#include "directions.hpp"
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
  Room<double> win, lose, win_gain, lose_gain;                  // by position
  Room<double> lose_value, lose_weight, win_value, win_weight;  // by position: what the sweeps say
  Room<double> slope_at;                                        // by position
  Room<double> rows, slope;                                     // by row
  Room<Index> rank, moved;
  Room<double> moved_curvature;
  Room<std::int64_t> keys;
  SortScratch sort;
  CountScratch count;
};

/// The weights of a query's pairs in the order of its positions, as a sum of products sign * win_i * lose_j: one, or
/// where gains weigh the pairs two, win_i lose_j (gain_i - gain_j) = (win gain)_i lose_j - win_i (lose gain)_j.
class WeightTerms {
 public:
  struct Term {
    const double *win, *lose;  // nullptr: ones
    double sign;
  };

  template <class Team>
  WeightTerms(const Queries& queries, std::size_t q, std::span<const Index> row, Scratch& scratch, const Team& team) {
    const std::size_t n = row.size();
    auto gather = [&](Room<double>& into, auto of_row) -> const double* {
      double* const out = into.room(n).data();
      each_block(team, n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) out[p] = of_row(queries.begin(q) + static_cast<std::size_t>(row[p]));
      });
      return out;
    };
    const auto &win = queries.win, &lose = queries.lose, &gain = queries.gain;
    if (!win.empty()) term_[0].win = gather(scratch.win, [&](std::size_t i) { return win[i]; });
    if (!lose.empty()) term_[0].lose = gather(scratch.lose, [&](std::size_t i) { return lose[i]; });
    if (gain.empty() || n == 0) return;
    size_ = 2;
    // Gains are counted from the middle row's, lest large ones cancel.
    const double middle = gain[queries.begin(q) + static_cast<std::size_t>(row[n / 2])];
    term_[1] = {term_[0].win, nullptr, -1.0};
    term_[0].win =
        gather(scratch.win_gain, [&](std::size_t i) { return (win.empty() ? 1.0 : win[i]) * (gain[i] - middle); });
    term_[1].lose =
        gather(scratch.lose_gain, [&](std::size_t i) { return (lose.empty() ? 1.0 : lose[i]) * (gain[i] - middle); });
  }
  const Term* begin() const { return term_; }
  const Term* end() const { return term_ + size_; }
  std::size_t size() const { return size_; }

 private:
  Term term_[2] = {{nullptr, nullptr, 1.0}, {}};
  std::size_t size_ = 1;
};

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

}  // namespace rankine
