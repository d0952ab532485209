// The sweeps of one query against listed pairs and against each other: every counter, weights and adjacent pairs, tied,
// huge and tiny scores, one level and as many as rows; a query that all threads work on, with the same bits for any
// number of them; sparse products by column and by row.
#include <cstring>
#include <random>

#include "check.hpp"
#include "pairwise.hpp"

using namespace rankine;

struct Query {
  std::vector<Offset> query_ptr;
  std::vector<Index> level;
  std::vector<double> score, v, win, lose;

  Query(std::mt19937& random, std::size_t n, int n_levels, int tied, double scale) : query_ptr{0, Offset(n)}, level(n) {
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> grade(0, n_levels - 1), few(0, 3);
    std::vector<double> label;
    for (std::size_t i = 0; i < n; ++i) {
      label.push_back(grade(random));
      const double s = normal(random);
      score.push_back(scale * (tied == 0 ? s : tied == 1 ? 0.5 * std::round(2.0 * s) : 0.25));
      v.push_back(1e3 + normal(random));
      win.push_back(0.5 * few(random));  // some weigh nothing
      lose.push_back(0.25 * few(random));
    }
    levels(label, query_ptr, level);
  }
  Queries queries(bool weighted, bool adjacent, Counting counting) const {
    Queries q{query_ptr, level, {}, {}, adjacent, counting};
    if (weighted) q.win = win, q.lose = lose;
    return q;
  }
};

struct Found {
  double value;
  std::vector<double> slope, product, curvature;
};

template <class Loss>
Found sweep(const Query& data, const Queries& queries, const std::vector<double>& v, int n_threads) {
  const std::size_t n = data.score.size();
  Found found{0.0, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  SweptScores<Loss> swept(queries);
  Scratch scratch;
  auto run = [&](const auto& team) {
    found.value = swept.evaluate(queries, 0, data.score, found.slope, scratch, team);
    swept.product(queries, 0, v, found.product, scratch, team);
    swept.curvature_by_row(queries, 0, found.curvature);
  };
  const Workers workers{n_threads};
  const std::atomic<bool> stopped{false};
  const Pulse pulse(workers, stopped, true);
  if (n > rows_for_all_threads)
    run(Together{workers});
  else
    run(Alone{pulse});
  return found;
}

double greatest(const std::vector<double>& x) {
  double most = 0.0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}
bool close(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-9) {
  const double most = std::max(greatest(a), greatest(b));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * (1e-300 + most))) return false;
  return true;
}

/// Pairs are active by the rule of the sweeps: centred scores, s_i < s_j + edge.
template <class Loss>
Found listed(const Query& data, const Queries& queries, const std::vector<double>& v) {
  const std::size_t n = data.score.size();
  Found found{0.0, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  double mean = 0.0;
  for (const double s : data.score) mean += s / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const Index above = data.level[i] - data.level[j];
      if (above <= 0 || (queries.adjacent && above > 1)) continue;
      const double c = queries.win.empty() ? 1.0 : data.win[i] * data.lose[j];
      const double si = data.score[i] - mean, sj = data.score[j] - mean;
      for (const auto& [coef, edge] : Loss::ramps) {
        if (!(si < sj + edge)) continue;
        const double r = edge - (si - sj), h = 2 * c * coef;
        found.value += c * coef * r * r;
        found.slope[i] -= h * r;
        found.slope[j] += h * r;
        found.curvature[i] += h;
        found.curvature[j] += h;
        found.product[i] += h * (v[i] - v[j]);
        found.product[j] += h * (v[j] - v[i]);
      }
    }
  return found;
}

