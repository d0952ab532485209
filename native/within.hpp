// Which features can rank at all: one that is the same in all rows of a query cannot order them.
#pragma once
#include "parallel.hpp"
#include "queries.hpp"

namespace rankine {

/// The features that vary within one query, marked once each; memory is reused from query to query.
class Varying {
 public:
  explicit Varying(std::size_t n_features) : first_(n_features), n_filled_(n_features), differs_(n_features) {}

  template <class Value>
  void add(const DenseRows<Value>& x, std::size_t begin, std::size_t end, std::span<Offset> count) {
    const std::size_t m = x.n_features;
    const Value* first = x.value.data() + begin * m;
    std::fill(differs_.begin(), differs_.end(), 0);
    for (std::size_t i = begin + 1; i < end; ++i) {
      const Value* row = x.value.data() + i * m;
      for (std::size_t j = 0; j < m; ++j) differs_[j] |= static_cast<unsigned char>(row[j] != first[j]);
    }
    for (std::size_t j = 0; j < m; ++j) count[j] += differs_[j];
  }

  template <class Value>
  void add(const SparseRows<Value>& x, std::size_t begin, std::size_t end, std::span<Offset> count) {
    touched_.clear();
    for (std::size_t i = begin; i < end; ++i)
      x.each(i, [&](std::size_t j, double v) {
        if (v == 0.0) return;
        if (n_filled_[j]++ == 0) {
          first_[j] = v;
          touched_.push_back(j);
        }
        differs_[j] |= static_cast<unsigned char>(v != first_[j]);
      });
    for (const std::size_t j : touched_) {
      count[j] += differs_[j] != 0 || n_filled_[j] < end - begin;
      n_filled_[j] = 0;
      differs_[j] = 0;
    }
  }

 private:
  std::vector<double> first_;
  std::vector<std::size_t> n_filled_;
  std::vector<unsigned char> differs_;
  std::vector<std::size_t> touched_;
};

/// For each feature, the number of queries within which it varies.
inline std::vector<Offset> n_varying(const AnyRows& rows, std::span<const Offset> query_ptr, const Workers& workers) {
  const std::size_t m = n_features(rows);
  const std::size_t room = std::clamp<std::size_t>((std::size_t{1} << 21) / std::max<std::size_t>(m, 1), 1, 64);
  const auto cut = query_blocks(query_ptr, room);
  std::vector<std::vector<Offset>> part(cut.size() - 1);
  parallel_blocks(part.size(), workers, [&](std::size_t b) {
    part[b].assign(m, 0);
    Varying varying(m);
    std::visit(
        [&](const auto& x) {
          for (std::size_t q = cut[b]; q < cut[b + 1]; ++q) {
            const auto begin = static_cast<std::size_t>(query_ptr[q]), end = static_cast<std::size_t>(query_ptr[q + 1]);
            if (end - begin > 1) varying.add(x, begin, end, part[b]);
          }
        },
        rows);
  });
  std::vector<Offset> all(m, 0);
  for (const auto& p : part)
    for (std::size_t j = 0; j < m; ++j) all[j] += p[j];
  return all;
}

}  // namespace rankine
