// Rows grouped by query: who competes with whom, and how much each pair weighs.
//
// Within a query the labels are compressed to levels 0, 1, …; row i beats row j when its level is higher ("all" pairs)
// or higher by exactly one ("adjacent" pairs). The pair weighs win[i] * lose[j], times gain[i] - gain[j] where there
// are gains. Empty spans of win and lose mean ones.
#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/task.hpp"
#include "rows.hpp"
#include "spares.hpp"

namespace rankine {

/// The ways to count rows by level (isa/counters.hpp); "auto" takes the fastest for the number of levels.
constexpr std::pair<std::string_view, Counting> countings[] = {{"auto", Counting::automatic},
                                                               {"direct", Counting::direct},
                                                               {"selection_tree", Counting::selection_tree},
                                                               {"fenwick", Counting::fenwick},
                                                               {"wide", Counting::wide}};
inline std::vector<std::string> counting_names() {
  std::vector<std::string> names;
  for (const auto& [name, counting] : countings) names.emplace_back(name);
  return names;
}
inline Counting counting_named(std::string_view name) {
  std::string known;
  for (const auto& [key, counting] : countings) {
    if (key == name) return counting;
    known += (known.empty() ? "\"" : ", \"") + std::string(key) + "\"";
  }
  throw std::invalid_argument("counting is one of " + known + ", not \"" + std::string(name) + "\"");
}

struct Queries {
  std::span<const Offset> query_ptr;
  std::span<const Index> level;
  std::span<const double> win, lose, gain;
  bool adjacent = false;
  Counting counting = Counting::automatic;
  std::shared_ptr<Spares> spares = std::make_shared<Spares>();

  std::size_t n_rows() const { return level.size(); }
  std::size_t n_queries() const { return query_ptr.size() - 1; }
  std::size_t begin(std::size_t q) const { return static_cast<std::size_t>(query_ptr[q]); }
  std::size_t size(std::size_t q) const { return static_cast<std::size_t>(query_ptr[q + 1] - query_ptr[q]); }
  /// Whether no pair of a query weighs anything, because no row of it wins anything.
  bool is_idle(std::size_t q) const {
    if (win.empty()) return false;
    const auto of_query = win.subspan(begin(q), size(q));
    return std::all_of(of_query.begin(), of_query.end(), [](double weight) { return weight == 0.0; });
  }
};

/// Throws unless the offsets cut n_rows rows into queries of fewer than 2^31 rows.
inline void check_query_ptr(std::span<const Offset> query_ptr, std::size_t n_rows) {
  if (query_ptr.empty() || query_ptr.front() != 0 || query_ptr.back() != static_cast<Offset>(n_rows))
    throw std::invalid_argument("query_ptr does not span the rows");
  for (std::size_t q = 0; q + 1 < query_ptr.size(); ++q) {
    if (query_ptr[q] > query_ptr[q + 1])
      throw std::invalid_argument("query_ptr decreases after query " + std::to_string(q));
    if (query_ptr[q + 1] - query_ptr[q] >= std::numeric_limits<Index>::max())
      throw std::invalid_argument("query " + std::to_string(q) + " has 2^31 rows or more");
  }
}

/// Throws unless every level is in 0 .. size of its query - 1: the tallies are sized by the highest level.
inline void check_levels(const Queries& queries) {
  for (std::size_t q = 0; q < queries.n_queries(); ++q)
    for (std::size_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i)
      if (queries.level[i] < 0 || static_cast<std::size_t>(queries.level[i]) >= queries.size(q))
        throw std::invalid_argument("the level of row " + std::to_string(i) + " is out of range");
}

/// Cuts the queries into blocks of about equal cost. The cut depends on the data alone, never on the number of threads.
inline std::vector<std::size_t> query_blocks(std::span<const Offset> query_ptr, std::size_t n_blocks) {
  const std::size_t n_queries = query_ptr.size() - 1;
  std::vector<std::size_t> cut{0};
  const auto n_rows = static_cast<double>(query_ptr.back());
  for (std::size_t b = 1; b < n_blocks; ++b) {
    const double target = n_rows * static_cast<double>(b) / static_cast<double>(n_blocks);
    const auto at = std::lower_bound(query_ptr.begin(), query_ptr.end(), static_cast<Offset>(target));
    const auto q = std::min(static_cast<std::size_t>(at - query_ptr.begin()), n_queries);
    if (q > cut.back()) cut.push_back(q);
  }
  if (n_queries > cut.back()) cut.push_back(n_queries);
  return cut;
}

/// The level of each row among the distinct labels of its query.
inline void levels(std::span<const double> label, std::span<const Offset> query_ptr, std::span<Index> level) {
  std::vector<double> distinct;
  for (std::size_t q = 0; q + 1 < query_ptr.size(); ++q) {
    const auto begin = static_cast<std::size_t>(query_ptr[q]), end = static_cast<std::size_t>(query_ptr[q + 1]);
    distinct.clear();
    for (std::size_t i = begin; i < end; ++i) {  // few distinct labels are the rule: a short list stays in cache
      const auto at = std::find(distinct.begin(), distinct.end(), label[i]);
      if (at == distinct.end()) distinct.push_back(label[i]);
      if (distinct.size() > 32) break;
    }
    if (distinct.size() > 32) distinct.assign(label.begin() + query_ptr[q], label.begin() + query_ptr[q + 1]);
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (std::size_t i = begin; i < end; ++i)
      level[i] = static_cast<Index>(std::lower_bound(distinct.begin(), distinct.end(), label[i]) - distinct.begin());
  }
}

/// The total weight of the pairs of each query.
inline void pair_mass(const Queries& queries, std::span<double> mass) {
  struct Level {
    double win = 0.0, lose = 0.0, win_gain = 0.0, lose_gain = 0.0;
  };
  std::vector<Level> levels;
  for (std::size_t q = 0; q < queries.n_queries(); ++q) {
    levels.assign(queries.size(q) + 1, {});
    std::size_t n_levels = 0;
    const double start = queries.gain.empty() || queries.size(q) == 0 ? 0.0 : queries.gain[queries.begin(q)];
    for (std::size_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i) {
      const auto l = static_cast<std::size_t>(queries.level[i]);
      const double win = queries.win.empty() ? 1.0 : queries.win[i];
      const double lose = queries.lose.empty() ? 1.0 : queries.lose[i];
      const double gain = queries.gain.empty() ? 0.0 : queries.gain[i] - start;
      levels[l].win += win;
      levels[l].lose += lose;
      levels[l].win_gain += win * gain;
      levels[l].lose_gain += lose * gain;
      n_levels = std::max(n_levels, l + 1);
    }
    double total = 0.0;
    Level below;
    for (std::size_t l = 1; l < n_levels; ++l) {
      const Level &one = levels[l], &lower = levels[l - 1];
      below.lose = queries.adjacent ? lower.lose : below.lose + lower.lose;
      below.lose_gain = queries.adjacent ? lower.lose_gain : below.lose_gain + lower.lose_gain;
      total += queries.gain.empty() ? one.win * below.lose : one.win_gain * below.lose - one.win * below.lose_gain;
    }
    mass[q] = total;
  }
}

}  // namespace rankine
