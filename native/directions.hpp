// Both sweeps of one ramp over a query: by the counter that suits its levels, and, for a query that all threads work
// on, cut into parts that know the sums by level that the rows before them leave.
#pragma once
#include "isa/choose.hpp"
#include "queries.hpp"
#include "room.hpp"
#include "team.hpp"

namespace rankine {

/// Memory that a sweep reuses.
struct CountScratch {
  Room<double> table, by_level;
};

inline bool few_levels(const Queries& queries, std::size_t n_levels) {
  return n_levels <= most_levels && (queries.counting == Counting::automatic || queries.counting == Counting::direct);
}

/// Does one part of a sweep, with a pulse now and then.
inline void sweep_part(const Queries& queries, const SweepTask& task, const SweepPart& part, Room<double>& memory,
                       const Pulse& pulse) {
  if (few_levels(queries, static_cast<std::size_t>(task.n_levels))) {
    kernels().sweeps.few_part(task, part, memory.room(table_doubles).data());
    return;
  }
  const Counting counting = queries.counting == Counting::automatic ? Counting::wide : queries.counting;
  const auto counter = memory.room(static_cast<std::size_t>(kernels().sweeps.counter_doubles(counting, task.n_levels)));
  std::fill(counter.begin(), counter.end(), 0.0);
  const std::int64_t step_cost = counting == Counting::direct ? 16 + task.n_levels : 64;
  SweepState state{0, 0, -1};
  while (true) {
    kernels().sweeps.many_part(counting, counter.data(), task, part, state, (1 << 26) / step_cost + 1);
    if (state.n_left == 0) return;
    pulse();
  }
}

/// by_level = the sums over the rows begin .. end - 1: of weight * value, then of weight if that is wanted.
inline void sum_levels(const SweepTask& t, std::int64_t begin, std::int64_t end, double* by_level) {
  const auto k = static_cast<std::size_t>(t.n_levels);
  std::fill_n(by_level, t.weight_sum == nullptr ? k : 2 * k, 0.0);
  for (std::int64_t p = begin; p < end; ++p) {
    const auto l = static_cast<std::size_t>(t.level[p]);
    const double w = t.weight == nullptr ? 1.0 : t.weight[p];
    by_level[l] += w * t.value[p];
    if (t.weight_sum != nullptr) by_level[k + l] += w;
  }
}

/// Runs the sweeps `up` and `down` of a query.
template <class Team>
void sweep_both(const Queries& queries, const SweepTask& up, const SweepTask& down, CountScratch& scratch,
                const Team& team) {
  const auto n = static_cast<std::size_t>(up.n_rows), k = static_cast<std::size_t>(up.n_levels);
  if (n <= table_rows && few_levels(queries, k)) {
    kernels().sweeps.few_both(up, down, scratch.table.room(table_doubles).data());
    return;
  }
  // A part pays for the sums of all levels: let that be little beside its rows.
  const std::size_t room = n / std::max(block_rows, 2 * k), n_parts = Team::many && room > 1 ? room : 1;
  const std::size_t width = up.weight_sum == nullptr ? k : 2 * k;
  auto part = [&](std::size_t c) {
    const auto [begin, end] = block_range(n, n_parts, c);
    return SweepPart{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), nullptr};
  };
  double* sums = nullptr;
  if (n_parts > 1) {
    sums = scratch.by_level.room(2 * n_parts * width).data();
    team.each(2 * n_parts, [&](std::size_t job) {
      const std::size_t c = job / 2;
      if (job % 2 == 0)
        sum_levels(up, first_source(up, part(c)), up.window[part(c).end - 1], sums + c * width);
      else
        sum_levels(down, down.window[part(c).begin], first_source(down, part(c)), sums + (n_parts + c) * width);
    });
    team.each(2, [&](std::size_t direction) {  // what the parts before each part leave
      double* const all = sums + direction * n_parts * width;
      std::vector<double> before(width, 0.0);
      for (std::size_t i = 0; i < n_parts; ++i) {
        double* const own = all + (direction == 0 ? i : n_parts - 1 - i) * width;
        for (std::size_t l = 0; l < width; ++l) before[l] += std::exchange(own[l], before[l]);
      }
    });
  }
  team.each(2 * n_parts, [&](std::size_t job, const Pulse& pulse) {
    const std::size_t c = job / 2, direction = job % 2;
    SweepPart own_part = part(c);
    if (sums != nullptr) own_part.start = sums + (direction * n_parts + c) * width;
    Room<double> own;
    sweep_part(queries, direction == 0 ? up : down, own_part, Team::many ? own : scratch.table, pulse);
  });
}

/// The windows of active pairs of one ramp, of rows in the order of their scores.
template <class Team>
void find_windows(std::span<const double> score, double edge, std::span<Index> lowest_loser,
                  std::span<Index> end_winner, Room<std::int64_t>& keys, const Team& team) {
  const std::size_t n = score.size();
  std::int64_t* const winner = keys.room(2 * n + 4).data() + 1;
  std::int64_t* const loser = winner + n + 2;
  const auto size = static_cast<std::int64_t>(n);
  kernels().sweeps.guard_keys(size, winner, loser);
  each_block(team, n, [&](std::size_t begin, std::size_t end) {
    kernels().sweeps.window_keys(score.data(), static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end), edge,
                                 winner, loser);
  });
  each_block(team, 2 * n, [&](std::size_t begin, std::size_t end) {
    for (auto at = static_cast<std::int64_t>(begin); at < static_cast<std::int64_t>(end); at += merge_piece)
      kernels().sweeps.merge_windows(winner, loser, size, at,
                                     std::min(at + merge_piece, static_cast<std::int64_t>(end)), lowest_loser.data(),
                                     end_winner.data());
  });
}

}  // namespace rankine
