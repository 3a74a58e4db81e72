// Time of impact: the first moment of a step at which two moving shapes come close.
#pragma once

#include "topple/phyre/bodies.h"
#include "topple/phyre/distance.h"

namespace topple::phyre {

enum class ToiState : uint8_t { kFailed, kOverlapped, kTouching, kSeparated };

struct Impact {
  ToiState state;
  float t;  // fraction of the sweep
};

namespace detail {

// A shape on its way, with its angle brought into the first turn.
struct MovingShape {
  const Shape& shape;
  Sweep sweep;
  float posed_angle;
  Rot q;

  TOPPLE_FN MovingShape(const Shape& s, const Body& body)
      : shape(s), sweep(body.sweep), posed_angle(body.posed_angle), q(body.pose.q) {
    const float turn = 2.0f * kPi;
    const float d = turn * floor(sweep.a0 / turn);
    sweep.a0 -= d;
    sweep.a -= d;
  }

  // Bodies at rest are interpolated like any other: the rounding is part of the result.
  TOPPLE_BIG_FN Transform at(float t) {
    const float k = 1.0f - t;
    const Vec c = k * sweep.c0 + t * sweep.c;
    if (shape.is_circle() && sweep.local_centre.x == 0.0f && sweep.local_centre.y == 0.0f) {
      return {c, {0.0f, 1.0f}};
    }
    const float angle = k * sweep.a0 + t * sweep.a;
    if (trig::bits(angle) != trig::bits(posed_angle)) {
      posed_angle = angle;
      q = rotation(angle);
    }
    return {c - rotate(q, sweep.local_centre), q};
  }
};

// How far the shapes are apart along an axis that moves with one of them.
struct SeparationAxis {
  enum class Kind : uint8_t { kPoints, kFaceA, kFaceB };

  MovingShape& a;
  MovingShape& b;
  Kind kind;
  Vec axis, local_point;

  TOPPLE_FN SeparationAxis(MovingShape& ma, MovingShape& mb, const DistanceCache& cache,
                           const Transform& ta, const Transform& tb)
      : a(ma), b(mb), kind(Kind::kPoints), axis{}, local_point{} {
    const Vec a1 = a.shape.vertices[cache.index_a[0]];
    const Vec b1 = b.shape.vertices[cache.index_b[0]];
    if (cache.count == 1) {
      axis = apply(tb, b1) - apply(ta, a1);
      normalise(axis);
      return;
    }
    const bool face_b = cache.index_a[0] == cache.index_a[1];
    kind = face_b ? Kind::kFaceB : Kind::kFaceA;
    const Vec f1 = face_b ? b1 : a1;
    const Vec f2 = face_b ? b.shape.vertices[cache.index_b[1]] : a.shape.vertices[cache.index_a[1]];
    const Transform& tf = face_b ? tb : ta;
    const Transform& to = face_b ? ta : tb;
    axis = cross(f2 - f1, 1.0f);
    normalise(axis);
    local_point = 0.5f * (f1 + f2);
    const Vec other = apply(to, face_b ? a1 : b1);
    if (dot(other - apply(tf, local_point), rotate(tf.q, axis)) < 0.0f) axis = -axis;
  }

  // The separation of two given points at a time.
  TOPPLE_FN float evaluate(int ia, int ib, float t) {
    const Transform ta = a.at(t);
    const Transform tb = b.at(t);
    return evaluate(ia, ib, ta, tb);
  }

  // The least separation at a time, and the points that have it.
  TOPPLE_BIG_FN float least(int& ia, int& ib, float t) {
    const Transform ta = a.at(t);
    const Transform tb = b.at(t);
    ia = ib = -1;
    switch (kind) {
      case Kind::kPoints:
        ia = support(a.shape, rotate_back(ta.q, axis));
        ib = support(b.shape, rotate_back(tb.q, -axis));
        break;
      case Kind::kFaceA:
        ib = support(b.shape, rotate_back(tb.q, -rotate(ta.q, axis)));
        break;
      case Kind::kFaceB:
        ia = support(a.shape, rotate_back(ta.q, -rotate(tb.q, axis)));
        break;
    }
    return evaluate(ia, ib, ta, tb);
  }

