// A reader of LETOR text that is given block after block, as they come from a file, a pipe or a decompressor, and never
// holds more than one block of text: what it keeps is the finished data, until that is taken.
//
// A block is cut at line ends into pieces, which all threads read; then the pieces are put behind the rows that are
// there already, dense or sparse by how many cells are filled so far. Lines that cross from block to block are a piece
// of their own. Nothing depends on how the text was cut.
#pragma once
#include <stdexcept>

#include "letor.hpp"
#include "parallel.hpp"

namespace rankine {

/// All rows that were read. Dense rows lie `stride` apart.
template <class Value>
struct LetorRowsRead {
  Buffer<double> label;
  bool is_dense = true;
  Buffer<Value> value;
  Buffer<Offset> row_ptr;  // sparse
  Buffer<Index> index;     // sparse
  std::size_t stride = 0, n_features = 0, n_nonzero = 0;
  Texts query;
  Buffer<Offset> query_size;
  Texts document;
  bool has_documents = false;

  std::size_t n_rows() const { return label.size(); }
};

template <class Value>
class LetorReader {
 public:
  /// Rows are kept dense when at least one cell in `sparsest` is filled.
  LetorReader(const LetorRules& rules, std::size_t sparsest) : rules_(rules), sparsest_(sparsest) {}

  void begin_file(std::string name) {
    name_ = std::move(name);
    n_lines_ = 0;
  }
  /// How many rows wait to be taken.
  std::size_t n_rows() const { return all_.n_rows(); }
  /// Reads the next n characters of the file; `room` of them, 32 more or better, may be read.
  void feed(const char* text, std::size_t n, const Workers& workers) {
    const char *begin = text, *end = text + n;
    if (n_lines_ == 0 && seam_.empty() && n >= 3 && std::memcmp(text, "\xEF\xBB\xBF", 3) == 0) begin += 3;
    if (!seam_.empty()) {
      const char* const newline = find_newline(begin, end);
      seam_.append(begin, static_cast<std::size_t>(newline - begin));
      if (newline == end) return;
      begin = newline + 1;
      read_seam(workers);
    }
    const char* last = end;
    while (last > begin && last[-1] != '\n') --last;
    read_lines(begin, last, workers);
    seam_.assign(last, static_cast<std::size_t>(end - last));
  }
  void end_file(const Workers& workers) {
    if (!seam_.empty()) read_seam(workers);
  }
  /// Hands over what was read since the last time, dense or sparse as suits all of it.
  LetorRowsRead<Value> take(std::size_t n_features, const Workers& workers) {
    all_.n_features = std::max(all_.n_features, n_features);
    const bool dense = is_dense_enough(all_.n_nonzero, all_.n_rows(), all_.n_features);
    if (all_.is_dense && !dense) make_sparse();
    if (!all_.is_dense && dense) make_dense(workers);
    if (all_.is_dense) widen(all_.n_features);
    return std::exchange(all_, {});
  }

 private:
  static const char* find_newline(const char* s, const char* end) {
    const void* found = s == end ? nullptr : std::memchr(s, '\n', static_cast<std::size_t>(end - s));
    return found == nullptr ? end : static_cast<const char*>(found);
  }
  void read_seam(const Workers& workers) {
    seam_ += '\n';
    const std::size_t n = seam_.size();
    seam_.append(32, '\n');
    const std::string line = std::exchange(seam_, {});
    read_lines(line.data(), line.data() + n, workers);
  }

  void read_lines(const char* begin, const char* end, const Workers& workers) {
    if (begin == end) return;
    constexpr std::size_t few = 1 << 17;
    cut_.assign(1, begin);
    while (cut_.back() < end) {
      const char* const at =
          static_cast<std::size_t>(end - cut_.back()) <= few ? end : find_newline(cut_.back() + few, end);
      cut_.push_back(std::min(at + 1, end));
    }
    const std::size_t n_pieces = cut_.size() - 1;
    if (pieces_.size() < n_pieces) pieces_.resize(n_pieces);
    parallel_blocks(n_pieces, workers,
                    [&](std::size_t b) { LetorLines<Value>(rules_, pieces_[b]).read(cut_[b], cut_[b + 1]); });
    for (std::size_t b = 0; b < n_pieces; ++b) {
      check_queries(pieces_[b], cut_[b]);
      if (pieces_[b].mistake) fail(pieces_[b].mistake->at, cut_[b], pieces_[b].mistake->message);
      n_lines_ += pieces_[b].n_lines;
    }
    append(n_pieces, workers);
  }

