// ERR's cascade through tied rows: a reader goes down the ranking and stops at row j with chance stop_j; what is wanted
// is the expected 1 / (place where he stops) when the tied rows come in random order.
//
// Let x_j = 1 - stop_j, and M_r the mean over all r-subsets of the rows of the product of their x. The chance to stop
// at the r-th of them is M_(r-1) - M_r, and M follows row by row:
//     M_r(S + x) = ((|S| + 1 - r) M_r(S) + r x M_(r-1)(S)) / (|S| + 1).
// Rows with stop_j = 0 only take up room: among t rows the place of the r-th of m others is negative hypergeometric.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace rankine {

/// The mean of 1 / (above + i) over the place i of the r-th of m marked rows among t in random order, where above + i
/// beyond the cutoff counts 0. Walks outwards from about the mean, as far as the chances are worth it.
inline double expected_reciprocal(std::size_t r, std::size_t m, std::size_t t, std::size_t above, std::size_t cutoff) {
  auto worth = [&](std::size_t i) { return above + i > cutoff ? 0.0 : 1.0 / static_cast<double>(above + i); };
  if (m == t) return worth(r);
  // chance(i + 1) / chance(i), where chance(i) is proportional to C(i - 1, r - 1) C(t - i, m - r)
  auto ratio = [&](std::size_t i) {
    return static_cast<double>(i) * static_cast<double>(t - i - (m - r)) /
           (static_cast<double>(i + 1 - r) * static_cast<double>(t - i));
  };
  const std::size_t last = t - (m - r);
  const auto mean =
      static_cast<std::size_t>(static_cast<double>(r) * static_cast<double>(t + 1) / static_cast<double>(m + 1));
  const std::size_t start = std::clamp(mean, r, last);
  double total = 1.0, sum = worth(start), chance = 1.0;
  for (std::size_t i = start; i < last && chance > 1e-20 * total; ++i) {
    chance *= ratio(i);
    total += chance;
    sum += chance * worth(i + 1);
  }
  chance = 1.0;
  for (std::size_t i = start; i > r && chance > 1e-20 * total; --i) {
    chance /= ratio(i - 1);
    total += chance;
    sum += chance * worth(i - 1);
  }
  return sum / total;
}

/// The expected 1 / place for a reader who arrives at a run of tied rows with `above` rows above it, in random order;
/// places beyond the cutoff count 0. `mean` is memory.
inline double tied_cascade(std::span<const double> stops, std::size_t above, std::size_t cutoff,
                           std::vector<double>& mean) {
  std::size_t m = 0;
  double least = 1.0;
  for (const double s : stops)
    if (s > 0.0) {
      ++m;
      least = std::min(least, s);
    }
  if (m == 0 || above >= cutoff) return 0.0;
  // M_r <= (1 - least)^r: beyond 1e-20 nothing is left.
  const double enough = least < 1.0 ? std::ceil(-46.1 / std::log1p(-least)) : 1.0;
  const std::size_t depth = std::min({m, cutoff - above, static_cast<std::size_t>(std::min(enough, 1e18))});
  mean.assign(depth + 1, 0.0);
  mean[0] = 1.0;
  std::size_t n = 0;
  for (const double s : stops) {
    if (s <= 0.0) continue;
    ++n;
    const double x = 1.0 - s, size = static_cast<double>(n);
    for (std::size_t r = std::min(n, depth); r > 0; --r)
      mean[r] = ((size - static_cast<double>(r)) * mean[r] + static_cast<double>(r) * x * mean[r - 1]) / size;
  }
  double sum = 0.0;
  for (std::size_t r = 1; r <= depth; ++r)
    sum += (mean[r - 1] - mean[r]) * expected_reciprocal(r, m, stops.size(), above, cutoff);
  return sum;
}

}  // namespace rankine
