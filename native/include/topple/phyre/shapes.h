// Shapes: circles and convex polygons, their mass and their boxes.
#pragma once

#include "topple/phyre/limits.h"
#include "topple/phyre/math.h"

namespace topple::phyre {

// A circle is a polygon of one vertex, its centre, with a large radius.
struct Shape {
  Vec vertices[kMaxVertices];  // counter-clockwise from the right-most, lowest one
  Vec normals[kMaxVertices];   // normals[i] belongs to the edge from vertex i to the next
  float radius;                // of the circle, or the polygon's skin
  int32_t count;               // vertices; 1 is a circle

  TOPPLE_FN bool is_circle() const { return count == 1; }
  TOPPLE_FN int next(int i) const { return i + 1 < count ? i + 1 : 0; }
};

struct Box {
  Vec lower, upper;
};

struct Mass {
  float mass;
  Vec centre;
  float inertia;  // about the body's origin
};

TOPPLE_FN bool overlap(const Box& a, const Box& b) {
  return b.lower.x <= a.upper.x && b.lower.y <= a.upper.y && a.lower.x <= b.upper.x &&
         a.lower.y <= b.upper.y;
}

TOPPLE_FN bool contains(const Box& outer, const Box& inner) {
  return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
         inner.upper.x <= outer.upper.x && inner.upper.y <= outer.upper.y;
}

TOPPLE_FN Box unite(const Box& a, const Box& b) {
  return {{min(a.lower.x, b.lower.x), min(a.lower.y, b.lower.y)},
          {max(a.upper.x, b.upper.x), max(a.upper.y, b.upper.y)}};
}

TOPPLE_FN Box tight_box(const Shape& shape, const Transform& t) {
  const Vec r = {shape.radius, shape.radius};
  if (shape.is_circle()) return {t.p - r, t.p + r};
  Box box;
  box.lower = box.upper = apply(t, shape.vertices[0]);
  TOPPLE_ROLLED
  for (int i = 1; i < shape.count; ++i) {
    const Vec v = apply(t, shape.vertices[i]);
    box = unite(box, {v, v});
  }
  return {box.lower - r, box.upper + r};
}

TOPPLE_FN Shape circle_shape(float radius) {
  Shape shape = {};
  shape.radius = radius;
  shape.count = 1;
  return shape;
}

enum class PolygonFault { kNone, kTooFewVertices, kNotConvex };

// Welds close vertices, wraps the hull and computes the normals. A polygon that
// loses a vertex on the way is not the convex one the scene meant.
TOPPLE_FN PolygonFault polygon_shape(const Vec* input, int input_count, Shape& shape) {
  Vec points[kMaxVertices];
  int n = 0;
  for (int i = 0; i < input_count && i < kMaxVertices; ++i) {
    bool distinct = true;
    for (int j = 0; j < n; ++j) {
      const Vec d = input[i] - points[j];
      if (dot(d, d) < (0.5f * kLinearSlop) * (0.5f * kLinearSlop)) distinct = false;
    }
    if (distinct) points[n++] = input[i];
  }
  if (n < 3) return PolygonFault::kTooFewVertices;

  int first = 0;
  for (int i = 1; i < n; ++i) {
    const bool right_most = points[i].x > points[first].x;
    const bool lower = points[i].x == points[first].x && points[i].y < points[first].y;
    if (right_most || lower) first = i;
  }

  shape = {};
  shape.radius = kPolygonRadius;
  int current = first;
  do {
    if (shape.count == n) return PolygonFault::kNotConvex;
    shape.vertices[shape.count++] = points[current];
    int end = 0;
    for (int j = 1; j < n; ++j) {
      if (end == current) {
        end = j;
        continue;
      }
      const Vec r = points[end] - points[current];
      const Vec v = points[j] - points[current];
      const float k = cross(r, v);
      if (k < 0.0f || (k == 0.0f && dot(v, v) > dot(r, r))) end = j;
    }
    current = end;
  } while (current != first);
  if (shape.count < 3) return PolygonFault::kTooFewVertices;

  TOPPLE_ROLLED
  for (int i = 0; i < shape.count; ++i) {
    shape.normals[i] = cross(shape.vertices[shape.next(i)] - shape.vertices[i], 1.0f);
    normalise(shape.normals[i]);
  }
  return PolygonFault::kNone;
}

// Whether a shape has neither very short nor very long edges. All published ones are plain:
// their shortest edge is 0.42 m, their farthest vertex 42.7 m from its origin.
TOPPLE_FN bool is_plain(const Shape& shape) {
  constexpr float kShortest = 0.25f;  // metres
  constexpr float kFarthest = 48.0f;  // metres from the origin
  if (shape.is_circle()) return true;
  TOPPLE_ROLLED
  for (int i = 0; i < shape.count; ++i) {
    const Vec v = shape.vertices[i];
    if (length(shape.vertices[shape.next(i)] - v) < kShortest) return false;
    if (length(v) > kFarthest) return false;
  }
  return true;
}

TOPPLE_FN Mass mass_of(const Shape& shape, float density) {
  if (shape.is_circle()) {
    const float m = density * kPi * shape.radius * shape.radius;
    return {m, {0.0f, 0.0f}, m * (0.5f * shape.radius * shape.radius + 0.0f)};
  }
  const float third = 1.0f / 3.0f;
  Vec s = {0.0f, 0.0f};
  TOPPLE_ROLLED
  for (int i = 0; i < shape.count; ++i) s = s + shape.vertices[i];
  s = (1.0f / static_cast<float>(shape.count)) * s;
  float area = 0.0f;
  float inertia = 0.0f;
  Vec centre = {0.0f, 0.0f};
  TOPPLE_ROLLED
  for (int i = 0; i < shape.count; ++i) {
    const Vec e1 = shape.vertices[i] - s;
    const Vec e2 = shape.vertices[shape.next(i)] - s;
    const float d = cross(e1, e2);
    const float triangle = 0.5f * d;
    area += triangle;
    centre = centre + (triangle * third) * (e1 + e2);
    const float ix = e1.x * e1.x + e2.x * e1.x + e2.x * e2.x;
    const float iy = e1.y * e1.y + e2.y * e1.y + e2.y * e2.y;
    inertia += (0.25f * third * d) * (ix + iy);
  }
  const float m = density * area;
  centre = (1.0f / area) * centre;
  const Vec middle = centre + s;
  inertia = density * inertia;
  inertia += m * (dot(middle, middle) - dot(centre, centre));
  return {m, middle, inertia};
}

}  // namespace topple::phyre
