// Rows in LETOR / SVMrank / svmlight text:
//     label qid:query feature:value feature:value … # comment
// with blanks or tabs between, features in any order, blank lines and lines of comment. This header reads whole lines
// into a Piece, as fast as one core can, and says exactly what is wrong with the first line that is not right.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "decimal.hpp"
#include "rows.hpp"
#include "utf8.hpp"

namespace rankine {

/// What the reader of text is told beforehand.
struct LetorRules {
  Index base = 1;                                                     // the number of the first feature
  std::size_t most_features = std::numeric_limits<Index>::max() - 1;  // a higher number is an error
  std::string beyond = "leave them out";                              // what to do about features above most_features
  std::optional<double> missing;                                      // what NULL, nan and inf mean, if anything
};

/// Strings one after another.
struct Texts {
  Buffer<char> text;
  Buffer<std::size_t> end;

  std::size_t size() const { return end.size(); }
  std::string_view operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : end[i - 1];
    return {text.data() + begin, end[i] - begin};
  }
  void push_back(std::string_view s) {
    text.append(s.data(), s.size());
    end.push_back(text.size());
  }
  void clear() {
    text.clear();
    end.clear();
  }
};

/// What is wrong, and where.
struct Mistake {
  const char* at = nullptr;
  std::string message;
};

/// Rows of some lines. Queries are runs of rows with the same id; an empty id stands for none.
template <class Value>
struct Piece {
  Buffer<double> label;
  Buffer<std::size_t> row_end;  // row r holds the values row_end[r - 1] to row_end[r]
  Buffer<Index> index;          // ascending within a row, counted from 0
  Buffer<Value> value;
  Texts query;
  Buffer<Offset> query_size;
  Texts document;
  bool has_documents = false;
  std::size_t n_lines = 0, n_features = 0, n_nonzero = 0;
  const char *with_query = nullptr, *without_query = nullptr;  // the first row of each kind
  std::optional<Mistake> mistake;

  void clear() {
    label.clear(), row_end.clear(), index.clear(), value.clear(), query.clear(), query_size.clear(), document.clear();
    has_documents = false;
    n_lines = n_features = n_nonzero = 0;
    with_query = without_query = nullptr;
    mistake.reset();
  }
};

/// Reads [s, end), whole lines, of which the last ends with '\n'. 32 bytes behind the end must be readable.
template <class Value>
class LetorLines {
 public:
  LetorLines(const LetorRules& rules, Piece<Value>& piece) : rules_(rules), out_(piece) {}

  void read(const char* s, const char* end) {
    out_.clear();
    end_ = end;
    out_.index.reserve(static_cast<std::size_t>(end - s) / 4 + 1);  // a value takes four characters: " 1:0"
    out_.value.reserve(static_cast<std::size_t>(end - s) / 4 + 1);
    while (s < end && !out_.mistake) {
      s = line(s);
      ++out_.n_lines;
    }
  }

 private:
  /// Reads one line, and returns where the next one begins.
  const char* line(const char* s) {
    const char* const begin = s;
    s = blanks(s);
    if (*s == '\n') return s + 1;
    if (*s == '#') return next_line(s);
    double label = 0.0;
    const char* const label_at = s;
    if (read_decimal(s, label) != Decimal::number)
      return wrong(label_at, "expected a label, which is a finite number, but found " + shown(label_at));
    std::string_view query, document;
    std::size_t n = out_.index.size();
    const std::size_t first = n;
    Index* const index = out_.index.data();
    Value* const value = out_.value.data();
    std::int64_t last = -1;
    bool ascending = true;
    for (;;) {
      s = blanks(s);
      if (digit(*s) < 10) {
        const char* const feature_at = s;
        std::int64_t j = 0;
        for (unsigned d; (d = digit(*s)) < 10 && s - feature_at < 11; ++s) j = j * 10 + static_cast<std::int64_t>(d);
        if (*s != ':') return not_a_feature(feature_at, s);
        j -= rules_.base;
        if (j < 0) return wrong(feature_at, zero_message);
        if (j >= static_cast<std::int64_t>(rules_.most_features)) return too_high(feature_at);
        const char* const value_at = ++s;
        double x = 0.0;
        const Decimal kind = read_decimal(s, x);
        if (kind != Decimal::number) {
          if (kind != Decimal::missing || !rules_.missing) return not_a_value(kind, feature_at, value_at);
          x = *rules_.missing;
        }
        if constexpr (std::is_same_v<Value, float>)
          if (!std::isnan(x) && !(std::fabs(x) < 3.4028235677973366e38))  // halfway to what would be the next float
            return wrong(value_at, shown(value_at) + " is too large for float32: read with dtype='float64' (--dtype)");
        ascending = ascending && j > last;
        last = j;
        index[n] = static_cast<Index>(j);
        value[n] = static_cast<Value>(x);
        n += 1;
        out_.n_nonzero += static_cast<Value>(x) != Value{0};
      } else if (*s == '\n') {
        ++s;
        break;
      } else if (*s == 'q' && s[1] == 'i' && s[2] == 'd' && s[3] == ':') {
        if (query.data() != nullptr) return wrong(s, "a second query id: a row belongs to one query");
        const char* const id = s + 4;
        bool ascii = true;
        for (s = id; !is_end(*s); ++s) ascii = ascii && static_cast<unsigned char>(*s) - 1u < 127u;
        if (s == id) return wrong(id, "expected a query id after 'qid:'");
        if (!ascii && !is_utf8({id, s})) return wrong(id, "expected a query id in UTF-8, but found " + shown(id));
        query = {id, static_cast<std::size_t>(s - id)};
      } else if (*s == '#') {
        const char* const after = next_line(s);
        document = document_id(s + 1, after - 1);
        s = after;
        break;
      } else {
        return wrong(s, "expected feature:value, but found " + shown(s));
      }
    }
    if (!ascending && !sort_row(begin, first, n)) return s;
    if (n > first) out_.n_features = std::max(out_.n_features, static_cast<std::size_t>(index[n - 1]) + 1);
    out_.index.set_size(n);
    out_.value.set_size(n);
    out_.label.push_back(label);
    out_.row_end.push_back(n);
    (query.data() == nullptr ? out_.without_query : out_.with_query) =
        first_of(query.data() == nullptr ? out_.without_query : out_.with_query, begin);
    if (out_.query.size() == 0 || out_.query[out_.query.size() - 1] != query) {
      out_.query.push_back(query);
      out_.query_size.push_back(0);
    }
    ++out_.query_size.back();
    out_.document.push_back(document);
    out_.has_documents = out_.has_documents || !document.empty();
    return s;
  }

