// Actions: from numbers between 0 and 1 to balls in pixels, and whether they fit the scene.
#pragma once

#include "topple/phyre/scene.h"

namespace topple::phyre {

constexpr double kMinBallRadius = 2.0;             // pixels
constexpr double kMaxBallRadius = kSceneSize / 8;  // pixels
constexpr double kBallSpacing = 1.0;               // pixels between two balls of an action

struct Ball {
  double x, y, radius;  // pixels
};

struct Balls {
  Ball list[kMaxBalls];
  int32_t count;
};

namespace detail {

TOPPLE_FN double round_half_even(double x) {
  const double low = static_cast<double>(static_cast<int64_t>(x));
  const double rest = x - low;
  if (rest > 0.5) return low + 1.0;
  if (rest < 0.5) return low;
  return (static_cast<int64_t>(low) & 1) != 0 ? low + 1.0 : low;
}

TOPPLE_FN bool inside(double value, double radius) {
  return radius <= value && value <= kSceneSize - radius;
}

}  // namespace detail

// Maps an action to balls; false if it is out of range, leaves the scene or lets its balls
// overlap. The tests see the exact values, the simulation whole pixels.
TOPPLE_FN bool map_action(const double* action, int ball_count, Balls& balls) {
  balls.count = ball_count;
  for (int i = 0; i < 3 * ball_count; ++i) {
    if (!(action[i] >= 0.0 && action[i] <= 1.0)) return false;
  }
  for (int i = 0; i < ball_count; ++i) {
    Ball& ball = balls.list[i];
    ball.x = action[3 * i] * (kSceneSize - 1);
    ball.y = action[3 * i + 1] * (kSceneSize - 1);
    ball.radius = action[3 * i + 2] * (kMaxBallRadius - kMinBallRadius) + kMinBallRadius;
    if (!detail::inside(ball.x, ball.radius)) return false;
    if (!detail::inside(ball.y, ball.radius)) return false;
  }
  for (int i = 0; i < ball_count; ++i) {
    for (int j = i + 1; j < ball_count; ++j) {
      const Ball& one = balls.list[i];
      const Ball& two = balls.list[j];
      const double dx = one.x - two.x;
      const double dy = one.y - two.y;
      if (TOPPLE_BUILTIN(sqrt)(dx * dx + dy * dy) < one.radius + two.radius + kBallSpacing)
        return false;
    }
  }
  for (int i = 0; i < ball_count; ++i) {
    Ball& ball = balls.list[i];
    ball.x = static_cast<double>(static_cast<int64_t>(ball.x));
    ball.y = static_cast<double>(static_cast<int64_t>(ball.y));
    ball.radius = detail::round_half_even(ball.radius);
  }
  return true;
}

namespace detail {

constexpr float kShortEdge = 1e-4f;       // squared pixels
constexpr float kTouchTolerance = 1e-5f;  // pixels

TOPPLE_FN float squared_distance(PixelVec a, PixelVec b) {
  const float dx = static_cast<float>(a.x - b.x);
  const float dy = static_cast<float>(a.y - b.y);
  return dx * dx + dy * dy;
}

TOPPLE_FN float squared_distance_to_edge(PixelVec l, PixelVec r, PixelVec p) {
  const PixelVec lr = {r.x - l.x, r.y - l.y};
  const float projection = static_cast<float>(lr.x * (p.x - l.x) + lr.y * (p.y - l.y));
  const float edge = squared_distance(l, r);
  if (projection < 0.0f || edge < kShortEdge) return squared_distance(l, p);
  if (projection > edge) return squared_distance(r, p);
  const float area = static_cast<float>(lr.y * p.x - lr.x * p.y + r.x * l.y - r.y * l.x);
  return area * area / edge;
}

TOPPLE_FN bool strictly_inside(const PixelVec* polygon, int count, PixelVec p) {
  for (int i = 0; i < count; ++i) {
    const PixelVec from = polygon[i == 0 ? count - 1 : i - 1];
    const PixelVec to = polygon[i];
    const double turn = (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
    if (static_cast<float>(turn) <= 0.0f) return false;
  }
  return true;
}

// With the tolerance; below every radius where the point is strictly inside.
TOPPLE_FN float distance_to_polygon(const PixelVec* polygon, int count, PixelVec point) {
  if (strictly_inside(polygon, count, point)) return -1.0f;
  float least = squared_distance_to_edge(polygon[count - 1], polygon[0], point);
  for (int i = 0; i + 1 < count; ++i) {
    least = min(squared_distance_to_edge(polygon[i], polygon[i + 1], point), least);
  }
  return sqrt(least) + kTouchTolerance;
}

TOPPLE_FN bool ball_hits_body(const SceneView& scene, int body, const Ball& ball) {
  const PixelPose pose = scene.pixel_pose(body);
  for (int f = scene.fixture_start[body]; f < scene.fixture_start[body + 1]; ++f) {
    if (scene.is_circle(f)) {
      const float reach = static_cast<float>(ball.radius + scene.radius_px[f]);
      const float d = squared_distance({ball.x, ball.y}, pose.p);
      if (sqrt(d) + kTouchTolerance < reach) return true;
    } else {
      // Into the frame of the body: by the rotation of the opposite angle.
      const Rot q = rotation(-static_cast<float>(pose.angle));
      const double dx = ball.x - pose.p.x;
      const double dy = ball.y - pose.p.y;
      const PixelVec centre = {dx * static_cast<double>(q.c) - dy * static_cast<double>(q.s),
                               dx * static_cast<double>(q.s) + dy * static_cast<double>(q.c)};
      const float distance =
          distance_to_polygon(scene.polygon_px(f), scene.vertex_count(f), centre);
      if (distance < static_cast<float>(ball.radius)) return true;
    }
  }
  return false;
}

}  // namespace detail

// Whether any ball covers a part of a scene body; touching is allowed.
TOPPLE_FN bool occluded(const SceneView& scene, const Balls& balls) {
  for (int i = 0; i < balls.count; ++i) {
    for (int body = 0; body < scene.body_count; ++body) {
      if (detail::ball_hits_body(scene, body, balls.list[i])) return true;
    }
  }
  return false;
}

}  // namespace topple::phyre
