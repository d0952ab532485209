// All queries at given scores under the logistic loss, which no sorting helps: every pair is visited, and none is kept.
// Time grows with the pairs, memory with the rows. The verbs are those of SweptScores.
//
// Rows are put in the order of their levels, so the losers of a row are neighbours; native/isa/logistic.hpp meets one
// winner with all of them. A query that all threads work on is cut by its winners, each part with sums of its own.
#pragma once
#include <numeric>

#include "swept.hpp"

namespace rankine {

class ListedScores {
 public:
  Lent<SweptMemory> memory;

  explicit ListedScores(const Queries& queries)
      : memory(queries.spares), n_levels_(queries.n_queries()), n_active_(queries.n_queries()) {
    const std::size_t n = queries.n_rows();
    memory->row.room(n);
    memory->level.room(n);
    memory->curvature.room(n);
    memory->at.room(n);
  }

  template <class Team>
  Evaluated evaluate(const Queries& queries, std::size_t q, std::span<const double> score, std::span<double> slope,
                     Scratch& scratch, const Team& team) {
    const std::size_t n = score.size();
    const auto centred = centre(score, scratch, team);
    n_levels_[q] = count_levels({queries.level.data() + queries.begin(q), n});
    n_active_[q] = n_levels_[q] < 2 ? 0 : n;
    if (n_active_[q] == 0) {
      std::fill(slope.begin(), slope.end(), 0.0);
      return {0.0, 0.0, 0.0, n_levels_[q], 0};
    }
    order_by_level(queries, q);
    const auto row = own(memory->row, queries, q);
    const auto at = own(memory->at, queries, q), curvature = own(memory->curvature, queries, q);
    for (std::size_t p = 0; p < n; ++p) at[p] = centred[static_cast<std::size_t>(row[p])];
    const LogisticTask task = gathered(queries, q, scratch);
    const auto sums = scratch.centred.room(2 * n + 2);  // by position: slopes, curvature; value and mass
    each_winner(queries, q, sums, team, [&](std::int64_t i, std::int64_t begin, std::int64_t end, double* to) {
      kernels().logistic.pairs(task, i, begin, end, to + 2 * n, to, to + n);
    });
    for (std::size_t p = 0; p < n; ++p) slope[static_cast<std::size_t>(row[p])] = sums[p];
    std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(n), n, curvature.begin());
    return {sums[2 * n], 0.0, sums[2 * n + 1], n_levels_[q], n};
  }

  template <class Team>
  void product(const Queries& queries, std::size_t q, std::span<const double> v, std::span<double> out,
               Scratch& scratch, const Team& team) {
    std::fill(out.begin(), out.end(), 0.0);
    if (n_active(q) == 0) return;
    const auto row = own(memory->row, queries, q);
    const auto value = scratch.score.room(v.size()), sums = scratch.centred.room(v.size());
    for (std::size_t p = 0; p < v.size(); ++p) value[p] = v[static_cast<std::size_t>(row[p])];
    const LogisticTask task = gathered(queries, q, scratch);
    each_winner(queries, q, sums, team, [&](std::int64_t i, std::int64_t begin, std::int64_t end, double* to) {
      kernels().logistic.product(task, i, begin, end, value.data(), to);
    });
    for (std::size_t p = 0; p < v.size(); ++p) out[static_cast<std::size_t>(row[p])] = sums[p];
  }

  std::size_t n_active(std::size_t q) const { return n_active_[q]; }
  std::span<const Index> active(const Queries& queries, std::size_t q) {
    return own(memory->row, queries, q).first(n_active(q));
  }

  void curvature_by_row(const Queries& queries, std::size_t q, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    const auto row = own(memory->row, queries, q);
    const auto curvature = own(memory->curvature, queries, q);
    for (std::size_t p = 0; p < n_active(q); ++p) out[static_cast<std::size_t>(row[p])] = curvature[p];
  }

