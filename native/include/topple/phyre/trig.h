// Sine and cosine as the published results were computed.
//
// The original called the C library of its day, whose float functions are nearly
// correctly rounded except for small angles, where a cube stands in the place of a
// square. The slip is part of the published outcomes, so it is reproduced here, in
// plain double arithmetic that gives the same bits on every platform.
#pragma once

#include "topple/phyre/math.h"

namespace topple::phyre {

// Angles have to stay below this; packing refuses scenes that do not.
constexpr float kMaxAngle = 8388608.0f;  // 2^23

namespace trig {

TOPPLE_FN uint32_t bits(float x) {
  uint32_t u;
  TOPPLE_BUILTIN(memcpy)(&u, &x, sizeof u);
  return u;
}

// Both polynomials near zero: sine = r + r * result.s, cosine = 1 + result.c.
struct Pair {
  double s, c;
};

TOPPLE_FN Pair reduced(double r) {
  const double y = r * r;
  const double p =
      ((((-0x1.a947e1674b58ap-26 * y + 0x1.71d7264e6b5b4p-19) * y + -0x1.a019f8b4bd1f9p-13) * y +
        0x1.1111110c2688bp-7) *
           y +
       -0x1.5555555551cd9p-3) *
      y;
  const double q =
      ((((-0x1.23c97dd8844d7p-22 * y + 0x1.a00eb9ac43ccp-16) * y + -0x1.6c16b348b6874p-10) * y +
        0x1.55555545c50c7p-5) *
           y +
       -0x1.ffffffffe98aep-2) *
      y;
  return {r + r * p, 1.0 + q};
}

}  // namespace trig

TOPPLE_BIG_FN Rot rotation(float angle) {
  const uint32_t word = trig::bits(angle);
  const uint32_t magnitude = word & 0x7fffffffu;
  const bool negative = (word >> 31) != 0;
  const double t = static_cast<double>(angle);
  const double a = negative ? -t : t;

  if (magnitude < 0x3f490fdbu) {     // below pi/4
    if (magnitude >= 0x3d000000u) {  // 2^-5
      const trig::Pair r = trig::reduced(t);
      return {static_cast<float>(r.s), static_cast<float>(r.c)};
    }
    if (magnitude >= 0x32000000u) {  // 2^-27: the published slip, u is a cube
      const double y = t * t;
      const double u = t * y;
      const double p = y * (-0x1.555555543d49dp-3 + u * 0x1.110f475cec8c5p-7);
      const double q = y * (-0x1.fffffff5cc6fdp-2 + u * 0x1.55514b178dac5p-5);
      return {static_cast<float>(t + t * p), static_cast<float>(1.0 + q)};
    }
    if (magnitude == 0) return {angle, 1.0f};
    return {static_cast<float>(t - t * 0x1p-50), static_cast<float>(1.0 - a)};
  }

  const int32_t n = static_cast<int32_t>(a * 0x1.45f306dc9c883p+0) + 1;
  const double k = static_cast<double>(n >> 1);
  const double r = magnitude < 0x40e231d6u  // 9*pi/4
                       ? a - k * 0x1.921fb54442d18p+0
                       : (a - k * 0x1.921fb544p+0) - k * 0x1.0b4611a626332p-34;
  const trig::Pair pair = trig::reduced(r);
  const bool flip_sine = (((n >> 2) & 1) != 0) != negative;
  const bool flip_cosine = (((n + 2) >> 2) & 1) != 0;
  const bool swap = (n & 2) != 0;
  const double s = swap ? pair.c : pair.s;
  const double c = swap ? pair.s : pair.c;
  return {static_cast<float>(flip_sine ? -s : s), static_cast<float>(flip_cosine ? -c : c)};
}

}  // namespace topple::phyre
