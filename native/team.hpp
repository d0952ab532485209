// Who does the steps of one query: one thread alone, or all threads together.
//
// A step is cut into tasks by the data alone, so both do the same sums and leave the same bits. A team has
// each(n_tasks, work), which calls work(task) or work(task, pulse) for every task and returns when all are done.
#pragma once
#include "parallel.hpp"

namespace rankine {

struct Alone {
  static constexpr bool many = false;
  const Pulse& pulse;
  template <class Work>
  void each(std::size_t n_tasks, Work work) const {
    for (std::size_t task = 0; task < n_tasks; ++task) {
      if (task > 0) pulse();
      if constexpr (std::is_invocable_v<Work&, std::size_t, const Pulse&>)
        work(task, pulse);
      else
        work(task);
    }
  }
};

struct Together {
  static constexpr bool many = true;
  const Workers& workers;
  template <class Work>
  void each(std::size_t n_tasks, Work work) const {
    parallel_blocks(n_tasks, workers, work);
  }
};

/// A query of more rows than this is worked on by all threads.
constexpr std::size_t rows_for_all_threads = 65536;

/// Rows, or positions, of a query are worked on in blocks of this many.
constexpr std::size_t block_rows = 16384;

/// Calls work(begin, end) for each block of 0 .. n-1.
template <class Team, class Work>
void each_block(const Team& team, std::size_t n, Work work) {
  team.each((n + block_rows - 1) / block_rows,
            [&](std::size_t b) { work(b * block_rows, std::min(n, (b + 1) * block_rows)); });
}

/// The sum of work(begin, end) over all blocks, added in their order.
template <class Sum = double, class Team, class Work>
Sum sum_blocks(const Team& team, std::size_t n, Work work) {
  if (n <= block_rows) return n == 0 ? Sum{} : work(std::size_t{0}, n);
  std::vector<Sum> part((n + block_rows - 1) / block_rows);
  each_block(team, n, [&](std::size_t begin, std::size_t end) { part[begin / block_rows] = work(begin, end); });
  Sum sum{};
  for (const Sum& x : part) sum += x;
  return sum;
}

}  // namespace rankine
