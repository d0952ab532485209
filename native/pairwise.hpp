// The pairwise objective of a data set at one point: value, gradient, Hessian products, and its restriction to a line.
//
// Each is one fused pass: for each query the scores, then the loss, then the transposed product while its rows are hot
// and the rows of the next query are fetched. Blocks of whole queries are summed in a fixed order, so no result depends
// on the number of threads.
#pragma once
#include <memory>

#include "blocks.hpp"
#include "hessian.hpp"
#include "shelf.hpp"
#include "sweep.hpp"

namespace rankine {

struct Curve {
  double value, slope, curvature;
};

/// What a thread needs while it works on queries.
struct PassScratch {
  Scratch sweep;
  std::vector<double> score, slope;  // of one query
  HessianScratch<float> single;
  HessianScratch<double> full;

  HessianScratch<float>& hessian(float) { return single; }
  HessianScratch<double>& hessian(double) { return full; }
};

/// Memory that calls about the same queries use one after the other.
struct Workspace {
  Shelf<Slab> points, sums;
  Shelf<PassScratch> scratch;
};
inline std::shared_ptr<Workspace> workspace_of(const Queries& queries) {
  return queries.workspace ? queries.workspace : std::make_shared<Workspace>();
}

/// Scores, order, windows and curvature of all rows. Knows nothing of features.
template <class Loss>
class SweptScores {
 public:
  static constexpr std::size_t N = Loss::ramps.size();
  std::span<double> score;  // by row

  SweptScores(std::shared_ptr<Workspace> workspace, std::size_t n_rows)
      : workspace_(std::move(workspace)), slab_(workspace_->points) {
    slab_->reset(n_rows * (3 * sizeof(double) + (1 + 2 * N) * sizeof(Index)) + 64 * (4 + 2 * N));
    score = slab_->cut<double>(n_rows);
    sorted_score_ = slab_->cut<double>(n_rows);
    curvature_ = slab_->cut<double>(n_rows);
    row_ = slab_->cut<Index>(n_rows);
    for (std::size_t r = 0; r < N; ++r) {
      lowest_loser_[r] = slab_->cut<Index>(n_rows);
      end_winner_[r] = slab_->cut<Index>(n_rows);
    }
  }
  double evaluate(const Queries& queries, std::size_t q, std::span<double> slope, Scratch& scratch) const {
    return rankine::evaluate<Loss>(queries, q, score.subspan(queries.begin(q), queries.size(q)), sorted(queries, q),
                                   slope, curvature(queries, q), scratch);
  }
  void product(const Queries& queries, std::size_t q, std::span<const double> v, std::span<double> out,
               Scratch& scratch) const {
    rankine::product<Loss>(queries, q, sorted(queries, q), curvature(queries, q), v, out, scratch);
  }
  /// The curvature of each row of a query, by row.
  void curvature_by_row(const Queries& queries, std::size_t q, std::span<double> out) const {
    const auto view = sorted(queries, q);
    const auto by_position = curvature(queries, q);
    for (std::size_t p = 0; p < out.size(); ++p) out[static_cast<std::size_t>(view.row[p])] = by_position[p];
  }
  std::span<double> curvature(const Queries& queries, std::size_t q) const {
    return curvature_.subspan(queries.begin(q), queries.size(q));
  }
  Sorted<N> sorted(const Queries& queries, std::size_t q) const {
    const std::size_t begin = queries.begin(q), n = queries.size(q);
    Sorted<N> view{row_.subspan(begin, n), sorted_score_.subspan(begin, n), {}, {}};
    for (std::size_t r = 0; r < N; ++r) {
      view.lowest_loser[r] = lowest_loser_[r].subspan(begin, n);
      view.end_winner[r] = end_winner_[r].subspan(begin, n);
    }
    return view;
  }

