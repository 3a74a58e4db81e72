// Manifolds: where two shapes touch.
#pragma once

#include "topple/phyre/contacts.h"

namespace topple::phyre {

TOPPLE_FN void collide_circles(const Shape& a, Vec pa, const Shape& b, Vec pb, Manifold& m) {
  m.count = 0;
  const Vec d = pb - pa;
  const float r = a.radius + b.radius;
  if (dot(d, d) > r * r) return;
  m.type = ManifoldType::kCircles;
  m.local_point = {0.0f, 0.0f};
  m.local_normal = {0.0f, 0.0f};
  m.count = 1;
  m.points[0].local = {0.0f, 0.0f};
  m.points[0].id = 0;
}

TOPPLE_BIG_FN void collide_polygon_circle(const Shape& a, const Transform& ta, const Shape& b,
                                          Vec pb, AxisHint& hint, Manifold& m) {
  m.count = 0;
  const Vec q = apply_back(ta, pb);
  const float r = a.radius + b.radius;
  // Any separating edge will do, so the one of the last step is asked first.
  if (dot(a.normals[hint.edge], q - a.vertices[hint.edge]) > r) return;
  int edge = 0;
  float separation = -kMaxFloat;
  TOPPLE_ROLLED
  for (int i = 0; i < a.count; ++i) {
    const float s = dot(a.normals[i], q - a.vertices[i]);
    if (s > r) {
      hint.edge = static_cast<uint8_t>(i);
      return;
    }
    if (s > separation) {
      separation = s;
      edge = i;
    }
  }
  hint.edge = static_cast<uint8_t>(edge);

  const Vec v1 = a.vertices[edge];
  const Vec v2 = a.vertices[a.next(edge)];
  Vec normal = a.normals[edge];
  Vec point = 0.5f * (v1 + v2);
  if (separation >= kEpsilon) {
    const bool before = dot(q - v1, v2 - v1) <= 0.0f;
    if (before || dot(q - v2, v1 - v2) <= 0.0f) {
      point = before ? v1 : v2;
      normal = q - point;
      if (dot(normal, normal) > r * r) return;
      normalise(normal);
    } else if (dot(q - point, normal) > r) {
      return;
    }
  }
  m.type = ManifoldType::kFaceA;
  m.local_normal = normal;
  m.local_point = point;
  m.count = 1;
  m.points[0].local = {0.0f, 0.0f};
  m.points[0].id = 0;
}

namespace detail {

// The separation of polygon b from one edge of polygon a; t is the pose of a seen from b.
TOPPLE_FN float edge_separation(const Shape& a, int edge, const Transform& t, const Shape& b) {
  const Vec n = rotate(t.q, a.normals[edge]);
  const Vec v = apply(t, a.vertices[edge]);
  float least = dot(n, b.vertices[0] - v);
  TOPPLE_ROLLED
  for (int j = 1; j < b.count; ++j) least = min(dot(n, b.vertices[j] - v), least);
  return least;
}

// The edge of a that separates best, or any that separates by more than the limit.
TOPPLE_BIG_FN float max_separation(const Shape& a, const Transform& ta, const Shape& b,
                                   const Transform& tb, float limit, int& edge) {
  const Transform t = relative(tb, ta);
  float best = -kMaxFloat;
  edge = 0;
  TOPPLE_ROLLED
  for (int i = 0; i < a.count; ++i) {
    const float s = edge_separation(a, i, t, b);
    if (s > best) {
      best = s;
      edge = i;
      if (s > limit) break;
    }
  }
  return best;
}

struct ClipVertex {
  Vec v;
  uint32_t id;
};

enum : uint32_t { kVertexFeature = 0, kFaceFeature = 1 };

TOPPLE_FN uint32_t feature_id(uint32_t index_a, uint32_t index_b, uint32_t type_a,
                              uint32_t type_b) {
  return index_a | index_b << 8 | type_a << 16 | type_b << 24;
}

TOPPLE_FN uint32_t swap_id(uint32_t id) {
  return (id & 0x00ff00ffu) << 8 | (id & 0xff00ff00u) >> 8;
}

// Keeps the part of a segment behind a plane; false if not two points are left.
TOPPLE_FN bool clip(const ClipVertex in[2], Vec normal, float offset, uint32_t vertex,
                    ClipVertex out[2]) {
  const float d0 = dot(normal, in[0].v) - offset;
  const float d1 = dot(normal, in[1].v) - offset;
  int n = 0;
  if (d0 <= 0.0f) out[n++] = in[0];
  if (d1 <= 0.0f) out[n++] = in[1];
  if (d0 * d1 < 0.0f) {
    out[n].v = in[0].v + (d0 / (d0 - d1)) * (in[1].v - in[0].v);
    out[n].id = feature_id(vertex, in[0].id >> 8 & 0xffu, kVertexFeature, kFaceFeature);
    ++n;
  }
  return n == 2;
}

}  // namespace detail

TOPPLE_BIG_FN void collide_polygons(const Shape& a, const Transform& ta, const Shape& b,
                                    const Transform& tb, AxisHint& hint, Manifold& m) {
  using namespace detail;
  m.count = 0;
  const float r = a.radius + b.radius;
  {
    const float s = hint.of_b ? edge_separation(b, hint.edge, relative(ta, tb), a)
                              : edge_separation(a, hint.edge, relative(tb, ta), b);
    if (s > r) return;
  }
  int edge_a, edge_b;
  const float sa = max_separation(a, ta, b, tb, r, edge_a);
  if (sa > r) {
    hint = {static_cast<uint8_t>(edge_a), false};
    return;
  }
  const float sb = max_separation(b, tb, a, ta, r, edge_b);
  if (sb > r) {
    hint = {static_cast<uint8_t>(edge_b), true};
    return;
  }

  // One polygon lends the reference face, the other the edge that is clipped to it.
  const bool flip = sb > sa + 0.1f * kLinearSlop;
  const Shape& p1 = flip ? b : a;
  const Shape& p2 = flip ? a : b;
  const Transform& t1 = flip ? tb : ta;
  const Transform& t2 = flip ? ta : tb;
  const int e = flip ? edge_b : edge_a;
  const int e_next = p1.next(e);
  hint = {static_cast<uint8_t>(e), flip};
  m.type = flip ? ManifoldType::kFaceB : ManifoldType::kFaceA;

  const Vec facing = rotate_back(t2.q, rotate(t1.q, p1.normals[e]));
  int i1 = 0;
  float least = kMaxFloat;
  TOPPLE_ROLLED
  for (int i = 0; i < p2.count; ++i) {
    const float d = dot(facing, p2.normals[i]);
    if (d < least) {
      least = d;
      i1 = i;
    }
  }
  const int i2 = p2.next(i1);
  const uint32_t ue = static_cast<uint32_t>(e);
  const ClipVertex incident[2] = {
      {apply(t2, p2.vertices[i1]),
       feature_id(ue, static_cast<uint32_t>(i1), kFaceFeature, kVertexFeature)},
      {apply(t2, p2.vertices[i2]),
       feature_id(ue, static_cast<uint32_t>(i2), kFaceFeature, kVertexFeature)}};

  Vec v11 = p1.vertices[e];
  Vec v12 = p1.vertices[e_next];
  Vec local_tangent = v12 - v11;
  normalise(local_tangent);
  const Vec local_normal = cross(local_tangent, 1.0f);
  const Vec plane_point = 0.5f * (v11 + v12);
  const Vec tangent = rotate(t1.q, local_tangent);
  const Vec normal = cross(tangent, 1.0f);
  v11 = apply(t1, v11);
  v12 = apply(t1, v12);
  const float front = dot(normal, v11);
  const float side1 = -dot(tangent, v11) + r;
  const float side2 = dot(tangent, v12) + r;

  ClipVertex once[2], twice[2];
  if (!clip(incident, -tangent, side1, ue, once)) return;
  if (!clip(once, tangent, side2, static_cast<uint32_t>(e_next), twice)) return;

  m.local_normal = local_normal;
  m.local_point = plane_point;
  for (const ClipVertex& vertex : twice) {
    if (dot(normal, vertex.v) - front > r) continue;
    ManifoldPoint& point = m.points[m.count++];
    point.local = apply_back(t2, vertex.v);
    point.id = flip ? swap_id(vertex.id) : vertex.id;
  }
}

// Computes the manifold of a contact anew, carries impulses over by feature and wakes
// the bodies when they start or stop touching.
TOPPLE_BIG_FN void update_contact(Contact& contact, const Shape* shapes, Body* bodies) {
  const Shape& sa = shapes[contact.fixture_a];
  const Shape& sb = shapes[contact.fixture_b];
  Body& a = bodies[contact.body_a];
  Body& b = bodies[contact.body_b];
  Manifold& m = contact.manifold;
  const int old_count = m.count;
  const ManifoldPoint old[2] = {m.points[0], m.points[1]};

  contact.enabled = true;
  switch (contact.pair) {
    case ShapePair::kCircles:
      collide_circles(sa, a.pose.p, sb, b.pose.p, m);
      break;
    case ShapePair::kPolygonCircle:
      collide_polygon_circle(sa, a.pose, sb, b.pose.p, contact.hint, m);
      break;
    case ShapePair::kPolygons:
      collide_polygons(sa, a.pose, sb, b.pose, contact.hint, m);
      break;
  }
  for (int i = 0; i < m.count; ++i) {
    ManifoldPoint& point = m.points[i];
    point.normal_impulse = 0.0f;
    point.tangent_impulse = 0.0f;
    for (int j = 0; j < old_count; ++j) {
      if (old[j].id == point.id) {
        point.normal_impulse = old[j].normal_impulse;
        point.tangent_impulse = old[j].tangent_impulse;
        break;
      }
    }
  }
  const bool touching = m.count > 0;
  if (touching != contact.touching) {
    set_awake(a, true);
    set_awake(b, true);
  }
  contact.touching = touching;
}

}  // namespace topple::phyre
