// The metrics against listed orders and pairs, under AddressSanitizer and UndefinedBehaviorSanitizer: random, tied,
// empty, single-row and many-level queries, cutoffs within and beyond a query, one thread and several.
#include "metrics.hpp"

#include <random>

#include "check.hpp"

using namespace rankine;

/// ERR of labels in the order given.
double listed_err(const std::vector<double>& label, std::size_t cutoff) {
  double sum = 0.0, arrives = 1.0;
  for (std::size_t p = 0; p < std::min(label.size(), cutoff); ++p) {
    const double stops = (std::exp2(label[p]) - 1.0) / 16.0;
    sum += arrives * stops / static_cast<double>(p + 1);
    arrives *= 1.0 - stops;
  }
  return sum;
}

/// Average precision, by all relevant rows, of labels in the order given.
double listed_ap(const std::vector<double>& label, std::size_t cutoff) {
  double sum = 0.0, hits = 0.0;
  for (std::size_t p = 0; p < label.size(); ++p)
    if (label[p] > 0.0) {
      hits += 1.0;
      if (p < cutoff) sum += hits / static_cast<double>(p + 1);
    }
  return hits > 0.0 ? sum / hits : std::nan("");
}

/// The mean over all orders of rows [begin, end) that the scores allow.
template <class Metric>
double expected(const std::vector<double>& label, const std::vector<double>& score, Metric metric) {
  std::vector<std::size_t> order(label.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  double sum = 0.0, count = 0.0;
  do {
    std::vector<double> ranked;
    bool allowed = true;
    for (std::size_t p = 0; p < order.size(); ++p) {
      allowed &= p == 0 || score[order[p - 1]] >= score[order[p]];
      ranked.push_back(label[order[p]]);
    }
    if (!allowed) continue;
    sum += metric(ranked);
    count += 1.0;
  } while (std::next_permutation(order.begin(), order.end()));
  return sum / count;
}

Measure measure_of(Kind kind, std::size_t cutoff = SIZE_MAX) {
  Measure m;
  m.kind = kind;
  m.cutoff = cutoff;
  return m;
}

std::vector<Measured> measured(const std::vector<double>& label, const std::vector<double>& score,
                               const std::vector<double>& weight, const std::vector<Offset>& query_ptr,
                               const std::vector<Measure>& measures, Ties ties, int n_threads) {
  const std::size_t n = measures.size() * (query_ptr.size() - 1);
  std::vector<double> sum(n), mass(n);
  measure(label, score, weight, query_ptr, measures, ties, sum, mass, {n_threads});
  std::vector<Measured> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back({sum[i], mass[i]});
  return out;
}

void check_small_queries(std::mt19937& random) {
  std::uniform_int_distribution<int> size(0, 6), grade(0, 3), place(0, 2);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> label, score;
    for (int i = size(random); i > 0; --i) {
      label.push_back(grade(random));
      score.push_back(place(random));
    }
    const std::size_t n = label.size();
    for (const std::size_t k : {std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
      const auto found = measured(label, score, {}, {0, static_cast<Offset>(n)},
                                  {measure_of(Kind::ERR, k), measure_of(Kind::AP, k)}, Ties::average, 1);
      const bool relevant = std::any_of(label.begin(), label.end(), [](double l) { return l > 0.0; });
      check(found[0].mass == relevant && found[1].mass == relevant, "queries without a relevant row are left out");
      if (!relevant) continue;
      check(near(found[0].sum, expected(label, score, [&](const auto& l) { return listed_err(l, k); })), "ERR");
      check(near(found[1].sum, expected(label, score, [&](const auto& l) { return listed_ap(l, k); })), "AP");
    }
  }
}

void check_pairs(std::mt19937& random, int n_levels, int n_scores) {
  std::uniform_int_distribution<int> grade(0, n_levels - 1), place(0, n_scores - 1), size(0, 80), heavy(0, 3);
  std::vector<double> label, score, weight;
  std::vector<Offset> query_ptr{0};
  for (int q = 0; q < 20; ++q) {
    for (int i = size(random); i > 0; --i) {
      label.push_back(grade(random));
      score.push_back(place(random));
      weight.push_back(heavy(random));
    }
    query_ptr.push_back(static_cast<Offset>(label.size()));
  }
  std::vector<Measure> measures;
  for (const Kind kind : {Kind::pair_accuracy, Kind::domination_error, Kind::nDCG, Kind::MeanNDCG, Kind::AP, Kind::RR,
                          Kind::ERR, Kind::AUC, Kind::kendall_tau, Kind::spearman})
    measures.push_back(measure_of(kind));
  for (const Kind kind : {Kind::nDCG, Kind::P, Kind::R, Kind::AP, Kind::RR, Kind::ERR})
    for (const std::size_t k : {1u, 7u, 1000u}) measures.push_back(measure_of(kind, k));
  measures[0].tied_pair = 0.5;
  measures[2].flat_start = true;
  for (Measure& m : measures) m.max_label = std::max(4, n_levels);
  for (const Ties ties : {Ties::input, Ties::reverse, Ties::worst, Ties::average}) {
    const auto found = measured(label, score, weight, query_ptr, measures, ties, 1);
    const auto threaded = measured(label, score, weight, query_ptr, measures, ties, 4);
    for (std::size_t i = 0; i < found.size(); ++i)
      check(found[i].sum == threaded[i].sum && found[i].mass == threaded[i].mass, "threads change nothing");
    for (std::size_t m = 2; m < measures.size(); ++m)
      for (std::size_t q = 0; q + 1 < query_ptr.size(); ++q) {
        const Measured x = found[m * (query_ptr.size() - 1) + q];
        const double least = measures[m].kind == Kind::kendall_tau || measures[m].kind == Kind::spearman ? -1.0 : 0.0;
        check(x.mass == 0.0 || (x.mass == 1.0 && x.sum >= least - 1e-12 && x.sum <= 1.0 + 1e-12), "within its range");
      }
    for (std::size_t q = 0; q + 1 < query_ptr.size(); ++q) {
      double all = 0.0, right = 0.0, below = 0.0, fails = 0.0;
      const auto begin = static_cast<std::size_t>(query_ptr[q]), end = static_cast<std::size_t>(query_ptr[q + 1]);
      for (std::size_t i = begin; i < end; ++i) {
        bool has = false, failed = false;
        for (std::size_t j = begin; j < end; ++j) {
          if (!(label[i] > label[j])) continue;
          const double c = weight[i] * weight[j];
          all += c;
          right += c * (score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0);
          has = true;
          failed |= score[j] >= score[i];
        }
        below += has;
        fails += failed;
      }
      const std::size_t n_queries = query_ptr.size() - 1;
      check(near(found[q].sum, right) && near(found[q].mass, all), "pairs");
      check(found[n_queries + q].sum == fails && found[n_queries + q].mass == below, "domination error");
    }
  }
}

int main() {
  std::mt19937 random(1);
  check_small_queries(random);
  for (const int n_levels : {1, 2, 5, 12, 13, 40, 90})
    for (const int n_scores : {1, 3, 500}) check_pairs(random, n_levels, n_scores);
  std::vector<double> label(50'000), score(50'000);
  for (std::size_t i = 0; i < label.size(); i += 500) label[i] = 1.0;
  const auto found =
      measured(label, score, {}, {0, 50'000}, {measure_of(Kind::ERR), measure_of(Kind::RR)}, Ties::average, 1);
  check(found[0].sum > 0.0 && found[0].sum < found[1].sum && found[1].sum < 0.02, "a long run of ties");
  std::puts("metrics: right, and clean under the sanitizers");
}
