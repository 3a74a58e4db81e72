// Sine and cosine as the published results were computed.
//
// The original calls the C library, whose functions are off by one unit in about one of a
// thousand angles. This is its method restated: a table at every 1/128, polynomials
// between, and fused multiply-adds throughout.
#pragma once

#include "topple/iphyre/fused.h"
#include "topple/iphyre/trig_table.h"

namespace topple {
namespace iphyre {

struct Rot {
  double c, s;
};

// Beyond this the method is not the C library's; the results are then merely close.
constexpr double kMaxAngle = 1.05e8;

namespace trig {

constexpr double kBig = 0x1.8p45;

TOPPLE_INLINE double copy_sign(double magnitude, double sign) {
  const uint64_t u = (bits(magnitude) & ~(uint64_t{1} << 63)) | (bits(sign) & (uint64_t{1} << 63));
  double x;
  TOPPLE_BUILTIN(memcpy)(&x, &u, sizeof x);
  return x;
}

TOPPLE_INLINE double magnitude(double x) { return copy_sign(x, 1.0); }

// The upper half of the bits without the sign: its order is that of magnitudes.
TOPPLE_INLINE uint32_t upper(double x) {
  return static_cast<uint32_t>(bits(x) >> 32) & 0x7fffffffu;
}

template <class F>
TOPPLE_INLINE double cosine_near(double x, double dx) {
  const F f;
  if (x < 0.0) dx = -dx;
  const double k0 = (kBig + magnitude(x)) - kBig;
  const TrigRow& row = kTrigTable[static_cast<int>(128.0 * k0)];
  const double y = magnitude(x) - k0 + dx;
  const double z = y * y;
  const double s = f(y * z, f(z, 0x1.11110e829872fp-7, -0x1.5555555555515p-3), y);
  const double c = z * f(z, f(z, 0x1.6c16bedd9e239p-10, -0x1.5555555555535p-5), 0.5);
  return row.cos + f(-row.sin, s, f(-row.cos, c, f(-s, row.sin_low, row.cos_low)));
}

template <class F>
TOPPLE_INLINE double sine_near(double x, double dx) {
  const F f;
  if (magnitude(x) < 0.126) {
    const double z = x * x;
    const double p =
        f(f(f(f(-0x1.addffc2fcdf59p-26, z, 0x1.71de27b9a7ed9p-19), z, -0x1.a01a019db08b8p-13), z,
            0x1.1111111110ecep-7),
          z, -0x1.5555555555555p-3);
    return x + f(f(p, x, -(0.5 * dx)), z, dx);
  }
  if (x <= 0.0) dx = -dx;
  const double k0 = (kBig + magnitude(x)) - kBig;
  const TrigRow& row = kTrigTable[static_cast<int>(128.0 * k0)];
  const double y = magnitude(x) - k0;
  const double z = y * y;
  const double s = y + f(y * z, f(z, 0x1.11110e829872fp-7, -0x1.5555555555515p-3), dx);
  const double c = f(y, dx, z * f(z, f(z, 0x1.6c16bedd9e239p-10, -0x1.5555555555535p-5), 0.5));
  return copy_sign(row.sin + f(row.cos, s, f(-row.sin, c, f(s, row.cos_low, row.sin_low))), x);
}

// x less a multiple of a right angle, in two parts, and how many right angles modulo 4.
struct Reduced {
  double high, low;
  int quadrant;
};

template <class F>
TOPPLE_INLINE Reduced reduce(double x) {
  const F f;
  constexpr double kRound = 0x1.8p52;
  const double t = f(x, 0x1.45f306dc9c883p-1, kRound);
  const double m = t - kRound;
  const double y = f(-m, -0x1.dde973cp-27, f(-m, 0x1.921fb58p0, x));
  const double t2 = f(-m, -0x1.cb3b398p-55, y);
  double low = f(-m, -0x1.cb3b398p-55, y - t2);
  const double high = f(-m, -0x1.d747f23e32ed7p-83, t2);
  low = low + f(-m, -0x1.d747f23e32ed7p-83, t2 - high);
  return {high, low, static_cast<int>(static_cast<int64_t>(m) & 3)};
}

template <class F>
TOPPLE_INLINE double of_quadrant(const Reduced& r, int quadrant) {
  const double value =
      (quadrant & 1) != 0 ? cosine_near<F>(r.high, r.low) : sine_near<F>(r.high, r.low);
  return (quadrant & 2) != 0 ? -value : value;
}

template <class F>
TOPPLE_INLINE Rot rotation(double x) {
  constexpr double kHalf = 0x1.921fb54442d18p+0;  // a right angle, and what is missing of it
  constexpr double kHalfLow = 0x1.1a62633145c07p-54;
  const uint32_t u = upper(x);
  if (u < 0x3feb6000u) {
    return {u < 0x3e400000u ? 1.0 : cosine_near<F>(x, 0.0),
            u < 0x3e500000u ? x : sine_near<F>(x, 0.0)};
  }
  if (u < 0x400368fdu) {
    const double y = kHalf - magnitude(x);
    const double a = y + kHalfLow;
    return {sine_near<F>(a, (y - a) + kHalfLow), copy_sign(cosine_near<F>(y, kHalfLow), x)};
  }
  const Reduced r = reduce<F>(x);
  return {of_quadrant<F>(r, (r.quadrant + 1) & 3), of_quadrant<F>(r, r.quadrant)};
}

// Angles out of reach come from scenes with absurd numbers, which must not fail either.
TOPPLE_FN Rot hopeless(double x) {
  const double nothing = x - x;  // not a number for what is none
  return {1.0 + nothing, nothing};
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__) && !defined(__CUDA_ARCH__)
__attribute__((target("fma"))) inline Rot rotation_hard(double x) { return rotation<HardFused>(x); }
TOPPLE_FN Rot rotation_soft(double x) { return rotation<SoftFused>(x); }
TOPPLE_FN Rot rotation_here(double x) {
  return __builtin_cpu_supports("fma") ? rotation_hard(x) : rotation_soft(x);
}
#elif defined(__FMA__) || defined(__aarch64__) || defined(__CUDA_ARCH__)
TOPPLE_FN Rot rotation_here(double x) { return rotation<HardFused>(x); }
#else
TOPPLE_FN Rot rotation_here(double x) { return rotation<SoftFused>(x); }
#endif

}  // namespace trig

TOPPLE_FN Rot rotation(double angle) {
  if (angle == 0.0) return {1.0, angle};
  if (!(trig::magnitude(angle) < kMaxAngle)) return trig::hopeless(angle);
  return trig::rotation_here(angle);
}

}  // namespace iphyre
}  // namespace topple
