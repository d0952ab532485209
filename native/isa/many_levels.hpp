// Sweeps over any number of levels: rows enter a counter as the window reaches them, and each position asks it once.
#pragma once
#include "counters.hpp"
#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// A sweep that can stop and go on: a long one comes back now and then.
struct SweepState {
  std::int64_t position, source;
  bool started = false;
};

template <class Counter, int D, bool down>
void sweep_with(Counter counter, const SweepTask& t, const SweepPart& part, SweepState& state, std::int64_t budget) {
  const std::int64_t top = t.n_levels - 1;
  auto place = [&](std::int64_t p) { return down ? t.level[p] : top - t.level[p]; };
  auto add = [&](std::int64_t level, double weight, double value) {
    Numbers<D> x;
    x.at[0] = value;
    if constexpr (D == 2) x.at[1] = weight;
    counter.add(level, x);
  };
  if (!state.started) {
    state = {down ? part.end - 1 : part.begin, first_source(t, part), true};
    if (part.start != nullptr)
      for (std::int64_t l = 0; l < t.n_levels; ++l)
        add(down ? l : top - l, D == 2 ? part.start[t.n_levels + l] : 0.0, part.start[l]);
  }
  std::int64_t p = state.position, q = state.source;
  auto count = [&](std::int64_t row) {
    const double w = t.weight == nullptr ? 1.0 : t.weight[row];
    add(place(row), w, w * t.value[row]);
  };
  for (; (down ? p >= part.begin : p < part.end) && budget > 0; down ? --p : ++p) {
    const std::int64_t window = t.window[p], before = q;
    if constexpr (down) {
      const std::int64_t stop = q - window > budget ? q - budget : window;
      while (q > stop) count(--q);
      budget -= before - q + 1;
    } else {
      const std::int64_t stop = window - q > budget ? q + budget : window;
      while (q < stop) count(q++);
      budget -= q - before + 1;
    }
    if (q != window) break;
    const Numbers<D> sum = counter.below(place(p));
    t.value_sum[p] = sum.at[0];
    if constexpr (D == 2) t.weight_sum[p] = sum.at[1];
  }
  state.position = p;
  state.source = q;
}

template <template <int> class Counter>
void sweep_with(double* memory, const SweepTask& t, const SweepPart& part, SweepState& state, std::int64_t budget) {
  if (t.weight_sum != nullptr) {
    const Counter<2> counter(memory, t.n_levels);
    t.down ? sweep_with<Counter<2>, 2, true>(counter, t, part, state, budget)
           : sweep_with<Counter<2>, 2, false>(counter, t, part, state, budget);
  } else {
    const Counter<1> counter(memory, t.n_levels);
    t.down ? sweep_with<Counter<1>, 1, true>(counter, t, part, state, budget)
           : sweep_with<Counter<1>, 1, false>(counter, t, part, state, budget);
  }
}

/// The memory that a counter of this kind needs.
inline std::int64_t counter_doubles(Counting counting, std::int64_t n_levels) {
  if (counting == Counting::selection_tree) return SelectionTree<2>::n_doubles(n_levels) + 2;
  if (counting == Counting::wide) return WideTree<2>::n_doubles(n_levels) + 2;
  return FenwickTree<2>::n_doubles(n_levels);  // more than the others need
}

/// Goes on with one part of a sweep until it is done or about `budget` rows were added or answered; true when done. The
/// memory, counter_doubles of it, is zero at the start.
inline bool sweep_many_levels(Counting counting, double* memory, const SweepTask& t, const SweepPart& part,
                              SweepState& state, std::int64_t budget) {
  if (t.adjacent)
    sweep_with<AdjacentCounter>(memory, t, part, state, budget);
  else if (counting == Counting::direct)
    sweep_with<DirectCounter>(memory, t, part, state, budget);
  else if (counting == Counting::selection_tree)
    sweep_with<SelectionTree>(memory, t, part, state, budget);
  else if (counting == Counting::fenwick)
    sweep_with<FenwickTree>(memory, t, part, state, budget);
  else
    sweep_with<WideTree>(memory, t, part, state, budget);
  return t.down ? state.position < part.begin : state.position >= part.end;
}

}  // namespace rankine::RANKINE_ISA
