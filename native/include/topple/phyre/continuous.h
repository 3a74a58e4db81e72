// The continuous phase: stops fast bodies at the static ones they would pass through.
#pragma once

#include "topple/phyre/islands.h"
#include "topple/phyre/time_of_impact.h"

namespace topple::phyre {

namespace detail {

// An axis along which the two shapes of a contact are likely to be apart, from the
// fixed body to the moving one.
TOPPLE_BIG_FN Vec likely_axis(const World& world, const Contact& contact, bool fixed_a) {
  const Body& a = world.bodies[contact.body_a];
  const Body& b = world.bodies[contact.body_b];
  if (contact.pair == ShapePair::kCircles) {
    Vec axis = b.sweep.c0 - a.sweep.c0;
    normalise(axis);
    return fixed_a ? axis : -axis;
  }
  const bool of_b =
      contact.touching ? contact.manifold.type == ManifoldType::kFaceB : contact.hint.of_b;
  const Shape& owner = world.shapes[of_b ? contact.fixture_b : contact.fixture_a];
  const Vec local =
      contact.touching ? contact.manifold.local_normal : owner.normals[contact.hint.edge];
  const Vec axis = rotate((of_b ? b : a).pose.q, local);
  return of_b == fixed_a ? -axis : axis;
}

TOPPLE_FN bool proven_apart(const World& world, const Contact& contact) {
  const bool fixed_a = !world.bodies[contact.body_a].dynamic;
  const int fixed = fixed_a ? contact.fixture_a : contact.fixture_b;
  const int moving = fixed_a ? contact.fixture_b : contact.fixture_a;
  return certainly_apart(world.shapes[fixed], world.bodies[world.fixture_body[fixed]],
                         world.shapes[moving], world.bodies[world.fixture_body[moving]],
                         likely_axis(world, contact, fixed_a));
}

// When, as a fraction of the step, the two shapes of a contact meet; 1 if they do not.
template <class Observer>
TOPPLE_FN float impact_fraction(World& world, Contact& contact, bool shortcuts,
                                Observer& observer) {
  Body& a = world.bodies[contact.body_a];
  Body& b = world.bodies[contact.body_b];
  float alpha0 = a.sweep.alpha0;
  if (a.sweep.alpha0 < b.sweep.alpha0) {
    alpha0 = b.sweep.alpha0;
    advance(a.sweep, alpha0);
    if (!a.round) a.start_rotation = rotation(a.sweep.a0);
  } else if (b.sweep.alpha0 < a.sweep.alpha0) {
    advance(b.sweep, alpha0);
    if (!b.round) b.start_rotation = rotation(b.sweep.a0);
  }
  if (shortcuts && proven_apart(world, contact)) return 1.0f;
  const Impact impact =
      time_of_impact(world.shapes[contact.fixture_a], a, world.shapes[contact.fixture_b], b);
  const float alpha =
      impact.state == ToiState::kTouching ? min(alpha0 + (1.0f - alpha0) * impact.t, 1.0f) : 1.0f;
  observer.toi_evaluated(contact, alpha0, impact, alpha);
  return alpha;
}

// The contact with the earliest impact, the newest one on ties; -1 if there is none.
template <class Observer>
TOPPLE_FN int earliest_impact(World& world, bool shortcuts, Observer& observer, float& alpha) {
  int earliest = -1;
  alpha = 1.0f;
  TOPPLE_ROLLED
  for (int i = world.contact_count - 1; i >= 0; --i) {
    Contact& contact = world.contacts[i];
    if (!contact.enabled || contact.toi_count > kMaxToiEvents) continue;
    if (!contact.toi_valid) {
      const Body& a = world.bodies[contact.body_a];
      const Body& b = world.bodies[contact.body_b];
      if (a.dynamic == b.dynamic) continue;
      if (!is_active(a) && !is_active(b)) continue;
      contact.toi = impact_fraction(world, contact, shortcuts, observer);
      contact.toi_valid = true;
    }
    if (contact.toi < alpha) {
      alpha = contact.toi;
      earliest = i;
    }
  }
  return earliest;
}

struct SavedMotion {
  Sweep sweep;
  Rot start_rotation;
};

TOPPLE_FN SavedMotion save_motion(const Body& body) { return {body.sweep, body.start_rotation}; }

TOPPLE_FN void restore_motion(Body& body, const SavedMotion& saved) {
  body.sweep = saved.sweep;
  body.start_rotation = saved.start_rotation;
  update_pose(body);
}

// Adds the other contacts of the stopped body that touch static bodies at that moment.
TOPPLE_BIG_FN Island gather_impact(World& world, Workspace& work, int first, float alpha) {
  Contact& start = world.contacts[first];
  Island island = {0, 2, 0, 1};
  work.bodies[0] = start.body_a;
  work.bodies[1] = start.body_b;
  work.contacts[0] = static_cast<int16_t>(first);
  world.bodies[start.body_a].in_island = true;
  world.bodies[start.body_b].in_island = true;
  start.in_island = true;
  const int moving = world.bodies[start.body_a].dynamic ? start.body_a : start.body_b;
  TOPPLE_ROLLED
  for (int i = world.contact_count - 1; i >= 0; --i) {
    if (island.body_count == kMaxToiBodies || island.contact_count == kMaxToiContacts) break;
    Contact& contact = world.contacts[i];
    if (contact.body_a != moving && contact.body_b != moving) continue;
    if (contact.in_island) continue;
    const int other_index = contact.body_a == moving ? contact.body_b : contact.body_a;
    Body& other = world.bodies[other_index];
    if (other.dynamic) continue;
    const SavedMotion saved = save_motion(other);
    if (!other.in_island) advance_body(other, alpha);
    update_contact(contact, world.shapes, world.bodies);
    if (!contact.touching) {
      restore_motion(other, saved);
      continue;
    }
    contact.in_island = true;
    work.contacts[island.contact_count++] = static_cast<int16_t>(i);
    if (other.in_island) continue;
    other.in_island = true;
    work.bodies[island.body_count++] = static_cast<int16_t>(other_index);
  }
  return island;
}

// Corrects the overlap at the impact, finds the velocities after it and moves the body
// through the rest of the step.
template <class Physics>
TOPPLE_BIG_FN void solve_impact(const Physics& physics, World& world, Workspace& work,
                                const Island& island, float h, bool shortcuts) {
  work.islands[0] = island;
  Constraint* constraints = work.constraints;
  const int n = island.contact_count;
  TOPPLE_ROLLED
  for (int i = 0; i < n; ++i) {
    prepare(physics, constraints[i], world.contacts[work.contacts[i]], world.shapes, world.bodies,
            false);
  }
  solve_positions(physics, constraints, n, world.shapes, kToiBaumgarte, 1.5f * kLinearSlop);
  start_sweep(world.bodies[work.bodies[0]]);
  start_sweep(world.bodies[work.bodies[1]]);
  TOPPLE_ROLLED
  for (int i = 0; i < n; ++i) {
    prepare(physics, constraints[i], world.contacts[work.contacts[i]], world.shapes, world.bodies,
            false);
  }
  solve_velocities(physics, work, 1, shortcuts);
  TOPPLE_ROLLED
  for (int i = 0; i < island.body_count; ++i) {
    Body& body = world.bodies[work.bodies[i]];
    if (body.dynamic) integrate(body, h);
    update_pose(body);
  }
}

TOPPLE_FN void forget_impacts(World& world, int body_index) {
  TOPPLE_ROLLED
  for (int i = 0; i < world.contact_count; ++i) {
    Contact& contact = world.contacts[i];
    if (contact.body_a != body_index && contact.body_b != body_index) continue;
    contact.toi_valid = false;
    contact.in_island = false;
  }
}

}  // namespace detail

template <class Physics, class Observer>
TOPPLE_FN void solve_continuous(const Physics& physics, World& world, Workspace& work,
                                bool shortcuts, Observer& observer) {
  if (world.alphas_advanced) {
    TOPPLE_ROLLED
    for (int i = 0; i < world.body_count; ++i) world.bodies[i].sweep.alpha0 = 0.0f;
    world.alphas_advanced = false;
  }
  // Static bodies never stay marked.
  TOPPLE_ROLLED
  for (int i = 0; i < world.dynamic_count; ++i) world.bodies[world.dynamic[i]].in_island = false;
  TOPPLE_ROLLED
  for (int i = 0; i < world.contact_count; ++i) {
    Contact& contact = world.contacts[i];
    contact.in_island = false;
    contact.toi_valid = false;
    contact.toi_count = 0;
  }
  TOPPLE_ROLLED
  while (!world.out_of_contacts) {
    float alpha;
    const int index = detail::earliest_impact(world, shortcuts, observer, alpha);
    if (index < 0 || 1.0f - 10.0f * kEpsilon < alpha) return;

    world.alphas_advanced = true;
    Contact& contact = world.contacts[index];
    Body& a = world.bodies[contact.body_a];
    Body& b = world.bodies[contact.body_b];
    observer.toi_event(contact, alpha);
    const detail::SavedMotion saved_a = detail::save_motion(a);
    const detail::SavedMotion saved_b = detail::save_motion(b);
    advance_body(a, alpha);
    advance_body(b, alpha);
    update_contact(contact, world.shapes, world.bodies);
    contact.toi_valid = false;
    ++contact.toi_count;
    if (!contact.touching) {
      observer.toi_missed(contact);
      contact.enabled = false;
      detail::restore_motion(a, saved_a);
      detail::restore_motion(b, saved_b);
      continue;
    }
    set_awake(a, true);
    set_awake(b, true);

    const float h = (1.0f - alpha) * physics.time_step;
    const Island island = detail::gather_impact(world, work, index, alpha);
    observer.toi_solve(world, work, island, h);
    detail::solve_impact(physics, world, work, island, h, shortcuts);
    TOPPLE_ROLLED
    for (int i = 0; i < island.body_count; ++i) {
      Body& body = world.bodies[work.bodies[i]];
      body.in_island = false;
      if (!body.dynamic) continue;
      synchronise(world, body);
      detail::forget_impacts(world, work.bodies[i]);
    }
    find_new_contacts(world, work.pair_keys);
  }
}

}  // namespace topple::phyre
