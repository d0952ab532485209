// Bindings of the reader and the writer of LETOR text.
#include "bind.hpp"
#include "letor_reader.hpp"
#include "letor_writer.hpp"
#include "texts.hpp"

using namespace rankine;

namespace {

/// Texts as an array: whole numbers if `numbers` and all are, else (characters, width), else strings of uneven length.
nb::object ids(Texts&& texts, bool numbers) {
  if (numbers)
    if (auto found = whole_numbers(texts)) return nb::cast(to_numpy(std::move(*found)));
  if (is_uneven(texts)) {
    nb::list out;
    for (std::size_t i = 0; i < texts.size(); ++i)
      out.append(nb::bytes(texts[i].data(), texts[i].size()).attr("decode")("utf-8", "replace"));
    return out;
  }
  Characters found = characters(texts);
  const std::size_t width = found.width;
  return nb::cast(to_numpy(std::move(found.code), texts.size(), width));
}

template <class Value>
nb::typed<nb::dict, nb::str, nb::object> finished(LetorRowsRead<Value>&& all) {
  nb::typed<nb::dict, nb::str, nb::object> out;
  const std::size_t n_rows = all.n_rows();
  out["label"] = to_numpy(std::move(all.label));
  out["n_features"] = all.n_features;
  if (all.is_dense) {
    out["value"] = to_numpy(std::move(all.value), n_rows, all.n_features);
    out["row_ptr"] = out["index"] = nb::none();
  } else {
    out["value"] = to_numpy(std::move(all.value));
    out["row_ptr"] = to_numpy(std::move(all.row_ptr));
    out["index"] = to_numpy(std::move(all.index));
  }
  const bool has_queries = all.query.size() > 0 && !all.query[0].empty();
  out["query"] = has_queries ? ids(std::move(all.query), true) : nb::none();
  out["query_size"] = to_numpy(std::move(all.query_size));
  out["document"] = all.has_documents ? ids(std::move(all.document), false) : nb::none();
  return out;
}

struct HeldReader {
  std::variant<LetorReader<float>, LetorReader<double>> reader;
  int n_threads;
  template <class Call>
  void work(Call call) {
    nb::gil_scoped_release unlocked;
    const Workers with = workers(n_threads);
    std::visit([&](auto& r) { call(r, with); }, reader);
  }
};

}  // namespace

void rankine::bind_text(nb::module_& m) {
  nb::class_<HeldReader>(m, "LetorReader", "Reads LETOR text that comes in blocks.")
      .def(
          "__init__",
          [](HeldReader* self, bool single, int index_base, std::optional<std::size_t> n_features, std::string beyond,
             std::optional<double> missing, std::size_t sparsest, int n_threads) {
            LetorRules rules{static_cast<Index>(index_base), LetorRules{}.most_features, std::move(beyond), missing};
            if (n_features) rules.most_features = std::min(*n_features, rules.most_features);
            if (single)
              new (self) HeldReader{LetorReader<float>(rules, sparsest), n_threads};
            else
              new (self) HeldReader{LetorReader<double>(rules, sparsest), n_threads};
          },
          nb::kw_only(), "single"_a, "index_base"_a, "n_features"_a.none(), "beyond"_a, "missing"_a.none(),
          "sparsest"_a, "n_threads"_a)
      .def(
          "begin_file",
          [](HeldReader& self, std::string name) {
            std::visit([&](auto& r) { r.begin_file(std::move(name)); }, self.reader);
          },
          "name"_a, "What follows belongs to this file.")
      .def(
          "feed",
          [](HeldReader& self, In<std::uint8_t> block, std::size_t n) {
            if (n + 32 > block.size()) throw std::invalid_argument("32 bytes behind the text must be readable");
            const auto* text = reinterpret_cast<const char*>(block.data());
            self.work([&](auto& r, const Workers& with) { r.feed(text, n, with); });
          },
          "block"_a.noconvert(), "n"_a, "Reads the next n bytes of a file.")
      .def(
          "end_file", [](HeldReader& self) { self.work([](auto& r, const Workers& with) { r.end_file(with); }); },
          "The file ends here.")
      .def(
          "take",
          [](HeldReader& self, std::size_t n_features) {
            nb::typed<nb::dict, nb::str, nb::object> out;
            std::visit(
                [&]<class Value>(LetorReader<Value>& r) {
                  LetorRowsRead<Value> all;
                  {
                    nb::gil_scoped_release unlocked;
                    all = r.take(n_features, workers(self.n_threads));
                  }
                  out = finished(std::move(all));
                },
                self.reader);
            return out;
          },
          "n_features"_a, "All that was read since the last time, with at least so many features.")
      .def_prop_ro(
          "n_rows",
          [](const HeldReader& self) { return std::visit([](const auto& r) { return r.n_rows(); }, self.reader); },
          "How many rows wait to be taken.");

  nb::class_<Texts>(m, "Texts", "Strings that the writer reads.")
      .def(nb::init<>())
      .def(
          "__init__",
          [](Texts* self, const std::vector<std::string_view>& texts) {
            new (self) Texts{};
            for (const auto text : texts) self->push_back(text);
          },
          "texts"_a);
  m.def(
      "number_lines",
      [](In<double> values, int n_threads) {
        std::vector<std::string> pieces;
        {
          nb::gil_scoped_release unlocked;
          pieces = number_lines(span(values), workers(n_threads));
        }
        return pieces;
      },
      "values"_a.noconvert(), "n_threads"_a, "Numbers, one a line, that read back to the same bits; in pieces.");
  m.def(
      "letor_lines",
      [](const HeldRows& rows, In<double> label, In<Offset> query_of, const Texts& query, const Texts* document,
         In<Offset> which, bool shows_width, int n_threads) {
        same_length(label.size(), n_rows(rows.rows), "label");
        same_length(query_of.size(), n_rows(rows.rows), "query_of");
        if (document != nullptr) same_length(document->size(), which.size(), "document");
        std::vector<std::string> pieces;
        {
          nb::gil_scoped_release unlocked;
          const LetorTable table{span(label), span(query_of), query, document, span(which), shows_width};
          check(table);
          pieces = letor_lines(rows.rows, table, workers(n_threads));
        }
        nb::typed<nb::list, nb::bytes> out;
        for (const auto& piece : pieces) out.append(nb::bytes(piece.data(), piece.size()));
        return out;
      },
      "rows"_a, "label"_a.noconvert(), "query_of"_a.noconvert(), "query"_a, "document"_a.none(), "which"_a.noconvert(),
      "shows_width"_a, "n_threads"_a, "The rows at `which` as lines of LETOR text, in pieces.");
}
