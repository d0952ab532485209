// The kernels of native/isa, every instruction set of this machine, against slow obvious twins. `isa --list` names the
// sets.
#include <algorithm>
#include <random>
#include <string_view>

#include "check.hpp"
#include "isa/choose.hpp"

using namespace rankine;

/// A vector whose memory ends where the values end, so that the sanitizer sees a read beyond them, and begins `shift`
/// values after an allocation, so that it is not aligned.
template <class T>
struct Exact {
  std::vector<T> all;
  std::size_t shift;
  Exact(std::size_t n, std::size_t by) : all(n + by), shift(by) { all.shrink_to_fit(); }
  T* data() { return all.data() + shift; }
  T& operator[](std::size_t i) { return all[shift + i]; }
};

std::vector<std::int32_t> sorted_rows(const std::vector<double>& score) {
  std::vector<std::pair<double, std::int32_t>> pairs;
  for (const double s : score) pairs.emplace_back(s, static_cast<std::int32_t>(pairs.size()));
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::int32_t> rows;
  for (const auto& [s, row] : pairs) rows.push_back(row);
  return rows;
}

void check_sort(const Kernels& k, const std::vector<double>& score) {
  std::vector<std::int32_t> order(score.size());
  std::vector<std::int64_t> scratch(sort_scratch(score.size()));
  k.sort(score.data(), score.size(), order.data(), scratch.data());
  check(order == sorted_rows(score), "the order of the scores");
}

void check_sorts(const Kernels& k, std::mt19937& random) {
  std::normal_distribution<double> normal;
  for (std::size_t n = 0; n < 700; n += n < 300 ? 1 : 37)
    for (int kind = 0; kind < 8; ++kind) {
      std::vector<double> score(n);
      for (std::size_t i = 0; i < n; ++i) {
        const double x = normal(random);
        const auto at = static_cast<double>(i);
        const double kinds[] = {x,                                 // any
                                std::floor(2 * x),                 // many ties
                                x < 0 ? -0.0 : 0.0,                // one tie
                                1 + std::floor(99 * x) * 2.3e-16,  // differ in their last bits only
                                x * 1e300,
                                x * 1e-310,
                                at,
                                -at};
        score[i] = kinds[kind];
      }
      check_sort(k, score);
    }
  std::vector<double> many(100'000);
  for (double& s : many) s = normal(random);
  check_sort(k, many);
  for (double& s : many) s = 1 + std::floor(9999 * normal(random)) * 2.3e-16;
  check_sort(k, many);
  many.assign(many.size(), 3.0);
  check_sort(k, many);
}

template <class Value>
void check_dense(const DenseKernels<Value>& k, std::mt19937& random, std::size_t n_rows, std::size_t n,
                 Ahead::Rate rate) {
  std::normal_distribution<double> normal;
  Exact<Value> x(n_rows * n, 1);
  Exact<double> w(n, 1), scale(n_rows, 1), score(n_rows, 1), sum(n, 1), squares(n, 1);
  for (std::size_t i = 0; i < n_rows * n; ++i) x[i] = static_cast<Value>(normal(random));
  for (std::size_t i = 0; i + 1 < n_rows; i += 2)  // pairs of equal rows
    std::copy_n(x.data() + i * n, n, x.data() + (i + 1) * n);
  for (std::size_t j = 0; j < n; ++j) w[j] = normal(random);
  for (std::size_t i = 0; i < n_rows; ++i) scale[i] = normal(random) < -0.5 ? 0.0 : normal(random);
  std::vector<double> add_up(n, 1.0), add_squares(n, 1.0);
  std::fill_n(sum.data(), n, 1.0);
  std::fill_n(squares.data(), n, 1.0);
  k.scores(x.data(), n_rows, n, w.data(), score.data(), {x.data(), rate});
  k.add_rows(x.data(), n_rows, n, scale.data(), sum.data(), {x.data(), rate});
  k.add_squares(x.data(), n_rows, n, scale.data(), squares.data());
  for (std::size_t i = 0; i < n_rows; ++i) {
    double s = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      const auto v = static_cast<double>(x[i * n + j]);
      s += v * w[j];
      add_up[j] += scale[i] * v;
      add_squares[j] += scale[i] * v * v;
    }
    check(near(score[i], s, 1e-12 * static_cast<double>(n + 1)), "the score of a row");
    check(i % 2 == 0 || score[i] == score[i - 1], "equal rows have equal scores");
  }
  for (std::size_t j = 0; j < n; ++j) {
    check(near(sum[j], add_up[j], 1e-11), "the sum of rows");
    check(near(squares[j], add_squares[j], 1e-11), "the sum of squares");
  }
}

int main(int n_args, char** args) {
  if (n_args > 1 && std::string_view(args[1]) == "--list") {
    for (const Kernels* k : runnable_kernels()) std::puts(k->name);
    return 0;
  }
  std::mt19937 random(1);
  const Kernels& k = kernels();
  check_sorts(k, random);
  for (const std::size_t n_rows : {0u, 1u, 3u, 4u, 7u, 8u, 9u, 50u})
    for (const std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 46u, 136u, 137u, 700u}) {
      for (const auto rate : {Ahead::nothing, Ahead::half, Ahead::full}) {
        check_dense(k.float32, random, n_rows, n, rate);
        check_dense(k.float64, random, n_rows, n, rate);
      }
    }
  std::printf("isa: %s is right, and clean under the sanitizers\n", k.name);
}
