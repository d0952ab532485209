// Sweeps over up to eight levels: one vector of running sums, with a lane for each level that may ask.
//
// Lane l of the vector holds the sum over the rows seen so far whose level counts for a row of level l. To add a row is
// to add its value to the lanes that its level counts for: a mask by level. The vector is written down before every
// row, so the sum over any window is one number of that table: no branch, and no search. The masks alone know what "all
// lower levels", "all higher" and "adjacent" mean.
//
// A long query is done in pieces, so that the table stays in the L1 cache.
#pragma once
#include <cstddef>

#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// How many rows one table describes.
constexpr std::int64_t table_rows = 256;
constexpr int most_lanes = 8;
/// Tables of the greatest size: sums of values and sums of weights, upwards and downwards, and room to align them.
constexpr std::int64_t table_doubles = 4 * (table_rows + 1) * most_lanes + 8;

template <int Lanes>
struct Running {
  typedef double Sum __attribute__((vector_size(8 * Lanes)));
  typedef std::int64_t Mask __attribute__((vector_size(8 * Lanes)));

  /// By the level of a row: the lanes that it counts for.
  struct Masks {
    alignas(64) std::int64_t lanes[Lanes][Lanes];
    constexpr Masks(bool down, bool adjacent) : lanes{} {
      for (int level = 0; level < Lanes; ++level)
        for (int asks = 0; asks < Lanes; ++asks) {
          const int above = down ? asks - level : level - asks;
          lanes[level][asks] = above == 1 || (above > 1 && !adjacent) ? -1 : 0;
        }
    }
  };
  static constexpr Masks masks[2][2] = {{Masks(false, false), Masks(false, true)},
                                        {Masks(true, false), Masks(true, true)}};

  [[gnu::always_inline]] static inline void add(Sum& sum, double x, const std::int64_t* mask) {
    Mask which, bits;
    __builtin_memcpy(&which, mask, sizeof which);
    const Sum all = x - Sum{};
    __builtin_memcpy(&bits, &all, sizeof bits);
    bits &= which;
    Sum some;
    __builtin_memcpy(&some, &bits, sizeof some);
    sum += some;
  }
  [[gnu::always_inline]] static inline void put(double* to, const Sum& sum) { __builtin_memcpy(to, &sum, sizeof sum); }

  /// Adds the sums that whole levels leave in the lanes.
  static void add_levels(Sum& sum, const double* by_level, std::int64_t n_levels, const Masks& masks) {
    for (std::int64_t level = 0; level < n_levels; ++level) add(sum, by_level[level], masks.lanes[level]);
  }

  template <bool weighted, bool with_weight_sum>
  static void sweep(const SweepTask& t, const SweepPart& part, double* table) {
    const Masks& masks = Running::masks[t.down][t.adjacent];
    double *const values = table, *const weights = table + (table_rows + 1) * Lanes;
    Sum value{}, weight{};
    if (part.start != nullptr) {
      add_levels(value, part.start, t.n_levels, masks);
      if (with_weight_sum) add_levels(weight, part.start + t.n_levels, t.n_levels, masks);
    }
    auto write = [&](std::int64_t at) {
      put(values + at * Lanes, value);
      if constexpr (with_weight_sum) put(weights + at * Lanes, weight);
    };
    auto count = [&](std::int64_t q) {
      const std::int64_t* mask = masks.lanes[t.level[q]];
      const double w = weighted ? t.weight[q] : 1.0;
      add(value, weighted ? w * t.value[q] : t.value[q], mask);
      if constexpr (with_weight_sum) add(weight, w, mask);
    };
    auto answer = [&](std::int64_t p, std::int64_t at) {
      t.value_sum[p] = values[at * Lanes + t.level[p]];
      if constexpr (with_weight_sum) t.weight_sum[p] = weights[at * Lanes + t.level[p]];
    };
    std::int64_t source = first_source(t, part);
    if (t.down) {
      for (std::int64_t p = part.end - 1; p >= part.begin;) {
        const std::int64_t last = t.window[part.begin], stop = source - last > table_rows ? source - table_rows : last;
        for (std::int64_t q = source; q > stop; --q) {
          write(source - q);
          count(q - 1);
        }
        write(source - stop);
        for (; p >= part.begin && t.window[p] >= stop; --p) answer(p, source - t.window[p]);
        source = stop;
      }
    } else {
      for (std::int64_t p = part.begin; p < part.end;) {
        const std::int64_t last = t.window[part.end - 1],
                           stop = last - source > table_rows ? source + table_rows : last;
        for (std::int64_t q = source; q < stop; ++q) {
          write(q - source);
          count(q);
        }
        write(stop - source);
        for (; p < part.end && t.window[p] <= stop; ++p) answer(p, t.window[p] - source);
        source = stop;
      }
    }
  }

  static void sweep(const SweepTask& t, const SweepPart& part, double* table) {
    if (t.weight != nullptr)
      t.weight_sum != nullptr ? sweep<true, true>(t, part, table) : sweep<true, false>(t, part, table);
    else
      t.weight_sum != nullptr ? sweep<false, true>(t, part, table) : sweep<false, false>(t, part, table);
  }
};

/// One part of a sweep over at most eight levels; `table` has table_doubles, aligned to 64 bytes.
inline void sweep_few_levels(const SweepTask& t, const SweepPart& part, double* table) {
  if (t.n_levels <= 2)
    Running<2>::sweep(t, part, table);
  else if (t.n_levels <= 4)
    Running<4>::sweep(t, part, table);
  else
    Running<8>::sweep(t, part, table);
}

}  // namespace rankine::RANKINE_ISA
