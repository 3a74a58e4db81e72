// The goal: two bodies touch for a number of steps in a row.
#pragma once

#include "topple/phyre/world.h"

namespace topple::phyre {

struct Goal {
  int32_t first, second;  // bodies; first < 0 is a scene without a goal
  int32_t hold_steps;
};

namespace detail {

TOPPLE_FN bool is_single_circle(const World& world, const Body& body) {
  return body.fixture_count == 1 && world.shapes[body.first_fixture].is_circle();
}

}  // namespace detail

// Whether the goal holds after the step just made. Two balls are compared by distance;
// anything else by the contacts, which are as of the start of the step.
TOPPLE_FN bool goal_holds(const World& world, const Goal& goal) {
  if (goal.first < 0) return false;
  const Body& one = world.bodies[goal.first];
  const Body& two = world.bodies[goal.second];
  if (one.removed || two.removed) return false;
  if (detail::is_single_circle(world, one) && detail::is_single_circle(world, two)) {
    constexpr float kTenthOfPixel = 0.1f / kPixelsPerMetre;
    const Vec d = one.pose.p - two.pose.p;
    const float reach =
        world.shapes[one.first_fixture].radius + world.shapes[two.first_fixture].radius;
    return length(d) < reach + kTenthOfPixel;
  }
  TOPPLE_ROLLED
  for (int i = 0; i < world.contact_count; ++i) {
    const Contact& contact = world.contacts[i];
    if (!contact.touching) continue;
    if ((contact.body_a == goal.first && contact.body_b == goal.second) ||
        (contact.body_a == goal.second && contact.body_b == goal.first)) {
      return true;
    }
  }
  return false;
}

}  // namespace topple::phyre