  [[noreturn]] void fail(const char* at, const char* begin, const std::string& message) const {
    const auto line = n_lines_ + 1 + static_cast<std::size_t>(std::count(begin, at, '\n'));
    const char* start = at;
    while (start > begin && start[-1] != '\n') --start;
    throw std::invalid_argument(name_ + ":" + std::to_string(line) + ":" + std::to_string(at - start + 1) + ": " +
                                message);
  }
  /// Either all rows have a query id or none has.
  void check_queries(const Piece<Value>& piece, const char* begin) {
    auto place = [&](const char* at) {
      return name_ + ":" + std::to_string(n_lines_ + 1 + static_cast<std::size_t>(std::count(begin, at, '\n')));
    };
    if (piece.with_query != nullptr && with_query_.empty()) with_query_ = place(piece.with_query);
    if (piece.without_query != nullptr && without_query_.empty()) {
      without_query_ = place(piece.without_query);
      if (!with_query_.empty())
        fail(piece.without_query, begin,
             "this row has no qid:, but the one at " + with_query_ + " has; every row needs one");
    }
    if (!with_query_.empty() && !without_query_.empty())
      throw std::invalid_argument(without_query_ + ":1: this row has no qid:, but the one at " + with_query_ +
                                  " has; every row needs one");
  }

  bool is_dense_enough(std::size_t n_nonzero, std::size_t n_rows, std::size_t n_features) const {
    return static_cast<double>(n_nonzero) * static_cast<double>(sparsest_) >=
           static_cast<double>(n_rows) * static_cast<double>(n_features);
  }

  /// Puts the rows of the pieces behind those that are there.
  void append(std::size_t n_pieces, const Workers& workers) {
    std::vector<std::size_t> row{all_.n_rows()}, filled{all_.n_nonzero};
    for (std::size_t b = 0; b < n_pieces; ++b) {
      const Piece<Value>& piece = pieces_[b];
      row.push_back(row.back() + piece.label.size());
      filled.push_back(filled.back() + piece.n_nonzero);
      all_.n_features = std::max(all_.n_features, piece.n_features);
      all_.label.append(piece.label.data(), piece.label.size());
      for (std::size_t r = 0; r < piece.query.size(); ++r) {
        const bool goes_on = all_.query.size() > 0 && all_.query[all_.query.size() - 1] == piece.query[r];
        if (!goes_on) {
          all_.query.push_back(piece.query[r]);
          all_.query_size.push_back(0);
        }
        all_.query_size.back() += piece.query_size[r];
      }
      append_documents(piece, row[b]);
    }
    const bool first = all_.n_nonzero == 0;
    all_.n_nonzero = filled.back();
    const bool dense = is_dense_enough(all_.n_nonzero, row.back(), all_.n_features);
    if (all_.is_dense && !dense) make_sparse(row.front());
    if (!all_.is_dense && dense && first) make_dense(workers, row.front());
    if (all_.is_dense) {
      widen(all_.n_features, row.front());
      all_.value.resize(row.back() * all_.stride);
    } else {
      all_.value.resize(filled.back());
      all_.index.resize(filled.back());
      all_.row_ptr.resize(row.back() + 1);
    }
    parallel_blocks(n_pieces, workers, [&](std::size_t b) {
      all_.is_dense ? put_dense(pieces_[b], row[b]) : put_sparse(pieces_[b], row[b], filled[b]);
    });
  }
  /// Rows before the first one with a document id have an empty one.
  void append_documents(const Piece<Value>& piece, std::size_t n_before) {
    if (!piece.has_documents && !all_.has_documents) return;
    while (all_.document.size() < n_before) all_.document.push_back({});
    for (std::size_t r = 0; r < piece.document.size(); ++r) all_.document.push_back(piece.document[r]);
    all_.has_documents = true;
  }