template <class Loss>
void against_listed(const Query& data, bool weighted, bool adjacent) {
  const Queries reference = data.queries(weighted, adjacent, Counting::automatic);
  const Found want = listed<Loss>(data, reference, data.v);
  for (const auto& [name, counting] : countings) {
    const Queries queries = data.queries(weighted, adjacent, counting);
    const Found got = sweep<Loss>(data, queries, data.v, 1);
    check(near(got.value, want.value), "value of a query");
    check(close(got.slope, want.slope), "slopes of a query");
    check(close(got.curvature, want.curvature), "curvature of a query");
    check(close(got.product, want.product, 1e-8), "Hessian product of a query");
    double sum = 0.0, there = 0.0, back = 0.0;
    for (const double g : got.slope) sum += g;
    check(std::abs(sum) <= 1e-11 * (1e-300 + greatest(got.slope)) * static_cast<double>(got.slope.size()),
          "slopes sum to zero");
    const Found other = sweep<Loss>(data, queries, data.score, 1);
    double size = 0.0;
    for (std::size_t i = 0; i < data.v.size(); ++i) {
      const double u = data.v[i] - data.v[0];  // v without the offset that the Hessian does not see
      there += u * other.product[i];
      back += data.score[i] * got.product[i];
      size += std::abs(u * other.product[i]) + std::abs(data.score[i] * got.product[i]);
    }
    check(std::abs(there - back) <= 1e-10 * size, "the Hessian is symmetric");
  }
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

/// A query of 10^5 rows and more: the same bits on any number of threads, and what a Fenwick tree alone finds.
void large(std::mt19937& random, std::size_t n, int n_levels, int tied, bool weighted, bool adjacent) {
  const Query data(random, n, n_levels, tied, 1.0);
  const Queries queries = data.queries(weighted, adjacent, Counting::automatic);
  const Found one = sweep<ModifiedHuber>(data, queries, data.v, 1);
  for (const int n_threads : {2, 3, 7}) {
    const Found more = sweep<ModifiedHuber>(data, queries, data.v, n_threads);
    check(std::memcmp(&one.value, &more.value, sizeof(double)) == 0 && same_bits(one.slope, more.slope) &&
              same_bits(one.product, more.product) && same_bits(one.curvature, more.curvature),
          "the same bits for any number of threads");
  }
  const Found tree = sweep<ModifiedHuber>(data, data.queries(weighted, adjacent, Counting::fenwick), data.v, 2);
  check(near(one.value, tree.value) && close(one.slope, tree.slope) && close(one.curvature, tree.curvature) &&
            close(one.product, tree.product, 1e-8),
        "a large query, as a Fenwick tree has it");
}

/// Products of sparse rows, by column and by row, all of them and few, against listed values.
void sparse(std::mt19937& random, std::size_t n_rows, std::size_t n_features, std::size_t per_row, bool by_column) {
  std::uniform_int_distribution<Index> column(0, static_cast<Index>(n_features) / 2);  // the others never occur
  std::normal_distribution<float> normal;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> index;
  std::vector<float> value;
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t k = 0; k < (i * 7) % (2 * per_row + 1); ++k) {
      index.push_back(column(random));
      value.push_back(normal(random));
    }
    row_ptr.push_back(static_cast<Offset>(index.size()));
  }
  const SparseRows<float> x{row_ptr, index, value, n_rows, n_features};
  x.columns->asked = !by_column;
  std::vector<double> scale(n_rows, 0.0);
  std::vector<Offset> some;
  for (std::size_t i = 0; i < n_rows; i += 9) {
    some.push_back(static_cast<Offset>(i));
    scale[i] = static_cast<double>(normal(random));
  }
  std::vector<double> want(n_features, 0.0), squares(n_features, 0.0), got(n_features), first(n_features);
  for (std::size_t i = 0; i < n_rows; ++i) {
    x.each(i, [&](std::size_t j, double v) {
      want[j] += scale[i] * v;
      squares[j] += scale[i] * v * v;
    });
  }
  for (const bool few : {false, true})
    for (const int n_threads : {1, 2, 3, 7}) {
      const std::span<const Offset> which = few ? std::span<const Offset>(some) : std::span<const Offset>{};
      transposed_product<false>(x, scale, which, got, {n_threads});
      check(close(got, want), "transposed product");
      if (n_threads == 1) first = got;
      check(same_bits(first, got), "the same bits of a transposed product");
      transposed_product<true>(x, scale, which, got, {n_threads});
      check(close(got, squares), "transposed product of squares");
    }
}

int main() {
  std::mt19937 random(3);
  for (const std::size_t n : {1u, 2u, 7u, 150u, 700u})
    for (const int n_levels : {1, 2, 3, 5, 8, 9, 16, 17, 300, 5000})
      for (const int tied : {0, 1, 2})
        for (const double scale : {1.0, 1e-9, 1e6}) {
          if ((scale != 1.0 && tied == 2) || (n == 700 && (scale != 1.0 || n_levels == 3))) continue;
          const Query data(random, n, n_levels, tied, scale);
          for (const bool weighted : {false, true})
            for (const bool adjacent : {false, true}) {
              against_listed<SquaredHinge>(data, weighted, adjacent);
              if (scale == 1.0) against_listed<ModifiedHuber>(data, weighted, adjacent);
            }
        }
  for (const int n_levels : {2, 5, 40, 1000, 1 << 20})
    for (const bool weighted : {false, true}) large(random, 100'000, n_levels, weighted ? 1 : 0, weighted, false);
  large(random, 150'001, 30, 0, true, true);
  large(random, 70'000, 2, 2, false, false);
  for (const bool by_column : {false, true}) {
    sparse(random, 3000, 40, 6, by_column);
    sparse(random, 500, 5000, 3, by_column);
    sparse(random, 0, 3, 1, by_column);
  }
  std::puts("sweeps: as listed pairs, and the same bits for any number of threads");
}
