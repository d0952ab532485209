// Any number of metrics of all queries: each query is sorted once, and every metric that was asked for reads it.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "concordance.hpp"
#include "parallel.hpp"

namespace rankine {

enum class Kind { nDCG, MeanNDCG, AP, P, R, RR, ERR, pair_accuracy, AUC, domination_error, kendall_tau, spearman };

/// A metric and the conventions that it is measured by.
struct Measure {
  Kind kind = Kind::nDCG;
  std::size_t cutoff = SIZE_MAX;
  double relevant = std::numeric_limits<double>::denorm_min();  // the least label of a relevant row
  double max_label = 4.0;
  Gain gain = Gain::exp2;
  bool flat_start = false;      // the discount is 1 / log2(max(2, place)), not 1 / log2(place + 1)
  double empty = std::nan("");  // what a query without a relevant row counts; NaN leaves it out
  Short short_query = Short::count;
  bool reachable = false;
  double tied_pair = 0.0;  // pair_accuracy: what a pair counts whose scores are tied
};

/// What each metric needs of a place, 0 being the first.
inline std::vector<double> discounts(bool flat_start, std::size_t n) {
  std::vector<double> out(n);
  for (std::size_t p = 0; p < n; ++p)
    out[p] = 1.0 / std::log2(static_cast<double>(flat_start ? std::max<std::size_t>(p + 1, 2) : p + 2));
  return out;
}

/// One query at a time; memory is reused.
class Measurer {
 public:
  Measurer(std::span<const Measure> measures, Ties ties, std::span<const double> plain, std::span<const double> flat)
      : measures_(measures), ties_(ties), plain_(plain), flat_(flat) {}

  /// Calls keep(which measure, Measured) for each.
  template <class Keep>
  void operator()(std::span<const double> label, std::span<const double> score, std::span<const double> weight,
                  Keep keep, const Pulse& pulse) {
    ranking_.rank(label, score, ties_);
    pairs_.reset();
    for (std::size_t m = 0; m < measures_.size(); ++m) {
      if (label.size() > 1 << 16) pulse();
      keep(m, measure(measures_[m], weight));
    }
  }

 private:
  Measured measure(const Measure& m, std::span<const double> weight) {
    if (ranking_.size() == 0) return {};
    const Places how{m.cutoff,      m.relevant, m.max_label, m.gain, m.flat_start ? flat_ : plain_,
                     m.short_query, m.reachable};
    auto mean = [&](double value) -> Measured {
      if (std::isnan(value)) value = m.empty;
      return std::isnan(value) ? Measured{} : Measured{value, 1.0};
    };
    switch (m.kind) {
      case Kind::nDCG:
        return mean(ndcg(ranking_, how));
      case Kind::MeanNDCG:
        return mean(mean_ndcg(ranking_, how));
      case Kind::AP:
        return mean(average_precision(ranking_, how));
      case Kind::P:
        return mean(precision(ranking_, how));
      case Kind::R:
        return mean(recall(ranking_, how));
      case Kind::RR:
        return mean(reciprocal_rank(ranking_, how));
      case Kind::ERR:
        return mean(err(ranking_, how, stops_, memory_));
      case Kind::pair_accuracy:
        return {weighted(weight).right + m.tied_pair * weighted(weight).tied, weighted(weight).all};
      case Kind::AUC:
        return auc(ranking_, m.relevant);
      case Kind::domination_error:
        return domination_error(ranking_, places_);
      case Kind::kendall_tau:
        return kendall_tau(ranking_, weight.empty() ? weighted(weight) : count_pairs(ranking_, {}, scratch_));
      case Kind::spearman:
        return spearman(ranking_);
    }
    return {};
  }

  const Pairs& weighted(std::span<const double> weight) {
    if (!pairs_) pairs_ = count_pairs(ranking_, weight, scratch_);
    return *pairs_;
  }

  std::span<const Measure> measures_;
  Ties ties_;
  std::span<const double> plain_, flat_;
  Ranking ranking_;
  std::optional<Pairs> pairs_;
  PairScratch scratch_;
  std::vector<double> stops_, memory_;
  std::vector<std::size_t> places_;
};

/// Sums and masses, each n_measures x n_queries, of all queries. `weight` weighs the pairs of pair_accuracy, each by
/// the product of its rows' weights; empty means ones.
inline void measure(std::span<const double> label, std::span<const double> score, std::span<const double> weight,
                    std::span<const Offset> query_ptr, std::span<const Measure> measures, Ties ties,
                    std::span<double> sum, std::span<double> mass, const Workers& workers) {
  const std::size_t n_queries = query_ptr.size() - 1;
  std::size_t longest = 0, n_plain = 0, n_flat = 0;
  for (std::size_t q = 0; q < n_queries; ++q)
    longest = std::max(longest, static_cast<std::size_t>(query_ptr[q + 1] - query_ptr[q]));
  for (const Measure& m : measures)
    if (m.kind == Kind::nDCG || m.kind == Kind::MeanNDCG) {
      std::size_t& n = m.flat_start ? n_flat : n_plain;
      n = std::max(n, std::min(m.cutoff, longest));
    }
  const std::vector<double> plain = discounts(false, n_plain), flat = discounts(true, n_flat);
  const auto cut = query_blocks(query_ptr, std::clamp<std::size_t>(label.size() / 4096, 1, 256));
  parallel_blocks(cut.size() - 1, workers, [&](std::size_t b, const Pulse& pulse) {
    Measurer measurer(measures, ties, plain, flat);
    for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) {
      const auto begin = static_cast<std::size_t>(query_ptr[q]), n = static_cast<std::size_t>(query_ptr[q + 1]) - begin;
      auto keep = [&](std::size_t m, Measured x) {
        sum[m * n_queries + q] = x.sum;
        mass[m * n_queries + q] = x.mass;
      };
      measurer(label.subspan(begin, n), score.subspan(begin, n), weight.empty() ? weight : weight.subspan(begin, n),
               keep, pulse);
    }
  });
}

}  // namespace rankine
