// Worlds and scenes for tests.
#pragma once

#include <memory>
#include <vector>

#include "chance.h"
#include "topple/phyre/step.h"

// A world with its scratch memory, too large for a stack.
struct Stage {
  std::unique_ptr<topple::World> world{new topple::World};
  std::unique_ptr<topple::Workspace> work{new topple::Workspace};

  Stage() { topple::clear(*world); }

  topple::Body& add(bool dynamic, topple::Vec position, float angle, const topple::Shape& shape) {
    topple::Body& body = topple::add_body(*world, dynamic, position, angle);
    topple::add_shape(*world, shape);
    return body;
  }
  // The floor's upper edge is at height 0.
  void add_floor() { add(false, {0.0f, -1.0f}, 0.0f, box_shape(30.0f, 1.0f)); }

  void step(bool shortcuts = true) {
    topple::NoObserver observer;
    topple::step(*world, *work, shortcuts, observer);
  }
  void run(int steps, bool shortcuts = true) {
    for (int i = 0; i < steps; ++i) step(shortcuts);
  }
  topple::Body& body(int index) { return world->bodies[index]; }
};

namespace stage_detail {

inline bool same(float a, float b) { return topple::trig::bits(a) == topple::trig::bits(b); }
inline bool same(topple::Vec a, topple::Vec b) { return same(a.x, b.x) && same(a.y, b.y); }

inline bool same_body(const topple::Body& a, const topple::Body& b) {
  return same(a.v, b.v) && same(a.w, b.w) && same(a.sweep.c, b.sweep.c) &&
         same(a.sweep.a, b.sweep.a) && same(a.sweep.c0, b.sweep.c0) &&
         same(a.sweep.a0, b.sweep.a0) && same(a.pose.p, b.pose.p) &&
         same(a.sleep_time, b.sleep_time) && a.awake == b.awake;
}

inline bool same_contact(const topple::Contact& a, const topple::Contact& b) {
  if (a.fixture_a != b.fixture_a || a.fixture_b != b.fixture_b || a.touching != b.touching ||
      a.enabled != b.enabled || a.manifold.count != b.manifold.count) {
    return false;
  }
  for (int i = 0; i < a.manifold.count; ++i) {
    const topple::ManifoldPoint& p = a.manifold.points[i];
    const topple::ManifoldPoint& q = b.manifold.points[i];
    if (!same(p.local, q.local) || p.id != q.id || !same(p.normal_impulse, q.normal_impulse) ||
        !same(p.tangent_impulse, q.tangent_impulse)) {
      return false;
    }
  }
  return true;
}

}  // namespace stage_detail

// Whether two worlds agree in every bit that later steps or observers can see.
inline bool same_world(const topple::World& a, const topple::World& b) {
  if (a.body_count != b.body_count || a.contact_count != b.contact_count ||
      a.out_of_contacts != b.out_of_contacts) {
    return false;
  }
  for (int i = 0; i < a.body_count; ++i) {
    if (!stage_detail::same_body(a.bodies[i], b.bodies[i])) return false;
  }
  for (int i = 0; i < a.contact_count; ++i) {
    if (!stage_detail::same_contact(a.contacts[i], b.contacts[i])) return false;
  }
  return true;
}

// Walls, tilted bars, and balls, polygons and jars dropped among them, some at speed.
inline void add_random_bodies(Stage& stage, Chance& chance) {
  using topple::Vec;
  const float edge = 256.0f / 6.0f;
  const float half = 2.5f / 6.0f;
  stage.add(false, {0.5f * edge, -half}, 0.0f, box_shape(0.5f * edge, half));
  stage.add(false, {-half, 0.5f * edge}, 0.0f, box_shape(half, 0.5f * edge));
  stage.add(false, {0.5f * edge, edge + half}, 0.0f, box_shape(0.5f * edge, half));
  stage.add(false, {edge + half, 0.5f * edge}, 0.0f, box_shape(half, 0.5f * edge));
  const int fixed = chance.below(5);
  for (int i = 0; i < fixed; ++i) {
    const Vec position = {chance.between(4, 38), chance.between(2, 25)};
    if (chance.below(4) == 0) {
      stage.add(false, position, 0.0f, topple::circle_shape(chance.magnitude(0.3, 4)));
    } else {
      stage.add(false, position, chance.between(-3, 3), box_shape(chance.between(1, 9), 0.43f));
    }
  }
  const int dynamic = 1 + chance.below(9);
  for (int i = 0; i < dynamic; ++i) {
    const Vec position = {chance.between(2, 40), chance.between(2, 40)};
    const float angle = chance.coin() ? 0.0f : chance.between(-7, 7);
    topple::Body* body;
    switch (chance.below(4)) {
      case 0:
        body = &stage.add(true, position, angle, topple::circle_shape(chance.magnitude(0.3, 4)));
        break;
      case 1:
        body = &stage.add(true, position, angle, box_shape(chance.magnitude(0.5, 8), 0.43f));
        break;
      case 2: {
        const float width = chance.magnitude(0.5, 6);
        body = &stage.add(true, position, angle, chance.polygon(width, chance.magnitude(0.5, 6)));
        break;
      }
      default: {
        body = &stage.add(true, position, angle, box_shape(2.0f, 0.3f));
        const Vec left[4] = {{-2.5f, 4.0f}, {-2.0f, -0.3f}, {-1.5f, -0.3f}, {-2.0f, 4.0f}};
        const Vec right[4] = {{2.5f, 4.0f}, {2.0f, 4.0f}, {1.5f, -0.3f}, {2.0f, -0.3f}};
        topple::Shape wall;
        topple::polygon_shape(left, 4, wall);
        topple::add_shape(*stage.world, wall);
        topple::polygon_shape(right, 4, wall);
        topple::add_shape(*stage.world, wall);
      }
    }
    if (chance.below(3) == 0) {
      body->v = {chance.between(-60, 60), chance.between(-60, 60)};
      body->w = chance.between(-20, 20);
    }
  }
}
