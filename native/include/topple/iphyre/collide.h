// Narrow phase: where two shapes touch.
#pragma once

#include "topple/iphyre/capsules.h"

namespace topple {
namespace iphyre {

namespace detail {

TOPPLE_FN void touch_round(Touch& touch, Vec c1, double r1, Vec c2, double r2, Vec fallback) {
  const double reach = r1 + r2;
  const Vec d = c2 - c1;
  const double square = length_squared(d);
  if (!(square < reach * reach)) return;
  const double distance = sqrt(square);
  touch.normal = distance != 0.0 ? d * (1.0 / distance) : fallback;
  touch.points[0] = {c1 + touch.normal * r1, c2 + touch.normal * (-r2), 0};
  touch.count = 1;
}

TOPPLE_FN Vec nearest_on_core(const Shape& capsule, Vec point) {
  const Vec along = capsule.ends[1] - capsule.ends[0];
  const double t = clamp01(dot(along, point - capsule.ends[0]) / length_squared(along));
  return capsule.ends[0] + along * t;
}

}  // namespace detail

// The contacts of a with b; a circle has to come before a capsule.
TOPPLE_FN Touch collide(const Shape& a, const Shape& b, uint32_t memory) {
  Touch touch;
  touch.count = 0;
  touch.memory = memory;
  if (a.kind == Kind::kCapsule) {
    collide_capsules(touch, a, b);
  } else if (b.kind == Kind::kCapsule) {
    const Vec near = detail::nearest_on_core(b, a.ends[0]);
    detail::touch_round(touch, a.ends[0], a.radius, near, b.radius, b.normal);
  } else {
    detail::touch_round(touch, a.ends[0], a.radius, b.ends[0], b.radius, {1.0, 0.0});
  }
  return touch;
}

}  // namespace iphyre
}  // namespace topple
