// Vectors and boxes in double precision. Every operation rounds on its own and in the
// order written; the library is built without contraction to fused operations.
#pragma once

#include "topple/iphyre/constants.h"

namespace topple {
namespace iphyre {

struct Vec {
  double x, y;
};

TOPPLE_FN Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
TOPPLE_FN Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
TOPPLE_FN Vec operator-(Vec a) { return {-a.x, -a.y}; }
TOPPLE_FN Vec operator*(Vec a, double s) { return {a.x * s, a.y * s}; }

TOPPLE_FN double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
TOPPLE_FN double cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
TOPPLE_FN Vec perp(Vec v) { return {-v.y, v.x}; }
TOPPLE_FN Vec rperp(Vec v) { return {v.y, -v.x}; }
TOPPLE_FN Vec rotate(Vec a, Vec b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
TOPPLE_FN double length_squared(Vec v) { return dot(v, v); }

// These selections fix which of two equal values is returned, and so the sign of a zero.
TOPPLE_FN double max(double a, double b) { return a > b ? a : b; }
TOPPLE_FN double min(double a, double b) { return a < b ? a : b; }
TOPPLE_FN double abs(double a) { return a < 0.0 ? -a : a; }
TOPPLE_FN double clamp(double f, double low, double high) { return min(max(f, low), high); }
TOPPLE_FN double clamp01(double f) { return max(0.0, min(f, 1.0)); }

TOPPLE_FN double sqrt(double x) {
#if defined(__CUDA_ARCH__)
  return __dsqrt_rn(x);
#else
  return __builtin_sqrt(x);
#endif
}

TOPPLE_FN double length(Vec v) { return sqrt(dot(v, v)); }
TOPPLE_FN Vec normalise(Vec v) { return v * (1.0 / (length(v) + kTiny)); }
TOPPLE_FN Vec lerp(Vec a, Vec b, double t) { return a * (1.0 - t) + b * t; }

// The bits of a number, to tell a change from none.
TOPPLE_FN uint64_t bits(double x) {
  uint64_t u;
  TOPPLE_BUILTIN(memcpy)(&u, &x, sizeof u);
  return u;
}
TOPPLE_FN bool same(double a, double b) { return bits(a) == bits(b); }
TOPPLE_FN bool same(Vec a, Vec b) { return same(a.x, b.x) && same(a.y, b.y); }

struct Box {
  double l, b, r, t;
};

TOPPLE_FN bool intersects(const Box& a, const Box& b) {
  // Without branches: nearly every answer is no, and for reasons that cannot be foreseen.
  return (a.l <= b.r) & (b.l <= a.r) & (a.b <= b.t) & (b.b <= a.t);
}
TOPPLE_FN bool contains(const Box& a, const Box& b) {
  return (a.l <= b.l) & (a.r >= b.r) & (a.b <= b.b) & (a.t >= b.t);
}
TOPPLE_FN Box merge(const Box& a, const Box& b) {
  return {min(a.l, b.l), min(a.b, b.b), max(a.r, b.r), max(a.t, b.t)};
}
TOPPLE_FN double area(const Box& a) { return (a.r - a.l) * (a.t - a.b); }
TOPPLE_FN double merged_area(const Box& a, const Box& b) {
  return (max(a.r, b.r) - min(a.l, b.l)) * (max(a.t, b.t) - min(a.b, b.b));
}
TOPPLE_FN double proximity(const Box& a, const Box& b) {
  return abs(a.l + a.r - b.l - b.r) + abs(a.b + a.t - b.b - b.t);
}
TOPPLE_FN Vec centre(const Box& a) { return {a.l * 0.5 + a.r * 0.5, a.b * 0.5 + a.t * 0.5}; }

}  // namespace iphyre
}  // namespace topple
