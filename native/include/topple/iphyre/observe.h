// What agents see: the object table of 12 rows and 9 columns, scaled and clipped to 0 to 1,
// followed by the positions an action speaks of.
//
// Columns: two ends of the core, radius, removable, movable, held by a stick, by a spring.
#pragma once

#include "topple/iphyre/scene.h"

namespace topple {
namespace iphyre {

constexpr int kTableRows = 12;
constexpr int kTableColumns = 9;
constexpr int kTableSize = kTableRows * kTableColumns;
constexpr int kMaxBlocks = 6;  // that a player can remove
constexpr int kMaxCandidates = 2 * (kMaxBlocks + 1);
constexpr int kMaxObservation = kTableSize + kMaxCandidates;

namespace detail {

constexpr float kSceneWidth = 600.0f;  // px, and its height

TOPPLE_FN float seen_length(double px) {
  const float x = static_cast<float>(px) / kSceneWidth;
  return x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x;
}

TOPPLE_FN void see_ends(float* row, const Shape& shape) {
  const Vec a = shape.ends[0];
  const Vec b = shape.kind == Kind::kCircle ? a : shape.ends[1];
  row[0] = seen_length(a.x);
  row[1] = seen_length(a.y);
  row[2] = seen_length(b.x);
  row[3] = seen_length(b.y);
}

}  // namespace detail

// The whole table: at the start, and when something was removed.
TOPPLE_FN void see_all(float* table, const World& world, const int32_t* blocks) {
  for (int i = 0; i < kTableSize; ++i) table[i] = 0.0f;
  for (int i = 0; i < world.body_count; ++i) {
    if (!world.has(i)) continue;
    float* row = table + kTableColumns * i;
    detail::see_ends(row, world.shapes[i]);
    row[4] = detail::seen_length(world.shapes[i].radius);
    row[6] = is_dynamic(world.bodies[i]) ? 1.0f : 0.0f;
  }
  for (int k = 0; k < kMaxBlocks; ++k) {
    if (blocks[k] >= 0 && world.has(blocks[k])) table[kTableColumns * blocks[k] + 5] = 1.0f;
  }
  for (int i = 0; i < world.joint_count; ++i) {
    const Joint& joint = world.joints[i];
    const int column = joint.spring ? 8 : 7;
    table[kTableColumns * joint.a + column] = table[kTableColumns * joint.b + column] = 1.0f;
  }
}

// The centres of the blocks an action speaks of, scaled but not clipped, zeros where there is
// none; on the fly, the first position stands for doing nothing and is zero, too.
TOPPLE_FN int see_candidates(float* points, const SceneView& scene, const int32_t* blocks,
                             bool on_the_fly) {
  const int count = 2 * (kMaxBlocks + on_the_fly);
  for (int i = 0; i < count; ++i) points[i] = 0.0f;
  points += on_the_fly ? 2 : 0;
  for (int k = 0; k < kMaxBlocks && blocks[k] >= 0; ++k) {
    const double* ends = scene.ends + 4 * blocks[k];
    points[2 * k] = static_cast<float>((ends[0] + ends[2]) / 2) / detail::kSceneWidth;
    points[2 * k + 1] = static_cast<float>((ends[1] + ends[3]) / 2) / detail::kSceneWidth;
  }
  return count;
}

// What changes when bodies only move.
TOPPLE_FN void see_motion(float* table, const World& world) {
  for (int i = 0; i < world.dynamic_count; ++i) {
    const int body = world.dynamic[i];
    detail::see_ends(table + kTableColumns * body, world.shapes[body]);
  }
}

}  // namespace iphyre
}  // namespace topple
