// Packed scenes: what a world is built from.
#pragma once

#include "topple/iphyre/step.h"

namespace topple {
namespace iphyre {

// A scene as arrays, one entry per body or joint; topple.iphyre.engine.packing makes them.
struct SceneView {
  int32_t body_count;
  int32_t joint_count;
  const double* ends;        // [bodies, 4] of the core; a ball has its centre twice
  const double* velocity;    // [bodies, 3] x, y and spin on entering
  const double* radius;      // [bodies]
  const double* m_inv;       // [bodies] 0 for static bodies
  const double* i_inv;       // [bodies]
  const uint8_t* is_ball;    // [bodies]
  const int32_t* joined;     // [joints, 2] bodies; pins before springs
  const uint8_t* is_spring;  // [joints]
  const double* spring;      // [joints, 3] rest length, stiffness, damping in a pass
};

// Calls visit(name, array, columns) for every array with an entry per body. With the next
// function, this is the only list of a scene's arrays.
template <class Visit>
TOPPLE_FN void visit_body_arrays(SceneView& scene, const Visit& visit) {
  visit("ends", scene.ends, 4);
  visit("velocity", scene.velocity, 3);
  visit("radius", scene.radius, 1);
  visit("m_inv", scene.m_inv, 1);
  visit("i_inv", scene.i_inv, 1);
  visit("is_ball", scene.is_ball, 1);
}

// The same for every array with an entry per joint.
template <class Visit>
TOPPLE_FN void visit_joint_arrays(SceneView& scene, const Visit& visit) {
  visit("joined", scene.joined, 2);
  visit("is_spring", scene.is_spring, 1);
  visit("spring", scene.spring, 3);
}

// What all scenes of a set share.
struct Physics {
  double gravity;
  Surface surface;
  double dt;
  double bias;  // see step
};

TOPPLE_FN void add_body(World& world, const SceneView& scene, int i) {
  const double* e = scene.ends + 4 * i;
  Body& body = world.bodies[i];
  Shape& shape = world.shapes[i];
  const Vec p = {(e[0] + e[2]) / 2, (e[1] + e[3]) / 2};
  const double* v = scene.velocity + 3 * i;
  body = {p, {v[0], v[1]}, 0.0, v[2], {0.0, 0.0}, 0.0, scene.m_inv[i], scene.i_inv[i], {1.0, 0.0}};
  shape.radius = scene.radius[i];
  shape.kind = scene.is_ball[i] ? Kind::kCircle : Kind::kCapsule;
  shape.local_ends[0] = {e[0] - p.x, e[1] - p.y};
  shape.local_ends[1] = {e[2] - p.x, e[3] - p.y};
  shape.local_normal = rperp(normalise(shape.local_ends[1] - shape.local_ends[0]));
  world.body_count = i + 1;
  world.present |= 1u << i;
  enter_shape(world, i);
}

TOPPLE_FN void add_joint(World& world, const SceneView& scene, int i) {
  Joint& joint = world.joints[world.joint_count++];
  joint = {};
  joint.a = static_cast<uint8_t>(scene.joined[2 * i]);
  joint.b = static_cast<uint8_t>(scene.joined[2 * i + 1]);
  joint.number = static_cast<uint8_t>(i);
  joint.spring = scene.is_spring[i] != 0;
  joint.distance = length(world.bodies[joint.b].p - world.bodies[joint.a].p);
  joint.rest = scene.spring[3 * i];
  joint.stiffness = scene.spring[3 * i + 1];
  joint.damping = scene.spring[3 * i + 2];
}

// Builds a scene as after a number of builds in one space, this one included: shapes are
// numbered on, and the table of moving bodies keeps its size.
TOPPLE_FN void build_world(World& world, const SceneView& scene, const Physics& physics,
                           int64_t builds) {
  int moving = 0;
  for (int i = 0; i < scene.body_count; ++i) moving += scene.m_inv[i] != 0.0;
  const uint64_t before = static_cast<uint64_t>(builds - 1);
  init_world(world, physics.gravity, physics.surface,
             before * static_cast<uint64_t>(scene.body_count),
             table_size_for(before == 0 ? 0 : moving));
  for (int i = 0; i < scene.body_count; ++i) add_body(world, scene, i);
  for (int i = 0; i < scene.joint_count; ++i) add_joint(world, scene, i);
}

// Takes a body away, with the joints that hold it.
TOPPLE_FN void remove_body(World& world, int body) {
  if (!world.has(body)) return;
  withdraw_shape(world, body);
  world.present &= ~(1u << body);
  world.steady = false;
  // Joints go in the scene's order, and the last one takes the place of each.
  for (int number = 0; number < kMaxJoints; ++number) {
    for (int i = 0; i < world.joint_count; ++i) {
      const Joint& joint = world.joints[i];
      if (joint.number != number || (joint.a != body && joint.b != body)) continue;
      world.joints[i] = world.joints[--world.joint_count];
      break;
    }
  }
}

}  // namespace iphyre
}  // namespace topple
