// The kernels, in ns a row and GB/s beside what this machine can read: `make bench-kernels`, or
// `RANKINE_ISA=avx2 build/kernels [scale] [n_features] [rounds]`. Rows are random, and queries differ in size as those
// of MSLR do (one repeated query would teach the branch predictor). Each number is the best of several rounds, and the
// lines take turns within a round, so that noise of the machine hits all alike.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "pairwise.hpp"

using namespace rankine;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Line {
  std::string name;
  double n_rows, n_bytes;  // what one run reads from memory
  std::function<void()> run;
  double seconds = 1e9;
};

/// Sums all values: what memory can deliver.
double stream(const std::vector<float>& x, int n_threads) {
  std::vector<double> part(64);
  const std::vector<double> ones(1024, 1.0);
  parallel_blocks(64, {n_threads}, [&](std::size_t b) {
    const auto [begin, end] = block_range(x.size(), 64, b);
    float lane[64] = {};
    for (std::size_t i = begin; i + 64 <= end; i += 64)
      for (std::size_t k = 0; k < 64; ++k) lane[k] += x[i + k];
    for (const float v : lane) part[b] += static_cast<double>(v);
  });
  double sum = 0.0;
  for (const double p : part) sum += p;
  return sum;
}

int main(int n_args, char** args) {
  const double scale = n_args > 1 ? std::atof(args[1]) : 1.0;
  const std::size_t n_features = n_args > 2 ? static_cast<std::size_t>(std::atoi(args[2])) : 136;
  const int n_rounds = n_args > 3 ? std::atoi(args[3]) : 7;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<Offset> query_ptr{0};
  while (static_cast<double>(query_ptr.back()) < 227'000 * scale)
    query_ptr.push_back(query_ptr.back() + 1 + static_cast<Offset>(std::exp(4.55 + 0.7 * normal(random))));
  const auto n = static_cast<std::size_t>(query_ptr.back());
  std::vector<double> label(n), w(n_features), score(n), scale_of(n);
  for (double& l : label) {
    const auto u = random() % 100;
    l = u < 52 ? 0 : u < 84 ? 1 : u < 97 ? 2 : u < 99 ? 3 : 4;
  }
  for (double& v : w) v = 0.5 * normal(random);
  std::vector<float> x(n * n_features);
  for (float& v : x) v = static_cast<float>(random() >> 40) * 0x1p-24F;
  std::vector<Index> level(n);
  levels(label, query_ptr, level);
  const Queries queries{query_ptr, level, {}, {}, {}, false};
  const DenseRows<float> rows{x, n, n_features};
  const AnyRows any = rows;
  const auto rows_d = static_cast<double>(n);
  const auto bytes = static_cast<double>(x.size() * sizeof(float));
  const Kernels& k = kernels();
  const Ramps<1> loss{Ramp{1.0, 1.0}};
  PairwisePoint<Ramps<1>> point(loss, any, queries, w, {2});
  std::vector<double> out(n_features), h(n_features * n_features);
  std::vector<std::int32_t> order(n);
  std::vector<std::int64_t> keys(sort_scratch(n));
  for (double& s : scale_of) s = normal(random);

  std::vector<Line> lines;
  double unused = 0.0;
  for (const int t : {1, 2}) {
    const std::string threads = t == 1 ? ", 1 thread" : ", 2 threads";
    lines.push_back({"read only" + threads, rows_d, bytes, [&, t] { unused += stream(x, t); }});
    lines.push_back({"scores" + threads, rows_d, bytes, [&, t] { scores(any, w, score, {t}); }});
    lines.push_back({"scores and sums, no loss" + threads, rows_d, bytes, [&, t] {
                       sum_over_queries(queries, n, {t}, out,
                                        [&](std::size_t q, std::span<double> sum, PassScratch& s, const Pulse& pulse) {
                                          const auto score_q = s.sweep.rows.room(queries.size(q));
                                          score_rows(rows, queries.begin(q), w, score_q, pulse, Turn::first);
                                          add_rows(rows, queries.begin(q), score_q, sum, pulse, Turn::second);
                                        });
                     }});
    lines.push_back({"Hessian product" + threads, rows_d, bytes, [&, t] { point.product(any, queries, w, out, {t}); }});
    lines.push_back({"diagonal" + threads, rows_d, bytes, [&, t] { point.diagonal(any, queries, out, {t}); }});
    lines.push_back(
        {"Hessian, single" + threads, rows_d, bytes, [&, t] { point.hessian<float>(any, queries, h, {t}); }});
    lines.push_back(
        {"Hessian, double" + threads, rows_d, bytes, [&, t] { point.hessian<double>(any, queries, h, {t}); }});
    lines.push_back({"value and gradient" + threads, rows_d, bytes,
                     [&, t] { unused += PairwisePoint<Ramps<1>>(loss, any, queries, w, {t}).value; }});
  }
  lines.push_back({"sort, by query", rows_d, 0.0, [&] {
                     for (std::size_t q = 0; q < queries.n_queries(); ++q)
                       k.sort(scale_of.data() + queries.begin(q), queries.size(q), order.data(), keys.data());
                   }});
  lines.push_back({"sort, all rows", rows_d, 0.0, [&] { k.sort(scale_of.data(), n, order.data(), keys.data()); }});
  std::vector<std::pair<double, Index>> pairs;
  lines.push_back({"std::sort, by query", rows_d, 0.0, [&] {
                     for (std::size_t q = 0; q < queries.n_queries(); ++q) {
                       pairs.clear();
                       for (std::size_t i = 0; i < queries.size(q); ++i)
                         pairs.emplace_back(scale_of[queries.begin(q) + i], static_cast<Index>(i));
                       std::sort(pairs.begin(), pairs.end());
                     }
                   }});
  for (int round = 0; round < n_rounds; ++round)
    for (Line& line : lines) {
      const double start = now();
      line.run();
      line.seconds = std::min(line.seconds, now() - start);
    }
  std::printf("%s, %zu rows of %zu float32 features, %zu queries\n", k.name, n, n_features, queries.n_queries());
  double limit[2] = {};
  for (const Line& line : lines) {
    const double rate = line.n_bytes / line.seconds / 1e9;
    const bool two = line.name.ends_with("2 threads");
    if (line.name.starts_with("read")) limit[two] = rate;
    std::printf("%-40s %7.2f ns/row", line.name.c_str(), line.seconds / line.n_rows * 1e9);
    if (line.n_bytes > 0) std::printf("  %6.1f GB/s  %3.0f %% of reading", rate, 100 * rate / limit[two]);
    std::puts("");
  }
  return std::isnan(unused);
}
