// Batches of I-PHYRE: many plans, or edited copies of one world, in caller-owned arrays.
#pragma once

#include <vector>

#include "control.h"
#include "topple/iphyre/episode.h"

namespace topple {
namespace iphyre {

// Scenes as contiguous arrays; see SceneView for the fields.
struct PackedScenes {
  int32_t scene_count;
  const int32_t* body_start;   // [scenes + 1]
  const int32_t* joint_start;  // [scenes + 1]
  SceneView arrays;            // the counts are not used
  Physics physics;

  SceneView view(int32_t scene) const;
};

// Episodes that all start as one, each changed by edits of its own.
struct Branches {
  const Episode* origin;
  const int32_t* edit_start;  // [episodes + 1]
  const Edit* edits;
};

struct Job {
  PackedScenes scenes;
  int64_t episode_count;
  const int32_t* scene_index;  // [episodes]
  const int32_t* removals;     // [episodes, removal_width] ticks
  int32_t removal_width;
  const int64_t* builds;  // [episodes]
  const int32_t* limits;  // [episodes] ticks
  Exit out;
  const Branches* branches;  // null: every episode starts from its scene
  const int64_t* order;      // in which to play; null for that of the arrays

  uint8_t* solved;   // [episodes]
  int32_t* ticks;    // [episodes]
  int32_t* removed;  // [episodes]
  // Null for what is not wanted.
  int32_t stride, frames, max_bodies;
  double* states;        // [episodes, frames, max_bodies, 6]
  int32_t* frame_count;  // [episodes]
  double* final_state;   // [episodes, max_bodies, 6]
};

// The order in which episodes share the most: by scene, then by their removals.
std::vector<int64_t> sharing_order(const Job& job);

// Takes episodes off the job until none is left; any number of threads may run it.
void work_on(const Job& job, Control& control) noexcept;

}  // namespace iphyre
}  // namespace topple
