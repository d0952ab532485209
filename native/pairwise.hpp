// The pairwise objective of a data set at one point: value, gradient, Hessian products, and its restriction to a line.
//
// Each is one fused pass: for each query the scores, then the loss, then the transposed product while its rows are hot
// and the rows of the next query are fetched.
// Blocks of whole queries are summed in a fixed order, so no result depends on the number of threads.
#pragma once
#include <memory>
#include <optional>

#include "hessian.hpp"
#include "parallel.hpp"
#include "products.hpp"
#include "sweep.hpp"

namespace rankine {

struct Curve {
  double value, slope, curvature;
};

/// What is kept of all queries at given scores: the notes of SweptScores, and vectors by row.
struct SweptMemory {
  Room<Index> row, level, lowest_loser[2], end_winner[2];
  Room<double> curvature, score, along, slope;
  Scratch large;  // of queries that all threads work on
};

/// Order, windows and curvature of all queries at given scores. Knows nothing of rows of features.
template <class Loss>
class SweptScores {
 public:
  static constexpr std::size_t N = Loss::ramps.size();
  Lent<SweptMemory> memory;

  explicit SweptScores(const Queries& queries)
      : memory(queries.spares), n_levels_(queries.n_queries()), n_active_(queries.n_queries()) {
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
  double evaluate(const Queries& queries, std::size_t q, std::span<const double> score, std::span<double> slope,
                  Scratch& scratch, const Team& team) {
    const Evaluated all =
        rankine::evaluate<Loss>(queries, q, score, sorted(queries, q, score.size()), slope, scratch, team);
    n_levels_[q] = static_cast<Index>(all.n_levels);
    n_active_[q] = static_cast<Index>(all.n_active);
    return all.value;
  }
  template <class Team>
  void product(const Queries& queries, std::size_t q, std::span<const double> v, std::span<double> out,
               Scratch& scratch, const Team& team) {
    if (n_active(q) < out.size()) std::fill(out.begin(), out.end(), 0.0);
    rankine::product<Loss>(queries, q, static_cast<std::size_t>(n_levels_[q]), sorted(queries, q, n_active(q)), v, out,
                           scratch, team);
  }
  /// What evaluate left of a query.
  Sorted<N> view(const Queries& queries, std::size_t q) { return sorted(queries, q, n_active(q)); }
  /// The rows of a query that may be in an active pair: in the order of their scores, counted within the query.
  std::span<const Index> active(const Queries& queries, std::size_t q) {
    return part(memory->row, queries, q).first(n_active(q));
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

  std::vector<Index> n_levels_, n_active_;
};

/// Runs visit(first query, last query, partial sum, pulse) over blocks of queries; returns the sum of the partial sums,
/// block by block. The number of blocks depends on the data alone: enough to share, few enough that their sums cost
/// little.
template <class Visit>
void sum_over_blocks(const Queries& queries, const Workers& workers, std::span<double> total, Visit visit) {
  const std::size_t work = std::max<std::size_t>(queries.n_rows() / 256, 1);
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 22) / std::max<std::size_t>(total.size(), 1), 2);
  const auto cut = query_blocks(queries.query_ptr, std::min({work, room, std::size_t{64}}));
  std::vector<std::vector<double>> partial(cut.size() - 1);
  parallel_blocks(cut.size() - 1, workers, [&](std::size_t b, const Pulse& pulse) {
    partial[b].assign(total.size(), 0.0);
    visit(cut[b], cut[b + 1], std::span<double>(partial[b]), pulse);
  });
  std::fill(total.begin(), total.end(), 0.0);
  for (const auto& part : partial)
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += part[j];
}

/// The same with visit(query, partial sum, scratch, pulse), for the queries that one thread works on.
template <class Visit>
void sum_over_queries(const Queries& queries, const Workers& workers, std::span<double> total, Visit visit) {
  sum_over_blocks(queries, workers, total,
                  [&](std::size_t first, std::size_t last, std::span<double> sum, const Pulse& pulse) {
                    const Lent<Scratch> scratch(queries.spares);
                    std::size_t n_rows = 0;
                    for (std::size_t q = first; q < last; ++q) {
                      if (queries.size(q) > rows_for_all_threads) continue;
                      visit(q, sum, *scratch, pulse);
                      n_rows += queries.size(q);
                      if (n_rows < 8192) continue;
                      pulse();
                      n_rows = 0;
                    }
                  });
}

/// Calls visit(query) for the queries that all threads work on, one after the other.
template <class Visit>
void each_large_query(const Queries& queries, Visit visit) {
  for (std::size_t q = 0; q < queries.n_queries(); ++q)
    if (queries.size(q) > rows_for_all_threads) visit(q);
}

/// The loss over all pairs, at the weights w.
template <class Loss>
class PairwisePoint {
 public:
  std::vector<double> gradient;
  double value = 0.0;