  template <class R, class Real>
  void add_hessian(const R& x, const Queries& queries, std::size_t q, HessianScratch<Real>& scratch, Scratch& positions,
                   std::span<double> sum, const Pulse& pulse) {
    const std::size_t n = n_active(q), stride = scratch.panels.stride;
    if (n == 0) return;
    const LogisticTask task = gathered(queries, q, positions);
    const OrderedRows<Real> rows{.x = scratch.x.room(n * stride).data(),
                                 .y = scratch.y.room(n * stride).data(),
                                 .sums = nullptr,
                                 .order = own(memory->row, queries, q).data(),
                                 .level = task.level,
                                 .win = nullptr,
                                 .lose = nullptr,
                                 .curvature = own(memory->curvature, queries, q).data(),
                                 .n_rows = n,
                                 .stride = stride,
                                 .n_levels = n_levels_[q],
                                 .adjacent = queries.adjacent};
    fill_ordered(x, queries.begin(q), rows);
    each_winner(queries, q, {}, Alone{pulse}, [&](std::int64_t i, std::int64_t begin, std::int64_t end, double*) {
      const auto of = static_cast<std::int64_t>(stride);
      if constexpr (sizeof(Real) == sizeof(float))
        kernels().logistic.rows_float32(task, i, begin, end, rows.x, rows.y, of);
      else
        kernels().logistic.rows_float64(task, i, begin, end, rows.x, rows.y, of);
    });
    each_piece(n, stride * 8, pulse, [&](std::size_t from, std::size_t to) {
      hessian_kernels<Real>().add_product(scratch.panels, rows, from, to, sum.data());
    });
  }

 private:
  template <class T>
  static std::span<T> own(Room<T>& all, const Queries& queries, std::size_t q) {
    return all.all().subspan(queries.begin(q), queries.size(q));
  }

  /// Puts rows in the order of their levels, by counting.
  void order_by_level(const Queries& queries, std::size_t q) {
    const Index* const level = queries.level.data() + queries.begin(q);
    const auto row = own(memory->row, queries, q), by_position = own(memory->level, queries, q);
    std::vector<std::size_t> next(n_levels_[q] + 1);
    for (std::size_t i = 0; i < row.size(); ++i) ++next[static_cast<std::size_t>(level[i]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t p = next[static_cast<std::size_t>(level[i])]++;
      row[p] = static_cast<Index>(i);
      by_position[p] = level[i];
    }
  }

  /// Scores, levels and weights by position.
  LogisticTask gathered(const Queries& queries, std::size_t q, Scratch& scratch) {
    const auto row = own(memory->row, queries, q);
    auto gather = [&](std::span<const double> all, Room<double>& into) -> const double* {
      if (all.empty()) return nullptr;
      double* const out = into.room(row.size()).data();
      for (std::size_t p = 0; p < row.size(); ++p) out[p] = all[queries.begin(q) + static_cast<std::size_t>(row[p])];
      return out;
    };
    return {own(memory->at, queries, q).data(), own(memory->level, queries, q).data(), gather(queries.win, scratch.win),
            gather(queries.lose, scratch.lose), gather(queries.gain, scratch.win_gain)};
  }

  /// sums = the sum of add(winner, first loser, end of losers, sums of its part) over all winners.
  template <class Team, class Add>
  void each_winner(const Queries& queries, std::size_t q, std::span<double> sums, const Team& team, Add add) {
    const auto level = own(memory->level, queries, q);
    const std::size_t n_parts = Team::many ? 16 : 1;
    std::fill(sums.begin(), sums.end(), 0.0);
    std::vector<std::vector<double>> more(n_parts - 1);
    team.each(n_parts, [&](std::size_t part, const Pulse& pulse) {
      const auto [first, last] = block_range(level.size(), n_parts, part);
      double* to = sums.data();
      if (part > 0) {
        more[part - 1].assign(sums.size(), 0.0);
        to = more[part - 1].data();
      }
      std::ptrdiff_t begin = 0, end = 0;
      std::size_t n_pairs = 0;
      for (std::size_t p = first; p < last; ++p) {
        if (p == first || level[p] != level[p - 1]) {
          const auto before = level.begin() + static_cast<std::ptrdiff_t>(p);
          end = std::lower_bound(level.begin(), before, level[p]) - level.begin();
          begin = queries.adjacent ? std::lower_bound(level.begin(), before, level[p] - 1) - level.begin() : 0;
        }
        if (begin == end) continue;
        add(static_cast<std::int64_t>(p), begin, end, to);
        n_pairs += static_cast<std::size_t>(end - begin);
        if (n_pairs < (std::size_t{1} << 20)) continue;
        pulse();
        n_pairs = 0;
      }
    });
    for (const auto& part : more)
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  }

  std::vector<std::size_t> n_levels_, n_active_;
};

}  // namespace rankine
