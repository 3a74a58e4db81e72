// Worlds and scenes for tests.
#pragma once

#include <memory>
#include <vector>

#include "phyre/random_shapes.h"
#include "topple/phyre/step.h"

// A world with its scratch memory, too large for a stack.
struct TestWorld {
  std::unique_ptr<topple::phyre::World> world{new topple::phyre::World};
  std::unique_ptr<topple::phyre::Workspace> work{new topple::phyre::Workspace};

  TestWorld() { topple::phyre::clear(*world); }

  topple::phyre::Body& add(bool dynamic, topple::phyre::Vec position, float angle,
                           const topple::phyre::Shape& shape) {
    topple::phyre::Body& body = topple::phyre::add_body(*world, dynamic, position, angle);
    topple::phyre::add_shape(*world, shape);
    return body;
  }
  // The floor's upper edge is at height 0.
  void add_floor() { add(false, {0.0f, -1.0f}, 0.0f, box_shape(30.0f, 1.0f)); }

  void step(bool shortcuts = true) {
    topple::phyre::NoObserver observer;
    topple::phyre::step(*world, *work, shortcuts, observer);
  }
  void run(int steps, bool shortcuts = true) {
    for (int i = 0; i < steps; ++i) step(shortcuts);
  }
  topple::phyre::Body& body(int index) { return world->bodies[index]; }
};

namespace bits {

inline bool same(float a, float b) {
  return topple::phyre::trig::bits(a) == topple::phyre::trig::bits(b);
}
inline bool same(topple::phyre::Vec a, topple::phyre::Vec b) {
  return same(a.x, b.x) && same(a.y, b.y);
}

inline bool same_body(const topple::phyre::Body& a, const topple::phyre::Body& b) {
  return same(a.v, b.v) && same(a.w, b.w) && same(a.sweep.c, b.sweep.c) &&
         same(a.sweep.a, b.sweep.a) && same(a.sweep.c0, b.sweep.c0) &&
         same(a.sweep.a0, b.sweep.a0) && same(a.pose.p, b.pose.p) &&
         same(a.sleep_time, b.sleep_time) && a.awake == b.awake;
}

inline bool same_contact(const topple::phyre::Contact& a, const topple::phyre::Contact& b) {
  if (a.fixture_a != b.fixture_a || a.fixture_b != b.fixture_b || a.touching != b.touching ||
      a.enabled != b.enabled || a.manifold.count != b.manifold.count) {
    return false;
  }
  for (int i = 0; i < a.manifold.count; ++i) {
    const topple::phyre::ManifoldPoint& p = a.manifold.points[i];
    const topple::phyre::ManifoldPoint& q = b.manifold.points[i];
    if (!same(p.local, q.local) || p.id != q.id || !same(p.normal_impulse, q.normal_impulse) ||
        !same(p.tangent_impulse, q.tangent_impulse)) {
      return false;
    }
  }
  return true;
}

}  // namespace bits

// Whether two worlds agree in every bit that later steps or observers can see.
inline bool same_world(const topple::phyre::World& a, const topple::phyre::World& b) {
  if (a.body_count != b.body_count || a.contact_count != b.contact_count ||
      a.out_of_contacts != b.out_of_contacts) {
    return false;
  }
  for (int i = 0; i < a.body_count; ++i) {
    if (!bits::same_body(a.bodies[i], b.bodies[i])) return false;
  }
  for (int i = 0; i < a.contact_count; ++i) {
    if (!bits::same_contact(a.contacts[i], b.contacts[i])) return false;
  }
  return true;
}

// Walls, tilted bars, and balls, polygons and jars dropped among them, some at speed.
inline void add_random_bodies(TestWorld& sim, Random& random) {
  using topple::phyre::Vec;
  const float edge = 256.0f / 6.0f;
  const float half = 2.5f / 6.0f;
  sim.add(false, {0.5f * edge, -half}, 0.0f, box_shape(0.5f * edge, half));
  sim.add(false, {-half, 0.5f * edge}, 0.0f, box_shape(half, 0.5f * edge));
  sim.add(false, {0.5f * edge, edge + half}, 0.0f, box_shape(0.5f * edge, half));
  sim.add(false, {edge + half, 0.5f * edge}, 0.0f, box_shape(half, 0.5f * edge));
  const int fixed = random.below(5);
  for (int i = 0; i < fixed; ++i) {
    const Vec position = {random.between(4, 38), random.between(2, 25)};
    if (random.below(4) == 0) {
      sim.add(false, position, 0.0f, topple::phyre::circle_shape(random.magnitude(0.3, 4)));
    } else {
      sim.add(false, position, random.between(-3, 3), box_shape(random.between(1, 9), 0.43f));
    }
  }
  const int dynamic = 1 + random.below(9);
  for (int i = 0; i < dynamic; ++i) {
    const Vec position = {random.between(2, 40), random.between(2, 40)};
    const float angle = random.coin() ? 0.0f : random.between(-7, 7);
    topple::phyre::Body* body;
    switch (random.below(4)) {
      case 0:
        body =
            &sim.add(true, position, angle, topple::phyre::circle_shape(random.magnitude(0.3, 4)));
        break;
      case 1:
        body = &sim.add(true, position, angle, box_shape(random.magnitude(0.5, 8), 0.43f));
        break;
      case 2: {
        const float width = random.magnitude(0.5, 6);
        body = &sim.add(true, position, angle,
                        random_polygon(random, width, random.magnitude(0.5, 6)));
        break;
      }
      default: {
        body = &sim.add(true, position, angle, box_shape(2.0f, 0.3f));
        const Vec left[4] = {{-2.5f, 4.0f}, {-2.0f, -0.3f}, {-1.5f, -0.3f}, {-2.0f, 4.0f}};
        const Vec right[4] = {{2.5f, 4.0f}, {2.0f, 4.0f}, {1.5f, -0.3f}, {2.0f, -0.3f}};
        topple::phyre::Shape wall;
        topple::phyre::polygon_shape(left, 4, wall);
        topple::phyre::add_shape(*sim.world, wall);
        topple::phyre::polygon_shape(right, 4, wall);
        topple::phyre::add_shape(*sim.world, wall);
      }
    }
    if (random.below(3) == 0) {
      body->v = {random.between(-60, 60), random.between(-60, 60)};
      body->w = random.between(-20, 20);
    }
  }
}