  PairwisePoint(const AnyRows& rows, const Queries& queries, std::span<const double> w, const Workers& workers)
      : gradient(w.size()), swept_(queries) {
    std::vector<double> values(queries.n_queries());
    std::visit(
        [&](const auto& x) {
          auto sweep = [&](std::size_t q, std::span<const double> s, std::span<double> slope, Scratch& scratch,
                           const auto& team) { values[q] = swept_.evaluate(queries, q, s, slope, scratch, team); };
          pass(x, queries, w, swept_.memory->score.room(queries.n_rows()), {}, gradient, workers, sweep);
        },
        rows);
    for (const double v : values) value += v;
  }

  /// The scores X w.
  std::span<const double> score(const Queries& queries) const {
    return swept_.memory->score.all().first(queries.n_rows());
  }

  void product(const AnyRows& rows, const Queries& queries, std::span<const double> v, std::span<double> out,
               const Workers& workers) {
    find_active(queries);
    std::visit(
        [&](const auto& x) {
          auto sweep = [&](std::size_t q, std::span<const double> s, std::span<double> slope, Scratch& scratch,
                           const auto& team) { swept_.product(queries, q, s, slope, scratch, team); };
          pass(x, queries, v, swept_.memory->along.room(queries.n_rows()), active_, out, workers, sweep);
        },
        rows);
  }

  /// Sum over rows of curvature_i * x_ij^2: twice this bounds the diagonal of the Hessian, and it preconditions well.
  void diagonal(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers) {
    const auto curvature = swept_.memory->slope.room(queries.n_rows());
    parallel_blocks(queries.n_queries(), workers, [&](std::size_t q) {
      swept_.curvature_by_row(queries, q, curvature.subspan(queries.begin(q), queries.size(q)));
    });
    std::visit([&](const auto& x) { sum_squares(x, curvature, out, workers); }, rows);
  }

  /// The Hessian as a matrix, n_features x n_features, with sums of a few hundred rows in Real.
  template <class Real>
  void hessian(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers) {
    if (gradient.empty()) return;
    const std::size_t n = gradient.size(), padding = hessian_kernels<Real>().padding;
    const std::size_t stride = (n + padding - 1) / padding * padding;
    std::vector<double> padded(stride * stride);
    std::visit(
        [&](const auto& x) {
          sum_over_blocks(queries, workers, padded,
                          [&](std::size_t first, std::size_t last, std::span<double> sum, const Pulse& pulse) {
                            const Lent<HessianScratch<Real>> scratch(queries.spares);
                            scratch->start(n, stride);
                            for (std::size_t q = first; q < last; ++q)
                              add_hessian<Loss>(x, queries, q, swept_.view(queries, q), *scratch, sum, pulse);
                            hessian_kernels<Real>().flush(scratch->panels, sum.data());
                          });
        },
        rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) out[i * n + j] = out[j * n + i] = padded[i * stride + j];
  }

