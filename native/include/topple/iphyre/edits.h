// Edits: interventions in a world between two steps.
#pragma once

#include "topple/iphyre/scene.h"

namespace topple {
namespace iphyre {

enum class EditKind : int64_t { kRemove, kMove, kSetVelocity, kImpulse };

struct Edit {
  EditKind kind;
  int64_t body;
  double values[4];  // move: x, y, angle; velocity: x, y, spin; impulse: x, y and its point
};

// Adds the bodies by which a scene exceeds the world, in order.
TOPPLE_FN void add_missing_bodies(World& world, const SceneView& scene) {
  for (int i = world.body_count; i < scene.body_count; ++i) {
    add_body(world, scene, i);
    world.steady = false;
  }
}

// Static bodies can only be removed: where they are is settled when they enter.
TOPPLE_FN void apply_edit(World& world, const Edit& edit) {
  const int index = static_cast<int>(edit.body);
  Body& body = world.bodies[index];
  const double* v = edit.values;
  if (!world.has(index)) return;
  if (edit.kind == EditKind::kRemove) {
    remove_body(world, index);
    return;
  }
  if (!is_dynamic(body)) return;
  world.steady = false;
  switch (edit.kind) {
    case EditKind::kMove:
      body.p = {v[0], v[1]};
      body.a = v[2];
      if (world.shapes[index].kind == Kind::kCapsule) body.rot = rotation(body.a);
      update_shape(world.shapes[index], body);
      break;
    case EditKind::kSetVelocity:
      body.v = {v[0], v[1]};
      body.w = v[2];
      break;
    default:
      apply_impulse(body, {v[0], v[1]}, Vec{v[2], v[3]} - body.p);
  }
}

}  // namespace iphyre
}  // namespace topple
