// Metrics of places in one ranking: nDCG, MeanNDCG, AP, P, R, RR and ERR. Where ties are averaged, each is the exact
// expected value over random orders of tied rows (McSherry & Najork, 2008, for all but ERR; cascade.hpp for that).
#pragma once
#include "cascade.hpp"
#include "ranking.hpp"

namespace rankine {

/// What a query shorter than the cutoff counts: its missing rows are irrelevant (count), the cutoff is its length
/// (cut), or nothing (zero).
enum class Short { count, cut, zero };

/// The value of a query is sum / mass, that of all queries sum of sums / sum of masses: a mass of 0 leaves a query out,
/// 1 makes a mean over queries, and the number of pairs makes a share of the pairs of all queries.
struct Measured {
  double sum = 0.0, mass = 0.0;
};

struct Places {
  std::size_t cutoff;  // the largest number there is when none was asked for
  double relevant;     // the least label of a relevant row
  double max_label;    // ERR: a row stops the reader with chance (2^label - 1) / 2^max_label
  Gain gain;
  std::span<const double> discount;  // by place
  Short short_query;
  bool reachable;  // AP: divide by the relevant rows that fit above the cutoff, not by all
};

inline double dot(std::span<const double> a, std::span<const double> b, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Each function returns a value in 0 .. 1, or NaN for a query without a relevant row.
inline double ndcg(Ranking& ranking, const Places& how) {
  const Gains& g = ranking.gains(how.gain);
  const std::size_t k = std::min(how.cutoff, ranking.size());
  const double best = dot(g.ideal, how.discount, k);
  if (!(best > 0.0)) return std::nan("");
  if (how.short_query == Short::zero && ranking.size() < how.cutoff && how.cutoff != SIZE_MAX) return 0.0;
  return dot(g.ranked, how.discount, k) / best;
}

/// The mean of NDCG@1 .. NDCG@n, n the length of the query.
inline double mean_ndcg(Ranking& ranking, const Places& how) {
  const Gains& g = ranking.gains(how.gain);
  double got = 0.0, best = 0.0, sum = 0.0;
  for (std::size_t p = 0; p < ranking.size(); ++p) {
    got += g.ranked[p] * how.discount[p];
    best += g.ideal[p] * how.discount[p];
    if (!(best > 0.0)) return std::nan("");
    sum += got / best;
  }
  return sum / static_cast<double>(ranking.size());
}

/// Calls visit(begin, end, relevant rows in it, relevant rows above it) for each run of rows in random order, down to
/// the cutoff, until it returns false.
template <class Visit>
void each_run(const Ranking& ranking, const Places& how, Visit visit) {
  std::size_t above = 0;
  for (std::size_t p = 0, end; p < std::min(ranking.size(), how.cutoff); p = end) {
    end = ranking.run_end(p);
    std::size_t hits = 0;
    for (std::size_t i = p; i < end; ++i) hits += ranking.label[i] >= how.relevant;
    if (hits > 0 && !visit(p, end, static_cast<double>(hits), static_cast<double>(above))) return;
    above += hits;
  }
}

/// The sum over relevant rows above the cutoff of the precision there, by the number of relevant rows. In a run of t
/// rows with r relevant, the i-th is relevant with chance r / t, and then (i - 1) (r - 1) / (t - 1) of those before it.
inline double average_precision(const Ranking& ranking, const Places& how) {
  const std::size_t n_relevant = ranking.n_at_least(how.relevant);
  if (n_relevant == 0) return std::nan("");
  double sum = 0.0;
  each_run(ranking, how, [&](std::size_t begin, std::size_t end, double r, double above) {
    const auto t = static_cast<double>(end - begin);
    const double before = t > 1.0 ? (r - 1.0) / (t - 1.0) : 0.0;
    for (std::size_t p = begin; p < std::min(end, how.cutoff); ++p)
      sum += r / t * (above + 1.0 + static_cast<double>(p - begin) * before) / static_cast<double>(p + 1);
    return true;
  });
  return sum / static_cast<double>(how.reachable ? std::min(n_relevant, how.cutoff) : n_relevant);
}

inline double hits_above_cutoff(const Ranking& ranking, const Places& how) {
  double sum = 0.0;
  each_run(ranking, how, [&](std::size_t begin, std::size_t end, double r, double) {
    sum += end <= how.cutoff ? r : r * static_cast<double>(how.cutoff - begin) / static_cast<double>(end - begin);
    return true;
  });
  return sum;
}

inline double precision(const Ranking& ranking, const Places& how) {
  if (ranking.n_at_least(how.relevant) == 0) return std::nan("");
  if (how.short_query == Short::zero && ranking.size() < how.cutoff) return 0.0;
  const std::size_t k = how.short_query == Short::cut ? std::min(how.cutoff, ranking.size()) : how.cutoff;
  return hits_above_cutoff(ranking, how) / static_cast<double>(k);
}

inline double recall(const Ranking& ranking, const Places& how) {
  const std::size_t n_relevant = ranking.n_at_least(how.relevant);
  return n_relevant == 0 ? std::nan("") : hits_above_cutoff(ranking, how) / static_cast<double>(n_relevant);
}

/// 1 / the place of the first relevant row. In a run of t rows with r relevant, the first is the i-th with chance
/// C(t - i, r - 1) / C(t, r).
inline double reciprocal_rank(const Ranking& ranking, const Places& how) {
  if (ranking.n_at_least(how.relevant) == 0) return std::nan("");
  double sum = 0.0;
  each_run(ranking, how, [&](std::size_t begin, std::size_t end, double r, double) {
    double left = static_cast<double>(end - begin), chance = r / left;
    for (std::size_t p = begin; p < std::min(end, how.cutoff) && chance > 0.0; ++p, left -= 1.0) {
      sum += chance / static_cast<double>(p + 1);
      chance *= (left - r) / (left - 1.0);
    }
    return false;
  });
  return sum;
}

/// Expected reciprocal rank (Chapelle et al., 2009).
inline double err(const Ranking& ranking, const Places& how, std::vector<double>& stops, std::vector<double>& memory) {
  const std::size_t n = ranking.size();
  if (n == 0 || ranking.ideal.front() <= 0.0) return std::nan("");
  const double unit = std::exp2(-how.max_label);
  double sum = 0.0, arrives = 1.0;
  for (std::size_t p = 0, end; p < std::min(n, how.cutoff); p = end) {
    end = ranking.run_end(p);
    stops.clear();
    for (std::size_t i = p; i < end; ++i)
      stops.push_back(std::exp2(std::max(ranking.label[i], 0.0) - how.max_label) - unit);
    sum +=
        arrives * (end - p == 1 ? stops[0] / static_cast<double>(p + 1) : tied_cascade(stops, p, how.cutoff, memory));
    for (const double s : stops) arrives *= 1.0 - s;
  }
  return sum;
}

}  // namespace rankine