 private:
  TOPPLE_FN float evaluate(int ia, int ib, const Transform& ta, const Transform& tb) const {
    switch (kind) {
      case Kind::kPoints:
        return dot(apply(tb, b.shape.vertices[ib]) - apply(ta, a.shape.vertices[ia]), axis);
      case Kind::kFaceA:
        return dot(apply(tb, b.shape.vertices[ib]) - apply(ta, local_point), rotate(ta.q, axis));
      default:
        return dot(apply(ta, a.shape.vertices[ia]) - apply(tb, local_point), rotate(tb.q, axis));
    }
  }
};

}  // namespace detail

constexpr float kToiTolerance = 0.25f * kLinearSlop;

// The distance of the cores at which two shapes count as having met.
TOPPLE_FN float toi_target(const Shape& a, const Shape& b) {
  return max(kLinearSlop, a.radius + b.radius - 3.0f * kLinearSlop);
}

TOPPLE_BIG_FN Impact time_of_impact(const Shape& shape_a, const Body& body_a, const Shape& shape_b,
                                    const Body& body_b) {
  detail::MovingShape a(shape_a, body_a);
  detail::MovingShape b(shape_b, body_b);
  const float target = toi_target(shape_a, shape_b);
  float t1 = 0.0f;
  DistanceCache cache = {};

  TOPPLE_ROLLED
  for (int round = 0; round < kMaxToiRounds; ++round) {
    const Transform ta = a.at(t1);
    const Transform tb = b.at(t1);
    const float d = distance(shape_a, ta, shape_b, tb, cache);
    if (d <= 0.0f) return {ToiState::kOverlapped, 0.0f};
    if (d < target + kToiTolerance) return {ToiState::kTouching, t1};

    detail::SeparationAxis axis(a, b, cache, ta, tb);
    float t2 = 1.0f;
    TOPPLE_ROLLED
    for (int push_back = 0; push_back < kMaxVertices; ++push_back) {
      int ia, ib;
      float s2 = axis.least(ia, ib, t2);
      if (s2 > target + kToiTolerance) return {ToiState::kSeparated, 1.0f};
      if (s2 > target - kToiTolerance) {
        t1 = t2;
        break;
      }
      float s1 = axis.evaluate(ia, ib, t1);
      if (s1 < target - kToiTolerance) return {ToiState::kFailed, t1};
      if (s1 <= target + kToiTolerance) return {ToiState::kTouching, t1};

      float x1 = t1;
      float x2 = t2;
      TOPPLE_ROLLED
      for (int n = 0; n < kMaxRootSteps; ++n) {
        const float t = (n & 1) ? x1 + (target - s1) * (x2 - x1) / (s2 - s1) : 0.5f * (x1 + x2);
        const float s = axis.evaluate(ia, ib, t);
        if (abs(s - target) < kToiTolerance) {
          t2 = t;
          break;
        }
        if (s > target) {
          x1 = t;
          s1 = s;
        } else {
          x2 = t;
          s2 = s;
        }
      }
    }
  }
  return {ToiState::kFailed, t1};
}

namespace detail {

// Taking whole turns off an angle, as the search does, moves it by less than this share of
// the angle and a turn.
constexpr float kTurnError = 0x1p-23f;
constexpr float kMaxFixedAngle = 8.0f;  // radians; the margin below covers no more
constexpr float kApartMargin = 4e-3f;   // metres

// The least dot product of the axis with a shape's vertices over a whole sweep. Between
// the two ends a vertex leaves the chord of its path by at most r * turn^2 / 8.
TOPPLE_FN float least_projection(const Shape& shape, const Body& body, Vec axis) {
  const float at_start = dot(body.sweep.c0, axis);
  const float at_end = dot(body.sweep.c, axis);
  if (body.round) return min(at_start, at_end);
  const Transform t0 = start_pose(body);
  const Transform& t1 = body.pose;
  float least = kMaxFloat;
  float reach = 0.0f;
  TOPPLE_ROLLED
  for (int i = 0; i < shape.count; ++i) {
    least = min(least, dot(apply(t0, shape.vertices[i]), axis));
    least = min(least, dot(apply(t1, shape.vertices[i]), axis));
    const Vec arm = shape.vertices[i] - body.sweep.local_centre;
    reach = max(reach, dot(arm, arm));
  }
  const float turn = body.sweep.a - body.sweep.a0;
  const float error = kTurnError * (abs(body.sweep.a0) + 2.0f * kPi);
  return least - sqrt(reach) * ((turn * turn) * 0.125f + error);
}

}  // namespace detail

// A cheap proof that two shapes, one of them static, stay apart for a whole step.
//
// Along any fixed axis the gap between the cores bounds their distance from below. If it
// exceeds the target by more than the tolerance at all times, no search can end in
// "touching": each exit of that kind needs a computed distance, or a separation along an
// axis the distance algorithm chose, below target + tolerance, and both agree with the
// true distance up to rounding. The rounding is a few 1e-6 m in itself, but a short edge
// that is nearly parallel to a long one can be mistaken for the nearest feature, and its
// normal then misses the far end of the long edge by that error times the ratio of the
// lengths. Bodies are plain if the ratio is small enough for the margin.
TOPPLE_BIG_FN bool certainly_apart(const Shape& fixed, const Body& fixed_body, const Shape& moving,
                                   const Body& moving_body, Vec axis) {
  if (!fixed_body.plain || !moving_body.plain) return false;
  if (abs(fixed_body.sweep.a0) > detail::kMaxFixedAngle) return false;
  float highest = dot(apply(fixed_body.pose, fixed.vertices[0]), axis);
  TOPPLE_ROLLED
  for (int i = 1; i < fixed.count; ++i) {
    highest = max(highest, dot(apply(fixed_body.pose, fixed.vertices[i]), axis));
  }
  const float gap = detail::least_projection(moving, moving_body, axis) - highest;
  return gap > toi_target(fixed, moving) + kToiTolerance + detail::kApartMargin;
}

}  // namespace topple::phyre
