// Rows as LETOR text. Numbers are the shortest that read back to the same bits; dense rows show all of their features,
// sparse ones those that are not zero.
#pragma once
#include <charconv>
#include <cstdio>

#include "letor.hpp"
#include "parallel.hpp"

namespace rankine {

/// Which rows to write, and what stands beside their features.
struct LetorTable {
  std::span<const double> label;     // by row
  std::span<const Offset> query_of;  // by row: which of the queries
  const Texts& query;
  const Texts* document;          // by line, if there are any
  std::span<const Offset> which;  // the row of each line
  bool shows_width;               // whether the first line names the last feature even if it is zero
};

/// Throws unless every line is about a row, and every row about a query, that is there.
inline void check(const LetorTable& table) {
  const auto within = [](Offset i, std::size_t n) { return i >= 0 && static_cast<std::size_t>(i) < n; };
  for (const Offset row : table.which)
    if (!within(row, table.label.size()) || !within(table.query_of[static_cast<std::size_t>(row)], table.query.size()))
      throw std::out_of_range("a line to be written is about a row that is not there");
}

template <class Number>
void print(std::string& out, Number x) {
  char text[40];
  char* end = text;
  if (std::isfinite(x) && x == static_cast<Number>(static_cast<int>(std::clamp(x, Number{-1e6}, Number{1e6}))))
    end = std::to_chars(text, text + sizeof text, static_cast<int>(x)).ptr;
  else
#if defined(__cpp_lib_to_chars)
    end = std::to_chars(text, text + sizeof text, x).ptr;
#else
    end += std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<Number>::max_digits10, static_cast<double>(x));
#endif
  out.append(text, end);
}

inline void print_feature(std::string& out, std::size_t j) {
  char text[24];
  out += ' ';
  out.append(text, std::to_chars(text, text + sizeof text, j + 1).ptr);
  out += ':';
}

template <class Value>
void print_row(std::string& out, const DenseRows<Value>& x, std::size_t row, bool) {
  for (std::size_t j = 0; j < x.n_features; ++j) {
    print_feature(out, j);
    print(out, x.value[row * x.n_features + j]);
  }
}
template <class Value>
void print_row(std::string& out, const SparseRows<Value>& x, std::size_t row, bool shows_width) {
  std::size_t width = 0;
  x.each(row, [&](std::size_t j, double v) {
    if (v == 0.0) return;
    print_feature(out, j);
    print(out, static_cast<Value>(v));
    width = j + 1;
  });
  if (!shows_width || width == x.n_features) return;
  print_feature(out, x.n_features - 1);
  out += '0';
}

/// Numbers, one a line, in pieces that follow one another.
inline std::vector<std::string> number_lines(std::span<const double> values, const Workers& workers) {
  const std::size_t n_pieces = values.size() / 4096 + 1;
  std::vector<std::string> pieces(n_pieces);
  parallel_blocks(n_pieces, workers, [&](std::size_t b) {
    const auto [begin, end] = block_range(values.size(), n_pieces, b);
    for (const double x : values.subspan(begin, end - begin)) {
      print(pieces[b], x);
      pieces[b] += '\n';
    }
  });
  return pieces;
}

/// The lines, in pieces that follow one another.
inline std::vector<std::string> letor_lines(const AnyRows& rows, const LetorTable& table, const Workers& workers) {
  const std::size_t n_pieces = table.which.size() / 1024 + 1;
  std::vector<std::string> pieces(n_pieces);
  parallel_blocks(n_pieces, workers, [&](std::size_t b) {
    std::string& out = pieces[b];
    const auto [begin, end] = block_range(table.which.size(), n_pieces, b);
    for (std::size_t line = begin; line < end; ++line) {
      const auto row = static_cast<std::size_t>(table.which[line]);
      print(out, table.label[row]);
      out += " qid:";
      out += table.query[static_cast<std::size_t>(table.query_of[row])];
      std::visit([&](const auto& x) { print_row(out, x, row, table.shows_width && line == 0); }, rows);
      if (table.document != nullptr && !(*table.document)[line].empty()) {
        out += " #docid = ";
        out += (*table.document)[line];
      }
      out += '\n';
    }
  });
  return pieces;
}

}  // namespace rankine
