// The pairwise objective of a data set at one point: value, gradient, Hessian products, and its restriction to a line.
//
// Over dense rows each is one fused pass: for each query the scores, then the loss, then the transposed product while
// its rows are hot. Sparse rows are read twice, the second time perhaps by column. Threads own blocks of whole queries;
// a query of more than rows_for_all_threads rows is worked on by all. All sums are cut by the data and added in a fixed
// order, so no bit of a result depends on the number of threads.
#pragma once
#include "listed.hpp"
#include "parallel.hpp"
#include "products.hpp"
#include "swept.hpp"

namespace rankine {

struct Curve {
  double value, slope, curvature;
};

/// Memory of one thread.
struct PassScratch {
  Scratch sweep;
  HessianScratch<float> single;
  HessianScratch<double> full;

  HessianScratch<float>& hessian(float) { return single; }
  HessianScratch<double>& hessian(double) { return full; }
};
struct PartialSums {
  Room<double> all;
};

/// What sum_over_queries calls before the first and after the last query of a block.
struct NoEnds {
  void begin(PassScratch&) const {}
  void end(std::span<double>, PassScratch&) const {}
};

/// Runs visit(query, partial sum, scratch, pulse) over the queries of at most `largest` rows, which one thread works
/// on; returns the sum of the partial sums, block by block. The number of blocks depends on the data alone: enough to
/// share, few enough that their sums cost little.
template <class Visit, class Ends = NoEnds>
void sum_over_queries(const Queries& queries, std::size_t largest, const Workers& workers, std::span<double> total,
                      Visit visit, Ends ends = {}) {
  const std::size_t work = std::max<std::size_t>(queries.n_rows() / 256, 1);
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 20) / std::max<std::size_t>(total.size(), 1), 8);
  const auto cut = query_blocks(queries.query_ptr, std::min({work, room, std::size_t{64}}));
  const std::size_t n_blocks = cut.size() - 1;
  const std::size_t stride = (total.size() + 7) / 8 * 8 + 8;  // no line of the cache has two writers
  const Lent<PartialSums> partial(queries.spares);
  const auto sums = partial->all.room(n_blocks * stride);
  parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
    const auto sum = sums.subspan(b * stride, total.size());
    std::fill(sum.begin(), sum.end(), 0.0);
    const Lent<PassScratch> scratch(queries.spares);
    ends.begin(*scratch);
    std::size_t n_rows = 0;
    for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) {
      if (queries.size(q) > largest) continue;
      visit(q, sum, *scratch, pulse);
      n_rows += queries.size(q);
      if (n_rows < 8192) continue;
      pulse();
      n_rows = 0;
    }
    ends.end(sum, *scratch);
  });
  std::fill(total.begin(), total.end(), 0.0);
  for (std::size_t b = 0; b < n_blocks; ++b)
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += sums[b * stride + j];
}

/// Calls visit(query) for the queries that all threads work on, one after the other.
template <class Visit>
void each_large_query(const Queries& queries, Visit visit) {
  for (std::size_t q = 0; q < queries.n_queries(); ++q)
    if (queries.size(q) > rows_for_all_threads) visit(q);
}

template <std::size_t N>
SweptScores<N> scores_under(const Ramps<N>& loss, const Queries& queries) {
  return {loss, queries};
}
inline ListedScores scores_under(Logistic, const Queries& queries) { return ListedScores(queries); }

/// The loss over all pairs, at the weights w.
template <class Loss>
class PairwisePoint {
 public:
  std::vector<double> gradient;
  double value = 0.0, shortfall = 0.0, mass = 0.0;  // as of Evaluated, over all queries

  PairwisePoint(const Loss& loss, const AnyRows& rows, const Queries& queries, std::span<const double> w,
                const Workers& workers)
      : gradient(w.size()), swept_(scores_under(loss, queries)) {
    std::vector<Evaluated> values(queries.n_queries());
    std::visit(
        [&](const auto& x) {
          auto sweep = [&](std::size_t q, std::span<const double> s, std::span<double> slope, Scratch& scratch,
                           const auto& team) { values[q] = swept_.evaluate(queries, q, s, slope, scratch, team); };
          pass(x, queries, w, swept_.memory->score.room(queries.n_rows()), false, gradient, workers, sweep);
        },
        rows);
    for (const Evaluated& of : values) value += of.value, shortfall += of.shortfall, mass += of.mass;
  }

  /// The scores X w.
  std::span<const double> score(const Queries& queries) const {
    return swept_.memory->score.all().first(queries.n_rows());
  }

