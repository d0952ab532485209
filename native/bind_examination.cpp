// Bindings of what `rankine doctor` looks at before any training.
#include "bind.hpp"
#include "duplicates.hpp"
#include "edges.hpp"
#include "order.hpp"
#include "within.hpp"

using namespace rankine;

void rankine::bind_examination(nb::module_& m) {
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
