// The Python surface of the core. Conversions, the GIL, the choice of template; no arithmetic.
#include "bind.hpp"

#include "columns.hpp"
#include "content.hpp"
#include "isa/choose.hpp"
#include "mixture.hpp"
#include "pairwise.hpp"

using namespace rankine;

namespace {

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

/// One alternative for each kind of loss.
template <class... Kind>
std::variant<std::unique_ptr<PairwisePoint<Kind>>...> points_of(std::variant<Kind...>*);
using AnyPoint = decltype(points_of(static_cast<Loss*>(nullptr)));

/// A point of any loss, with the rows and queries that it was made from.
struct HeldPoint {
  nb::object rows_owner, queries_owner;
  const AnyRows& rows;
  const Queries& queries;
  int n_threads;
  AnyPoint point;

  template <class Call>
  std::vector<double> values_of(std::size_t size, Call call) {
    std::vector<double> out(size);
    nb::gil_scoped_release unlocked;
    const Workers with = workers(n_threads);
    std::visit([&](auto& p) { call(*p, std::span<double>(out), with); }, point);
    return out;
  }
  template <class Call>
  Array<double> vector_of(std::size_t size, Call call) {
    return to_numpy(values_of(size, call));
  }
};

HeldPoint pairwise(nb::object rows_object, nb::object queries_object, std::string_view loss, double window,
                   In<double> w, int n_threads) {
  const AnyRows& rows = nb::cast<const HeldRows&>(rows_object).rows;
  const Queries& queries = nb::cast<const HeldQueries&>(queries_object).queries;
  same_length(queries.n_rows(), n_rows(rows), "level");
  same_length(w.size(), n_features(rows), "w");
  HeldPoint held{rows_object, queries_object, rows, queries, n_threads, {}};
  nb::gil_scoped_release unlocked;
  std::visit(
      [&]<class Kind>(const Kind& kind) {
        held.point = std::make_unique<PairwisePoint<Kind>>(kind, rows, queries, span(w), workers(n_threads));
      },
      loss_named(loss, window));
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

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Rankine's native kernels: rows, queries, losses over pairs.";
  kernels();  // an unknown RANKINE_ISA fails the import
  m.def("isa", [] { return kernels().name; }, "The instruction set that the kernels were compiled for.");

  nb::class_<HeldRows>(m, "Rows", "Rows of features that the kernels read.")
      .def_prop_ro("n_rows", [](const HeldRows& r) { return n_rows(r.rows); })
      .def_prop_ro("n_features", [](const HeldRows& r) { return n_features(r.rows); });
  bind_rows<float>(m);
  bind_rows<double>(m);
  m.def(
      "scores",
      [](const HeldRows& rows, In<double> w, std::optional<In<Offset>> which, int n_threads) {
        same_length(w.size(), n_features(rows.rows), "w");
        std::vector<double> out(which ? which->size() : n_rows(rows.rows));
        {
          nb::gil_scoped_release unlocked;
          if (which)
            scores_of(rows.rows, span(w), span(*which), out, workers(n_threads));
          else
            scores(rows.rows, span(w), out, workers(n_threads));
        }
        return to_numpy(std::move(out));
      },
      "rows"_a, "w"_a.noconvert(), "which"_a.noconvert().none(), "n_threads"_a,
      "The scores X w of all rows, or of those at some positions.");
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
      .def(nb::init<In<Offset>, In<Index>, std::optional<In<double>>, std::optional<In<double>>, bool, std::string_view,
                    std::optional<In<double>>>(),
           "query_ptr"_a.noconvert(), "level"_a.noconvert(), "win"_a.noconvert().none(), "lose"_a.noconvert().none(),
           "adjacent"_a, "counting"_a = "auto", "gain"_a.noconvert().none() = nb::none());
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
          "shortfall", [](HeldPoint& p) { return std::visit([](auto& x) { return x->shortfall; }, p.point); },
          "The sum over pairs of weight * max(0, 1 - margin).")
      .def_prop_ro(
          "mass", [](HeldPoint& p) { return std::visit([](auto& x) { return x->mass; }, p.point); },
          "The sum over pairs of weight * minus the slope of the loss.")
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
          "The diagonal of the Hessian without its cross terms.")
      .def(
          "hessian",
          [](HeldPoint& p, bool single) {
            const std::size_t n = n_features(p.rows);
            return to_numpy(p.values_of(n * n,
                                        [&](auto& x, std::span<double> out, const Workers& with) {
                                          if (single)
                                            x.template hessian<float>(p.rows, p.queries, out, with);
                                          else
                                            x.template hessian<double>(p.rows, p.queries, out, with);
                                        }),
                            n, n);
          },
          "single"_a,
          "The Hessian as a matrix; `single`: short sums in single precision, which is faster and right to six "
          "digits.");
  m.def("pairwise", &pairwise, "rows"_a, "queries"_a, "loss"_a, "window"_a, "w"_a.noconvert(), "n_threads"_a,
        "The point of a loss at w.");
  m.def(
      "along",
      [](const HeldQueries& held, std::string_view loss, double window, In<double> score, In<double> direction,
         double t, int n_threads) {
        same_length(score.size(), held.queries.n_rows(), "score");
        same_length(direction.size(), held.queries.n_rows(), "direction");
        nb::gil_scoped_release unlocked;
        const Curve curve = std::visit(
            [&](const auto& kind) {
              return along(kind, held.queries, span(score), span(direction), t, workers(n_threads));
            },
            loss_named(loss, window));
        return std::tuple(curve.value, curve.slope, curve.curvature);
      },
      "queries"_a, "loss"_a, "window"_a, "score"_a.noconvert(), "direction"_a.noconvert(), "t"_a, "n_threads"_a,
      "Value, slope and curvature of the loss at score + t * direction.");

  m.def(
      "best_mixture",
      [](In<double> gram, In<double> offset, In<double> start) {
        same_length(gram.size(), offset.size() * offset.size(), "gram");
        same_length(start.size(), offset.size(), "start");
        return to_numpy(Mixture(span(gram), span(offset)).best(span(start), 20 * offset.size() + 20));
      },
      "gram"_a.noconvert(), "offset"_a.noconvert(), "start"_a.noconvert(),
      "The b >= 0 with sum b = 1 that maximises offset . b - b' gram b / 2; gram is row after row.");

  bind_examination(m);
  bind_metrics(m);
  bind_text(m);
}
