// Running sums by level for metrics and feature orders; losses have faster ones of their own in isa/counters.hpp.
// A tally is told (level, weight, weight * value) and asked for the sums over all lower levels; "higher levels" is the
// same question on mirrored levels. It only ever adds, so nothing cancels.
#pragma once
#include <cstddef>
#include <vector>

namespace rankine {

struct Sums {
  double weight = 0.0, value = 0.0;
  void operator+=(Sums other) {
    weight += other.weight;
    value += other.value;
  }
};

/// For few levels: the sums over lower levels are kept ready, O(levels) to add, O(1) to ask.
class DirectTally {
 public:
  void reset(std::size_t n_levels) { below_.assign(n_levels, Sums{}); }
  void add(std::size_t level, Sums x) {
    for (std::size_t l = level + 1; l < below_.size(); ++l) below_[l] += x;
  }
  Sums below(std::size_t level) const { return below_[level]; }

 private:
  std::vector<Sums> below_;
};

/// For many levels: a Fenwick tree, O(log levels) to add and to ask.
class TreeTally {
 public:
  void reset(std::size_t n_levels) { tree_.assign(n_levels + 1, Sums{}); }
  void add(std::size_t level, Sums x) {
    for (std::size_t at = level + 1; at < tree_.size(); at += at & (~at + 1)) tree_[at] += x;
  }
  Sums below(std::size_t level) const {
    Sums sum;
    for (std::size_t at = level; at > 0; at &= at - 1) sum += tree_[at];
    return sum;
  }

 private:
  std::vector<Sums> tree_;
};

}  // namespace rankine
