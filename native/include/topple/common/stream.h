// Copies past the caches, for what nobody reads soon: to fetch the memory it goes to would take
// longer than to write it.
#pragma once

#include "topple/common/platform.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define TOPPLE_CAN_STREAM
#include <immintrin.h>
#endif

namespace topple {

#if defined(TOPPLE_CAN_STREAM)

namespace detail {

inline void stream_half(uint8_t* to, const uint8_t* from) {
  _mm_stream_si128(reinterpret_cast<__m128i*>(to),
                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

// The memory is aligned to 16 bytes, the length a multiple of the piece, which the innermost
// cache holds for all copies.
__attribute__((target("avx"))) inline void stream_copies(uint8_t* to, int copies,
                                                         const uint8_t* from, int bytes) {
  constexpr int kPiece = 4096;
  constexpr int kStore = sizeof(__m256i);
  const int head = static_cast<int>(reinterpret_cast<uintptr_t>(to) % kStore);
  for (int piece = 0; piece < bytes; piece += kPiece) {
    const uint8_t* source = from + piece;
    for (int n = 0; n < copies; ++n) {
      uint8_t* target = to + int64_t{n} * bytes + piece;
      if (head != 0) stream_half(target, source);
      for (int i = head; i <= kPiece - kStore; i += kStore) {
        _mm256_stream_si256(reinterpret_cast<__m256i*>(target + i),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i)));
      }
      if (head != 0) stream_half(target + kPiece - head, source + kPiece - head);
    }
  }
}

}  // namespace detail

#endif

// Writes copies one behind the other.
TOPPLE_FN void copy_past_caches(uint8_t* to, int copies, const uint8_t* from, int bytes) {
#if defined(TOPPLE_CAN_STREAM)
  if (reinterpret_cast<uintptr_t>(to) % sizeof(__m128i) == 0 && __builtin_cpu_supports("avx")) {
    detail::stream_copies(to, copies, from, bytes);
    return;
  }
#endif
  for (int n = 0; n < copies; ++n) TOPPLE_BUILTIN(memcpy)(to + int64_t{n} * bytes, from, bytes);
}

// Makes sure that all threads find what this one has copied past the caches.
TOPPLE_FN void finish_copies() {
#if defined(TOPPLE_CAN_STREAM)
  _mm_sfence();
#endif
}

}  // namespace topple
