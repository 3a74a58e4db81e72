// Jobs: many attempts on packed scenes, with room for what they leave behind.
#pragma once

#include "topple/phyre/attempt.h"

namespace topple {

// Scenes as contiguous arrays; see SceneView for the fields.
struct PackedScenes {
  int32_t scene_count;
  const int32_t* body_start;  // [scenes + 1]
  const int32_t* goals;       // [scenes, 3] first, second, hold_steps
  SceneView arrays;           // body_count and goal are not used

  TOPPLE_FN SceneView view(int32_t scene) const {
    const int64_t first = body_start[scene];
    SceneView v = arrays;
    v.body_count = static_cast<int32_t>(body_start[scene + 1] - first);
    v.goal = {goals[3 * scene], goals[3 * scene + 1], goals[3 * scene + 2]};
    v.fixture_start += first;
    v.dynamic += first;
    v.color += first;
    v.kind += first;
    v.diameter += first;
    v.feature_offset += first;
    v.pose_px += 3 * first;
    v.pose_m += 3 * first;
    v.velocity += 3 * first;
    return v;
  }
};

struct Job {
  PackedScenes scenes;
  int64_t attempt_count;
  const int32_t* scene_index;  // [attempts]
  const double* actions;       // [attempts, 3 * balls]
  int32_t ball_count;
  Rules rules;

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

  TOPPLE_FN const double* action(int64_t i) const { return actions + i * 3 * ball_count; }

  TOPPLE_FN Sink sink(int64_t i) const {
    Sink sink = {};
    sink.object_stride = static_cast<int64_t>(max_objects) * kFeatureSize;
    sink.state_stride = static_cast<int64_t>(max_bodies) * kStateSize;
    sink.contact_room = contact_room;
    if (images) sink.images = images + i * frames * kImageBytes;
    if (objects) sink.objects = objects + i * frames * sink.object_stride;
    if (states) sink.states = states + i * frames * sink.state_stride;
    if (final_state) sink.final_state = final_state + i * sink.state_stride;
    if (contacts) sink.contacts = contacts + i * contact_room;
    return sink;
  }

  TOPPLE_FN void report(int64_t i, const Outcome& outcome, const Sink& sink) const {
    status[i] = static_cast<int8_t>(outcome.status);
    steps[i] = outcome.steps;
    if (frame_count) frame_count[i] = sink.frames;
    if (contact_count) contact_count[i] = sink.contact_count;
  }
};

}  // namespace topple
