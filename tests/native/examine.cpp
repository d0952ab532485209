// The kernels of `rankine doctor` against listed pairs and cells, under AddressSanitizer and
// UndefinedBehaviorSanitizer: tied, empty and single-row queries, few and many levels, dense and sparse rows of floats
// and doubles, 1 to 3 threads.
#include <random>
#include <set>

#include "check.hpp"
#include "duplicates.hpp"
#include "edges.hpp"
#include "order.hpp"
#include "within.hpp"

using namespace rankine;

template <class Value>
struct Problem {
  std::size_t n_features;
  std::vector<Offset> query_ptr{0}, row_ptr{0};
  std::vector<double> label;
  std::vector<Index> level, index;
  std::vector<Value> value, stored;

  Problem(std::mt19937& random, std::size_t m, std::size_t n_queries, std::size_t largest, int n_levels)
      : n_features(m) {
    std::uniform_int_distribution<std::size_t> size(0, largest);
    std::uniform_int_distribution<int> grade(0, n_levels - 1), coarse(-4, 4);
    for (std::size_t q = 0; q < n_queries; ++q) {
      for (std::size_t i = size(random); i > 0; --i) {
        label.push_back(grade(random));
        const bool twin = coarse(random) > 2 && !value.empty();
        for (std::size_t j = 0; j < m; ++j)
          value.push_back(twin ? value[value.size() - m] : static_cast<Value>(std::max(-2, coarse(random))) / 2);
      }
      query_ptr.push_back(static_cast<Offset>(label.size()));
    }
    level.resize(label.size());
    levels(label, query_ptr, level);
    for (std::size_t i = 0; i < label.size(); ++i) {
      for (std::size_t j = m; j-- > 0;)  // stored backwards, with some of the zeros
        if (value[i * m + j] != 0 || coarse(random) == 0) {
          index.push_back(static_cast<Index>(j));
          stored.push_back(value[i * m + j]);
        }
      row_ptr.push_back(static_cast<Offset>(index.size()));
    }
  }
  DenseRows<Value> dense() const { return {value, label.size(), n_features}; }
  SparseRows<Value> sparse() const { return {row_ptr, index, stored, label.size(), n_features}; }
  Value at(std::size_t i, std::size_t j) const { return value[i * n_features + j]; }
};

template <class Value, class R>
void examine(const Problem<Value>& p, const R& x, int n_threads) {
  const std::size_t n = p.label.size(), m = p.n_features;
  const Workers workers{n_threads};
  const Queries queries{p.query_ptr, p.level, {}, {}, {}, false};
  std::vector<Offset> order(m), first(n);
  std::vector<std::uint64_t> hash(n);
  feature_order(x, queries, order, workers);
  row_hashes(x, hash, workers);
  first_equal(x, p.query_ptr, hash, first, workers);
  const std::vector<Offset> varying = n_varying(x, p.query_ptr, workers);
  const ColumnStats stats = column_stats(x, workers);
  const ColumnEdges edges = column_edges(x, stats.least, stats.greatest, workers);

  for (std::size_t j = 0; j < m; ++j) {
    Offset right = 0, varied = 0;
    for (std::size_t q = 0; q < queries.n_queries(); ++q) {
      std::set<Value> values;
      for (std::size_t a = queries.begin(q); a < queries.begin(q) + queries.size(q); ++a) {
        values.insert(p.at(a, j));
        for (std::size_t b = queries.begin(q); b < queries.begin(q) + queries.size(q); ++b)
          if (p.label[a] > p.label[b]) right += (p.at(a, j) > p.at(b, j)) - (p.at(a, j) < p.at(b, j));
      }
      varied += values.size() > 1;
    }
    check(order[j] == right, "order by one feature");
    check(varying[j] == varied, "queries within which a feature varies");
    std::multiset<double> column;
    for (std::size_t i = 0; i < n; ++i) column.insert(static_cast<double>(p.at(i, j)));
    if (column.empty()) continue;
    const double least = *column.begin(), greatest = *column.rbegin();
    const auto above = column.upper_bound(least), top = column.lower_bound(greatest);
    check(edges.n_least[j] == static_cast<Offset>(column.count(least)), "times of the least value");
    check(edges.n_greatest[j] == static_cast<Offset>(column.count(greatest)), "times of the greatest value");
    check(above == column.end() ? std::isinf(edges.next_least[j]) : edges.next_least[j] == *above, "next to the least");
    check(top == column.begin() ? std::isinf(edges.next_greatest[j]) : edges.next_greatest[j] == *std::prev(top),
          "next to the greatest");
  }
  for (std::size_t q = 0; q < queries.n_queries(); ++q)
    for (std::size_t i = queries.begin(q); i < queries.begin(q) + queries.size(q); ++i) {
      std::size_t same = queries.begin(q);
      while (!equal_rows(p.dense(), same, i)) ++same;
      check(first[i] == static_cast<Offset>(same), "the first equal row");
    }
}

template <class Value>
void examine_all() {
  std::mt19937 random(1);
  for (const int n_levels : {1, 2, 12, 13, 80})
    for (const std::size_t n_features : {0u, 1u, 5u, 16u, 35u})
      for (const std::size_t n_queries : {0u, 1u, 30u}) {
        const Problem<Value> problem(random, n_features, n_queries, n_queries == 1 ? 120 : 12, n_levels);
        problem.sparse().check();
        for (const int n_threads : {1, 3}) {
          examine(problem, problem.dense(), n_threads);
          examine(problem, problem.sparse(), n_threads);
        }
      }
}

int main() {
  examine_all<float>();
  examine_all<double>();
  std::puts("examine: right, and clean under the sanitizers");
}
