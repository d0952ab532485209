// What all bindings share: arrays in and out, threads that let Ctrl-C through.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"
#include "queries.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankine {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using InRows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Matrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

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

inline void same_length(std::size_t got, std::size_t want, const char* name) {
  if (got != want)
    throw std::invalid_argument(std::string(name) + " has length " + std::to_string(got) + ", but " +
                                std::to_string(want) + " is expected");
}

/// Lets Ctrl-C through: about every 0.05 s the calling thread takes the GIL and runs the signal handlers.
inline Workers workers(int n_threads) {
  auto last = std::make_shared<std::chrono::steady_clock::time_point>(std::chrono::steady_clock::now());
  return {n_threads, [last] {
            const auto now = std::chrono::steady_clock::now();
            if (now - *last < std::chrono::milliseconds(50)) return;
            *last = now;
            nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
          }};
}

/// The same for a matrix, row by row.
inline Matrix to_numpy(std::vector<double>&& values, std::size_t n_rows, std::size_t n_columns) {
  auto* held = new std::vector<double>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Matrix(held->data(), {n_rows, n_columns}, owner);
}

/// The same for memory that grew in place.
template <class T>
T* released(Buffer<T>&& values, nb::capsule& owner) {
  T* data = values.release();
  owner = nb::capsule(data, [](void* p) noexcept { std::free(p); });
  return data;
}
template <class T>
Array<T> to_numpy(Buffer<T>&& values) {
  const std::size_t n = values.size();
  nb::capsule owner;
  T* data = released(std::move(values), owner);
  return Array<T>(data, {n}, owner);
}
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(Buffer<T>&& values, std::size_t n_rows, std::size_t n_columns) {
  nb::capsule owner;
  T* data = released(std::move(values), owner);
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {n_rows, n_columns}, owner);
}

/// Checked rows, together with the arrays that they borrow.
struct HeldRows {
  std::vector<nb::object> owners;
  AnyRows rows;
};

/// Checked queries, together with the arrays that they borrow.
struct HeldQueries {
  std::vector<nb::object> owners;
  Queries queries;
  HeldQueries(In<Offset> query_ptr, In<Index> level, std::optional<In<double>> win, std::optional<In<double>> lose,
              bool adjacent, std::string_view counting, std::optional<In<double>> gain)
      : owners{nb::cast(query_ptr), nb::cast(level), nb::cast(win), nb::cast(lose), nb::cast(gain)},
        queries{span(query_ptr), span(level), {}, {}, {}, adjacent, counting_named(counting)} {
    check_query_ptr(queries.query_ptr, queries.n_rows());
    check_levels(queries);
    if (win) queries.win = span(*win);
    if (lose) queries.lose = span(*lose);
    if (win) same_length(win->size(), queries.n_rows(), "win");
    if (lose) same_length(lose->size(), queries.n_rows(), "lose");
    if (gain) queries.gain = span(*gain);
    if (gain) same_length(gain->size(), queries.n_rows(), "gain");
  }
};

// The table of contents: what each file binds.
void bind_examination(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_text(nb::module_& m);

}  // namespace rankine
