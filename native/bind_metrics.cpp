// Bindings of the metrics of (label, score, query_ptr).
#include "bind.hpp"
#include "metrics.hpp"

using namespace rankine;

namespace {

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

}  // namespace

void rankine::bind_metrics(nb::module_& m) {
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
