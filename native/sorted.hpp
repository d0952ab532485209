// The rows of a query in the order of their scores: one sort for a query of common size; runs that are sorted apart and
// then merged, pair by pair and in pieces, for one that all threads work on.
#pragma once
#include <bit>
#include <utility>

#include "isa/choose.hpp"
#include "room.hpp"
#include "rows.hpp"
#include "team.hpp"

namespace rankine {

/// Memory that sorting reuses.
struct SortScratch {
  Room<std::int64_t> keys;
  Room<double> score[2];
  Room<Index> row[2];
};

/// row = the rows by ascending (score, row).
inline void sort_rows(std::span<const double> score, std::span<Index> row, SortScratch& scratch) {
  kernels().sort(score.data(), score.size(), row.data(), scratch.keys.room(sort_scratch(score.size())).data());
}

/// A sorted run of scores with their rows.
struct Run {
  const double* score;
  const Index* row;
  std::size_t size;
};

/// How many of the first `step` merged elements are of run a; its elements come first among equals.
inline std::size_t taken_of_first(const Run& a, const Run& b, std::size_t step) {
  std::size_t low = step > b.size ? step - b.size : 0, high = std::min(step, a.size);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (b.score[step - 1 - middle] < a.score[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Writes the elements first .. last - 1 of two merged runs.
inline void merge_runs(const Run& a, const Run& b, std::size_t first, std::size_t last, double* score, Index* row) {
  std::size_t i = taken_of_first(a, b, first), j = first - i;
  const std::size_t a_end = taken_of_first(a, b, last), b_end = last - a_end;
  std::size_t out = first;
  while (i < a_end && j < b_end) {  // no branch on the comparison
    const bool second = b.score[j] < a.score[i];
    score[out] = second ? b.score[j] : a.score[i];
    row[out] = second ? b.row[j] : a.row[i];
    j += second;
    i += !second;
    ++out;
  }
  for (; i < a_end; ++i, ++out) score[out] = a.score[i], row[out] = a.row[i];
  for (; j < b_end; ++j, ++out) score[out] = b.score[j], row[out] = b.row[j];
}

/// The rows in the order of their scores into `row`, and the scores in that order into `sorted`. Ties are in the order
/// of the rows, so that neither runs nor threads show.
template <class Team>
void sort_scores(std::span<const double> score, std::span<Index> row, std::span<double> sorted, SortScratch& scratch,
                 const Team& team) {
  const std::size_t n = score.size();
  if (n <= rows_for_all_threads) {
    sort_rows(score, row, scratch);
    for (std::size_t p = 0; p < n; ++p) sorted[p] = score[static_cast<std::size_t>(row[p])];
    return;
  }
  const std::size_t n_runs = std::min<std::size_t>(std::bit_floor(n / 32768), 16);
  double* from_score = scratch.score[0].room(n).data();
  Index* from_row = scratch.row[0].room(n).data();
  double* to_score = scratch.score[1].room(n).data();
  Index* to_row = scratch.row[1].room(n).data();
  team.each(n_runs, [&](std::size_t r) {
    const auto [begin, end] = block_range(n, n_runs, r);
    SortScratch own;
    const std::span<Index> run(from_row + begin, end - begin);
    sort_rows(score.subspan(begin, end - begin), run, own);
    for (std::size_t p = begin; p < end; ++p) {
      from_row[p] += static_cast<Index>(begin);
      from_score[p] = score[static_cast<std::size_t>(from_row[p])];
    }
  });
  for (std::size_t left = n_runs; left > 1; left /= 2) {
    if (left == 2) to_score = sorted.data(), to_row = row.data();
    const std::size_t n_pieces = std::max<std::size_t>(n / left / block_rows, 1);  // of each pair of runs
    team.each(left / 2 * n_pieces, [&](std::size_t task) {
      const std::size_t pair = task / n_pieces * 2;
      const std::size_t begin = block_range(n, left, pair).first, middle = block_range(n, left, pair + 1).first,
                        end = block_range(n, left, pair + 1).second;
      const Run a{from_score + begin, from_row + begin, middle - begin};
      const Run b{from_score + middle, from_row + middle, end - middle};
      const auto [first, last] = block_range(end - begin, n_pieces, task % n_pieces);
      merge_runs(a, b, first, last, to_score + begin, to_row + begin);
    });
    std::swap(from_score, to_score);
    std::swap(from_row, to_row);
  }
}

}  // namespace rankine
