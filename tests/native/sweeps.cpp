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
  std::vector<double> score, v, win, lose, gain;

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
    for (const Index l : level) gain.push_back(1e3 + std::sqrt(static_cast<double>(l)));
  }
  Queries queries(bool weighted, bool adjacent, Counting counting, bool with_gain = false) const {
    Queries q{query_ptr, level, {}, {}, {}, adjacent, counting};
    if (weighted) q.win = win, q.lose = lose;
    if (with_gain) q.gain = gain;
    return q;
  }
};

struct Found {
  double value, shortfall, mass;
  std::vector<double> slope, product, curvature;
};

template <class Kind>
Found sweep(const Kind& loss, const Query& data, const Queries& queries, const std::vector<double>& v, int n_threads) {
  const std::size_t n = data.score.size();
  Found found{0.0, 0.0, 0.0, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  auto swept = scores_under(loss, queries);
  Scratch scratch;
  auto run = [&](const auto& team) {
    const Evaluated all = swept.evaluate(queries, 0, data.score, found.slope, scratch, team);
    found.value = all.value, found.shortfall = all.shortfall, found.mass = all.mass;
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
bool close(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-9, double least = 1e-300) {
  const double most = std::max(greatest(a), greatest(b)) + least;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * most)) return false;
  return true;
}

/// One pair: the loss at the margin m, minus its slope, its curvature. It is active by the rule of the sweeps.
struct AtMargin {
  double loss, pull, curvature;
};
template <std::size_t N>
AtMargin at_margin(const Ramps<N>& ramps, double winner, double loser) {
  AtMargin sum{0.0, 0.0, 0.0};
  for (const auto& [coef, edge, degree] : ramps) {
    if (!(winner < loser + edge)) continue;
    const double r = edge - (winner - loser);
    sum.loss += degree == 1 ? coef * r : coef * r * r;
    sum.pull += degree == 1 ? coef : 2 * coef * r;
    sum.curvature += degree == 1 ? 0.0 : 2 * coef;
  }
  return sum;
}
AtMargin at_margin(Logistic, double winner, double loser) {
  const double m = winner - loser, e = std::exp(-std::abs(m));
  return {std::max(-m, 0.0) + std::log1p(e), (m > 0 ? e : 1.0) / (1 + e), e / ((1 + e) * (1 + e))};
}

template <class Kind>
Found listed(const Kind& loss, const Query& data, const Queries& queries, const std::vector<double>& v) {
  const std::size_t n = data.score.size();
  Found found{0.0, 0.0, 0.0, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  double mean = 0.0;
  for (const double s : data.score) mean += s / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n && data.level[i] > 0; ++j) {
      const Index above = data.level[i] - data.level[j];
      if (above <= 0 || (queries.adjacent && above > 1)) continue;
      const double c = (queries.win.empty() ? 1.0 : data.win[i] * data.lose[j]) *
                       (queries.gain.empty() ? 1.0 : data.gain[i] - data.gain[j]);
      const double si = data.score[i] - mean, sj = data.score[j] - mean;
      const AtMargin at = at_margin(loss, si, sj);
      found.value += c * at.loss;
      found.mass += c * at.pull;
      found.shortfall += c * (si < sj + 1.0 ? 1.0 - (si - sj) : 0.0);
      found.slope[i] -= c * at.pull;
      found.slope[j] += c * at.pull;
      found.curvature[i] += c * at.curvature;
      found.curvature[j] += c * at.curvature;
      found.product[i] += c * at.curvature * (v[i] - v[j]);
      found.product[j] += c * at.curvature * (v[j] - v[i]);
    }
  return found;
}

template <class Kind>
void against_listed(const Kind& loss, const Query& data, bool weighted, bool adjacent, bool gain) {
  const Found want = listed(loss, data, data.queries(weighted, adjacent, Counting::automatic, gain), data.v);
  constexpr bool is_logistic = std::is_same_v<Kind, Logistic>;
  for (const auto& [name, counting] : countings) {
    if (is_logistic && counting != Counting::automatic) continue;
    const Queries queries = data.queries(weighted, adjacent, counting, gain);
    const Found got = sweep(loss, data, queries, data.v, 1);
    check(near(got.value, want.value), "value of a query");
    check(near(got.mass, want.mass), "mass of a query");
    check(is_logistic || near(got.shortfall, want.shortfall), "shortfall of a query");
    const double least = gain ? 1e-3 : 1e-300;  // differences of gains cancel
    check(close(got.slope, want.slope, 1e-9, least), "slopes of a query");
    check(close(got.curvature, want.curvature, 1e-9, least), "curvature of a query");
    check(close(got.product, want.product, 1e-8, least), "Hessian product of a query");
    double sum = 0.0, there = 0.0, back = 0.0;
    for (const double g : got.slope) sum += g;
    check(std::abs(sum) <= 1e-11 * (least + greatest(got.slope)) * static_cast<double>(got.slope.size()),
          "slopes sum to zero");
    const Found other = sweep(loss, data, queries, data.score, 1);
    double size = 0.0;
    for (std::size_t i = 0; i < data.v.size(); ++i) {
      const double u = data.v[i] - data.v[0];  // v without the offset that the Hessian does not see
      there += u * other.product[i];
      back += data.score[i] * got.product[i];
      size += std::abs(u * other.product[i]) + std::abs(data.score[i] * got.product[i]);
    }
    check(std::abs(there - back) <= 1e-10 * (size + (gain ? least : 0.0)), "the Hessian is symmetric");
  }
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

template <class Kind>
void same_for_any_threads(const Kind& loss, const Query& data, const Queries& queries, const Found& one) {
  for (const int n_threads : {2, 3, 7}) {
    const Found more = sweep(loss, data, queries, data.v, n_threads);
    check(std::memcmp(&one.value, &more.value, sizeof(double)) == 0 && same_bits(one.slope, more.slope) &&
              same_bits(one.product, more.product) && same_bits(one.curvature, more.curvature),
          "the same bits for any number of threads");
  }
}

/// A query of 10^5 rows and more: the same bits on any number of threads, and what a Fenwick tree alone finds.
void large(std::mt19937& random, std::size_t n, int n_levels, int tied, bool weighted, bool adjacent, bool gain) {
  const auto loss = std::get<Ramps<2>>(loss_named("modified_huber", 0.0));
  const Query data(random, n, n_levels, tied, 1.0);
  const Queries queries = data.queries(weighted, adjacent, Counting::automatic, gain);
  const Found one = sweep(loss, data, queries, data.v, 1);
  same_for_any_threads(loss, data, queries, one);
  const Found tree = sweep(loss, data, data.queries(weighted, adjacent, Counting::fenwick, gain), data.v, 2);
  check(near(one.value, tree.value) && close(one.slope, tree.slope) && close(one.curvature, tree.curvature) &&
            close(one.product, tree.product, 1e-8),
        "a large query, as a Fenwick tree has it");
}

/// A large query of few winners under the logistic loss, whose pairs are all visited.
void large_logistic(std::mt19937& random) {
  Query data(random, rows_for_all_threads + 1, 2, 0, 1.0);
  for (std::size_t i = 0; i < data.level.size(); ++i) data.level[i] = i % 3000 == 7;
  const Queries queries = data.queries(true, false, Counting::automatic);
  const Found one = sweep(Logistic{}, data, queries, data.v, 1), want = listed(Logistic{}, data, queries, data.v);
  same_for_any_threads(Logistic{}, data, queries, one);
  check(near(one.value, want.value) && close(one.slope, want.slope) && close(one.product, want.product, 1e-8),
        "a large query under the logistic loss");
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
            for (const bool adjacent : {false, true})
              for (const bool gain : {false, true}) {
                if (gain && n != 150) continue;
                auto check_loss = [&](const char* name, double window) {
                  const Loss loss = loss_named(name, window);
                  std::visit([&](const auto& kind) { against_listed(kind, data, weighted, adjacent, gain); }, loss);
                };
                check_loss("squared_hinge", 0.0);
                check_loss("hinge", 0.0);
                if (scale == 1.0 || n == 7) check_loss("logistic", 0.0);
                if (scale != 1.0) continue;
                check_loss("modified_huber", 0.0);
                check_loss("hinge", 0.125);
              }
        }
  for (const int n_levels : {2, 5, 40, 1000, 1 << 20})
    for (const bool weighted : {false, true})
      large(random, 100'000, n_levels, weighted ? 1 : 0, weighted, false, n_levels == 40);
  large(random, 150'001, 30, 0, true, true, false);
  large(random, 70'000, 2, 2, false, false, true);
  large_logistic(random);
  for (const bool by_column : {false, true}) {
    sparse(random, 3000, 40, 6, by_column);
    sparse(random, 500, 5000, 3, by_column);
    sparse(random, 0, 3, 1, by_column);
  }
  std::puts("sweeps: as listed pairs, and the same bits for any number of threads");
}
