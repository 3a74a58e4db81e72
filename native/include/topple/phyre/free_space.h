// Which balls fit anywhere in a scene: a map that is drawn once and answers for many actions.
#pragma once

#include "topple/phyre/action.h"

namespace topple::phyre {

// The largest whole radius of a ball centred on each whole pixel that covers no body.
struct FreeSpace {
  static constexpr int kSize = static_cast<int>(kSceneSize);
  static constexpr int kLargest = static_cast<int>(kMaxBallRadius);
  uint8_t radius[kSize * kSize];  // [y, x]
};

namespace detail {

// The whole pixels whose balls may reach between two coordinates.
TOPPLE_FN void pixels_around(double low, double high, int& first, int& last) {
  constexpr double kMargin = FreeSpace::kLargest + 2.0;  // one for rounding, one for truncation
  const double end = FreeSpace::kSize - 1;
  const double from = low - kMargin;
  const double to = high + kMargin;
  first = static_cast<int>(from < 0.0 ? 0.0 : (from > end ? end + 1.0 : from));
  last = static_cast<int>(to < 0.0 ? -1.0 : (to > end ? end : to));
}

// Largest whole radius at a distance from a surface; the comparison is that of ball_hits_body.
TOPPLE_FN int free_radius(float distance, double surface) {
  int radius = FreeSpace::kLargest;
  const double guess = static_cast<double>(distance) - surface + 1.0;
  if (guess < radius) radius = guess < 0.0 ? 0 : static_cast<int>(guess);
  while (radius > 0 && distance < static_cast<float>(radius + surface)) --radius;
  return radius;
}

TOPPLE_FN void limit_radius(FreeSpace& space, int x, int y, int radius) {
  uint8_t& place = space.radius[y * FreeSpace::kSize + x];
  if (radius < place) place = static_cast<uint8_t>(radius);
}

TOPPLE_FN void add_circle(FreeSpace& space, PixelVec centre, double radius) {
  int left, right, bottom, top;
  pixels_around(centre.x - radius, centre.x + radius, left, right);
  pixels_around(centre.y - radius, centre.y + radius, bottom, top);
  for (int y = bottom; y <= top; ++y) {
    for (int x = left; x <= right; ++x) {
      const PixelVec pixel = {static_cast<double>(x), static_cast<double>(y)};
      const float distance = sqrt(squared_distance(pixel, centre)) + kTouchTolerance;
      limit_radius(space, x, y, free_radius(distance, radius));
    }
  }
}

TOPPLE_FN double magnitude(double a) { return a < 0.0 ? -a : a; }

// A rectangle along the axes of its body, if a polygon is one.
struct Box {
  PixelVec centre, half;
};

TOPPLE_FN bool as_box(const PixelVec* polygon, int count, Box& box) {
  if (count != 4) return false;
  box.centre = {0.5 * (polygon[0].x + polygon[2].x), 0.5 * (polygon[0].y + polygon[2].y)};
  box.half = {magnitude(polygon[0].x - box.centre.x), magnitude(polygon[0].y - box.centre.y)};
  for (int i = 0; i < count; ++i) {
    const double x = magnitude(magnitude(polygon[i].x - box.centre.x) - box.half.x);
    const double y = magnitude(magnitude(polygon[i].y - box.centre.y) - box.half.y);
    if (x > 1e-6 || y > 1e-6) return false;
  }
  return box.half.x > 0.1 && box.half.y > 0.1;
}

// The free radius by the plain distance from a box; -1 where rounding could decide.
TOPPLE_FN int clear_radius(const Box& box, PixelVec point) {
  constexpr double kDoubt = 0.01;  // pixels; the exact test differs by less than a hundredth of it
  const double x = magnitude(point.x - box.centre.x) - box.half.x;
  const double y = magnitude(point.y - box.centre.y) - box.half.y;
  if (x < -kDoubt && y < -kDoubt) return 0;
  const double dx = x > 0.0 ? x : 0.0;
  const double dy = y > 0.0 ? y : 0.0;
  const double squared = dx * dx + dy * dy;
  constexpr double kFar = FreeSpace::kLargest + 1.0;
  if (squared > kFar * kFar) return FreeSpace::kLargest;
  const double distance = TOPPLE_BUILTIN(sqrt)(squared);
  const int radius = static_cast<int>(distance);
  const double rest = distance - radius;
  return rest > kDoubt && rest < 1.0 - kDoubt ? radius : -1;
}

TOPPLE_FN void add_polygon(FreeSpace& space, const PixelVec* polygon, int count, PixelPose pose) {
  const Rot q = rotation(-static_cast<float>(pose.angle));
  const double c = static_cast<double>(q.c);
  const double s = static_cast<double>(q.s);
  PixelVec low = pose.p;
  PixelVec high = pose.p;
  for (int i = 0; i < count; ++i) {
    const double x = pose.p.x + polygon[i].x * c + polygon[i].y * s;
    const double y = pose.p.y - polygon[i].x * s + polygon[i].y * c;
    low = {x < low.x ? x : low.x, y < low.y ? y : low.y};
    high = {x > high.x ? x : high.x, y > high.y ? y : high.y};
  }
  int left, right, bottom, top;
  pixels_around(low.x, high.x, left, right);
  pixels_around(low.y, high.y, bottom, top);
  Box box;
  const bool is_box = as_box(polygon, count, box);
  for (int y = bottom; y <= top; ++y) {
    for (int x = left; x <= right; ++x) {
      const double dx = x - pose.p.x;
      const double dy = y - pose.p.y;
      const PixelVec centre = {dx * c - dy * s, dx * s + dy * c};
      int radius = is_box ? clear_radius(box, centre) : -1;
      if (radius < 0) radius = free_radius(distance_to_polygon(polygon, count, centre), 0.0);
      limit_radius(space, x, y, radius);
    }
  }
}

}  // namespace detail

TOPPLE_FN void find_free_space(const SceneView& scene, FreeSpace& space) {
  for (uint8_t& radius : space.radius) radius = FreeSpace::kLargest;
  for (int body = 0; body < scene.body_count; ++body) {
    const PixelPose pose = scene.pixel_pose(body);
    for (int f = scene.fixture_start[body]; f < scene.fixture_start[body + 1]; ++f) {
      if (scene.is_circle(f)) {
        detail::add_circle(space, pose.p, scene.radius_px[f]);
      } else {
        detail::add_polygon(space, scene.polygon_px(f), scene.vertex_count(f), pose);
      }
    }
  }
}

// Whether balls that map_action gave cover no body: !occluded(scene, balls), at once.
TOPPLE_FN bool is_free(const FreeSpace& space, const Balls& balls) {
  for (int i = 0; i < balls.count; ++i) {
    const Ball& ball = balls.list[i];
    const int place = static_cast<int>(ball.y) * FreeSpace::kSize + static_cast<int>(ball.x);
    if (static_cast<int>(ball.radius) > space.radius[place]) return false;
  }
  return true;
}

}  // namespace topple::phyre
