// The kernels against listed pairs, under AddressSanitizer and UndefinedBehaviorSanitizer: random, tied, empty,
// single-level and many-level queries, dense and sparse rows, one thread and several.
#include <random>

#include "check.hpp"
#include "columns.hpp"
#include "content.hpp"
#include "pairwise.hpp"

using namespace rankine;

struct Problem {
  std::vector<Offset> query_ptr{0};
  std::vector<double> label, win, lose, value;
  std::vector<Index> level;
  std::size_t n_features;

  Problem(std::mt19937& random, std::size_t n_queries, std::size_t largest, int n_levels, std::size_t m)
      : n_features(m) {
    std::uniform_int_distribution<std::size_t> size(0, largest);
    std::uniform_int_distribution<int> grade(0, n_levels - 1), coarse(-3, 3);
    std::normal_distribution<double> normal;
    for (std::size_t q = 0; q < n_queries; ++q) {
      for (std::size_t i = size(random); i > 0; --i) {
        label.push_back(grade(random));
        win.push_back(0.25 * (4 + coarse(random)));
        lose.push_back(0.5 * (4 + coarse(random)));
        const bool twin = coarse(random) > 1 && i > 1 && !value.empty();  // the row before, again: tied scores
        for (std::size_t j = 0; j < n_features; ++j)
          value.push_back(twin ? value[value.size() - n_features] : coarse(random) < -1 ? 0.0 : normal(random));
      }
      query_ptr.push_back(static_cast<Offset>(label.size()));
    }
    level.resize(label.size());
    levels(label, query_ptr, level);
  }
  Queries queries(bool adjacent) const { return {query_ptr, level, win, lose, {}, adjacent}; }
};

/// Value, minus slope and curvature of one pair of margin m.
struct AtMargin {
  double loss, pull, curvature;
};
template <std::size_t N>
AtMargin at_margin(const Ramps<N>& ramps, double m) {
  AtMargin sum{0.0, 0.0, 0.0};
  for (const auto& [coef, edge, degree] : ramps) {
    const double r = std::max(0.0, edge - m);
    sum.loss += coef * r * r;
    sum.pull += 2 * coef * r;
    sum.curvature += r > 0 ? 2 * coef : 0.0;
  }
  return sum;
}
AtMargin at_margin(Logistic, double m) {
  const double e = std::exp(-std::abs(m));
  return {std::max(-m, 0.0) + std::log1p(e), (m > 0 ? e : 1.0) / (1 + e), e / ((1 + e) * (1 + e))};
}

template <class Kind>
void check_loss(const Kind& loss, const Problem& problem, const AnyRows& rows, bool adjacent, int n_threads) {
  const Queries queries = problem.queries(adjacent);
  check_query_ptr(queries.query_ptr, queries.n_rows());
  check_levels(queries);
  const std::size_t n_features = problem.n_features, m = n_features;
  std::vector<double> w(m), v(m);
  for (std::size_t j = 0; j < m; ++j) {
    w[j] = std::sin(static_cast<double>(j + 1)) / std::sqrt(static_cast<double>(m));
    v[j] = std::cos(static_cast<double>(3 * j));
  }
  const Workers workers{n_threads};
  PairwisePoint<Kind> point(loss, rows, queries, w, workers);
  std::vector<double> product(m), score(queries.n_rows()), direction(queries.n_rows());
  point.product(rows, queries, v, product, workers);
  scores(rows, w, score, workers);
  scores(rows, v, direction, workers);
  const double t = 0.37;
  const Curve curve = along(loss, queries, score, direction, t, workers);

  double value = 0.0, moved = 0.0, slope = 0.0, curvature = 0.0;
  std::vector<double> gradient(m), hessian_v(m);
  for (std::size_t q = 0; q < queries.n_queries(); ++q)
    for (std::size_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i)
      for (std::size_t j = queries.begin(q); j < queries.begin(q) + queries.size(q); ++j) {
        const Index above = problem.level[i] - problem.level[j];
        if (above <= 0 || (adjacent && above > 1)) continue;
        const double c = problem.win[i] * problem.lose[j], dv = direction[i] - direction[j];
        const double margin = score[i] - score[j];
        const AtMargin here = at_margin(loss, margin), there = at_margin(loss, margin + t * dv);
        value += c * here.loss;
        moved += c * there.loss;
        slope -= c * there.pull * dv;
        curvature += c * there.curvature * dv * dv;
        for (std::size_t k = 0; k < n_features; ++k) {
          const double d = problem.value[i * n_features + k] - problem.value[j * n_features + k];
          gradient[k] -= c * here.pull * d;
          hessian_v[k] += c * here.curvature * dv * d;
        }
      }
  check(near(point.value, value), "value");
  check(near(curve.value, moved), "value along a line");
  check(near(curve.slope, slope), "slope along a line");
  check(near(curve.curvature, curvature), "curvature along a line");
  for (std::size_t k = 0; k < m; ++k) check(near(point.gradient[k], gradient[k]), "gradient");
  std::vector<double> diagonal(m);
  point.diagonal(rows, queries, diagonal, workers);
  for (std::size_t k = 0; k < m; ++k) check(near(product[k], hessian_v[k]), "Hessian product");
  std::vector<double> hessian(m * m), single(m * m), unit(m), column(m);
  point.template hessian<double>(rows, queries, hessian, workers);
  point.template hessian<float>(rows, queries, single, workers);
  double largest = 0.0;
  for (const double h : hessian) largest = std::max(largest, std::abs(h));
  for (std::size_t k = 0; k < m; ++k) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[k] = 1.0;
    point.product(rows, queries, unit, column, workers);
    for (std::size_t j = 0; j < m; ++j) {
      check(std::abs(hessian[k * m + j] - column[j]) <= 1e-9 * (1 + largest), "a column of the Hessian");
      check(std::abs(single[k * m + j] - column[j]) <= 1e-5 * (1 + largest), "a column of the Hessian in single");
    }
  }
}

