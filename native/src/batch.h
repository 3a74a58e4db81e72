// Batches: many attempts on all cores, in caller-owned arrays.
#pragma once

#include "control.h"
#include "topple/attempt.h"
#include "topple/edits.h"

namespace topple {

// Scenes as contiguous arrays; see SceneView for the fields.
struct PackedScenes {
  int32_t scene_count;
  const int32_t* body_start;  // [scenes + 1]
  const int32_t* goals;       // [scenes, 3] first, second, hold_steps
  SceneView arrays;           // body_count and goal are not used

  SceneView view(int32_t scene) const;
};

// Worlds that all start as one, each changed by edits of its own.
struct Branches {
  const World* origin;
  Progress progress;
  const int32_t* edit_start;  // [attempts + 1]
  const Edit* edits;
};

struct Job {
  PackedScenes scenes;
  int64_t attempt_count;
  const int32_t* scene_index;  // [attempts]
  const double* actions;       // [attempts, 3 * balls]
  int32_t ball_count;
  Rules rules;
  int32_t threads;
  const Branches* branches;  // null: every attempt starts from its scene

  int8_t* status;  // [attempts]
  int32_t* steps;  // [attempts]
  // Observations, null for what is not wanted; frames is their length per attempt.
  int32_t frames;
  int32_t max_objects, max_bodies;
  int64_t contact_room;
  uint8_t* images;         // [attempts, frames, 256, 256]
  float* objects;          // [attempts, frames, max_objects, 14]
  float* states;           // [attempts, frames, max_bodies, 6]
  float* final_state;      // [attempts, max_bodies, 6]
  int32_t* frame_count;    // [attempts]
  ContactEvent* contacts;  // [attempts, contact_room]
  int64_t* contact_count;  // [attempts]
};

// Takes attempts off the job until none is left; any number of threads may run it.
void work_on(const Job& job, Control& control) noexcept;

}  // namespace topple