 private:
  std::shared_ptr<Workspace> workspace_;
  Shelf<Slab>::Lease slab_;
  std::span<double> sorted_score_, curvature_;
  std::span<Index> row_;
  std::array<std::span<Index>, N> lowest_loser_, end_winner_;
};

/// What sum_over_queries calls before the first and after the last query of a block.
struct NoEnds {
  void begin(PassScratch&) const {}
  void end(std::span<double>, PassScratch&) const {}
};

/// Runs visit(query, partial sum, scratch, pulse) over all queries; returns the sum of the partial sums, block by
/// block. The number of blocks depends on the data alone: enough to share, few enough that their sums cost little.
template <class Visit, class Ends = NoEnds>
void sum_over_queries(const Queries& queries, Workspace& workspace, const Workers& workers, std::span<double> total,
                      Visit visit, Ends ends = {}) {
  const std::size_t work = std::max<std::size_t>(queries.n_rows() / 256, 1);
  const std::size_t room = std::max<std::size_t>((std::size_t{1} << 20) / std::max<std::size_t>(total.size(), 1), 8);
  const auto cut = query_blocks(queries.query_ptr, std::min({work, room, std::size_t{64}}));
  const std::size_t n_blocks = cut.size() - 1, stride = total.size() + 8;  // no line of the cache has two writers
  Shelf<Slab>::Lease memory(workspace.sums);
  memory->reset(n_blocks * stride * sizeof(double) + 64);
  const auto partial = memory->cut<double>(n_blocks * stride);
  parallel_blocks(n_blocks, workers, [&](std::size_t b, const Pulse& pulse) {
    const auto sum = partial.subspan(b * stride, total.size());
    std::fill(sum.begin(), sum.end(), 0.0);
    Shelf<PassScratch>::Lease scratch(workspace.scratch);
    ends.begin(*scratch);
    std::size_t n_rows = 0;
    for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) {
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
    for (std::size_t j = 0; j < total.size(); ++j) total[j] += partial[b * stride + j];
}

/// The loss over all pairs, at the weights w.
template <class Loss>
class PairwisePoint {
 public:
  std::vector<double> gradient;
  double value = 0.0;

  PairwisePoint(const AnyRows& rows, const Queries& queries, std::span<const double> w, const Workers& workers)
      : gradient(w.size()), workspace_(workspace_of(queries)), swept_(workspace_, queries.n_rows()) {
    std::vector<double> values(queries.n_queries());
    pass(rows, queries, gradient, workers,
         [&](const auto& x, std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
           const std::size_t begin = queries.begin(q), n = queries.size(q);
           scratch.slope.resize(n);
           score_rows(x, begin, w, swept_.score.subspan(begin, n), pulse, Turn::first);
           values[q] = swept_.evaluate(queries, q, scratch.slope, scratch.sweep);
           add_rows(x, begin, scratch.slope, sum, pulse, Turn::second);
         });
    for (const double v : values) value += v;
  }
  std::span<const double> score() const { return swept_.score; }

  void product(const AnyRows& rows, const Queries& queries, std::span<const double> v, std::span<double> out,
               const Workers& workers) const {
    pass(rows, queries, out, workers,
         [&](const auto& x, std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
           const std::size_t begin = queries.begin(q), n = queries.size(q);
           scratch.score.resize(n);
           scratch.slope.resize(n);
           score_rows(x, begin, v, scratch.score, pulse, Turn::first);
           swept_.product(queries, q, scratch.score, scratch.slope, scratch.sweep);
           add_rows(x, begin, scratch.slope, sum, pulse, Turn::second);
         });
  }

  /// Sum over rows of curvature_i * x_ij^2: twice this bounds the diagonal of the Hessian, and it preconditions well.
  void diagonal(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers) const {
    pass(rows, queries, out, workers,
         [&](const auto& x, std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
           scratch.slope.resize(queries.size(q));
           swept_.curvature_by_row(queries, q, scratch.slope);
           add_squares(x, queries.begin(q), scratch.slope, sum, pulse);
         });
  }

  /// The Hessian as a matrix, n_features x n_features, with sums of a few hundred rows in Real.
  template <class Real>
  void hessian(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers) const {
    struct Ends {
      std::size_t n_features, stride;
      void begin(PassScratch& scratch) const { scratch.hessian(Real{}).start(n_features, stride); }
      void end(std::span<double> sum, PassScratch& scratch) const {
        hessian_kernels<Real>().flush(scratch.hessian(Real{}).panels, sum.data());
      }
    };
    if (gradient.empty()) return;
    const std::size_t n = gradient.size(), padding = hessian_kernels<Real>().padding;
    const std::size_t stride = (n + padding - 1) / padding * padding;
    std::vector<double> padded(stride * stride);
    std::visit(
        [&](const auto& x) {
          sum_over_queries(
              queries, *workspace_, workers, padded,
              [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
                add_hessian<Loss>(x, queries, q, swept_.sorted(queries, q), swept_.curvature(queries, q),
                                  scratch.hessian(Real{}), sum, pulse);
              },
              Ends{n, stride});
        },
        rows);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) out[i * n + j] = out[j * n + i] = padded[i * stride + j];
  }

 private:
  /// sum_over_queries with visit(rows of their true type, …).
  template <class Visit>
  void pass(const AnyRows& rows, const Queries& queries, std::span<double> out, const Workers& workers,
            Visit visit) const {
    std::visit(
        [&](const auto& x) {
          sum_over_queries(queries, *workspace_, workers, out,
                           [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse& pulse) {
                             visit(x, q, sum, scratch, pulse);
                           });
        },
        rows);
  }

  std::shared_ptr<Workspace> workspace_;
  SweptScores<Loss> swept_;
};

/// The loss at scores + t * direction, with its first two derivatives in t: no row of features is read.
template <class Loss>
Curve along(const Queries& queries, std::span<const double> score, std::span<const double> direction, double t,
            const Workers& workers) {
  const auto workspace = workspace_of(queries);
  const SweptScores<Loss> swept(workspace, queries.n_rows());
  std::vector<double> total(3);
  sum_over_queries(queries, *workspace, workers, total,
                   [&](std::size_t q, std::span<double> sum, PassScratch& scratch, const Pulse&) {
                     const std::size_t begin = queries.begin(q), n = queries.size(q);
                     const auto d = direction.subspan(begin, n);
                     scratch.slope.resize(n);
                     for (std::size_t i = 0; i < n; ++i) swept.score[begin + i] = score[begin + i] + t * d[i];
                     sum[0] += swept.evaluate(queries, q, scratch.slope, scratch.sweep);
                     for (std::size_t i = 0; i < n; ++i) sum[1] += scratch.slope[i] * d[i];
                     swept.product(queries, q, d, scratch.slope, scratch.sweep);
                     for (std::size_t i = 0; i < n; ++i) sum[2] += scratch.slope[i] * d[i];
                   });
  return {total[0], total[1], total[2]};
}

}  // namespace rankine
