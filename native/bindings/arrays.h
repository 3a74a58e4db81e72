// Arrays as they come from Python, and what is done with all of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace topple {

template <class T, class... Shape>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu, Shape...>;
template <class T, class... Shape>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu, Shape...>;
template <class T>
using Maybe = std::optional<T>;

using Int32s = In<int32_t, nb::ndim<1>>;

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

template <class T, class... Shape>
T* data_or_null(const Maybe<Out<T, Shape...>>& array) {
  return array ? array->data() : nullptr;
}

// Offsets of rows that lie one behind the other, the end included.
template <class Offsets>
void check_offsets(const Offsets& offsets, size_t end) {
  const size_t n = offsets.size();
  const int32_t* first = offsets.data();
  require(n > 0 && first[0] == 0, "packed offsets must start at 0");
  for (size_t i = 1; i < n; ++i) {
    require(first[i - 1] <= first[i], "packed offsets must not fall");
  }
  require(static_cast<size_t>(first[n - 1]) == end, "packed offsets must end at the length");
}

// The array of that name among keyword arguments, unless it is missing or None. It is never
// converted: a copy of an output would be lost.
template <class Array>
Maybe<Array> named_array(const nb::kwargs& arrays, const char* name) {
  if (!arrays.contains(name) || arrays[name].is_none()) return {};
  Array array;
  if (!nb::try_cast<Array>(arrays[name], array, false)) {
    throw std::invalid_argument(std::string(name) + ": wrong type, shape or layout");
  }
  return array;
}

template <class T>
nb::object owned(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

}  // namespace topple
