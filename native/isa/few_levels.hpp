// Sweeps over up to eight levels: one vector of running sums, with a lane for each level that may ask.
//
// Lane l of the vector holds the sum over the rows seen so far whose level counts for a row of level l. To add a row is
// to add its value to the lanes that its level counts for: a mask by level. The vector is written down before every
// row, so the sum over any window is one number of that table: no branch, and no search. The masks alone know what "all
// lower levels", "all higher" and "adjacent" mean.
//
// A long query is done in pieces, so that the table stays in cache. A short one is done in both directions at once: the
// two chains of additions do not wait for each other.
#pragma once
#include "lanes.hpp"
#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// By the level of a row: the lanes that it counts for, as masks.
template <int N>
struct CountsFor {
  alignas(64) std::int64_t lanes[N][N];
  constexpr CountsFor(bool down, bool adjacent) : lanes{} {
    for (int level = 0; level < N; ++level)
      for (int asks = 0; asks < N; ++asks) {
        const int above = down ? asks - level : level - asks;
        lanes[level][asks] = above == 1 || (above > 1 && !adjacent) ? -1 : 0;
      }
  }
};
template <int N>
struct CountMasks {
  static constexpr CountsFor<N> of[2][2] = {{{false, false}, {false, true}}, {{true, false}, {true, true}}};
};

/// N running sums, in as many registers as the machine needs for them.
template <int N>
struct RunningSums {
  static constexpr int width = N < W ? N : W;
  Vector<double, width> part[N / width] = {};

  [[gnu::always_inline]] inline void add(double x, const std::int64_t* mask) {
    const Vector<double, width> all = x - Vector<double, width>{};
    for (int i = 0; i < N / width; ++i) {
      const auto bits = (Vector<std::int64_t, width>)all & load_as<Vector<std::int64_t, width>>(mask + i * width);
      part[i] += (Vector<double, width>)bits;
    }
  }
  [[gnu::always_inline]] inline void write(double* to) const {
    for (int i = 0; i < N / width; ++i) store(to + i * width, part[i]);
  }
};

/// One direction: its running sums, and the tables that they are written to.
template <int N, bool weighted, bool with_weight_sum>
struct FewLevels {
  const SweepTask t;  // a copy, so that no store makes the loop read it again
  const std::int64_t (&masks)[N][N];
  double *values, *weights;
  RunningSums<N> value, weight;

  FewLevels(const SweepTask& task, double* table)
      : t(task),
        masks(CountMasks<N>::of[task.down][task.adjacent].lanes),
        values(table),
        weights(table + (table_rows + 1) * N) {}
  [[gnu::always_inline]] inline void start(const double* by_level) {
    if (by_level == nullptr) return;
    for (std::int64_t l = 0; l < t.n_levels; ++l) {
      value.add(by_level[l], masks[l]);
      if constexpr (with_weight_sum) weight.add(by_level[t.n_levels + l], masks[l]);
    }
  }
  [[gnu::always_inline]] inline void write(std::int64_t at) {
    value.write(values + at * N);
    if constexpr (with_weight_sum) weight.write(weights + at * N);
  }
  [[gnu::always_inline]] inline void count(std::int64_t q) {
    const std::int64_t* mask = masks[t.level[q]];
    const double w = weighted && t.weight != nullptr ? t.weight[q] : 1.0;
    value.add(weighted ? w * t.value[q] : t.value[q], mask);
    if constexpr (with_weight_sum) weight.add(w, mask);
  }
  [[gnu::always_inline]] inline void answer(std::int64_t p, std::int64_t at) {
    t.value_sum[p] = values[at * N + t.level[p]];
    if constexpr (with_weight_sum) t.weight_sum[p] = weights[at * N + t.level[p]];
  }
};

template <int N, bool weighted, bool with_weight_sum>
void sweep_few_part(const SweepTask& t, const SweepPart& part, double* table) {
  FewLevels<N, weighted, with_weight_sum> sums(t, table);
  sums.start(part.start);
  std::int64_t source = first_source(t, part);
  if (t.down) {
    for (std::int64_t p = part.end - 1; p >= part.begin;) {
      const std::int64_t last = t.window[part.begin], stop = source - last > table_rows ? source - table_rows : last;
      for (std::int64_t q = source; q > stop; --q) {
        sums.write(source - q);
        sums.count(q - 1);
      }
      sums.write(source - stop);
      for (; p >= part.begin && t.window[p] >= stop; --p) sums.answer(p, source - t.window[p]);
      source = stop;
    }
  } else {
    for (std::int64_t p = part.begin; p < part.end;) {
      const std::int64_t last = t.window[part.end - 1], stop = last - source > table_rows ? source + table_rows : last;
      for (std::int64_t q = source; q < stop; ++q) {
        sums.write(q - source);
        sums.count(q);
      }
      sums.write(stop - source);
      for (; p < part.end && t.window[p] <= stop; ++p) sums.answer(p, t.window[p] - source);
      source = stop;
    }
  }
}

