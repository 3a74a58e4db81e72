// Edits: interventions in a world between two steps.
#pragma once

#include "topple/phyre/scene.h"

namespace topple::phyre {

enum class EditKind : int32_t { kRemove, kMove, kSetVelocity, kImpulse };

struct Edit {
  EditKind kind;
  int32_t body;
  float values[4];  // move: x, y, angle; velocity: x, y, spin; impulse: x, y and its point
};

// Adds the bodies by which a scene exceeds the world, in order.
TOPPLE_FN void add_missing_bodies(World& world, const SceneView& scene) {
  for (int i = world.body_count; i < scene.body_count; ++i) add_scene_body(world, scene, i);
}

namespace detail {

TOPPLE_FN void wake_with_neighbours(World& world, int index) {
  set_awake(world.bodies[index], true);
  for (int i = 0; i < world.contact_count; ++i) {
    const Contact& contact = world.contacts[i];
    if (!contact.touching) continue;
    if (contact.body_a == index) set_awake(world.bodies[contact.body_b], true);
    if (contact.body_b == index) set_awake(world.bodies[contact.body_a], true);
  }
}

// The body keeps its index but takes part in nothing any more.
TOPPLE_FN void remove_body(World& world, int index) {
  for (int i = world.contact_count - 1; i >= 0; --i) {
    const Contact& contact = world.contacts[i];
    if (contact.body_a == index || contact.body_b == index) remove_contact(world, i);
  }
  Body& body = world.bodies[index];
  for (int i = 0; i < body.fixture_count; ++i) {
    // A box that overlaps nothing.
    world.boxes[body.first_fixture + i] = {{kMaxFloat, kMaxFloat}, {-kMaxFloat, -kMaxFloat}};
  }
  if (body.dynamic) {
    int kept = 0;
    for (int i = 0; i < world.dynamic_count; ++i) {
      if (world.dynamic[i] != index) world.dynamic[kept++] = world.dynamic[i];
    }
    world.dynamic_count = kept;
  }
  body.removed = true;
  body.dynamic = body.awake = false;
  body.inv_mass = body.inv_inertia = 0.0f;
}

TOPPLE_FN void move_body(World& world, int index, Vec position, float angle) {
  Body& body = world.bodies[index];
  body.pose = {position, rotation(angle)};
  body.posed_angle = angle;
  body.start_rotation = body.pose.q;
  body.sweep.c0 = body.sweep.c = apply(body.pose, body.sweep.local_centre);
  body.sweep.a0 = body.sweep.a = angle;
  for (int i = 0; i < body.fixture_count; ++i) {
    const int fixture = body.first_fixture + i;
    world.boxes[fixture] = fatten(tight_box(world.shapes[fixture], body.pose));
    mark_moved(world, fixture);
  }
  world.fixtures_added = true;  // so that the next step looks for new contacts first
  wake_with_neighbours(world, index);
}

}  // namespace detail

TOPPLE_FN void apply_edit(World& world, const Edit& edit) {
  Body& body = world.bodies[edit.body];
  const float* v = edit.values;
  if (body.removed) return;
  switch (edit.kind) {
    case EditKind::kRemove:
      detail::remove_body(world, edit.body);
      break;
    case EditKind::kMove:
      detail::move_body(world, edit.body, {v[0], v[1]}, v[2]);
      break;
    case EditKind::kSetVelocity:
      if (!body.dynamic) break;
      set_awake(body, true);
      body.v = {v[0], v[1]};
      body.w = v[2];
      break;
    case EditKind::kImpulse:
      if (!body.dynamic) break;
      set_awake(body, true);
      body.v = body.v + body.inv_mass * Vec{v[0], v[1]};
      body.w += body.inv_inertia * cross(Vec{v[2], v[3]} - body.sweep.c, Vec{v[0], v[1]});
      break;
  }
}

}  // namespace topple::phyre
