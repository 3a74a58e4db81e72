// Shapes: circles, and capsules given by the two ends of their core. One to a body.
#pragma once

#include "topple/iphyre/bodies.h"

namespace topple {
namespace iphyre {

enum class Kind : uint8_t { kCircle, kCapsule };

struct Shape {
  // In the world, renewed when the body has moved. A circle's centre is its first end.
  Vec ends[2];
  Vec normal;
  Box box;
  double radius;
  uint64_t number;  // in order of insertion into the space; orders and marks contacts
  Kind kind;
  // In the frame of the body.
  Vec local_ends[2];
  Vec local_normal;
};

TOPPLE_FN void update_shape(Shape& shape, const Body& body) {
  const double r = shape.radius;
  if (shape.kind == Kind::kCircle) {
    shape.ends[0] = body.p;
    shape.box = {body.p.x - r, body.p.y - r, body.p.x + r, body.p.y + r};
    return;
  }
  const double c = body.rot.c;
  const double s = body.rot.s;
  for (int i = 0; i < 2; ++i) {
    const Vec q = shape.local_ends[i];
    shape.ends[i] = {(c * q.x + (-s) * q.y) + body.p.x, (s * q.x + c * q.y) + body.p.y};
  }
  const Vec n = shape.local_normal;
  shape.normal = {c * n.x + (-s) * n.y, s * n.x + c * n.y};
  const Vec a = shape.ends[0];
  const Vec b = shape.ends[1];
  const bool rightwards = a.x < b.x;
  const bool downwards = a.y < b.y;
  shape.box = {(rightwards ? a.x : b.x) - r, (downwards ? a.y : b.y) - r,
               (rightwards ? b.x : a.x) + r, (downwards ? b.y : a.y) + r};
}

}  // namespace iphyre
}  // namespace topple