int main() {
  std::mt19937 random(1);
  std::size_t turn = 0;
  for (const int n_levels : {1, 2, 5, 12, 13, 60})
    for (const std::size_t n_queries : {1u, 3u, 40u}) {
      constexpr std::size_t n_features[] = {5, 1, 17, 0, 8, 50};
      const Problem problem(random, n_queries, n_queries == 1 ? 200 : 30, n_levels, n_features[turn++ % 6]);
      const std::size_t n = problem.label.size(), m = problem.n_features;
      std::vector<Offset> row_ptr{0};
      std::vector<Index> index;
      std::vector<double> stored;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < m; ++j)
          if (problem.value[i * m + j] != 0.0) {
            index.push_back(static_cast<Index>(j));
            stored.push_back(problem.value[i * m + j]);
          }
        row_ptr.push_back(static_cast<Offset>(index.size()));
      }
      const SparseRows<double> sparse{row_ptr, index, stored, n, m};
      sparse.check();
      const DenseRows<double> dense{problem.value, n, m};
      for (const bool adjacent : {false, true})
        for (const int n_threads : {1, 3}) {
          const Ramps<1> squared_hinge{Ramp{1.0, 1.0}};
          check_loss(squared_hinge, problem, dense, adjacent, n_threads);
          check_loss(squared_hinge, problem, sparse, adjacent, n_threads);
          check_loss(Ramps<2>{Ramp{4.0, 1.0}, Ramp{-4.0, 0.875}}, problem, dense, adjacent, n_threads);
          check_loss(Logistic{}, problem, dense, adjacent, n_threads);
          check_loss(Logistic{}, problem, sparse, adjacent, n_threads);
        }
      std::vector<double> mass(n_queries);
      pair_mass(problem.queries(false), mass);
      const ColumnStats a = column_stats(dense, {1}), b = column_stats(sparse, {2});
      for (std::size_t j = 0; j < m; ++j)
        check(n == 0 || (near(a.least[j], b.least[j]) && near(a.spread[j], b.spread[j])), "column statistics");
      check(first_not_finite(std::span<const double>(problem.value), {2}) == -1, "all finite");
      fingerprint(std::as_bytes(std::span<const double>(problem.value)), 1, {2});
    }
  std::vector<double> values(200'000, 1.0);
  values[170'001] = std::nan("");
  check(first_not_finite(std::span<const double>(values), {3}) == 170'001, "the NaN is found");
  bool thrown = false;
  try {
    parallel_blocks(100, {4}, [](std::size_t b) {
      if (b == 50) throw std::runtime_error("stop");
    });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  check(thrown, "an exception of a helper thread reaches the caller");
  std::puts("kernels: right, and clean under the sanitizers");
}
