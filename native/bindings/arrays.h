// Arrays as they come from Python, and what is done with all of them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <stdexcept>
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
inline void check_offsets(const Int32s& offsets, size_t end) {
  const size_t n = offsets.shape(0);
  require(n > 0 && offsets(0) == 0, "packed offsets must start at 0");
  for (size_t i = 1; i < n; ++i) {
    require(offsets(i - 1) <= offsets(i), "packed offsets must not fall");
  }
  require(static_cast<size_t>(offsets(n - 1)) == end, "packed offsets must end at the length");
}

template <class T>
nb::object owned(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}

}  // namespace topple
