// The fused multiply-add a * b + c with one rounding, for sine and cosine alone.
//
// The published results were computed by a C library that uses the processor's
// instruction. Where that is missing, the same bits come out of plain arithmetic.
#pragma once

#include "topple/iphyre/math.h"

#if defined(__GNUC__)
#define TOPPLE_INLINE __attribute__((always_inline)) inline
#else
#define TOPPLE_INLINE inline
#endif

namespace topple {
namespace iphyre {

struct Sum {
  double high, low;  // high is the rounded sum, low its error
};

TOPPLE_FN Sum exact_sum(double a, double b) {
  const double s = a + b;
  const double part = s - a;
  return {s, (a - (s - part)) + (b - part)};
}

TOPPLE_FN Sum exact_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double p = a * b;
  const double sa = kSplit * a;
  const double sb = kSplit * b;
  const double ah = sa - (sa - a);
  const double bh = sb - (sb - b);
  const double al = a - ah;
  const double bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

// The sum rounded to the neighbour with an odd last bit if it is not exact: rounding the
// result again then gives what rounding once would have given.
TOPPLE_FN double odd_sum(double a, double b) {
  const Sum sum = exact_sum(a, b);
  uint64_t u = bits(sum.high);
  if (sum.low == 0.0 || (u & 1) != 0) return sum.high;
  u += (sum.low > 0.0) == (sum.high > 0.0) ? 1 : -1;
  double odd;
  TOPPLE_BUILTIN(memcpy)(&odd, &u, sizeof odd);
  return odd;
}

struct SoftFused {
  TOPPLE_INLINE double operator()(double a, double b, double c) const {
    const Sum product = exact_product(a, b);
    const Sum tail = exact_sum(c, product.low);
    const Sum head = exact_sum(product.high, tail.high);
    return head.high + odd_sum(tail.low, head.low);
  }
};

struct HardFused {
  TOPPLE_INLINE double operator()(double a, double b, double c) const {
    return TOPPLE_BUILTIN(fma)(a, b, c);
  }
};

}  // namespace iphyre
}  // namespace topple
