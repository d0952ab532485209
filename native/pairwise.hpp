// The pairwise objective of a data set at one point: value, gradient, Hessian products, and its restriction to a line.
//
// Each is one fused pass: for each query the scores, then the loss, then the transposed product while its rows are hot.
// Blocks of whole queries are summed in a fixed order, so no result depends on the number of threads.
#pragma once
#include <memory>
#include <optional>

#include "parallel.hpp"
#include "sweep.hpp"

namespace rankine {

struct Curve {
  double value, slope, curvature;
};

/// Order, windows and slopes of all queries at given scores. Knows nothing of rows of features.
template <class Loss>
class SweptScores {
 public:
  static constexpr std::size_t N = Loss::ramps.size();

  explicit SweptScores(std::size_t n_rows) : row_(n_rows), score_(n_rows), curvature_(n_rows) {
    for (std::size_t r = 0; r < N; ++r) {
      lowest_loser_[r].resize(n_rows);
      end_winner_[r].resize(n_rows);
    }
  }
  double evaluate(const Queries& queries, std::size_t q, std::span<const double> score, std::span<double> slope,
                  Scratch& scratch) {
    return rankine::evaluate<Loss>(queries, q, score, sorted(queries, q), slope, curvature(queries, q), scratch);
  }
  void product(const Queries& queries, std::size_t q, std::span<const double> v, std::span<double> out,
               Scratch& scratch) {
    rankine::product<Loss>(queries, q, sorted(queries, q), curvature(queries, q), v, out, scratch);
  }
  /// The curvature of each row of a query, by row.
  void curvature_by_row(const Queries& queries, std::size_t q, std::span<double> out) {
    const auto view = sorted(queries, q);
    const auto by_position = curvature(queries, q);
    for (std::size_t p = 0; p < out.size(); ++p) out[static_cast<std::size_t>(view.row[p])] = by_position[p];
  }

 private:
  template <class T>
  static std::span<T> part(std::vector<T>& all, const Queries& queries, std::size_t q) {
    return std::span<T>(all).subspan(queries.begin(q), queries.size(q));
  }
  std::span<double> curvature(const Queries& queries, std::size_t q) { return part(curvature_, queries, q); }
  Sorted<N> sorted(const Queries& queries, std::size_t q) {
    Sorted<N> view{part(row_, queries, q), part(score_, queries, q), {}, {}};
    for (std::size_t r = 0; r < N; ++r) {
      view.lowest_loser[r] = part(lowest_loser_[r], queries, q);
      view.end_winner[r] = part(end_winner_[r], queries, q);
    }
    return view;
  }

  std::vector<Index> row_;
  std::vector<double> score_, curvature_;
  std::array<std::vector<Index>, N> lowest_loser_, end_winner_;
};

/// Calls each(row) for the rows of a query, and the pulse now and then: a query may have ten million rows.
template <class Each>
void each_row(std::size_t n, const Pulse& pulse, Each each) {
  constexpr std::size_t few = 8192;
  for (std::size_t begin = 0; begin < n; begin += few) {
    if (begin > 0) pulse();
    for (std::size_t i = begin; i < std::min(begin + few, n); ++i) each(i);
  }
}

/// Runs visit(query, partial sum, scratch, pulse) over all queries; returns the sum of the partial sums, block by
/// block. The number of blocks depends on the data alone: enough to share, few enough that their sums cost little.
template <class Visit>
void sum_over_queries(const Queries& queries, const Workers& workers, std::span<double> total, Visit visit) {
  const std::size_t work = std::max<std::size_t>(queries.n_rows() / 256, 1);
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 22) / std::max<std::size_t>(total.size(), 1), 2);
  const auto cut = query_blocks(queries.query_ptr, std::min({work, room, std::size_t{64}}));
  std::vector<std::vector<double>> partial(cut.size() - 1);
  parallel_blocks(cut.size() - 1, workers, [&](std::size_t b, const Pulse& pulse) {
    partial[b].assign(total.size(), 0.0);
    Scratch scratch;
    for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) visit(q, std::span<double>(partial[b]), scratch, pulse);
  });
  std::fill(total.begin(), total.end(), 0.0);
  for (const auto& part : partial)
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += part[j];
}

/// sum += X_q^T slope, for the rows of a query that begin at `begin`.
template <class R>
void add_rows(const R& x, std::size_t begin, std::span<const double> slope, std::span<double> sum, const Pulse& pulse) {
  each_row(slope.size(), pulse, [&](std::size_t i) {
    if (slope[i] != 0.0) x.add(begin + i, slope[i], sum);
  });
}

