// What a sweep is asked to do, in plain pointers: the border between the code that knows queries and the kernels of
// native/isa/, which exist once per instruction set.
//
// Rows of one query stand in the order of their scores; "position" p is the p-th lowest. A sweep *up* tells each
// position about the winners at positions < window[p] with a higher level; a sweep *down* about the losers at positions
// >= window[p] with a lower level. Windows never decrease.
#pragma once
#include <cstdint>

namespace rankine {

/// How rows are counted by level.
enum class Counting { automatic, direct, selection_tree, fenwick, wide };

struct SweepTask {
  const std::int32_t* level;   // by position
  const std::int32_t* window;  // by position
  const double* value;         // by position
  const double* weight;        // by position, of the rows that are counted; nullptr: ones
  double* value_sum;           // out, by position: the sum of weight * value
  double* weight_sum;          // out, by position: the sum of weight; nullptr: not wanted
  std::int64_t n_rows;
  std::int64_t n_levels;
  bool down, adjacent;
};

/// Where a sweep is that comes back now and then; {0, 0, -1} at first.
struct SweepState {
  std::int64_t position, source, n_left;
};

/// Sweeps over at most `most_levels` levels keep a table, of this many rows at a time.
constexpr std::int64_t table_rows = 512;
constexpr int most_levels = 8;
/// Room for the tables: sums of values and of weights, upwards and downwards.
constexpr std::int64_t table_doubles = 4 * (table_rows + 1) * most_levels;

/// How many steps of the merge that finds windows are one piece: its four windows stay in the L1 cache.
constexpr std::int64_t merge_piece = 2048;

/// The part of a sweep that answers the positions begin .. end - 1. `start` holds the sums that the rows before it
/// leave, by level: n_levels sums of weight * value, then (if wanted) n_levels sums of weight; nullptr: there are none.
struct SweepPart {
  std::int64_t begin, end;
  const double* start;
};

/// A product with the Hessian of one query: out = curvature * v - what the active pairs of each row say.
struct ProductTask {
  const std::int32_t *row, *level;                      // by position
  const double *curvature, *win, *lose;                 // by position; weights may be nullptr: ones
  const std::int32_t *lowest_loser[2], *end_winner[2];  // by ramp, by position
  double twice[2];                                      // by ramp: 2 coef
  const double* v;                                      // by row
  double offset;                                        // to subtract from v: makes no difference but in rounding
  double* out;                                          // by row
  std::int64_t n_rows, n_levels;
  int n_ramps;
  bool adjacent;
};

/// The rows of a query in the order of their levels, under the logistic loss. A pair weighs win_i lose_j, times
/// gain_i - gain_j where there are gains.
struct LogisticTask {
  const double* score;
  const std::int32_t* level;
  const double *win, *lose, *gain;  // nullptr: ones, ones, no gains
};

/// The first position that a part adds by itself (up), or the one above it (down). Static: every instruction set has
/// its own, lest the linker keep one for all (kernels.hpp).
static inline std::int64_t first_source(const SweepTask& t, const SweepPart& part) {
  if (t.down) return part.end < t.n_rows ? t.window[part.end] : t.n_rows;
  return part.begin > 0 ? t.window[part.begin - 1] : 0;
}

}  // namespace rankine