/// Writes the tables of both directions of a query of at most table_rows rows.
template <class Direction>
[[gnu::always_inline]] inline void write_both(Direction& above, Direction& below, std::int64_t n) {
  for (std::int64_t p = 0, q = n - 1; p < n; ++p, --q) {
    above.write(p);
    above.count(p);
    below.write(q + 1);
    below.count(q);
  }
  above.write(n);
  below.write(0);
}

template <int N, bool weighted, bool with_weight_sum>
void sweep_few_both(const SweepTask& up, const SweepTask& down, double* table) {
  FewLevels<N, weighted, with_weight_sum> above(up, table), below(down, table + 2 * (table_rows + 1) * N);
  write_both(above, below, up.n_rows);
  for (std::int64_t p = 0; p < up.n_rows; ++p) {
    above.answer(p, up.window[p]);
    below.answer(p, down.window[p]);
  }
}

template <int N, bool weighted>
void product_few(const ProductTask& t, double* value, double* table) {
  for (std::int64_t p = 0; p < t.n_rows; ++p) value[p] = t.v[t.row[p]] - t.offset;
  SweepTask up{t.level, nullptr, value, t.win, nullptr, nullptr, t.n_rows, t.n_levels, false, t.adjacent};
  SweepTask down{t.level, nullptr, value, t.lose, nullptr, nullptr, t.n_rows, t.n_levels, true, t.adjacent};
  FewLevels<N, weighted, false> above(up, table), below(down, table + 2 * (table_rows + 1) * N);
  write_both(above, below, t.n_rows);
  for (int r = 0; r < t.n_ramps; ++r)
    for (std::int64_t p = 0; p < t.n_rows; ++p) {
      const double wins = above.values[t.end_winner[r][p] * N + t.level[p]];
      const double loses = below.values[t.lowest_loser[r][p] * N + t.level[p]];
      double others = wins + loses;
      if constexpr (weighted)
        others = (t.lose == nullptr ? wins : t.lose[p] * wins) + (t.win == nullptr ? loses : t.win[p] * loses);
      double& out = t.out[t.row[p]];
      out = (r == 0 ? t.curvature[p] * value[p] : out) - t.twice[r] * others;
    }
}

/// Calls use(lanes, weighted?) with constants.
template <class Use>
[[gnu::always_inline]] inline void with_lanes(std::int64_t n_levels, bool weighted, Use use) {
  auto with = [&](auto lanes) { weighted ? use(lanes, At<1>{}) : use(lanes, At<0>{}); };
  if (n_levels <= 2)
    with(At<2>{});
  else if (n_levels <= 4)
    with(At<4>{});
  else
    with(At<8>{});
}

/// One part of a sweep over at most eight levels; `table` has table_doubles.
inline void sweep_few_levels(const SweepTask& t, const SweepPart& part, double* table) {
  with_lanes(t.n_levels, t.weight != nullptr, [&]<int N, int weighted>(At<N>, At<weighted>) {
    t.weight_sum != nullptr ? sweep_few_part<N, weighted, true>(t, part, table)
                            : sweep_few_part<N, weighted, false>(t, part, table);
  });
}

/// Both sweeps of a query of at most table_rows rows.
inline void sweep_few_levels_both(const SweepTask& up, const SweepTask& down, double* table) {
  with_lanes(up.n_levels, up.weight != nullptr || down.weight != nullptr,
             [&]<int N, int weighted>(At<N>, At<weighted>) {
               up.weight_sum != nullptr ? sweep_few_both<N, weighted, true>(up, down, table)
                                        : sweep_few_both<N, weighted, false>(up, down, table);
             });
}

/// A whole Hessian product of a query of at most table_rows rows; `value` has as many doubles.
inline void product_few_levels(const ProductTask& t, double* value, double* table) {
  with_lanes(t.n_levels, t.win != nullptr || t.lose != nullptr,
             [&]<int N, int weighted>(At<N>, At<weighted>) { product_few<N, weighted>(t, value, table); });
}

}  // namespace rankine::RANKINE_ISA
