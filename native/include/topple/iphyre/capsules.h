// Two capsules: the closest points of their cores, and up to two contacts between them.
//
// The differences of points of two segments form a parallelogram; its point nearest to the
// origin is searched from one edge to the next. Which edge the search ended at is
// remembered for the next step, and the remembered start is part of the result.
#pragma once

#include "topple/iphyre/shapes.h"

namespace topple {
namespace iphyre {

struct TouchPoint {
  Vec p1, p2;     // on the first and on the second shape
  uint64_t hash;  // of the features that meet, to recognise the point in the next step
};

struct Touch {
  Vec normal;  // from the first to the second shape
  TouchPoint points[2];
  int count;
  uint32_t memory;  // where the search ended
};

namespace detail {

// A point of the parallelogram: an end of the first and one of the second capsule.
struct Corner {
  Vec at;
  uint32_t label;  // 256 * end of the first + end of the second
};

TOPPLE_FN int support_end(const Shape& s, Vec n) {
  return dot(s.ends[0], n) > dot(s.ends[1], n) ? 0 : 1;
}

TOPPLE_FN Corner corner(const Shape& a, const Shape& b, int i, int j) {
  return {b.ends[j] - a.ends[i], static_cast<uint32_t>(256 * i + j)};
}

TOPPLE_FN Corner support(const Shape& a, const Shape& b, Vec n) {
  return corner(a, b, support_end(a, -n), support_end(b, n));
}

TOPPLE_FN double closest_t(Vec u, Vec v) {
  const Vec d = v - u;
  const double square = length_squared(d);
  return square != 0.0 ? -clamp(dot(d, u + v) / square, -1.0, 1.0) : 0.0;
}

TOPPLE_FN Vec lerp_t(Vec u, Vec v, double t) {
  const double h = 0.5 * t;
  return u * (0.5 - h) + v * (0.5 + h);
}

TOPPLE_FN double closest_distance(Vec u, Vec v) {
  return length_squared(lerp_t(u, v, closest_t(u, v)));
}

TOPPLE_FN bool is_left(Vec a, Vec b, Vec c) {
  return (b.y - a.y) * (a.x + b.x - 2 * c.x) > (b.x - a.x) * (a.y + b.y - 2 * c.y);
}

struct Edge {
  Corner v0, v1;
};

// The edge nearest to the origin if that lies inside the triangle.
TOPPLE_FN Edge nearest_edge_around(const Shape& a, const Shape& b, Corner v0, Corner s, Corner v1) {
  Corner hull[kSearchRounds + 4] = {v0, s, v1};
  Corner next[kSearchRounds + 4];
  int count = 3;
  for (int round = 1;; ++round) {
    double least = __builtin_inf();
    int start = 0;
    for (int j = 0, i = count - 1; j < count; i = j, ++j) {
      const double d = closest_distance(hull[i].at, hull[j].at);
      if (d < least) {
        least = d;
        start = i;
      }
    }
    const Edge edge = {hull[start], hull[(start + 1) % count]};
    const Corner p = support(a, b, perp(edge.v1.at - edge.v0.at));
    if (p.label == edge.v0.label || p.label == edge.v1.label ||
        !is_left(edge.v0.at, edge.v1.at, p.at) || round >= kSearchRounds) {
      return edge;
    }
    int kept = 1;
    next[0] = p;
    for (int i = 0; i < count; ++i) {
      const int place = (start + 1 + i) % count;
      const Vec after = i + 1 < count ? hull[(place + 1) % count].at : p.at;
      if (is_left(next[kept - 1].at, after, hull[place].at)) next[kept++] = hull[place];
    }
    count = kept;
    for (int i = 0; i < count; ++i) hull[i] = next[i];
  }
}

TOPPLE_FN Edge start_edge(const Shape& a, const Shape& b, uint32_t memory) {
  if (memory == 0) {
    const Vec axis = perp(centre(a.box) - centre(b.box));
    return {support(a, b, axis), support(a, b, -axis)};
  }
  const auto end = [memory](int shift) { return ((memory >> shift) & 255u) == 0 ? 0 : 1; };
  return {corner(a, b, end(24), end(16)), corner(a, b, end(8), end(0))};
}

TOPPLE_FN Edge nearest_edge(const Shape& a, const Shape& b, uint32_t memory) {
  constexpr Vec kOrigin = {0.0, 0.0};
  Edge edge = start_edge(a, b, memory);
  for (int round = 1; round <= kSearchRounds; ++round) {
    if (is_left(edge.v1.at, edge.v0.at, kOrigin)) edge = {edge.v1, edge.v0};
    const Vec u = edge.v0.at;
    const Vec v = edge.v1.at;
    const double t = closest_t(u, v);
    const Vec n = -1.0 < t && t < 1.0 ? perp(v - u) : -lerp_t(u, v, t);
    const Corner s = support(a, b, n);
    if (is_left(s.at, u, kOrigin) && is_left(v, s.at, kOrigin)) {
      return nearest_edge_around(a, b, edge.v0, s, edge.v1);
    }
    if (dot(s.at, n) <= max(dot(u, n), dot(v, n))) return edge;
    (closest_distance(u, s.at) < closest_distance(s.at, v) ? edge.v1 : edge.v0) = s;
  }
  return edge;
}

// The side of a capsule that faces along n, from its first to its second end.
struct Side {
  Vec a, b;
  int a_end, b_end;
};

TOPPLE_FN Side facing_side(const Shape& s, Vec n) {
  return dot(s.normal, n) > 0.0 ? Side{s.ends[0], s.ends[1], 0, 1}
                                : Side{s.ends[1], s.ends[0], 1, 0};
}

TOPPLE_FN uint64_t end_hash(const Shape& s, int end) {
  return (s.number * kHash) ^ (static_cast<uint64_t>(end) * kHash);
}

TOPPLE_FN void add_point(Touch& touch, Vec p1, Vec p2, uint64_t hash1, uint64_t hash2) {
  if (!(dot(p2 - p1, touch.normal) <= 0.0)) return;
  touch.points[touch.count++] = {p1, p2, (hash1 * kHash) ^ (hash2 * kHash)};
}

}  // namespace detail

TOPPLE_FN void collide_capsules(Touch& touch, const Shape& a, const Shape& b) {
  using namespace detail;
  const Edge edge = nearest_edge(a, b, touch.memory);
  touch.memory = edge.v0.label * 65536u + edge.v1.label;
  const double t = closest_t(edge.v0.at, edge.v1.at);
  const Vec p = lerp_t(edge.v0.at, edge.v1.at, t);
  Vec n = normalise(rperp(edge.v1.at - edge.v0.at));
  double distance = dot(n, p);
  if (!(distance <= 0.0 || (-1.0 < t && t < 1.0))) {
    distance = length(p);
    n = p * (1.0 / (distance + kTiny));
  }
  if (!(distance <= a.radius + b.radius)) return;
  touch.normal = n;
  const Side e1 = facing_side(a, n);
  const Side e2 = facing_side(b, -n);
  const double da1 = cross(e1.a, n);
  const double db1 = cross(e1.b, n);
  const double da2 = cross(e2.a, n);
  const double db2 = cross(e2.b, n);
  const double k1 = 1.0 / (db1 - da1 + kTiny);
  const double k2 = 1.0 / (db2 - da2 + kTiny);
  const Vec out1 = n * a.radius;
  const Vec out2 = n * (-b.radius);
  add_point(touch, out1 + lerp(e1.a, e1.b, clamp01((db2 - da1) * k1)),
            out2 + lerp(e2.a, e2.b, clamp01((da1 - da2) * k2)), end_hash(a, e1.a_end),
            end_hash(b, e2.b_end));
  add_point(touch, out1 + lerp(e1.a, e1.b, clamp01((da2 - da1) * k1)),
            out2 + lerp(e2.a, e2.b, clamp01((db1 - da2) * k2)), end_hash(a, e1.b_end),
            end_hash(b, e2.a_end));
}

}  // namespace iphyre
}  // namespace topple
