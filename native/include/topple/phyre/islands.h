// Islands: groups of touching bodies. No two of them share anything that moves.
#pragma once

#include "topple/phyre/solver.h"
#include "topple/phyre/world.h"

namespace topple::phyre {

// A part of the workspace's lists of bodies and contacts.
struct Island {
  int16_t first_body, body_count;
  int16_t first_contact, contact_count;
};

// Scratch memory for one step; holds nothing between steps.
struct Workspace {
  Constraint constraints[kMaxContacts];  // of the contacts below
  uint32_t pair_keys[kMaxContacts];
  Island islands[kMaxBodies];
  bool positions_solved[kMaxBodies];          // of the islands
  int16_t unsettled[kMaxBodies];              // islands whose velocities still change
  int16_t touching[kMaxContacts];             // contacts that touch, newest first
  int16_t contacts[kMaxContacts];             // of all islands, in the order they are solved
  int16_t bodies[kMaxBodies + kMaxContacts];  // of all islands; static ones may repeat
  int16_t stack[kMaxBodies];
};

namespace detail {

// Gathers the island of a seed behind the ones before it: a search that does not pass
// through static bodies.
TOPPLE_BIG_FN Island gather(World& world, Workspace& work, int touching_count, int seed,
                            Island after) {
  const int16_t first_body = static_cast<int16_t>(after.first_body + after.body_count);
  const int16_t first_contact = static_cast<int16_t>(after.first_contact + after.contact_count);
  Island island = {first_body, 0, first_contact, 0};
  int stack_count = 0;
  work.stack[stack_count++] = static_cast<int16_t>(seed);
  world.bodies[seed].in_island = true;
  TOPPLE_ROLLED
  while (stack_count > 0) {
    const int index = work.stack[--stack_count];
    Body& body = world.bodies[index];
    work.bodies[first_body + island.body_count++] = static_cast<int16_t>(index);
    body.awake = true;
    if (!body.dynamic) continue;
    TOPPLE_ROLLED
    for (int k = 0; k < touching_count; ++k) {
      const int contact_index = work.touching[k];
      Contact& contact = world.contacts[contact_index];
      if (contact.in_island) continue;
      if (contact.body_a != index && contact.body_b != index) continue;
      contact.in_island = true;
      work.contacts[first_contact + island.contact_count++] = static_cast<int16_t>(contact_index);
      const int other = contact.body_a == index ? contact.body_b : contact.body_a;
      if (world.bodies[other].in_island) continue;
      world.bodies[other].in_island = true;
      work.stack[stack_count++] = static_cast<int16_t>(other);
    }
  }
  // Static bodies may belong to several islands.
  TOPPLE_ROLLED
  for (int k = 0; k < island.body_count; ++k) {
    Body& body = world.bodies[work.bodies[first_body + k]];
    if (!body.dynamic) body.in_island = false;
  }
  return island;
}

TOPPLE_FN void put_to_sleep_if_at_rest(World& world, const Workspace& work, const Island& island,
                                       bool positions_solved, float time_step) {
  constexpr float kLinear = kLinearSleepTolerance * kLinearSleepTolerance;
  constexpr float kAngular = kAngularSleepTolerance * kAngularSleepTolerance;
  const int16_t* bodies = work.bodies + island.first_body;
  float shortest = kMaxFloat;
  TOPPLE_ROLLED
  for (int i = 0; i < island.body_count; ++i) {
    Body& body = world.bodies[bodies[i]];
    if (!body.dynamic) continue;
    if (body.w * body.w > kAngular || dot(body.v, body.v) > kLinear) {
      body.sleep_time = 0.0f;
      shortest = 0.0f;
    } else {
      body.sleep_time += time_step;
      shortest = min(shortest, body.sleep_time);
    }
  }
  if (shortest < kTimeToSleep || !positions_solved) return;
  TOPPLE_ROLLED
  for (int i = 0; i < island.body_count; ++i) set_awake(world.bodies[bodies[i]], false);
}

// All velocity passes of all islands. A pass is made over every island in turn: as they
// are independent, the processor can work on several at once. An island that a pass does
// not change would stay the same for ever, so its other passes may be left out.
template <class Physics>
TOPPLE_BIG_FN void solve_velocities(const Physics& physics, Workspace& work, int island_count,
                                    bool shortcuts) {
  int unsettled = 0;
  TOPPLE_ROLLED
  for (int i = 0; i < island_count; ++i) {
    if (work.islands[i].contact_count > 0) work.unsettled[unsettled++] = static_cast<int16_t>(i);
  }
  TOPPLE_ROLLED
  for (int pass = 0; pass < physics.velocity_passes && unsettled > 0; ++pass) {
    int still = 0;
    TOPPLE_ROLLED
    for (int k = 0; k < unsettled; ++k) {
      const Island& island = work.islands[work.unsettled[k]];
      const bool changed =
          velocity_pass(physics, work.constraints + island.first_contact, island.contact_count);
      if (changed || !shortcuts) work.unsettled[still++] = work.unsettled[k];
    }
    unsettled = still;
  }
}

}  // namespace detail

// Moves all awake bodies through the step without looking for impacts.
template <class Physics, class Observer>
TOPPLE_FN void solve_islands(const Physics& physics, World& world, Workspace& work, bool shortcuts,
                             Observer& observer) {
  int touching_count = 0;
  TOPPLE_ROLLED
  for (int i = world.contact_count - 1; i >= 0; --i) {
    Contact& contact = world.contacts[i];
    contact.in_island = false;
    if (contact.touching && contact.enabled) {
      work.touching[touching_count++] = static_cast<int16_t>(i);
    }
  }
  TOPPLE_ROLLED
  for (int i = 0; i < world.dynamic_count; ++i) {
    world.bodies[world.dynamic[i]].in_island = false;
  }
  int island_count = 0;
  Island all = {0, 0, 0, 0};
  TOPPLE_ROLLED
  for (int i = 0; i < world.dynamic_count; ++i) {
    const Body& seed = world.bodies[world.dynamic[i]];
    if (seed.in_island || !seed.awake) continue;
    const Island island = detail::gather(world, work, touching_count, world.dynamic[i], all);
    observer.island(world, work, island);
    work.islands[island_count++] = island;
    all.body_count = static_cast<int16_t>(all.body_count + island.body_count);
    all.contact_count = static_cast<int16_t>(all.contact_count + island.contact_count);
  }

  const float h = physics.time_step;
  const Vec gravity = {0.0f, physics.gravity};
  const float damping = 1.0f / (1.0f + h * kAngularDamping);
  TOPPLE_ROLLED
  for (int i = 0; i < all.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    start_sweep(body);
    if (!body.dynamic) continue;
    body.v = body.v + h * gravity;
    body.w *= damping;
    physics.shake(body);
  }

  Constraint* constraints = work.constraints;
  const int n = all.contact_count;
  TOPPLE_ROLLED
  for (int i = 0; i < n; ++i) {
    prepare(physics, constraints[i], world.contacts[work.contacts[i]], world.shapes, world.bodies,
            true);
  }
  TOPPLE_ROLLED
  for (int i = 0; i < n; ++i) warm_start(constraints[i]);
  detail::solve_velocities(physics, work, island_count, shortcuts);
  TOPPLE_ROLLED
  for (int i = 0; i < n; ++i) store_impulses(constraints[i]);

  TOPPLE_ROLLED
  for (int i = 0; i < all.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    if (body.dynamic) integrate(body, h);
  }
  TOPPLE_ROLLED
  for (int i = 0; i < island_count; ++i) {
    const Island& island = work.islands[i];
    work.positions_solved[i] =
        solve_positions(physics, constraints + island.first_contact, island.contact_count,
                        world.shapes, kBaumgarte, 3.0f * kLinearSlop);
  }
  TOPPLE_ROLLED
  for (int i = 0; i < all.body_count; ++i) update_pose(world.bodies[work.bodies[i]]);
  TOPPLE_ROLLED
  for (int i = 0; i < island_count; ++i) {
    detail::put_to_sleep_if_at_rest(world, work, work.islands[i], work.positions_solved[i], h);
  }

  TOPPLE_ROLLED
  for (int i = 0; i < world.dynamic_count; ++i) {
    const Body& body = world.bodies[world.dynamic[i]];
    if (body.in_island) synchronise(world, body);
  }
  find_new_contacts(world, work.pair_keys);
}

}  // namespace topple::phyre
