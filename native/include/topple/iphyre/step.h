// One step of a world.
#pragma once

#include "topple/iphyre/broad_phase.h"

namespace topple {
namespace iphyre {

namespace detail {

// Enters a touch into the arbiter of two bodies; impulses of known points are kept.
TOPPLE_FN void remember(World& world, int a, int b, const Touch& touch) {
  uint8_t& slot = arbiter_slot(world, a, b);
  if (slot == kNoArbiter) {
    slot = static_cast<uint8_t>(world.arbiter_count++);
    Arbiter& fresh = world.arbiters[slot];
    fresh.count = 0;
    fresh.age = Age::kFirst;
  }
  Arbiter& arbiter = world.arbiters[slot];
  const int known = arbiter.count;
  struct {
    uint64_t hash;
    double jn, jt;
  } old[2] = {};
  for (int k = 0; k < known; ++k) {
    const Contact& c = arbiter.contacts[k];
    old[k] = {c.hash, c.jn, c.jt};
  }
  bool alike = known == touch.count && arbiter.age == Age::kNormal;
  for (int i = 0; i < touch.count; ++i) {
    const TouchPoint& point = touch.points[i];
    Contact& c = arbiter.contacts[i];
    c.r1 = point.p1 - world.bodies[a].p;
    c.r2 = point.p2 - world.bodies[b].p;
    c.hash = point.hash;
    c.jn = c.jt = 0.0;
    for (int k = 0; k < known; ++k) {
      if (old[k].hash != c.hash) continue;
      c.jn = old[k].jn;
      c.jt = old[k].jt;
    }
    c.jn_start = c.jn;
    c.jt_start = c.jt;
    alike = alike && old[i].hash == c.hash && same(old[i].jn, c.jn) && same(old[i].jt, c.jt);
  }
  if (!alike) world.steady = false;
  arbiter.a = static_cast<uint8_t>(a);
  arbiter.b = static_cast<uint8_t>(b);
  arbiter.count = static_cast<uint8_t>(touch.count);
  arbiter.n = touch.normal;
  if (arbiter.age == Age::kCached) arbiter.age = Age::kFirst;
  arbiter.stamp = world.stamp;
  world.active[world.active_count++] = slot;
}

TOPPLE_FN uint32_t hit(World& world, int a, int b, uint32_t memory) {
  const Shape* shapes = world.shapes;
  if (!intersects(shapes[a].box, shapes[b].box)) return memory;
  if (shapes[a].kind == Kind::kCapsule && shapes[b].kind == Kind::kCircle) {
    const int first = b;
    b = a;
    a = first;
  }
  const Touch touch = collide(shapes[a], shapes[b], memory);
  if (touch.count > 0) remember(world, a, b, touch);
  return touch.memory;
}

TOPPLE_FN void move_bodies(World& world, double dt) {
  for (int i = 0; i < world.dynamic_count; ++i) {
    const int index = world.dynamic[i];
    Body& body = world.bodies[index];
    Shape& shape = world.shapes[index];
    body.p = body.p + (body.v + body.v_bias) * dt;
    body.a = body.a + (body.w + body.w_bias) * dt;
    body.v_bias = {0.0, 0.0};
    body.w_bias = 0.0;
    if (shape.kind == Kind::kCapsule) body.rot = rotation(body.a);
    update_shape(shape, body);
  }
}

// Contacts that were missed in this step grow old, and are forgotten.
TOPPLE_FN void age_arbiters(World& world) {
  if (world.arbiter_count == world.active_count) return;
  world.steady = false;
  for (int i = world.arbiter_count - 1; i >= 0; --i) {
    Arbiter& arbiter = world.arbiters[i];
    const int64_t missed = world.stamp - arbiter.stamp;
    if (missed >= 1) arbiter.age = Age::kCached;
    if (missed < kPersistence) continue;
    const int last = world.arbiter_count - 1;
    drop_arbiter(world, i);
    for (int k = 0; k < world.active_count; ++k) {
      if (world.active[k] == last) world.active[k] = static_cast<uint8_t>(i);
    }
  }
}

TOPPLE_FN void solve_all(World& world) {
  Body* bodies = world.bodies;
  for (int pass = 0; pass < kIterations; ++pass) {
    bool changed = false;
    for (int i = 0; i < world.active_count; ++i) {
      Arbiter& arbiter = world.arbiters[world.active[i]];
      changed |= solve(arbiter, bodies[arbiter.a], bodies[arbiter.b], world.surface.friction);
    }
    for (int i = 0; i < world.joint_count; ++i) {
      Joint& joint = world.joints[i];
      changed |= solve(joint, bodies[joint.a], bodies[joint.b]);
    }
    if (!changed) return;
  }
}

// What of a body a step starts from.
struct Motion {
  Vec p, v, v_bias;
  double a, w, w_bias;
};

TOPPLE_FN Motion motion_of(const Body& body) {
  return {body.p, body.v, body.v_bias, body.a, body.w, body.w_bias};
}

TOPPLE_FN bool same(const Motion& a, const Motion& b) {
  return iphyre::same(a.v, b.v) && iphyre::same(a.p, b.p) && iphyre::same(a.a, b.a) &&
         iphyre::same(a.w, b.w) && iphyre::same(a.v_bias, b.v_bias) &&
         iphyre::same(a.w_bias, b.w_bias);
}

// Whether everything the next step reads is what this step has read, bit for bit. The
// broad phase and the contacts have had their say before.
TOPPLE_FN bool is_steady(const World& world, const Motion* before) {
  if (!world.steady) return false;
  for (int i = 0; i < world.dynamic_count; ++i) {
    if (!same(before[i], motion_of(world.bodies[world.dynamic[i]]))) return false;
  }
  for (int i = 0; i < world.active_count; ++i) {
    const Arbiter& arbiter = world.arbiters[world.active[i]];
    for (int k = 0; k < arbiter.count; ++k) {
      const Contact& c = arbiter.contacts[k];
      if (!iphyre::same(c.jn, c.jn_start) || !iphyre::same(c.jt, c.jt_start)) return false;
    }
  }
  for (int i = 0; i < world.joint_count; ++i) {
    const Joint& joint = world.joints[i];
    if (!joint.spring && !iphyre::same(joint.jn, joint.jn_start)) return false;
  }
  return true;
}

}  // namespace detail

// Advances a world by dt seconds, the same in all steps; bias is 1 - B^dt for the published
// constant B. A world that has come to rest in every bit is left as it is.
TOPPLE_FN void step(World& world, double dt, double bias) {
  if (world.steady) return;
  Body* bodies = world.bodies;
  for (int i = 0; i < world.arbiter_count; ++i) {
    Arbiter& arbiter = world.arbiters[i];
    if (arbiter.stamp == world.stamp) arbiter.age = Age::kNormal;
  }
  ++world.stamp;
  const TimeStep timing = {dt, bias, world.last_dt == 0.0 ? 0.0 : dt / world.last_dt};
  world.last_dt = dt;
  world.active_count = 0;
  world.steady = true;
  detail::Motion before[kMaxBodies];
  for (int i = 0; i < world.dynamic_count; ++i) {
    before[i] = detail::motion_of(bodies[world.dynamic[i]]);
  }

  detail::move_bodies(world, dt);
  meet(world, [&](int a, int b, uint32_t memory) { return detail::hit(world, a, b, memory); });
  detail::age_arbiters(world);

  for (int i = 0; i < world.active_count; ++i) {
    Arbiter& arbiter = world.arbiters[world.active[i]];
    prepare(arbiter, bodies[arbiter.a], bodies[arbiter.b], world.surface, timing);
  }
  for (int i = 0; i < world.joint_count; ++i) {
    Joint& joint = world.joints[i];
    prepare(joint, bodies[joint.a], bodies[joint.b], timing);
  }
  for (int i = 0; i < world.dynamic_count; ++i) {
    Body& body = bodies[world.dynamic[i]];
    // Adding a zero takes the sign off a zero.
    body.v = {body.v.x + 0.0, body.v.y + world.gravity * dt};
    body.w = body.w + 0.0;
  }
  for (int i = 0; i < world.active_count; ++i) {
    const Arbiter& arbiter = world.arbiters[world.active[i]];
    warm_start(arbiter, bodies[arbiter.a], bodies[arbiter.b], timing);
  }
  for (int i = 0; i < world.joint_count; ++i) {
    const Joint& joint = world.joints[i];
    warm_start(joint, bodies[joint.a], bodies[joint.b], timing);
  }
  detail::solve_all(world);
  world.steady = timing.warm == 1.0 && detail::is_steady(world, before);
}

}  // namespace iphyre
}  // namespace topple