  void product(const AnyRows& rows, const Queries& queries, std::span<const double> v, std::span<double> out,
               const Workers& workers) {
    std::visit(
        [&](const auto& x) {
          auto sweep = [&](std::size_t q, std::span<const double> s, std::span<double> slope, Scratch& scratch,
                           const auto& team) { swept_.product(queries, q, s, slope, scratch, team); };
          pass(x, queries, v, {}, true, out, workers, sweep);
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
    struct Ends {
      std::size_t n_features, stride;
      void begin(PassScratch& scratch) const { scratch.hessian(Real{}).start(n_features, stride); }
      void end(std::span<double> sum, PassScratch& scratch) const {
        hessian_kernels<Real>().flush(scratch.hessian(Real{}).panels, sum.data());
      }
    };
    const std::size_t n = gradient.size(), padding = hessian_kernels<Real>().padding;
    const std::size_t stride = (n + padding - 1) / padding * padding;
    std::vector<double> padded(stride * stride);
    std::visit(
        [&](const auto& x) {
          sum_over_queries(
              queries, queries.n_rows(), workers, padded,
              [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
                swept_.add_hessian(x, queries, q, scratch.hessian(Real{}), scratch.sweep, sum, pulse);
              },
              Ends{n, stride});
        },
        rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) out[i * n + j] = out[j * n + i] = padded[i * stride + j];
  }

 private:
  /// One pass over the rows: scores = X w, slopes by sweep(query, scores, slopes, scratch, team), out = X^T slopes.
  /// Rows that are not in `some` count as zeros; all rows are meant if it is empty. Dense rows are done query by query,
  /// and their scores are kept only if `scores` has room for them; queries whose pairs weigh nothing are passed over.
  template <class R, class Sweep>
  void pass(const R& x, const Queries& queries, std::span<const double> w, std::span<double> scores, bool active_only,
            std::span<double> out, const Workers& workers, Sweep sweep) {
    SweptMemory& memory = *swept_.memory;
    auto own = [&](std::size_t q, std::span<double> of_rows) {
      return of_rows.subspan(queries.begin(q), queries.size(q));
    };
    if constexpr (R::fused) {
      auto room_for = [&](std::size_t q, Scratch& scratch) {
        return scores.empty() ? scratch.rows.room(queries.size(q)) : own(q, scores);
      };
      sum_over_queries(queries, rows_for_all_threads, workers, out,
                       [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
                         const std::size_t begin = queries.begin(q), n = queries.size(q);
                         const auto s = room_for(q, scratch.sweep), slope = scratch.sweep.slope.room(n);
                         if (queries.is_idle(q)) {
                           std::fill(s.begin(), s.end(), 0.0);
                           return;
                         }
                         if (active_only && 4 * swept_.n_active(q) <= n) {
                           if (swept_.n_active(q) == 0) return;
                           for (const Index i : swept_.active(queries, q))
                             s[static_cast<std::size_t>(i)] = x.dot(begin + static_cast<std::size_t>(i), w);
                         } else {
                           score_rows(x, begin, w, s, pulse, Turn::first);
                         }
                         sweep(q, s, slope, scratch.sweep, Alone{pulse});
                         add_rows(x, begin, slope, sum, pulse, Turn::second);
                       });
      each_large_query(queries, [&](std::size_t q) {
        const auto s = room_for(q, memory.large), slope = memory.large.slope.room(queries.size(q));
        if (queries.is_idle(q)) {
          std::fill(s.begin(), s.end(), 0.0);
          return;
        }
        score_rows(x, queries.begin(q), queries.size(q), w, {}, s, workers);
        sweep(q, s, slope, memory.large, Together{workers});
        add_transposed(x, queries.begin(q), slope, out, workers);
      });
    } else {
      if (scores.empty()) scores = memory.along.room(queries.n_rows());
      const auto slopes = memory.slope.room(queries.n_rows());
      if (active_only) find_active(queries);
      const std::span<const Offset> some = active_only ? std::span<const Offset>(active_) : std::span<const Offset>{};
      score_rows(x, 0, x.n_rows, w, some, scores, workers);
      sum_over_queries(queries, rows_for_all_threads, workers, {},
                       [&](std::size_t q, std::span<double>, PassScratch& scratch, const Pulse& pulse) {
                         sweep(q, own(q, scores), own(q, slopes), scratch.sweep, Alone{pulse});
                       });
      each_large_query(
          queries, [&](std::size_t q) { sweep(q, own(q, scores), own(q, slopes), memory.large, Together{workers}); });
      transposed_product<false>(x, slopes, some, out, workers);
    }
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

  decltype(scores_under(Loss{}, std::declval<const Queries&>())) swept_;
  std::vector<Offset> active_;
  bool known_ = false;
};

/// The scores X v of all rows.
inline void scores(const AnyRows& rows, std::span<const double> v, std::span<double> out, const Workers& workers) {
  std::visit([&](const auto& x) { score_rows(x, 0, x.n_rows, v, {}, out, workers); }, rows);
}

/// The scores of the rows at these positions; throws if there is no such row.
inline void scores_of(const AnyRows& rows, std::span<const double> v, std::span<const Offset> which,
                      std::span<double> out, const Workers& workers) {
  for (const Offset i : which)
    if (i < 0 || static_cast<std::size_t>(i) >= n_rows(rows))
      throw std::invalid_argument("there is no row " + std::to_string(i));
  std::visit(
      [&](const auto& x) {
        const std::size_t n_blocks = std::min<std::size_t>(which.size() / 256 + 1, 256);
        parallel_blocks(n_blocks, workers, [&](std::size_t b) {
          const auto [first, last] = block_range(which.size(), n_blocks, b);
          for (std::size_t i = first; i < last; ++i) out[i] = x.dot(static_cast<std::size_t>(which[i]), v);
        });
      },
      rows);
}

/// The loss at scores + t * direction, with its first two derivatives in t: no row of features is read.
template <class Loss>
Curve along(const Loss& loss, const Queries& queries, std::span<const double> score, std::span<const double> direction,
            double t, const Workers& workers) {
  auto swept = scores_under(loss, queries);
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
    sum[0] += swept.evaluate(queries, q, moved, slope, scratch, team).value;
    sum[1] += along_d();
    swept.product(queries, q, d, slope, scratch, team);
    sum[2] += along_d();
  };
  std::vector<double> total(3);
  sum_over_queries(queries, rows_for_all_threads, workers, total,
                   [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
                     add(q, sum, scratch.sweep, Alone{pulse});
                   });
  each_large_query(queries, [&](std::size_t q) { add(q, total, swept.memory->large, Together{workers}); });
  return {total[0], total[1], total[2]};
}

}  // namespace rankine
