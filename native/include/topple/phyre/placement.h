// Placement: which bodies of an unfinished scene can be put there without overlapping others.
#pragma once

#include "topple/phyre/limits.h"
#include "topple/phyre/scene.h"
#include "topple/phyre/trig.h"

namespace topple::phyre {

constexpr double kOverlapTolerance = 0.1;  // pixels; bodies at rest sink in by a part of it

// Shapes of bodies that are not placed yet.
struct Outlines {
  const int32_t* fixture_start;  // [outlines + 1]
  const int32_t* vertex_start;   // [fixtures + 1]; a fixture without vertices is a circle
  const double* radius;          // [fixtures] pixels
  const PixelVec* vertices;      // [vertices] pixels, counter-clockwise

  TOPPLE_FN int vertex_count(int fixture) const {
    return vertex_start[fixture + 1] - vertex_start[fixture];
  }
};

// The places that bodies of a scene may take, in order of preference.
struct Places {
  int32_t body_count;
  int32_t choices;         // of each body
  const int32_t* outline;  // [bodies, choices]
  const double* pose;      // [bodies, choices, 3] x, y, angle; not a number: no choice
  const uint8_t* dynamic;  // [bodies]
};

// A convex shape where it lies.
struct PlacedShape {
  PixelVec points[kMaxVertices];  // the centre alone for a circle
  int32_t count;
  double radius;  // 0 for a polygon
  PixelVec low, high;
};

// Shapes that were placed so far.
struct PlacedShapes {
  PlacedShape shapes[kMaxFixtures];
  bool dynamic[kMaxFixtures];
  int32_t count;
};

namespace detail {

TOPPLE_FN void place_shape(const Outlines& outlines, int fixture, PixelVec p, Rot q,
                           PlacedShape& out) {
  const int vertices = outlines.vertex_count(fixture);
  out.count = vertices == 0 ? 1 : vertices;
  out.radius = vertices == 0 ? outlines.radius[fixture] : 0.0;
  for (int i = 0; i < out.count; ++i) {
    const PixelVec v =
        vertices == 0 ? PixelVec{0.0, 0.0} : outlines.vertices[outlines.vertex_start[fixture] + i];
    const double s = static_cast<double>(q.s);
    const double c = static_cast<double>(q.c);
    const PixelVec at = {p.x + v.x * c - v.y * s, p.y + v.x * s + v.y * c};
    out.points[i] = at;
    if (i == 0) out.low = out.high = at;
    if (at.x < out.low.x) out.low.x = at.x;
    if (at.y < out.low.y) out.low.y = at.y;
    if (at.x > out.high.x) out.high.x = at.x;
    if (at.y > out.high.y) out.high.y = at.y;
  }
  out.low = {out.low.x - out.radius, out.low.y - out.radius};
  out.high = {out.high.x + out.radius, out.high.y + out.radius};
}

// How far the points of one shape stay outside of the edges of another, at the best of these.
TOPPLE_FN double edge_separation(const PlacedShape& edges, const PlacedShape& other) {
  double best = -1e30;
  for (int i = 0; i < edges.count; ++i) {
    const PixelVec from = edges.points[i];
    const PixelVec to = edges.points[i + 1 == edges.count ? 0 : i + 1];
    const double nx = to.y - from.y;
    const double ny = from.x - to.x;
    const double length = TOPPLE_BUILTIN(sqrt)(nx * nx + ny * ny);
    double least = 1e30;
    for (int j = 0; j < other.count; ++j) {
      const double reach =
          (nx * (other.points[j].x - from.x) + ny * (other.points[j].y - from.y)) / length;
      if (reach < least) least = reach;
    }
    if (least > best) best = least;
  }
  return best;
}

TOPPLE_FN double point_separation(const PlacedShape& polygon, PixelVec p) {
  double least = 1e30;
  for (int i = 0; i < polygon.count; ++i) {
    const PixelVec a = polygon.points[i];
    const PixelVec b = polygon.points[i + 1 == polygon.count ? 0 : i + 1];
    const double ex = b.x - a.x;
    const double ey = b.y - a.y;
    double share = ((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    const double dx = p.x - a.x - share * ex;
    const double dy = p.y - a.y - share * ey;
    const double distance = TOPPLE_BUILTIN(sqrt)(dx * dx + dy * dy);
    if (distance < least) least = distance;
  }
  return least;
}

}  // namespace detail

// Pixels between two convex shapes; negative if they overlap.
TOPPLE_FN double separation(const PlacedShape& a, const PlacedShape& b) {
  const bool round_a = a.count == 1;
  const bool round_b = b.count == 1;
  if (round_a && round_b) {
    const double dx = a.points[0].x - b.points[0].x;
    const double dy = a.points[0].y - b.points[0].y;
    return TOPPLE_BUILTIN(sqrt)(dx * dx + dy * dy) - a.radius - b.radius;
  }
  if (round_a || round_b) {
    const PlacedShape& polygon = round_a ? b : a;
    const PlacedShape& circle = round_a ? a : b;
    const double outside = detail::edge_separation(polygon, circle);
    if (outside <= 0.0) return outside - circle.radius;
    return detail::point_separation(polygon, circle.points[0]) - circle.radius;
  }
  const double one = detail::edge_separation(a, b);
  const double other = detail::edge_separation(b, a);
  return one > other ? one : other;
}

// Puts a body beside those placed so far if it fits: a dynamic body lies inside the scene and
// overlaps nothing; a static one may reach over the edge and, if that is allowed, overlap other
// static ones.
TOPPLE_FN bool put(const Outlines& outlines, int outline, const double* pose, bool dynamic,
                   bool statics_overlap, PlacedShapes& placed) {
  const PixelVec p = {pose[0], pose[1]};
  const int first = outlines.fixture_start[outline];
  const int parts = outlines.fixture_start[outline + 1] - first;
  if (placed.count + parts > kMaxFixtures) return false;
  const Rot q = rotation(static_cast<float>(pose[2]));
  bool inside = false;
  for (int part = 0; part < parts; ++part) {
    PlacedShape& shape = placed.shapes[placed.count + part];
    detail::place_shape(outlines, first + part, p, q, shape);
    const double margin = dynamic ? kOverlapTolerance : kMaxCoordinate * kPixelsPerMetre;
    if (!(shape.low.x >= -margin && shape.low.y >= -margin && shape.high.x <= kSceneSize + margin &&
          shape.high.y <= kSceneSize + margin)) {
      return false;
    }
    inside |= shape.low.x < kSceneSize - kOverlapTolerance && shape.high.x > kOverlapTolerance &&
              shape.low.y < kSceneSize - kOverlapTolerance && shape.high.y > kOverlapTolerance;
    for (int i = 0; i < placed.count; ++i) {
      const PlacedShape& other = placed.shapes[i];
      if ((statics_overlap && !dynamic && !placed.dynamic[i]) || shape.low.x > other.high.x ||
          shape.low.y > other.high.y || other.low.x > shape.high.x || other.low.y > shape.high.y) {
        continue;
      }
      if (separation(shape, other) < -kOverlapTolerance) return false;
    }
  }
  if (!inside) return false;
  for (int part = 0; part < parts; ++part) placed.dynamic[placed.count + part] = dynamic;
  placed.count += parts;
  return true;
}

// Goes through the bodies of a scene in order and gives each its first place where it fits: chosen
// is that place, or -1 for bodies that have none. At most limit bodies are placed.
TOPPLE_FN void find_places(const Outlines& outlines, const Places& places, int limit,
                           bool statics_overlap, PlacedShapes& placed, int8_t* chosen) {
  placed.count = 0;
  int bodies = 0;
  for (int body = 0; body < places.body_count; ++body) {
    chosen[body] = -1;
    for (int choice = 0; choice < places.choices && bodies < limit; ++choice) {
      const int at = body * places.choices + choice;
      if (put(outlines, places.outline[at], places.pose + 3 * at, places.dynamic[body] != 0,
              statics_overlap, placed)) {
        chosen[body] = static_cast<int8_t>(choice);
        ++bodies;
        break;
      }
    }
  }
}

}  // namespace topple::phyre
