// The reader of text: the same rows however the text is cut into blocks, exact numbers, and no step beyond the text.
#include <random>

#include "check.hpp"
#include "letor_reader.hpp"
#include "letor_writer.hpp"
#include "texts.hpp"

using namespace rankine;

namespace {

/// A block with nothing readable beyond what the reader may look at: the sanitizer watches its end.
void feed(LetorReader<double>& reader, std::string_view text) {
  std::vector<char> block(text.begin(), text.end());
  block.resize(text.size() + 32, '7');
  reader.feed(block.data(), text.size(), Workers{2, [] {}});
}

LetorRowsRead<double> read(std::string_view text, std::size_t block, std::size_t sparsest = 4) {
  LetorReader<double> reader({}, sparsest);
  reader.begin_file("file");
  for (std::size_t at = 0; at < text.size(); at += block) feed(reader, text.substr(at, block));
  reader.end_file(Workers{2, [] {}});
  return reader.take(0, Workers{2, [] {}});
}

/// The labels, as they are when what was read is taken after every block.
std::vector<double> labels_by_block(std::string_view text, std::size_t block) {
  LetorReader<double> reader({}, 4);
  std::vector<double> out;
  auto take = [&] {
    const auto part = reader.take(0, Workers{2, [] {}});
    check(part.is_dense || part.row_ptr.size() == part.n_rows() + 1, "a part is whole");
    out.insert(out.end(), part.label.span().begin(), part.label.span().end());
  };
  reader.begin_file("file");
  for (std::size_t at = 0; at < text.size(); at += block) feed(reader, text.substr(at, block)), take();
  reader.end_file(Workers{2, [] {}});
  take();
  return out;
}

std::string random_text(unsigned seed, std::size_t n_rows, int n_features, double filled) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> uniform;
  std::string out;
  for (std::size_t i = 0; i < n_rows; ++i) {
    out += std::to_string(rng() % 3) + " qid:" + std::to_string(i / 7);
    for (int j = 1; j <= n_features; ++j)
      if (uniform(rng) < filled) {
        char text[64];
        std::snprintf(text, sizeof text, " %d:%.*g", j, static_cast<int>(rng() % 18), uniform(rng) * 10);
        out += text;
      }
    out += rng() % 2 ? " # doc" + std::to_string(i) + "\n" : "\r\n";
  }
  return out;
}

bool same(const LetorRowsRead<double>& a, const LetorRowsRead<double>& b) {
  auto equal = [](const auto& x, const auto& y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return a.is_dense == b.is_dense && a.n_features == b.n_features && equal(a.label.span(), b.label.span()) &&
         equal(a.value.span(), b.value.span()) && equal(a.row_ptr.span(), b.row_ptr.span()) &&
         equal(a.index.span(), b.index.span()) && equal(a.query.text.span(), b.query.text.span()) &&
         equal(a.query_size.span(), b.query_size.span()) && equal(a.document.text.span(), b.document.text.span());
}

void decimals() {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 200'000; ++i) {
    char text[96] = {};
    double x = std::bit_cast<double>(rng());
    if (!std::isfinite(x)) continue;
    if (i % 3 == 1) x = static_cast<double>(rng() % 1'000'000) / 1e6;
    std::snprintf(text, 60, i % 5 == 2 ? "%.25e" : i % 3 == 1 ? "%.6f" : "%.17g", x);
    const double want = std::strtod(text, nullptr);
    text[std::strlen(text)] = '\n';
    const char* s = text;
    double got = 0.0;
    const Decimal kind = read_decimal(s, got);
    if (std::abs(want) >= 1.797e308)
      check(kind != Decimal::number, "a sentinel is missing, or too large");
    else
      check(kind == Decimal::number && std::bit_cast<std::uint64_t>(got) == std::bit_cast<std::uint64_t>(want) &&
                *s == '\n',
            text);
  }
}

void mistakes() {
  std::mt19937 rng(7);
  const std::string right = random_text(3, 30, 5, 0.8);
  for (int i = 0; i < 3000; ++i) {  // any bytes may stand anywhere: an error or rows, never a step beyond the text
    std::string text = right;
    for (int k = 0; k < 3; ++k)
      text[rng() % text.size()] = rng() % 4 ? "0:#\n qe.-"[rng() % 9] : static_cast<char>(rng());
    try {
      read(text, 1 + rng() % 200);
    } catch (const std::invalid_argument& error) {
      check(std::string_view(error.what()).starts_with("file:"), "a mistake names its file");
    }
  }
}

void writing() {
  for (const double filled : {0.9, 0.05}) {
    const auto before = read(random_text(5, 500, 20, filled), 1 << 20);
    const AnyRows rows = before.is_dense
                             ? AnyRows(DenseRows<double>{before.value.span(), before.n_rows(), before.n_features})
                             : AnyRows(SparseRows<double>{before.row_ptr.span(), before.index.span(),
                                                          before.value.span(), before.n_rows(), before.n_features});
    std::vector<Offset> query_of, which;
    for (std::size_t q = 0; q < before.query.size(); ++q)
      query_of.insert(query_of.end(), static_cast<std::size_t>(before.query_size[q]), static_cast<Offset>(q));
    for (std::size_t i = 0; i < before.n_rows(); ++i) which.push_back(static_cast<Offset>(i));
    const LetorTable table{before.label.span(), query_of, before.query, &before.document, which, true};
    check(table);
    std::string text;
    for (const auto& piece : letor_lines(rows, table, Workers{2, [] {}})) text += piece;
    check(same(read(text, 4096), before), "what is written reads back");
  }
}

}  // namespace

int main() {
  decimals();
  for (const double filled : {1.0, 0.5, 0.2, 0.02}) {
    const std::string text = random_text(11, 2000, 30, filled);
    const auto whole = read(text, text.size());
    check(whole.n_rows() == 2000 && whole.is_dense == (filled > 0.25), "dense from a quarter of the cells on");
    for (const std::size_t block : {1u, 2u, 17u, 1000u, 100'000u}) check(same(read(text, block), whole), "any blocks");
    const auto labels = labels_by_block(text, 5000);
    check(std::equal(labels.begin(), labels.end(), whole.label.span().begin(), whole.label.span().end()),
          "parts one after another are the whole");
    check(same(read(text.substr(0, text.size() - 1), 999), whole), "the last line needs no end");
  }
  mistakes();
  writing();
  std::puts("letor: right, and clean under the sanitizers");
}
