// The Python surface of the core. Conversions, the GIL, the choice of template; no arithmetic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "columns.hpp"
#include "content.hpp"
#include "duplicates.hpp"
#include "edges.hpp"
#include "metrics.hpp"
#include "order.hpp"
#include "pairwise.hpp"
#include "within.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace rankine;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T, class... A>
std::span<T> span(const nb::ndarray<T, A...>& a) {
  return std::span<T>(a.data(), a.size());
}

/// A vector becomes a NumPy array that owns it: nothing is copied.
template <class T>
Array<T> to_numpy(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array<T>(held->data(), {held->size()}, owner);
}

void same_length(std::size_t got, std::size_t want, const char* name) {
  if (got != want)
    throw std::invalid_argument(std::string(name) + " has length " + std::to_string(got) + ", but " +
                                std::to_string(want) + " is expected");
}

/// Lets Ctrl-C through: about every 0.05 s the calling thread takes the GIL and runs the signal handlers.
Workers workers(int n_threads) {
  auto last = std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
  return {n_threads, [last] {
            const auto now = std::chrono::steady_clock::now();
            if (now - *last < std::chrono::milliseconds(50)) return;
            *last = now;
            nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
          }};
}

/// Checked rows, together with the arrays that they borrow.
struct HeldRows {
  std::vector<nb::object> owners;
  AnyRows rows;
};

template <class Value>
HeldRows dense_rows(InRows<Value> value) {
  return {{nb::cast(value)}, DenseRows<Value>{{value.data(), value.size()}, value.shape(0), value.shape(1)}};
}

template <class Value>
HeldRows sparse_rows(In<Offset> row_ptr, In<Index> index, In<Value> value, std::size_t n_features) {
  if (row_ptr.size() == 0) throw std::invalid_argument("row_ptr is empty");
  SparseRows<Value> rows{span(row_ptr), span(index), span(value), row_ptr.size() - 1, n_features};
  rows.check();
  return {{nb::cast(row_ptr), nb::cast(index), nb::cast(value)}, rows};
}

/// Checked queries, together with the arrays that they borrow.
struct HeldQueries {
  std::vector<nb::object> owners;
  Queries queries;
  HeldQueries(In<Offset> query_ptr, In<Index> level, std::optional<In<double>> win, std::optional<In<double>> lose,
              bool adjacent, std::string_view counting)
      : owners{nb::cast(query_ptr), nb::cast(level), nb::cast(win), nb::cast(lose)},
        queries{span(query_ptr), span(level), {}, {}, adjacent, counting_named(counting)} {
    check_query_ptr(queries.query_ptr, queries.n_rows());
    check_levels(queries);
    if (win) queries.win = span(*win);
    if (lose) queries.lose = span(*lose);
    if (win) same_length(win->size(), queries.n_rows(), "win");
    if (lose) same_length(lose->size(), queries.n_rows(), "lose");
  }
};

/// A point of any loss, with the rows and queries that it was made from.
struct HeldPoint {
  nb::object rows_owner, queries_owner;
  const AnyRows& rows;
  const Queries& queries;
  int n_threads;
  std::variant<std::unique_ptr<PairwisePoint<SquaredHinge>>, std::unique_ptr<PairwisePoint<ModifiedHuber>>> point;

  template <class Call>
  Array<double> vector_of(std::size_t size, Call call) {
    std::vector<double> out(size);
    {
      nb::gil_scoped_release unlocked;
      const Workers with = workers(n_threads);
      std::visit([&](auto& p) { call(*p, std::span<double>(out), with); }, point);
    }
    return to_numpy(std::move(out));
  }
};

HeldPoint pairwise(nb::object rows_object, nb::object queries_object, std::string_view loss, In<double> w,
                   int n_threads) {
  const AnyRows& rows = nb::cast<const HeldRows&>(rows_object).rows;
  const Queries& queries = nb::cast<const HeldQueries&>(queries_object).queries;
  same_length(queries.n_rows(), n_rows(rows), "level");
  same_length(w.size(), n_features(rows), "w");
  HeldPoint held{rows_object, queries_object, rows, queries, n_threads, {}};
  nb::gil_scoped_release unlocked;
  std::visit(
      [&]<class Loss>(Loss) {
        held.point = std::make_unique<PairwisePoint<Loss>>(rows, queries, span(w), workers(n_threads));
      },
      loss_named(loss));
  return held;
}

