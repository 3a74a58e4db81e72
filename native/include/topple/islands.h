// Islands: groups of touching bodies, solved one after the other.
#pragma once

#include "topple/solver.h"
#include "topple/world.h"

namespace topple {

// Scratch memory for one step; holds nothing between steps.
struct Workspace {
  Constraint constraints[kMaxContacts];
  uint32_t pair_keys[kMaxContacts];
  int16_t touching[kMaxContacts];  // contacts that touch, newest first
  int16_t contacts[kMaxContacts];  // of the island, in the order they are solved
  int16_t bodies[kMaxBodies];      // of the island, static ones included
  int16_t stack[kMaxBodies];
};

struct Island {
  int body_count, contact_count;
};

namespace detail {

// Gathers the island of a seed: a search that does not pass through static bodies.
TOPPLE_FN Island gather(World& world, Workspace& work, int touching_count, int seed) {
  Island island = {0, 0};
  int stack_count = 0;
  work.stack[stack_count++] = static_cast<int16_t>(seed);
  world.bodies[seed].in_island = true;
  while (stack_count > 0) {
    const int index = work.stack[--stack_count];
    Body& body = world.bodies[index];
    work.bodies[island.body_count++] = static_cast<int16_t>(index);
    body.awake = true;
    if (!body.dynamic) continue;
    for (int k = 0; k < touching_count; ++k) {
      const int contact_index = work.touching[k];
      Contact& contact = world.contacts[contact_index];
      if (contact.in_island) continue;
      if (contact.body_a != index && contact.body_b != index) continue;
      contact.in_island = true;
      work.contacts[island.contact_count++] = static_cast<int16_t>(contact_index);
      const int other = contact.body_a == index ? contact.body_b : contact.body_a;
      if (world.bodies[other].in_island) continue;
      world.bodies[other].in_island = true;
      work.stack[stack_count++] = static_cast<int16_t>(other);
    }
  }
  return island;
}

TOPPLE_FN void put_to_sleep_if_at_rest(World& world, const Workspace& work, const Island& island,
                                       bool positions_solved) {
  constexpr float kLinear = kLinearSleepTolerance * kLinearSleepTolerance;
  constexpr float kAngular = kAngularSleepTolerance * kAngularSleepTolerance;
  float shortest = kMaxFloat;
  for (int i = 0; i < island.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    if (!body.dynamic) continue;
    if (body.w * body.w > kAngular || dot(body.v, body.v) > kLinear) {
      body.sleep_time = 0.0f;
      shortest = 0.0f;
    } else {
      body.sleep_time += kTimeStep;
      shortest = min(shortest, body.sleep_time);
    }
  }
  if (shortest < kTimeToSleep || !positions_solved) return;
  for (int i = 0; i < island.body_count; ++i) set_awake(world.bodies[work.bodies[i]], false);
}

TOPPLE_FN void solve_island(World& world, Workspace& work, const Island& island, bool shortcuts) {
  constexpr float h = kTimeStep;
  const Vec gravity = {0.0f, kGravityY};
  const float damping = 1.0f / (1.0f + h * kAngularDamping);
  for (int i = 0; i < island.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    start_sweep(body);
    if (!body.dynamic) continue;
    body.v = body.v + h * gravity;
    body.w *= damping;
  }

  Constraint* constraints = work.constraints;
  const int n = island.contact_count;
  for (int i = 0; i < n; ++i) {
    prepare(constraints[i], world.contacts[work.contacts[i]], world.shapes, world.bodies, true);
  }
  for (int i = 0; i < n; ++i) warm_start(constraints[i]);
  solve_velocities(constraints, n, shortcuts);
  for (int i = 0; i < n; ++i) store_impulses(constraints[i]);

  for (int i = 0; i < island.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    if (body.dynamic) integrate(body, h);
  }
  const bool solved = solve_positions(constraints, n, world.shapes, kBaumgarte, 3.0f * kLinearSlop);
  for (int i = 0; i < island.body_count; ++i) update_pose(world.bodies[work.bodies[i]]);
  put_to_sleep_if_at_rest(world, work, island, solved);
}

}  // namespace detail

// Moves all awake bodies through the step, island by island, without looking for impacts.
template <class Observer>
TOPPLE_FN void solve_islands(World& world, Workspace& work, bool shortcuts, Observer& observer) {
  int touching_count = 0;
  for (int i = world.contact_count - 1; i >= 0; --i) {
    Contact& contact = world.contacts[i];
    contact.in_island = false;
    if (contact.touching && contact.enabled) {
      work.touching[touching_count++] = static_cast<int16_t>(i);
    }
  }
  for (int i = 0; i < world.dynamic_count; ++i) {
    world.bodies[world.dynamic[i]].in_island = false;
  }
  for (int i = 0; i < world.dynamic_count; ++i) {
    const Body& seed = world.bodies[world.dynamic[i]];
    if (seed.in_island || !seed.awake) continue;
    const Island island = detail::gather(world, work, touching_count, world.dynamic[i]);
    observer.island(world, work, island);
    detail::solve_island(world, work, island, shortcuts);
    // Static bodies may belong to several islands.
    for (int k = 0; k < island.body_count; ++k) {
      Body& body = world.bodies[work.bodies[k]];
      if (!body.dynamic) body.in_island = false;
    }
  }
  for (int i = 0; i < world.dynamic_count; ++i) {
    const Body& body = world.bodies[world.dynamic[i]];
    if (body.in_island) synchronise(world, body);
  }
  find_new_contacts(world, work.pair_keys);
}

}  // namespace topple
