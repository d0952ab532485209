// Metrics of one ranking that compare rows with each other: pairs in the right order, AUC, domination error, Kendall's
// tau and Spearman's rho. Tied scores are seen as ties, however places break them.
#pragma once
#include "places.hpp"
#include "tally.hpp"

namespace rankine {

/// The weight of the pairs whose labels differ: all of them, those scored in the right order, and those scored alike.
struct Pairs {
  double all = 0.0, right = 0.0, tied = 0.0;
};

/// Memory that is reused from query to query.
struct PairScratch {
  std::vector<double> weight, by_level;
  std::vector<std::pair<Index, double>> run;
  DirectTally direct;
  TreeTally tree;
};

/// O(n log levels): from the lowest score up, each row meets the lower levels that are scored below it in a tally.
/// `weight` is by row and may be empty.
inline Pairs count_pairs(const Ranking& ranking, std::span<const double> weight, PairScratch& scratch) {
  const std::size_t n = ranking.size(), n_levels = ranking.n_levels();
  Pairs pairs;
  if (n_levels < 2) return pairs;
  scratch.weight.assign(n, 1.0);
  if (!weight.empty())
    for (std::size_t p = 0; p < n; ++p) scratch.weight[p] = weight[static_cast<std::size_t>(ranking.row[p])];
  scratch.by_level.assign(n_levels, 0.0);
  for (std::size_t p = 0; p < n; ++p) scratch.by_level[static_cast<std::size_t>(ranking.level[p])] += scratch.weight[p];
  for (double below = 0.0; const double w : scratch.by_level) {
    pairs.all += w * below;
    below += w;
  }
  auto sweep_up = [&](auto& tally) {
    tally.reset(n_levels);
    for (std::size_t end = n, begin; end > 0; end = begin) {
      for (begin = end - 1; begin > 0 && ranking.tie_end[begin - 1] == end;) --begin;
      for (std::size_t p = begin; p < end; ++p)
        pairs.right += scratch.weight[p] * tally.below(static_cast<std::size_t>(ranking.level[p])).weight;
      for (std::size_t p = begin; p < end; ++p)
        tally.add(static_cast<std::size_t>(ranking.level[p]), {scratch.weight[p], 0.0});
      if (end - begin == 1) continue;
      scratch.run.clear();
      for (std::size_t p = begin; p < end; ++p) scratch.run.emplace_back(ranking.level[p], scratch.weight[p]);
      std::sort(scratch.run.begin(), scratch.run.end());
      double below = 0.0, alike = 0.0;
      for (std::size_t i = 0; i < scratch.run.size(); ++i) {
        if (i > 0 && scratch.run[i].first != scratch.run[i - 1].first) below += std::exchange(alike, 0.0);
        alike += scratch.run[i].second;
        pairs.tied += scratch.run[i].second * below;
      }
    }
  };
  if (n_levels <= 12)
    sweep_up(scratch.direct);
  else
    sweep_up(scratch.tree);
  return pairs;
}

/// The chance that a relevant row is scored above another, where a tie is half.
inline Measured auc(const Ranking& ranking, double relevant) {
  const std::size_t n = ranking.size(), n_relevant = ranking.n_at_least(relevant);
  if (n_relevant == 0 || n_relevant == n) return {};
  double sum = 0.0, above = 0.0;
  for (std::size_t p = 0, end; p < n; p = end) {
    end = ranking.tie_end[p];
    double hits = 0.0;
    for (std::size_t i = p; i < end; ++i) hits += ranking.label[i] >= relevant;
    sum += (static_cast<double>(end - p) - hits) * (above + 0.5 * hits);
    above += hits;
  }
  return {sum / (static_cast<double>(n_relevant) * static_cast<double>(n - n_relevant)), 1.0};
}

/// Rows with something below them, by label, that fail to be scored strictly above all of it (Dekel et al.).
inline Measured domination_error(const Ranking& ranking, std::vector<std::size_t>& memory) {
  const std::size_t n = ranking.size(), n_levels = ranking.n_levels();
  memory.assign(n_levels + 1, n);  // by level: the best place of all lower levels
  for (std::size_t p = n; p-- > 0;) memory[static_cast<std::size_t>(ranking.level[p]) + 1] = p;
  for (std::size_t l = 0; l < n_levels; ++l) memory[l + 1] = std::min(memory[l + 1], memory[l]);
  Measured out;
  for (std::size_t p = 0; p < n; ++p) {
    const auto level = static_cast<std::size_t>(ranking.level[p]);
    if (level == 0) continue;
    out.mass += 1.0;
    out.sum += memory[level] < ranking.tie_end[p];
  }
  return out;
}

/// Kendall's tau-b, from the pairs counted without weights; nothing where all labels or all scores are equal.
inline Measured kendall_tau(const Ranking& ranking, const Pairs& pairs) {
  double scored_apart = 0.0, below = 0.0;
  for (std::size_t p = 0; p < ranking.size(); p = ranking.tie_end[p]) {
    const auto t = static_cast<double>(ranking.tie_end[p] - p);
    scored_apart += t * below;
    below += t;
  }
  if (pairs.all == 0.0 || scored_apart == 0.0) return {};
  const double wrong = pairs.all - pairs.right - pairs.tied;
  return {(pairs.right - wrong) / std::sqrt(pairs.all * scored_apart), 1.0};
}

/// Spearman's rho, the correlation of average ranks; nothing where all labels or all scores are equal.
inline Measured spearman(const Ranking& ranking) {
  const std::size_t n = ranking.size();
  if (n < 2 || ranking.n_levels() < 2 || ranking.tie_end[0] == n) return {};
  const double centre = 0.5 * static_cast<double>(n - 1);
  double xy = 0.0, xx = 0.0, yy = 0.0;
  for (std::size_t p = 0, begin = 0; p < n; ++p) {
    if (p == ranking.tie_end[begin]) begin = p;
    const auto level = static_cast<std::size_t>(ranking.level[p]);
    const double x = centre - 0.5 * static_cast<double>(begin + ranking.tie_end[begin] - 1);
    const double y = 0.5 * static_cast<double>(ranking.level_ptr[level] + ranking.level_ptr[level + 1] - 1) - centre;
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return {xy / std::sqrt(xx * yy), 1.0};
}

}  // namespace rankine
