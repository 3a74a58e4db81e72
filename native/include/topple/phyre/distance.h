// Distance between two convex point sets (GJK), warm-started from an earlier answer.
#pragma once

#include "topple/phyre/shapes.h"

namespace topple::phyre {

struct DistanceCache {
  float metric;
  int count;
  int index_a[3], index_b[3];
};

// The vertex farthest along d, the first one on ties.
TOPPLE_BIG_FN int support(const Shape& shape, Vec d) {
  int best = 0;
  float value = dot(shape.vertices[0], d);
  TOPPLE_ROLLED
  for (int i = 1; i < shape.count; ++i) {
    const float v = dot(shape.vertices[i], d);
    if (v > value) {
      value = v;
      best = i;
    }
  }
  return best;
}

namespace detail {

struct SimplexVertex {
  Vec wa, wb, w;  // support points in world coordinates, and wb - wa
  float weight;
  int index_a, index_b;
};

struct Simplex {
  SimplexVertex v[3];
  int count;
};

TOPPLE_FN SimplexVertex simplex_vertex(const Shape& a, const Transform& ta, int index_a,
                                       const Shape& b, const Transform& tb, int index_b) {
  SimplexVertex v;
  v.index_a = index_a;
  v.index_b = index_b;
  v.wa = apply(ta, a.vertices[index_a]);
  v.wb = apply(tb, b.vertices[index_b]);
  v.w = v.wb - v.wa;
  v.weight = 0.0f;
  return v;
}

TOPPLE_FN float simplex_metric(const Simplex& s) {
  switch (s.count) {
    case 2:
      return length(s.v[0].w - s.v[1].w);
    case 3:
      return cross(s.v[1].w - s.v[0].w, s.v[2].w - s.v[0].w);
    default:
      return 0.0f;
  }
}

TOPPLE_FN void keep_vertex(Simplex& s, int i) {
  s.v[0] = s.v[i];
  s.v[0].weight = 1.0f;
  s.count = 1;
}

TOPPLE_FN void keep_edge(Simplex& s, int i, int j, float wi, float wj) {
  const SimplexVertex first = s.v[i];
  const SimplexVertex second = s.v[j];
  const float inverse = 1.0f / (wi + wj);
  s.v[0] = first;
  s.v[1] = second;
  s.v[0].weight = wi * inverse;
  s.v[1].weight = wj * inverse;
  s.count = 2;
}

// Reduces a segment to the part nearest to the origin.
TOPPLE_FN void reduce_segment(Simplex& s) {
  const Vec w1 = s.v[0].w;
  const Vec w2 = s.v[1].w;
  const Vec e = w2 - w1;
  const float d2 = -dot(w1, e);
  if (d2 <= 0.0f) return keep_vertex(s, 0);
  const float d1 = dot(w2, e);
  if (d1 <= 0.0f) return keep_vertex(s, 1);
  // The sum of the weights is formed in this order in both reductions.
  keep_edge(s, 0, 1, d1, d2);
}

// Reduces a triangle to the part nearest to the origin. The order of the vertices that
// stay is part of the result.
TOPPLE_BIG_FN void reduce_triangle(Simplex& s) {
  const Vec w1 = s.v[0].w;
  const Vec w2 = s.v[1].w;
  const Vec w3 = s.v[2].w;
  const Vec e12 = w2 - w1;
  const Vec e13 = w3 - w1;
  const Vec e23 = w3 - w2;
  const float d12_1 = dot(w2, e12), d12_2 = -dot(w1, e12);
  const float d13_1 = dot(w3, e13), d13_2 = -dot(w1, e13);
  const float d23_1 = dot(w3, e23), d23_2 = -dot(w2, e23);
  const float n = cross(e12, e13);
  const float d1 = n * cross(w2, w3);
  const float d2 = n * cross(w3, w1);
  const float d3 = n * cross(w1, w2);
  if (d12_2 <= 0.0f && d13_2 <= 0.0f) return keep_vertex(s, 0);
  if (d12_1 > 0.0f && d12_2 > 0.0f && d3 <= 0.0f) return keep_edge(s, 0, 1, d12_1, d12_2);
  if (d13_1 > 0.0f && d13_2 > 0.0f && d2 <= 0.0f) return keep_edge(s, 0, 2, d13_1, d13_2);
  if (d12_1 <= 0.0f && d23_2 <= 0.0f) return keep_vertex(s, 1);
  if (d13_1 <= 0.0f && d23_1 <= 0.0f) return keep_vertex(s, 2);
  if (d23_1 > 0.0f && d23_2 > 0.0f && d1 <= 0.0f) {
    const float inverse = 1.0f / (d23_1 + d23_2);
    s.v[0] = s.v[2];
    s.v[0].weight = d23_2 * inverse;
    s.v[1].weight = d23_1 * inverse;
    s.count = 2;
    return;
  }
  const float inverse = 1.0f / (d1 + d2 + d3);
  s.v[0].weight = d1 * inverse;
  s.v[1].weight = d2 * inverse;
  s.v[2].weight = d3 * inverse;
}

}  // namespace detail

// The distance between the cores of two shapes, radii left aside.
TOPPLE_BIG_FN float distance(const Shape& a, const Transform& ta, const Shape& b,
                             const Transform& tb, DistanceCache& cache) {
  using namespace detail;
  Simplex s;
  s.count = cache.count;
  for (int i = 0; i < cache.count; ++i) {
    s.v[i] = simplex_vertex(a, ta, cache.index_a[i], b, tb, cache.index_b[i]);
  }
  if (s.count > 1) {
    const float metric = simplex_metric(s);
    if (metric < 0.5f * cache.metric || 2.0f * cache.metric < metric || metric < kEpsilon) {
      s.count = 0;
    }
  }
  if (s.count == 0) {
    s.v[0] = simplex_vertex(a, ta, 0, b, tb, 0);
    s.v[0].weight = 1.0f;
    s.count = 1;
  }

  TOPPLE_ROLLED
  for (int round = 0; round < kMaxGjkRounds; ++round) {
    int seen_a[3], seen_b[3];
    const int seen = s.count;
    for (int i = 0; i < seen; ++i) {
      seen_a[i] = s.v[i].index_a;
      seen_b[i] = s.v[i].index_b;
    }
    if (s.count == 2) reduce_segment(s);
    if (s.count == 3) reduce_triangle(s);
    if (s.count == 3) break;

    Vec d;
    if (s.count == 1) {
      d = -s.v[0].w;
    } else {
      const Vec e = s.v[1].w - s.v[0].w;
      d = cross(e, -s.v[0].w) > 0.0f ? cross(1.0f, e) : cross(e, 1.0f);
    }
    if (dot(d, d) < kEpsilon * kEpsilon) break;

    const int index_a = support(a, rotate_back(ta.q, -d));
    const int index_b = support(b, rotate_back(tb.q, d));
    bool repeated = false;
    for (int i = 0; i < seen; ++i) {
      repeated |= seen_a[i] == index_a && seen_b[i] == index_b;
    }
    if (repeated) break;
    s.v[s.count++] = simplex_vertex(a, ta, index_a, b, tb, index_b);
  }

  cache.count = s.count;
  cache.metric = simplex_metric(s);
  for (int i = 0; i < s.count; ++i) {
    cache.index_a[i] = s.v[i].index_a;
    cache.index_b[i] = s.v[i].index_b;
  }
  if (s.count == 3) return 0.0f;  // both witness points are the same
  Vec pa = s.v[0].wa;
  Vec pb = s.v[0].wb;
  if (s.count == 2) {
    pa = s.v[0].weight * s.v[0].wa + s.v[1].weight * s.v[1].wa;
    pb = s.v[0].weight * s.v[0].wb + s.v[1].weight * s.v[1].wb;
  }
  return length(pa - pb);
}

}  // namespace topple::phyre
