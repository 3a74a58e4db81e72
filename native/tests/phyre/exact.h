// Distances and motions in double precision, straight from their definitions: what the
// engine's algorithms are compared with.
#pragma once

#include <algorithm>
#include <cmath>

#include "topple/phyre/bodies.h"

namespace exact {

struct Point {
  double x, y;
};

inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }
inline double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

struct Placed {
  Point vertices[topple::phyre::kMaxVertices];
  int count;
};

inline Placed place(const topple::phyre::Shape& shape, Point centre, double angle,
                    topple::phyre::Vec local) {
  Placed placed;
  placed.count = shape.count;
  const double s = std::sin(angle);
  const double c = std::cos(angle);
  for (int i = 0; i < shape.count; ++i) {
    const double x = static_cast<double>(shape.vertices[i].x) - local.x;
    const double y = static_cast<double>(shape.vertices[i].y) - local.y;
    placed.vertices[i] = {centre.x + c * x - s * y, centre.y + s * x + c * y};
  }
  return placed;
}

// Where a shape is at a fraction of its body's sweep.
inline Placed place_at(const topple::phyre::Shape& shape, const topple::phyre::Body& body,
                       double t) {
  const topple::phyre::Sweep& sweep = body.sweep;
  const Point centre = {(1 - t) * sweep.c0.x + t * sweep.c.x, (1 - t) * sweep.c0.y + t * sweep.c.y};
  return place(shape, centre, (1 - t) * sweep.a0 + t * sweep.a, sweep.local_centre);
}

inline double point_to_segment(Point p, Point a, Point b) {
  const Point e = b - a;
  const double square = dot(e, e);
  const double t = square > 0 ? std::clamp(dot(p - a, e) / square, 0.0, 1.0) : 0.0;
  const Point d = {a.x + t * e.x - p.x, a.y + t * e.y - p.y};
  return std::sqrt(dot(d, d));
}

inline bool inside(const Placed& shape, Point p) {
  if (shape.count < 3) return false;
  for (int i = 0; i < shape.count; ++i) {
    const Point a = shape.vertices[i];
    const Point b = shape.vertices[(i + 1) % shape.count];
    if (cross(b - a, p - a) < 0) return false;
  }
  return true;
}

inline bool segments_cross(Point a, Point b, Point c, Point d) {
  return cross(b - a, c - a) * cross(b - a, d - a) < 0 &&
         cross(d - c, a - c) * cross(d - c, b - c) < 0;
}

// The distance of two convex polygons or points by trying every pair of features.
inline double distance(const Placed& a, const Placed& b) {
  if (inside(a, b.vertices[0]) || inside(b, a.vertices[0])) return 0.0;
  double least = 1e300;
  for (int i = 0; i < a.count; ++i) {
    const Point a1 = a.vertices[i];
    const Point a2 = a.vertices[(i + 1) % a.count];
    for (int j = 0; j < b.count; ++j) {
      const Point b1 = b.vertices[j];
      const Point b2 = b.vertices[(j + 1) % b.count];
      if (segments_cross(a1, a2, b1, b2)) return 0.0;
      least = std::min(least, point_to_segment(a1, b1, b2));
      least = std::min(least, point_to_segment(b1, a1, a2));
    }
  }
  return least;
}

}  // namespace exact
