// Vectors, rotations and transforms. Every operation rounds on its own and in the
// order written; the library is built without contraction to fused operations.
#pragma once

#include "topple/common/platform.h"
#include "topple/phyre/constants.h"

namespace topple::phyre {

struct Vec {
  float x, y;
};

struct Rot {
  float s, c;  // sine and cosine
};

struct Transform {
  Vec p;
  Rot q;
};

TOPPLE_FN Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
TOPPLE_FN Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y}; }
TOPPLE_FN Vec operator-(Vec a) { return {-a.x, -a.y}; }
TOPPLE_FN Vec operator*(float s, Vec a) { return {s * a.x, s * a.y}; }

TOPPLE_FN float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
TOPPLE_FN float cross(Vec a, Vec b) { return a.x * b.y - a.y * b.x; }
TOPPLE_FN Vec cross(Vec v, float s) { return {s * v.y, -s * v.x}; }
TOPPLE_FN Vec cross(float s, Vec v) { return {-s * v.y, s * v.x}; }

// These selections fix which of two equal values is returned, and so the sign of a zero.
TOPPLE_FN float min(float a, float b) { return a < b ? a : b; }
TOPPLE_FN float max(float a, float b) { return a > b ? a : b; }
TOPPLE_FN float clamp(float x, float low, float high) { return max(low, min(x, high)); }
TOPPLE_FN float abs(float a) { return a > 0.0f ? a : -a; }

TOPPLE_FN float sqrt(float x) {
#if defined(__CUDA_ARCH__)
  return __fsqrt_rn(x);
#else
  return TOPPLE_BUILTIN(sqrtf)(x);
#endif
}

// Exact for |x| < 2^23, which covers every quotient of an angle and a full turn.
TOPPLE_FN float floor(float x) {
  const float truncated = static_cast<float>(static_cast<int32_t>(x));
  return truncated > x ? truncated - 1.0f : truncated;
}

TOPPLE_FN float length(Vec v) { return sqrt(v.x * v.x + v.y * v.y); }

// Scales v to length one unless it is too short; returns the old length.
TOPPLE_FN float normalise(Vec& v) {
  const float l = length(v);
  if (l < kEpsilon) return 0.0f;
  const float inverse = 1.0f / l;
  v.x *= inverse;
  v.y *= inverse;
  return l;
}

TOPPLE_FN Vec rotate(Rot q, Vec v) { return {q.c * v.x - q.s * v.y, q.s * v.x + q.c * v.y}; }
TOPPLE_FN Vec rotate_back(Rot q, Vec v) { return {q.c * v.x + q.s * v.y, -q.s * v.x + q.c * v.y}; }

TOPPLE_FN Vec apply(const Transform& t, Vec v) {
  return {(t.q.c * v.x - t.q.s * v.y) + t.p.x, (t.q.s * v.x + t.q.c * v.y) + t.p.y};
}
TOPPLE_FN Vec apply_back(const Transform& t, Vec v) { return rotate_back(t.q, v - t.p); }

// b seen from a.
TOPPLE_FN Transform relative(const Transform& a, const Transform& b) {
  return {rotate_back(a.q, b.p - a.p),
          {a.q.c * b.q.s - a.q.s * b.q.c, a.q.c * b.q.c + a.q.s * b.q.s}};
}

}  // namespace topple::phyre