  static const char* blanks(const char* s) {
    while (*s == ' ' || *s == '\t' || *s == '\r') ++s;
    return s;
  }
  const char* next_line(const char* s) const {
    return static_cast<const char*>(std::memchr(s, '\n', static_cast<std::size_t>(end_ - s))) + 1;
  }
  static const char* first_of(const char* before, const char* now) { return before == nullptr ? now : before; }

  /// The id in "docid = X inc = …" or "X …".
  static std::string_view document_id(const char* s, const char* end) {
    s = blanks(s);
    if (end - s > 5 && begins_with(s, "docid")) {
      const char* const equals = blanks(s + 5);
      if (*equals == '=') s = blanks(equals + 1);
    }
    const char* stop = s;
    while (stop < end && *stop != ' ' && *stop != '\t' && *stop != '\r') ++stop;
    return {s, static_cast<std::size_t>(stop - s)};
  }

  /// Brings the values of a row in order; a feature that stands twice is a mistake.
  bool sort_row(const char* begin, std::size_t first, std::size_t n) {
    std::vector<std::pair<Index, Value>> row;
    for (std::size_t k = first; k < n; ++k) row.emplace_back(out_.index[k], out_.value[k]);
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].first == row[k - 1].first) {
        const std::string name = std::to_string(row[k].first + rules_.base);
        wrong(second_place(begin, name + ":"), "feature " + name + " stands twice in this row");
        return false;
      }
      out_.index[first + k] = row[k].first;
      out_.value[first + k] = row[k].second;
    }
    return true;
  }
  /// Where a feature stands for the second time in a line; leading zeros of its number may hide it.
  const char* second_place(const char* s, std::string_view name) const {
    const std::string_view line(s, static_cast<std::size_t>(next_line(s) - s));
    std::size_t found = std::string_view::npos;
    for (std::size_t at = line.find(name), seen = 0; at != std::string_view::npos; at = line.find(name, at + 1))
      if (at > 0 && (line[at - 1] == ' ' || line[at - 1] == '\t') && ++seen == 2) found = at;
    return found == std::string_view::npos ? s : s + found;
  }

  // What can be wrong -------------------------------------------------------------------------------------------------

  static constexpr const char* zero_message =
      "feature 0 in a file whose features count from 1: if they count from 0, read it with index_base=0 (--index-base "
      "0)";

  const char* wrong(const char* at, std::string message) {
    out_.mistake = Mistake{at, std::move(message)};
    return next_line(at);
  }
  const char* not_a_feature(const char* at, const char* stop) {
    if (digit(*stop) < 10) return too_high(at);
    const char* s = at;
    double x = 0.0;
    if (read_decimal(s, x) != Decimal::none)
      return wrong(at, "a second label, " + shown(at) + ": a row has one, and its features are written feature:value");
    return wrong(at, "expected feature:value, but found " + shown(at));
  }
  const char* too_high(const char* at) {
    const std::string most = std::to_string(rules_.most_features);
    if (rules_.most_features == LetorRules{}.most_features)
      return wrong(at, "the number of a feature must be at most " + most + ", but this is " + shown(at));
    const char* stop = at;
    while (digit(*stop) < 10) ++stop;
    return wrong(at, "feature " + std::string(at, stop) + " is beyond n_features = " + most + ": " + rules_.beyond);
  }
  const char* not_a_value(Decimal kind, const char* feature_at, const char* at) {
    const std::string feature(feature_at, at);
    if (kind == Decimal::too_large) return wrong(at, shown(at) + " is too large for a float64");
    if (kind == Decimal::missing)
      return wrong(at, shown(at) + " stands for a missing value of feature " + feature.substr(0, feature.size() - 1) +
                           ": say what such values mean, with missing='zero' or a number (--missing zero), or learn "
                           "it: train with missing='indicator' (--missing indicator)");
    return wrong(at, "expected a number after '" + feature + "', but found " + shown(at));
  }

  /// The word at s, as people see it.
  static std::string shown(const char* s) {
    if (*s == '\n' || *s == '\r') return "the end of the line";
    if (*s == ' ' || *s == '\t') return "a blank";
    std::string out = "'";
    for (int n = 0; *s != ' ' && *s != '\t' && *s != '\n' && *s != '\r'; ++s, ++n) {
      if (n == 40) return out + "…'";
      const auto c = static_cast<unsigned char>(*s);
      static constexpr char hex[] = "0123456789abcdef";
      if (c >= 32 && c < 127)
        out += *s;
      else
        out += std::string("\\x") + hex[c >> 4] + hex[c & 15];
    }
    return out + "'";
  }

  const LetorRules& rules_;
  Piece<Value>& out_;
  const char* end_ = nullptr;
};

}  // namespace rankine