/// The loss over all pairs, at the weights w.
template <class Loss>
class PairwisePoint {
 public:
  std::vector<double> score, gradient;
  double value;

  PairwisePoint(const AnyRows& rows, const Queries& queries, std::span<const double> w, const Workers& workers)
      : score(queries.n_rows()), gradient(w.size()), swept_(queries.n_rows()) {
    std::vector<double> slope(queries.n_rows());
    std::vector<double> values(queries.n_queries());
    std::visit(
        [&](const auto& x) {
          sum_over_queries(queries, workers, gradient,
                           [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse& pulse) {
                             const std::size_t begin = queries.begin(q), n = queries.size(q);
                             each_row(n, pulse, [&](std::size_t i) { score[begin + i] = x.dot(begin + i, w); });
                             const auto part = std::span<double>(slope).subspan(begin, n);
                             values[q] = swept_.evaluate(queries, q, std::span<const double>(score).subspan(begin, n),
                                                         part, scratch);
                             add_rows(x, begin, part, sum, pulse);
                           });
        },
        rows);
    value = 0.0;
    for (const double v : values) value += v;
  }

  void product(const AnyRows& rows, const Queries& queries, std::span<const double> v, std::span<double> out,
               const Workers& workers) {
    std::visit(
        [&](const auto& x) {
          sum_over_queries(queries, workers, out,
                           [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse& pulse) {
                             const std::size_t begin = queries.begin(q), n = queries.size(q);
                             scratch.rows.resize(n);
                             scratch.slope.resize(n);
                             each_row(n, pulse, [&](std::size_t i) { scratch.rows[i] = x.dot(begin + i, v); });
                             swept_.product(queries, q, scratch.rows, scratch.slope, scratch);
                             add_rows(x, begin, scratch.slope, sum, pulse);
                           });
        },
        rows);
  }

  /// Sum over rows of curvature_i * x_ij^2: twice this bounds the diagonal of the Hessian, and it preconditions well.
  void diagonal(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers) {
    std::visit(
        [&](const auto& x) {
          sum_over_queries(queries, workers, out,
                           [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse& pulse) {
                             const std::size_t begin = queries.begin(q), n = queries.size(q);
                             scratch.rows.resize(n);
                             swept_.curvature_by_row(queries, q, scratch.rows);
                             each_row(n, pulse, [&](std::size_t i) {
                               if (scratch.rows[i] != 0.0) x.add_squares(begin + i, scratch.rows[i], sum);
                             });
                           });
        },
        rows);
  }

 private:
  SweptScores<Loss> swept_;
};

/// The scores X v of all rows.
inline void scores(const AnyRows& rows, std::span<const double> v, std::span<double> out, const Workers& workers) {
  std::visit(
      [&](const auto& x) {
        const std::size_t n_blocks = std::min<std::size_t>(x.n_rows / 256 + 1, 256);
        parallel_blocks(n_blocks, workers, [&](std::size_t b) {
          const auto [begin, end] = block_range(x.n_rows, n_blocks, b);
          for (std::size_t i = begin; i < end; ++i) out[i] = x.dot(i, v);
        });
      },
      rows);
}

/// The loss at scores + t * direction, with its first two derivatives in t: no row of features is read.
template <class Loss>
Curve along(const Queries& queries, std::span<const double> score, std::span<const double> direction, double t,
            const Workers& workers) {
  SweptScores<Loss> swept(queries.n_rows());
  std::vector<double> total(3);
  sum_over_queries(queries, workers, total, [&](std::size_t q, std::span<double> sum, Scratch& scratch, const Pulse&) {
    const std::size_t begin = queries.begin(q), n = queries.size(q);
    const auto d = direction.subspan(begin, n);
    scratch.rows.resize(n);
    scratch.slope.resize(n);
    for (std::size_t i = 0; i < n; ++i) scratch.rows[i] = score[begin + i] + t * d[i];
    sum[0] += swept.evaluate(queries, q, scratch.rows, scratch.slope, scratch);
    for (std::size_t i = 0; i < n; ++i) sum[1] += scratch.slope[i] * d[i];
    swept.product(queries, q, d, scratch.slope, scratch);
    for (std::size_t i = 0; i < n; ++i) sum[2] += scratch.slope[i] * d[i];
  });
  return {total[0], total[1], total[2]};
}

}  // namespace rankine
