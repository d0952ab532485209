// The windows of active pairs, by one merge.
//
// The pair of winner i and loser j is active when s_i < s_j + edge. Merge the sorted s_i with the sorted s_j + edge, a
// winner before a loser that it is active with, any other after: what stands before a row in the merged order is its
// window, in both directions and by the one comparison. Three things make it fast: doubles compared as integers in the
// same order, so that a step waits for one load, a comparison and an addition; no branch that depends on the data (both
// windows are written at every step, and the last write is right); and two merges at once, from either end.
#pragma once
#include "task.hpp"

namespace rankine::RANKINE_ISA {

/// An integer that orders as x does; -0.0 and 0.0 are the same.
inline std::int64_t ordered_key(double x) {
  std::int64_t bits;
  x += 0.0;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits ^ static_cast<std::int64_t>(static_cast<std::uint64_t>(bits >> 63) >> 1);
}

/// The keys of s and of s + edge. Both have a guard at -1 and at n, so that the merge never asks where it is.
inline void window_keys(const double* score, std::int64_t begin, std::int64_t end, double edge, std::int64_t* winner,
                        std::int64_t* loser) {
  for (std::int64_t p = begin; p < end; ++p) winner[p] = ordered_key(score[p]);
  for (std::int64_t p = begin; p < end; ++p) loser[p] = ordered_key(score[p] + edge);
}
inline void guard_keys(std::int64_t n, std::int64_t* winner, std::int64_t* loser) {
  winner[-1] = loser[-1] = INT64_MIN;
  winner[n] = loser[n] = INT64_MAX;
}

/// The number of winners among the first `step` of the merged order.
inline std::int64_t winners_before(const std::int64_t* winner, const std::int64_t* loser, std::int64_t n,
                                   std::int64_t step) {
  std::int64_t low = step > n ? step - n : 0, high = step < n ? step : n;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (winner[middle] < loser[step - 1 - middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Steps first .. last - 1 of the merge, at most merge_piece: pieces know nothing of each other.
inline void merge_windows(const std::int64_t* winner, const std::int64_t* loser, std::int64_t n, std::int64_t first,
                          std::int64_t last, std::int32_t* lowest_loser, std::int32_t* end_winner) {
  std::int32_t up_low[merge_piece + 2], up_end[merge_piece + 2], down_low[merge_piece + 2], down_end[merge_piece + 2];
  const std::int64_t w0 = winners_before(winner, loser, n, first), l0 = first - w0;
  const std::int64_t w1 = winners_before(winner, loser, n, last), l1 = last - w1;
  const std::int64_t *const win = winner + w0, *const lose = loser + l0;
  std::int64_t w = 0, l = 0, v = w1 - w0 - 1, m = l1 - l0 - 1;  // counted from the start of the piece
  for (std::int64_t step = (last - first) / 2; step > 0; --step) {
    const std::int64_t winner_first = win[w] < lose[l], loser_last = win[v] < lose[m];
    up_low[w] = static_cast<std::int32_t>(l0 + l);
    up_end[l] = static_cast<std::int32_t>(w0 + w);
    w += winner_first;
    l += 1 - winner_first;
    down_low[v + 1] = static_cast<std::int32_t>(l0 + m + 1);
    down_end[m + 1] = static_cast<std::int32_t>(w0 + v + 1);
    m -= loser_last;
    v -= 1 - loser_last;
  }
  if ((last - first) % 2 != 0) {  // the one in the middle
    const std::int64_t winner_first = win[w] < lose[l];
    up_low[w] = static_cast<std::int32_t>(l0 + l);
    up_end[l] = static_cast<std::int32_t>(w0 + w);
    w += winner_first;
    l += 1 - winner_first;
  }
  for (std::int64_t i = 0; i < w; ++i) lowest_loser[w0 + i] = up_low[i];
  for (std::int64_t i = w; i < w1 - w0; ++i) lowest_loser[w0 + i] = down_low[i + 1];
  for (std::int64_t j = 0; j < l; ++j) end_winner[l0 + j] = up_end[j];
  for (std::int64_t j = l; j < l1 - l0; ++j) end_winner[l0 + j] = down_end[j + 1];
}

}  // namespace rankine::RANKINE_ISA