template <class Value>
void bind_rows(nb::module_& m) {
  m.def("dense_rows", &dense_rows<Value>, "value"_a.noconvert(), "Rows of a C-contiguous matrix.");
  m.def("sparse_rows", &sparse_rows<Value>, "row_ptr"_a.noconvert(), "index"_a.noconvert(), "value"_a.noconvert(),
        "n_features"_a, "Rows of a CSR matrix, checked.");
  m.def(
      "first_not_finite",
      [](In<Value> values, int n_threads) {
        nb::gil_scoped_release unlocked;
        return first_not_finite(span(values), workers(n_threads));
      },
      "values"_a.noconvert(), "n_threads"_a, "The position of the first NaN or infinity, or -1.");
}

/// What `rankine doctor` looks at before any training.
void bind_examination(nb::module_& m) {
  m.def(
      "n_varying",
      [](const HeldRows& rows, In<Offset> query_ptr, int n_threads) {
        check_query_ptr(span(query_ptr), n_rows(rows.rows));
        std::vector<Offset> out;
        {
          nb::gil_scoped_release unlocked;
          out = n_varying(rows.rows, span(query_ptr), workers(n_threads));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "query_ptr"_a.noconvert(), "n_threads"_a, "The number of queries within which each feature varies.");
  m.def(
      "column_edges",
      [](const HeldRows& rows, In<double> least, In<double> greatest, int n_threads) {
        same_length(least.size(), n_features(rows.rows), "least");
        same_length(greatest.size(), n_features(rows.rows), "greatest");
        ColumnEdges edges(0);
        {
          nb::gil_scoped_release unlocked;
          edges = column_edges(rows.rows, span(least), span(greatest), workers(n_threads));
        }
        return std::tuple(to_numpy(std::move(edges.n_least)), to_numpy(std::move(edges.next_least)),
                          to_numpy(std::move(edges.n_greatest)), to_numpy(std::move(edges.next_greatest)));
      },
      "rows"_a, "least"_a.noconvert(), "greatest"_a.noconvert(), "n_threads"_a,
      "How often each column holds its least value and the value next to it, then the same for its greatest.");
  m.def(
      "row_hashes",
      [](const HeldRows& rows, int n_threads) {
        std::vector<std::uint64_t> out(n_rows(rows.rows));
        {
          nb::gil_scoped_release unlocked;
          row_hashes(rows.rows, out, workers(n_threads));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "n_threads"_a, "A hash of each row: equal for equal rows, dense or sparse; 0 for a row of zeros.");
  m.def(
      "first_equal",
      [](const HeldRows& rows, In<Offset> query_ptr, In<std::uint64_t> hash, int n_threads) {
        check_query_ptr(span(query_ptr), n_rows(rows.rows));
        same_length(hash.size(), n_rows(rows.rows), "hash");
        std::vector<Offset> out(n_rows(rows.rows));
        {
          nb::gil_scoped_release unlocked;
          first_equal(rows.rows, span(query_ptr), span(hash), out, workers(n_threads));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "query_ptr"_a.noconvert(), "hash"_a.noconvert(), "n_threads"_a,
      "For each row, the first row of its query that is equal to it; hash is that of row_hashes.");
  m.def(
      "feature_order",
      [](const HeldRows& rows, const HeldQueries& held, int n_threads) {
        same_length(held.queries.n_rows(), n_rows(rows.rows), "level");
        std::vector<Offset> out(n_features(rows.rows));
        {
          nb::gil_scoped_release unlocked;
          std::visit([&](const auto& x) { feature_order(x, held.queries, out, workers(n_threads)); }, rows.rows);
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "queries"_a, "n_threads"_a,
      "For each feature alone, the pairs that it orders right minus those that it orders wrong; weights are not used.");
}

/// The value of a name in a table; an unknown name is a mistake of the Python code, not of its user.
template <class T, std::size_t N>
T named(const std::pair<std::string_view, T> (&table)[N], std::string_view name) {
  for (const auto& [key, value] : table)
    if (key == name) return value;
  throw std::invalid_argument("nothing is named '" + std::string(name) + "'");
}

constexpr std::pair<std::string_view, Kind> kinds[] = {
    {"nDCG", Kind::nDCG},
    {"MeanNDCG", Kind::MeanNDCG},
    {"AP", Kind::AP},
    {"P", Kind::P},
    {"R", Kind::R},
    {"RR", Kind::RR},
    {"ERR", Kind::ERR},
    {"pair_accuracy", Kind::pair_accuracy},
    {"AUC", Kind::AUC},
    {"domination_error", Kind::domination_error},
    {"kendall_tau", Kind::kendall_tau},
    {"spearman", Kind::spearman},
};
constexpr std::pair<std::string_view, Ties> tie_rules[] = {
    {"input", Ties::input}, {"reverse", Ties::reverse}, {"worst", Ties::worst}, {"average", Ties::average}};
constexpr std::pair<std::string_view, Gain> gain_rules[] = {{"exp2", Gain::exp2}, {"linear", Gain::linear}};
constexpr std::pair<std::string_view, Short> short_rules[] = {
    {"count", Short::count}, {"cut", Short::cut}, {"zero", Short::zero}};

/// Metrics of (label, score, query_ptr).
void bind_metrics(nb::module_& m) {
  nb::class_<Measure>(m, "Measure", "A metric and the conventions that it is measured by.")
      .def(
          "__init__",
          [](Measure* self, std::string_view kind, std::optional<std::size_t> cutoff, std::optional<double> relevant,
             double max_label, std::string_view gain, bool flat_start, double empty, std::string_view short_query,
             bool reachable, double tied_pair) {
            new (self) Measure{};
            self->kind = named(kinds, kind);
            if (cutoff) self->cutoff = *cutoff;
            if (relevant) self->relevant = *relevant;
            self->max_label = max_label;
            self->gain = named(gain_rules, gain);
            self->flat_start = flat_start;
            self->empty = empty;
            self->short_query = named(short_rules, short_query);
            self->reachable = reachable;
            self->tied_pair = tied_pair;
          },
          nb::kw_only(), "kind"_a, "cutoff"_a.none(), "relevant"_a.none(), "max_label"_a, "gain"_a, "flat_start"_a,
          "empty"_a, "short_query"_a, "reachable"_a, "tied_pair"_a);
  m.def(
      "measure",
      [](In<double> label, In<double> score, std::optional<In<double>> weight, In<Offset> query_ptr,
         const std::vector<Measure>& measures, std::string_view ties, int n_threads) {
        check_query_ptr(span(query_ptr), label.size());
        same_length(score.size(), label.size(), "score");
        if (weight) same_length(weight->size(), label.size(), "weight");
        std::vector<double> sum(measures.size() * (query_ptr.size() - 1)), mass(sum.size());
        {
          const Ties rule = named(tie_rules, ties);
          nb::gil_scoped_release unlocked;
          measure(span(label), span(score), weight ? span(*weight) : std::span<const double>{}, span(query_ptr),
                  measures, rule, sum, mass, workers(n_threads));
        }
        return std::tuple(to_numpy(std::move(sum)), to_numpy(std::move(mass)));
      },
      "label"_a.noconvert(), "score"_a.noconvert(), "weight"_a.noconvert().none(), "query_ptr"_a.noconvert(),
      "measures"_a, "ties"_a, "n_threads"_a,
      "Sums and masses of each measure of each query, n_measures x n_queries: a value is sum / mass. The weight of "
      "rows "
      "is that of pair_accuracy.");
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Rankine's native kernels: rows, queries, losses over pairs.";

  nb::class_<HeldRows>(m, "Rows", "Rows of features that the kernels read.")
      .def_prop_ro("n_rows", [](const HeldRows& r) { return n_rows(r.rows); })
      .def_prop_ro("n_features", [](const HeldRows& r) { return n_features(r.rows); });
  bind_rows<float>(m);
  bind_rows<double>(m);
  m.def(
      "scores",
      [](const HeldRows& rows, In<double> w, int n_threads) {
        same_length(w.size(), n_features(rows.rows), "w");
        std::vector<double> out(n_rows(rows.rows));
        {
          nb::gil_scoped_release unlocked;
          scores(rows.rows, span(w), out, workers(n_threads));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "w"_a.noconvert(), "n_threads"_a, "The scores X w.");
  m.def(
      "column_stats",
      [](const HeldRows& rows, int n_threads) {
        ColumnStats stats;
        {
          nb::gil_scoped_release unlocked;
          stats = column_stats(rows.rows, workers(n_threads));
        }
        return std::tuple(to_numpy(std::move(stats.least)), to_numpy(std::move(stats.greatest)),
                          to_numpy(std::move(stats.mean)), to_numpy(std::move(stats.spread)),
                          to_numpy(std::move(stats.n_filled)));
      },
      "rows"_a, "n_threads"_a, "Least, greatest, mean, standard deviation and number of non-zeros of each column.");
  m.def(
      "fingerprint",
      [](In<std::uint8_t> bytes, std::uint64_t seed, int n_threads) {
        nb::gil_scoped_release unlocked;
        return fingerprint(std::as_bytes(span(bytes)), seed, workers(n_threads));
      },
      "bytes"_a.noconvert(), "seed"_a, "n_threads"_a, "A 64-bit fingerprint of bytes, continued from seed.");

  nb::class_<HeldQueries>(m, "Queries", "Who competes with whom, and how much each pair weighs.")
      .def(nb::init<In<Offset>, In<Index>, std::optional<In<double>>, std::optional<In<double>>, bool,
                    std::string_view>(),
           "query_ptr"_a.noconvert(), "level"_a.noconvert(), "win"_a.noconvert().none(), "lose"_a.noconvert().none(),
           "adjacent"_a, "counting"_a = "auto");
  m.def("counting_names", &counting_names, "The ways to count rows by level.");
  m.def(
      "levels",
      [](In<double> label, In<Offset> query_ptr) {
        check_query_ptr(span(query_ptr), label.size());
        std::vector<Index> out(label.size());
        {
          nb::gil_scoped_release unlocked;
          levels(span(label), span(query_ptr), out);
        }
        return to_numpy(std::move(out));
      },
      "label"_a.noconvert(), "query_ptr"_a.noconvert(), "The level of each label within its query.");
  m.def(
      "pair_mass",
      [](const HeldQueries& queries) {
        std::vector<double> out(queries.queries.n_queries());
        pair_mass(queries.queries, out);
        return to_numpy(std::move(out));
      },
      "queries"_a, "The total weight of the pairs of each query.");

  m.def("loss_names", &loss_names, "The margin losses.");
  nb::class_<HeldPoint>(m, "PairwisePoint", "A loss over all pairs, at one vector of weights.")
      .def_prop_ro("value", [](HeldPoint& p) { return std::visit([](auto& x) { return x->value; }, p.point); })
      .def_prop_ro(
          "gradient",
          [](HeldPoint& p) {
            return std::visit([](auto& x) { return to_numpy(std::vector<double>(x->gradient)); }, p.point);
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "score",
          [](HeldPoint& p) {
            return std::visit(
                [&](auto& x) {
                  const auto s = x->score(p.queries);
                  return to_numpy(std::vector<double>(s.begin(), s.end()));
                },
                p.point);
          },
          nb::rv_policy::move)
      .def(
          "product",
          [](HeldPoint& p, In<double> v) {
            same_length(v.size(), n_features(p.rows), "v");
            return p.vector_of(v.size(), [&](auto& x, std::span<double> out, const Workers& with) {
              x.product(p.rows, p.queries, span(v), out, with);
            });
          },
          "v"_a.noconvert(), "The Hessian times v.")
      .def(
          "diagonal",
          [](HeldPoint& p) {
            return p.vector_of(n_features(p.rows), [&](auto& x, std::span<double> out, const Workers& with) {
              x.diagonal(p.rows, p.queries, out, with);
            });
          },
          "The diagonal of the Hessian without its cross terms.");
  m.def("pairwise", &pairwise, "rows"_a, "queries"_a, "loss"_a, "w"_a.noconvert(), "n_threads"_a,
        "The point of a loss at w.");
  m.def(
      "along",
      [](const HeldQueries& held, std::string_view loss, In<double> score, In<double> direction, double t,
         int n_threads) {
        same_length(score.size(), held.queries.n_rows(), "score");
        same_length(direction.size(), held.queries.n_rows(), "direction");
        nb::gil_scoped_release unlocked;
        const Curve curve = std::visit(
            [&]<class Loss>(Loss) {
              return along<Loss>(held.queries, span(score), span(direction), t, workers(n_threads));
            },
            loss_named(loss));
        return std::tuple(curve.value, curve.slope, curve.curvature);
      },
      "queries"_a, "loss"_a, "score"_a.noconvert(), "direction"_a.noconvert(), "t"_a, "n_threads"_a,
      "Value, slope and curvature of the loss at score + t * direction.");

  bind_examination(m);
  bind_metrics(m);
}