  void put_dense(const Piece<Value>& piece, std::size_t row) {
    std::size_t k = 0;
    for (std::size_t r = 0; r < piece.label.size(); ++r) {
      Value* const x = all_.value.data() + (row + r) * all_.stride;
      const std::size_t n = piece.row_end[r] - k;
      if (n == all_.stride) {  // all features are there: they are in order already
        std::copy_n(piece.value.data() + k, n, x);
      } else {
        std::fill_n(x, all_.stride, Value{0});
        for (std::size_t i = k; i < k + n; ++i) x[piece.index[i]] = piece.value[i];
      }
      k += n;
    }
  }
  void put_sparse(const Piece<Value>& piece, std::size_t row, std::size_t at) {
    std::size_t k = 0;
    for (std::size_t r = 0; r < piece.label.size(); ++r) {
      for (; k < piece.row_end[r]; ++k) {
        if (piece.value[k] == Value{0}) continue;
        all_.index[at] = piece.index[k];
        all_.value[at++] = piece.value[k];
      }
      all_.row_ptr[row + r + 1] = static_cast<Offset>(at);
    }
  }

  void widen(std::size_t n_features) { widen(n_features, all_.n_rows()); }
  /// Moves dense rows apart, in place, from the last to the first. A little more room than is needed keeps this rare.
  void widen(std::size_t n_features, std::size_t n_rows) {
    const std::size_t narrow = all_.stride;
    if (n_features <= narrow) return;
    all_.stride = n_features;
    all_.value.resize(n_rows * n_features);
    Value* const x = all_.value.data();
    for (std::size_t i = n_rows; i-- > 0;) {
      std::copy_backward(x + i * narrow, x + (i + 1) * narrow, x + i * n_features + narrow);
      std::fill_n(x + i * n_features + narrow, n_features - narrow, Value{0});
    }
  }

  void make_sparse() { make_sparse(all_.n_rows()); }
  void make_sparse(std::size_t n_rows) {
    Buffer<Value> value;
    all_.is_dense = false;
    all_.row_ptr.push_back(0);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const Value* const x = all_.value.data() + i * all_.stride;
      for (std::size_t j = 0; j < all_.stride; ++j) {
        if (x[j] == Value{0}) continue;
        all_.index.push_back(static_cast<Index>(j));
        value.push_back(x[j]);
      }
      all_.row_ptr.push_back(static_cast<Offset>(value.size()));
    }
    all_.value = std::move(value);
    all_.stride = 0;
  }
  void make_dense(const Workers& workers) { make_dense(workers, all_.n_rows()); }
  void make_dense(const Workers& workers, std::size_t n_rows) {
    const std::size_t n_features = all_.n_features;
    Buffer<Value> value;
    value.resize(n_rows * n_features);
    const std::size_t n_blocks = n_rows / 1024 + 1;
    parallel_blocks(n_blocks, workers, [&](std::size_t b) {
      const auto [begin, end] = block_range(n_rows, n_blocks, b);
      for (std::size_t i = begin; i < end; ++i) {
        Value* const x = value.data() + i * n_features;
        std::fill_n(x, n_features, Value{0});
        for (auto k = all_.row_ptr[i]; k < all_.row_ptr[i + 1]; ++k)
          x[all_.index[static_cast<std::size_t>(k)]] = all_.value[static_cast<std::size_t>(k)];
      }
    });
    all_.value = std::move(value);
    all_.row_ptr = {};
    all_.index = {};
    all_.is_dense = true;
    all_.stride = n_features;
  }

  LetorRules rules_;
  std::size_t sparsest_;
  std::string name_, seam_, with_query_, without_query_;
  std::size_t n_lines_ = 0;
  std::vector<const char*> cut_;
  std::vector<Piece<Value>> pieces_;
  LetorRowsRead<Value> all_;
};

}  // namespace rankine