 private:
  /// One pass over the rows: scores = X w, slopes by sweep(query, scores, slopes, scratch, team), out = X^T slopes.
  /// Rows that are not in `some` count as zeros; all rows are meant if it is empty.
  template <class R, class Sweep>
  void pass(const R& x, const Queries& queries, std::span<const double> w, std::span<double> scores,
            std::span<const Offset> some, std::span<double> out, const Workers& workers, Sweep sweep) {
    const std::span<double> slopes = swept_.memory->slope.room(queries.n_rows());
    const Together all{workers};
    auto own = [&](std::size_t q, std::span<double> of_rows) {
      return of_rows.subspan(queries.begin(q), queries.size(q));
    };
    if constexpr (R::fused) {
      sum_over_queries(queries, workers, out,
                       [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse& pulse) {
                         const std::size_t begin = queries.begin(q);
                         const auto s = own(q, scores), slope = own(q, slopes);
                         score_rows(x, begin, w, s, pulse, Turn::first);
                         sweep(q, s, slope, scratch, Alone{pulse});
                         add_rows(x, begin, slope, sum, pulse, Turn::second);
                       });
    } else {
      score_rows(x, 0, x.n_rows, w, some, scores, workers);
      sum_over_queries(queries, workers, {},
                       [&](std::size_t q, std::span<double>, Scratch& scratch, const Pulse& pulse) {
                         sweep(q, own(q, scores), own(q, slopes), scratch, Alone{pulse});
                       });
    }
    each_large_query(queries, [&](std::size_t q) {
      if constexpr (R::fused) score_rows(x, queries.begin(q), queries.size(q), w, {}, scores, workers);
      sweep(q, own(q, scores), own(q, slopes), swept_.memory->large, all);
      if constexpr (R::fused) add_transposed(x, queries.begin(q), own(q, slopes), out, workers);
    });
    if constexpr (!R::fused) transposed_product<false>(x, slopes, some, out, workers);
  }

  /// The rows in active pairs, when they are so few that a product is worth doing for them alone.
  void find_active(const Queries& queries) {
    if (known_) return;
    known_ = true;
    std::size_t n = 0;
    for (std::size_t q = 0; q < queries.n_queries(); ++q) n += swept_.n_active(q);
    if (4 * n > queries.n_rows()) return;
    std::vector<unsigned char> is_active(queries.n_rows(), 0);
    for (std::size_t q = 0; q < queries.n_queries(); ++q)
      for (const Index i : swept_.active(queries, q)) is_active[queries.begin(q) + static_cast<std::size_t>(i)] = 1;
    active_.reserve(n);
    for (std::size_t i = 0; i < is_active.size(); ++i)
      if (is_active[i] != 0) active_.push_back(static_cast<Offset>(i));
  }

  SweptScores<Loss> swept_;
  std::vector<Offset> active_;
  bool known_ = false;
};

/// The scores X v of all rows.
inline void scores(const AnyRows& rows, std::span<const double> v, std::span<double> out, const Workers& workers) {
  std::visit([&](const auto& x) { score_rows(x, 0, x.n_rows, v, {}, out, workers); }, rows);
}

/// The loss at scores + t * direction, with its first two derivatives in t: no row of features is read.
template <class Loss>
Curve along(const Queries& queries, std::span<const double> score, std::span<const double> direction, double t,
            const Workers& workers) {
  SweptScores<Loss> swept(queries);
  auto add = [&](std::size_t q, std::span<double> sum, Scratch& scratch, const auto& team) {
    const std::size_t begin = queries.begin(q), n = queries.size(q);
    const auto d = direction.subspan(begin, n), s = score.subspan(begin, n);
    const auto moved = scratch.rows.room(n), slope = scratch.slope.room(n);
    each_block(team, n, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) moved[i] = s[i] + t * d[i];
    });
    auto along_d = [&] {
      return sum_blocks(team, n, [&](std::size_t from, std::size_t to) {
        double dot = 0.0;
        for (std::size_t i = from; i < to; ++i) dot += slope[i] * d[i];
        return dot;
      });
    };
    sum[0] += swept.evaluate(queries, q, moved, slope, scratch, team);
    sum[1] += along_d();
    swept.product(queries, q, d, slope, scratch, team);
    sum[2] += along_d();
  };
  std::vector<double> total(3);
  sum_over_queries(queries, workers, total,
                   [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse& pulse) {
                     add(q, sum, scratch, Alone{pulse});
                   });
  each_large_query(queries, [&](std::size_t q) { add(q, total, swept.memory->large, Together{workers}); });
  return {total[0], total[1], total[2]};
}

}  // namespace rankine
