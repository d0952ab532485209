// All queries at given scores under a loss of ramps: orders, windows and curvature, in memory that is lent from point
// to point.
#pragma once
#include "hessian.hpp"

namespace rankine {

/// What is kept of all queries at given scores: the notes of SweptScores, and vectors by row.
struct SweptMemory {
  Room<Index> row, level, lowest_loser[2], end_winner[2];
  Room<double> curvature, score, along, slope;
  Room<double> at;  // scores by position, for losses that list their pairs
  Scratch large;    // of queries that all threads work on
};

/// Order, windows and curvature of all queries at given scores. Knows nothing of rows of features.
template <std::size_t N>
class SweptScores {
 public:
  Lent<SweptMemory> memory;

  SweptScores(const Ramps<N>& ramps, const Queries& queries)
      : memory(queries.spares), ramps_(ramps), n_levels_(queries.n_queries()), n_active_(queries.n_queries()) {
    const std::size_t n = queries.n_rows();
    memory->row.room(n);
    memory->level.room(n);
    memory->curvature.room(n);
    for (std::size_t r = 0; r < N; ++r) {
      memory->lowest_loser[r].room(n);
      memory->end_winner[r].room(n);
    }
  }
  template <class Team>
  Evaluated evaluate(const Queries& queries, std::size_t q, std::span<const double> score, std::span<double> slope,
                     Scratch& scratch, const Team& team) {
    const Evaluated all =
        rankine::evaluate(ramps_, queries, q, score, sorted(queries, q, score.size()), slope, scratch, team);
    n_levels_[q] = static_cast<Index>(all.n_levels);
    n_active_[q] = static_cast<Index>(all.n_active);
    return all;
  }
  template <class Team>
  void product(const Queries& queries, std::size_t q, std::span<const double> v, std::span<double> out,
               Scratch& scratch, const Team& team) {
    if (n_active(q) < out.size()) std::fill(out.begin(), out.end(), 0.0);
    rankine::product(ramps_, queries, q, static_cast<std::size_t>(n_levels_[q]), sorted(queries, q, n_active(q)), v,
                     out, scratch, team);
  }
  /// The rows of a query that may be in an active pair: in the order of their scores, counted within the query.
  std::span<const Index> active(const Queries& queries, std::size_t q) {
    return part(memory->row, queries, q).first(n_active(q));
  }
  /// sum += the upper triangle of the Hessian of one query, stride x stride; part of it stays in the panels.
  template <class R, class Real>
  void add_hessian(const R& x, const Queries& queries, std::size_t q, HessianScratch<Real>& scratch, Scratch& positions,
                   std::span<double> sum, const Pulse& pulse) {
    rankine::add_hessian(ramps_, x, queries, q, sorted(queries, q, n_active(q)), scratch, positions, sum, pulse);
  }
  std::size_t n_active(std::size_t q) const { return static_cast<std::size_t>(n_active_[q]); }
  /// The curvature of each row of a query, by row.
  void curvature_by_row(const Queries& queries, std::size_t q, std::span<double> out) {
    const auto view = sorted(queries, q, n_active(q));
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t p = 0; p < view.row.size(); ++p) out[static_cast<std::size_t>(view.row[p])] = view.curvature[p];
  }

 private:
  template <class T>
  static std::span<T> part(Room<T>& all, const Queries& queries, std::size_t q) {
    return all.all().subspan(queries.begin(q), queries.size(q));
  }
  Sorted<N> sorted(const Queries& queries, std::size_t q, std::size_t n) {
    auto front = [&](auto& all) { return part(all, queries, q).first(n); };
    Sorted<N> view{front(memory->row), front(memory->level), {}, {}, front(memory->curvature)};
    for (std::size_t r = 0; r < N; ++r) {
      view.lowest_loser[r] = front(memory->lowest_loser[r]);
      view.end_winner[r] = front(memory->end_winner[r]);
    }
    return view;
  }

  Ramps<N> ramps_;
  std::vector<Index> n_levels_, n_active_;
};

}  // namespace rankine
