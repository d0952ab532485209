// One query in rank order: rows sorted by score, highest first, with their ties; and the ideal order of their labels.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "queries.hpp"

namespace rankine {

/// How rows with equal scores stand: in the order given, in its reverse, worst (lowest label first), or in every order
/// at once, for the expected value over random orders.
enum class Ties { input, reverse, worst, average };

/// What a label is worth: 2^label - 1, or the label; less than nothing counts nothing.
enum class Gain { exp2, linear };

/// The gain at each place: as ranked (its expected value where ties are averaged), and in the ideal order.
struct Gains {
  std::vector<double> ranked, ideal;
  bool ready = false;
};

/// Memory is reused from query to query.
class Ranking {
 public:
  std::vector<double> label, ideal;  // by place; ideal: the labels, highest first
  std::vector<Index> row;            // by place, counted within the query
  std::vector<std::size_t> tie_end;  // by place: the end of its run of equal scores
  std::vector<Index> level;          // by place: the label's rank among the distinct labels
  std::vector<std::size_t>
      level_ptr;  // the rows of level l, counted from the lowest, are level_ptr[l] .. level_ptr[l+1]
  Ties ties = Ties::average;

  std::size_t size() const { return label.size(); }
  std::size_t n_levels() const { return level_ptr.size() - 1; }

  /// The end of the run of rows at place p that stand in random order: itself alone unless ties are averaged.
  std::size_t run_end(std::size_t p) const { return ties == Ties::average ? tie_end[p] : p + 1; }

  /// Labels must be finite; scores may be infinite, but not NaN.
  void rank(std::span<const double> labels, std::span<const double> scores, Ties how) {
    ties = how;
    const std::size_t n = labels.size();
    rows_.resize(n);
    for (std::size_t i = 0; i < n; ++i) rows_[i] = {scores[i], labels[i], static_cast<Index>(i)};
    const bool by_label = ties == Ties::worst || ties == Ties::average;  // so that the order of rows changes no bit
    if (by_label)
      std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
        return a.score != b.score ? a.score > b.score : a.label != b.label ? a.label < b.label : a.row < b.row;
      });
    else if (ties == Ties::input)
      std::sort(rows_.begin(), rows_.end(),
                [](const Row& a, const Row& b) { return a.score != b.score ? a.score > b.score : a.row < b.row; });
    else
      std::sort(rows_.begin(), rows_.end(),
                [](const Row& a, const Row& b) { return a.score != b.score ? a.score > b.score : a.row > b.row; });
    label.resize(n);
    row.resize(n);
    tie_end.resize(n);
    for (std::size_t p = 0; p < n; ++p) {
      label[p] = rows_[p].label;
      row[p] = rows_[p].row;
    }
    for (std::size_t p = n; p-- > 0;)
      tie_end[p] = p + 1 < n && rows_[p].score == rows_[p + 1].score ? tie_end[p + 1] : p + 1;
    find_levels();
    for (Gains& g : gains_) g.ready = false;
  }

  /// How many rows have at least this label.
  std::size_t n_at_least(double threshold) const {
    return static_cast<std::size_t>(
        std::partition_point(ideal.begin(), ideal.end(), [&](double l) { return l >= threshold; }) - ideal.begin());
  }

  /// Gains scaled by a power of two, which leaves every ratio as it is and lets labels be as large as they like.
  const Gains& gains(Gain gain) {
    Gains& g = gains_[gain == Gain::exp2 ? 0 : 1];
    if (g.ready) return g;
    g.ready = true;
    const std::size_t n = size();
    g.ranked.resize(n);
    g.ideal.resize(n);
    of_level_.resize(n_levels());
    const double top = n == 0 ? 0.0 : std::max(ideal.front(), 0.0);
    const double floor = std::floor(top),
                 scale = top > 0.0 ? std::ldexp(1.0, std::clamp(-std::ilogb(top), -1023, 1023)) : 1.0;
    for (std::size_t l = 0; l < n_levels(); ++l) {
      const double x = std::max(ideal[n - 1 - level_ptr[l]], 0.0);
      of_level_[l] = gain == Gain::linear ? x * scale : std::exp2(x - floor) - std::exp2(-floor);
    }
    for (std::size_t l = 0; l < n_levels(); ++l)
      for (std::size_t i = level_ptr[l]; i < level_ptr[l + 1]; ++i) g.ideal[n - 1 - i] = of_level_[l];
    for (std::size_t p = 0, end; p < n; p = end) {
      end = run_end(p);
      double sum = 0.0;
      bool alike = true;
      for (std::size_t i = p; i < end; ++i) {
        g.ranked[i] = of_level_[static_cast<std::size_t>(level[i])];
        sum += g.ranked[i];
        alike &= level[i] == level[p];
      }
      if (!alike)
        std::fill(g.ranked.begin() + static_cast<Offset>(p), g.ranked.begin() + static_cast<Offset>(end),
                  sum / static_cast<double>(end - p));
    }
    return g;
  }

 private:
  struct Row {
    double score, label;
    Index row;
  };

  void find_levels() {
    const std::size_t n = size();
    // Few distinct labels are the rule: they are found and counted without sorting all.
    distinct_.clear();
    for (std::size_t p = 0; p < n && distinct_.size() <= 32; ++p)
      if (std::find(distinct_.begin(), distinct_.end(), label[p]) == distinct_.end()) distinct_.push_back(label[p]);
    if (distinct_.size() > 32) distinct_ = label;
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
    level.resize(n);
    level_ptr.assign(distinct_.size() + 1, 0);
    for (std::size_t p = 0; p < n; ++p) {
      const auto at = std::lower_bound(distinct_.begin(), distinct_.end(), label[p]) - distinct_.begin();
      level[p] = static_cast<Index>(at);
      ++level_ptr[static_cast<std::size_t>(at) + 1];
    }
    for (std::size_t l = 0; l < distinct_.size(); ++l) level_ptr[l + 1] += level_ptr[l];
    ideal.resize(n);
    for (std::size_t l = 0; l < distinct_.size(); ++l)
      for (std::size_t i = level_ptr[l]; i < level_ptr[l + 1]; ++i) ideal[n - 1 - i] = distinct_[l];
  }

  std::vector<Row> rows_;
  std::vector<double> distinct_, of_level_;
  Gains gains_[2];
};

}  // namespace rankine
