// Sweeps over any number of levels: rows enter a counter as the window reaches them, and each position asks it once.
#pragma once
#include "counters.hpp"
#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// A sweep on its way. Each step either counts the next row or answers the next position, whichever the window says:
/// one merge, which the branch predictor cannot learn (a wrong guess costs more than a tree). So a counter that adds
/// quickly does both at every step: it adds the row, or zero, and what it answered too early is written over.
template <class Counter, int D, bool down>
struct Walk {
  const SweepTask t;  // a copy, so that no store makes the loop read it again
  Counter counter;
  std::int64_t position, source;  // down: the row below `source` is next

  Walk(const SweepTask& task, const SweepPart& part, double* memory)
      : t(task),
        counter(memory, task.n_levels),
        position(down ? part.end - 1 : part.begin),
        source(first_source(task, part)) {}

  /// The level counted so that a row asks for lower ones.
  [[gnu::always_inline]] inline std::int64_t place(std::int64_t level) const {
    return down ? level : t.n_levels - 1 - level;
  }
  void start(const double* by_level) {
    for (std::int64_t l = 0; l < t.n_levels; ++l) {
      Numbers<D> x;
      x.at[0] = by_level[l];
      if constexpr (D == 2) x.at[1] = by_level[t.n_levels + l];
      counter.add(place(l), x);
    }
  }
  [[gnu::always_inline]] inline void answer() {
    const Numbers<D> sum = counter.below(place(t.level[position]));
    t.value_sum[position] = sum.at[0];
    if constexpr (D == 2) t.weight_sum[position] = sum.at[1];
  }
  [[gnu::always_inline]] inline void step() {
    const bool counts = down ? source > t.window[position] : source < t.window[position];
    const std::int64_t row = down ? (source > 0 ? source - 1 : 0) : (source < t.n_rows ? source : t.n_rows - 1);
    if constexpr (Counter::adds_quickly) {
      answer();
      Numbers<D> x;
      const double w = t.weight == nullptr ? 1.0 : t.weight[row];
      x.at[0] = only_if(counts, w * t.value[row]);
      if constexpr (D == 2) x.at[1] = only_if(counts, w);
      counter.add(place(t.level[row]), x);
    } else if (counts) {
      Numbers<D> x;
      const double w = t.weight == nullptr ? 1.0 : t.weight[row];
      x.at[0] = w * t.value[row];
      if constexpr (D == 2) x.at[1] = w;
      counter.add(place(t.level[row]), x);
    } else {
      answer();
    }
    const std::int64_t counted = counts;
    source += down ? -counted : counted;
    position += down ? counted - 1 : 1 - counted;
  }
  [[gnu::always_inline]] static inline double only_if(bool yes, double x) {
    std::int64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    bits &= -static_cast<std::int64_t>(yes);
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
  }
};

/// How many steps a part takes.
inline std::int64_t n_steps(const SweepTask& t, const SweepPart& part) {
  const std::int64_t source = first_source(t, part);
  return part.end - part.begin + (t.down ? source - t.window[part.begin] : t.window[part.end - 1] - source);
}

template <class Counter, int D, bool down>
void walk_on(double* memory, const SweepTask& t, const SweepPart& part, SweepState& state, std::int64_t budget) {
  Walk<Counter, D, down> walk(t, part, memory);
  if (state.n_left < 0) {
    state.n_left = n_steps(t, part);
    if (part.start != nullptr) walk.start(part.start);
  } else {
    walk.position = state.position;
    walk.source = state.source;
  }
  const std::int64_t n = state.n_left < budget ? state.n_left : budget;
  for (std::int64_t i = 0; i < n; ++i) walk.step();
  state = {walk.position, walk.source, state.n_left - n};
}

template <int D>
using WideTree1 = WideTree<D, 1>;
template <int D>
using WideTree2 = WideTree<D, 2>;
template <int D>
using WideTree3 = WideTree<D, 3>;
template <int D>
using WideTree6 = WideTree<D, 6>;

/// Calls use(constant that names the counter).
template <class Use>
[[gnu::always_inline]] inline void with_counter(Counting counting, bool adjacent, std::int64_t n_levels, Use use) {
  if (adjacent)
    use.template operator()<AdjacentCounter>();
  else if (counting == Counting::direct)
    use.template operator()<DirectCounter>();
  else if (counting == Counting::selection_tree)
    use.template operator()<SelectionTree>();
  else if (counting == Counting::fenwick)
    use.template operator()<FenwickTree>();
  else if (n_levels <= 16)
    use.template operator()<WideTree1>();
  else if (n_levels <= 256)
    use.template operator()<WideTree2>();
  else if (n_levels <= 4096)
    use.template operator()<WideTree3>();
  else
    use.template operator()<WideTree6>();
}

/// The memory that a counter of this kind needs.
inline std::int64_t counter_doubles(Counting counting, std::int64_t n_levels) {
  if (counting == Counting::selection_tree) return SelectionTree<2>::n_doubles(n_levels) + 2;
  if (counting == Counting::wide) return WideTree6<2>::n_doubles(n_levels) + 2;
  return FenwickTree<2>::n_doubles(n_levels);  // more than the others need
}

/// Goes on with one part of a sweep, for `budget` steps at most. At first state.n_left is -1 and the memory,
/// counter_doubles of it, is zero; at the end state.n_left is 0.
inline void sweep_many_levels(Counting counting, double* memory, const SweepTask& t, const SweepPart& part,
                              SweepState& state, std::int64_t budget) {
  with_counter(counting, t.adjacent, t.n_levels, [&]<template <int> class Counter>() {
    if (t.weight_sum != nullptr)
      t.down ? walk_on<Counter<2>, 2, true>(memory, t, part, state, budget)
             : walk_on<Counter<2>, 2, false>(memory, t, part, state, budget);
    else
      t.down ? walk_on<Counter<1>, 1, true>(memory, t, part, state, budget)
             : walk_on<Counter<1>, 1, false>(memory, t, part, state, budget);
  });
}

}  // namespace rankine::RANKINE_ISA
