// Counters: sums by level that are added to and asked, the order-statistic trees of Lee & Lin's section 3.
//
// A counter is told (level, D numbers) and asked for the sums over all lower levels; "higher levels" is the same
// question on mirrored levels. It only ever adds, so nothing cancels. All take their memory from the caller, zeroed.
#pragma once
#include "lanes.hpp"

namespace rankine::RANKINE_ISA {

template <int D>
struct Numbers {
  double at[D];
};

/// The sums over lower levels are kept ready: O(levels) to add, O(1) to ask.
template <int D>
struct DirectCounter {
  static constexpr bool adds_quickly = false;
  double* below_;
  std::int64_t n_levels_;
  static std::int64_t n_doubles(std::int64_t n_levels) { return D * n_levels; }
  DirectCounter(double* memory, std::int64_t n_levels) : below_(memory), n_levels_(n_levels) {}
  void add(std::int64_t level, const Numbers<D>& x) {
    for (int d = 0; d < D; ++d) {
      double* const below = below_ + d * n_levels_;
      for (std::int64_t l = level + 1; l < n_levels_; ++l) below[l] += x.at[d];
    }
  }
  Numbers<D> below(std::int64_t level) const {
    Numbers<D> sum;
    for (int d = 0; d < D; ++d) sum.at[d] = below_[d * n_levels_ + level];
    return sum;
  }
};

/// The selection tree of the paper: the levels are leaves, a node holds the sums of its two children, and node m is the
/// parent of 2m and 2m + 1. O(log levels) to add and to ask.
template <int D>
struct SelectionTree {
  static constexpr bool adds_quickly = false;
  Numbers<D>* node_;
  std::int64_t first_leaf_;
  static std::int64_t leaves(std::int64_t n_levels) {
    std::int64_t n = 1;
    while (n < n_levels) n *= 2;
    return n;
  }
  static std::int64_t n_doubles(std::int64_t n_levels) { return D * 2 * leaves(n_levels); }
  SelectionTree(double* memory, std::int64_t n_levels)
      : node_(reinterpret_cast<Numbers<D>*>(memory)), first_leaf_(leaves(n_levels)) {}
  void add(std::int64_t level, const Numbers<D>& x) {
    for (std::int64_t m = first_leaf_ + level; m > 0; m /= 2)
      for (int d = 0; d < D; ++d) node_[m].at[d] += x.at[d];
  }
  Numbers<D> below(std::int64_t level) const {
    Numbers<D> sum{};
    for (std::int64_t m = first_leaf_ + level; m > 1; m /= 2)
      if (m % 2 != 0)
        for (int d = 0; d < D; ++d) sum.at[d] += node_[m - 1].at[d];
    return sum;
  }
};

/// A Fenwick tree: half the memory, and half of the steps on average.
template <int D>
struct FenwickTree {
  static constexpr bool adds_quickly = false;
  Numbers<D>* node_;
  std::int64_t n_levels_;
  static std::int64_t n_doubles(std::int64_t n_levels) { return D * (n_levels + 1); }
  FenwickTree(double* memory, std::int64_t n_levels)
      : node_(reinterpret_cast<Numbers<D>*>(memory)), n_levels_(n_levels) {}
  void add(std::int64_t level, const Numbers<D>& x) {
    for (std::int64_t m = level + 1; m <= n_levels_; m += m & -m)
      for (int d = 0; d < D; ++d) node_[m].at[d] += x.at[d];
  }
  Numbers<D> below(std::int64_t level) const {
    Numbers<D> sum{};
    for (std::int64_t m = level; m > 0; m &= m - 1)
      for (int d = 0; d < D; ++d) sum.at[d] += node_[m].at[d];
    return sum;
  }
};

/// A tree of fan-out 16 whose nodes hold, for each child, the sum over the children before it. To add is to add to the
/// later children of one node a storey, two AVX-512 registers under a mask; to ask reads one number a storey. A
/// thousand levels are three storeys.
/// The number of storeys is a constant, so that loops over them are written out: 16^6 levels at most.
template <int D, int Storeys>
struct WideTree {
  static constexpr bool adds_quickly = D == 1 && W == 8;  // measured: else a branch is cheaper
  static constexpr int fan_bits = 4, fan = 1 << fan_bits;
  struct Masks {
    alignas(64) std::int64_t after[fan][fan];
    constexpr Masks() : after{} {
      for (int child = 0; child < fan; ++child)
        for (int other = 0; other < fan; ++other) after[child][other] = other > child ? -1 : 0;
    }
  };
  static constexpr Masks masks{};

  double* storey_[Storeys];

  static constexpr std::int64_t nodes_over(std::int64_t n) { return (n + fan - 1) / fan; }
  static std::int64_t n_doubles(std::int64_t n_levels) {
    std::int64_t total = 0, n = n_levels;
    for (int s = 0; s < Storeys; ++s) total += (n = nodes_over(n));
    return D * fan * total;
  }
  WideTree(double* memory, std::int64_t n_levels) {
    std::int64_t n = n_levels;
    for (int s = 0; s < Storeys; ++s) {
      n = nodes_over(n);
      storey_[s] = memory;
      memory += D * fan * n;
    }
  }
  [[gnu::always_inline]] inline void add(std::int64_t level, const Numbers<D>& x) {
    auto rest = static_cast<std::uint64_t>(level);
    for (int s = 0; s < Storeys; ++s) {
      const std::int64_t* const after = masks.after[rest % fan];
      rest /= fan;
      double* const at = storey_[s] + rest * (D * fan);
      for (int d = 0; d < D; ++d)
        for (int i = 0; i < fan; i += W)
          store(at + d * fan + i, load(at + d * fan + i) + (Lanes)((Bits)all(x.at[d]) & load_as<Bits>(after + i)));
    }
  }
  [[gnu::always_inline]] inline Numbers<D> below(std::int64_t level) const {
    auto rest = static_cast<std::uint64_t>(level);
    Numbers<D> sum{};
    for (int s = 0; s < Storeys; ++s) {
      const double* const at = storey_[s] + rest / fan * (D * fan) + rest % fan;
      for (int d = 0; d < D; ++d) sum.at[d] += at[d * fan];
      rest /= fan;
    }
    return sum;
  }
};

/// For adjacent pairs: only the next lower level counts. O(1).
template <int D>
struct AdjacentCounter {
  static constexpr bool adds_quickly = true;
  Numbers<D>* level_;
  static std::int64_t n_doubles(std::int64_t n_levels) { return D * (n_levels + 1); }
  AdjacentCounter(double* memory, std::int64_t) : level_(reinterpret_cast<Numbers<D>*>(memory)) {}
  void add(std::int64_t level, const Numbers<D>& x) {
    for (int d = 0; d < D; ++d) level_[level + 1].at[d] += x.at[d];
  }
  Numbers<D> below(std::int64_t level) const { return level_[level]; }
};

}  // namespace rankine::RANKINE_ISA
