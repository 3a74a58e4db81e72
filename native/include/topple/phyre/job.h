// Jobs: many attempts on packed scenes, with the arrays their results are written to.
#pragma once

#include "topple/phyre/attempt.h"

namespace topple::phyre {

// The arrays of a job's results, listed once: X(type, name, shape...), where 0 stands for a length
// that the caller chooses. The first axis is that of the attempts.
#define TOPPLE_OUTPUTS(X)                          \
  X(int8_t, outcome, 0)                            \
  X(int32_t, steps, 0)                             \
  X(int32_t, frame_count, 0)                       \
  X(double, balls, 0, 0, 3)                        \
  X(uint8_t, images, 0, 0, kSceneSize, kSceneSize) \
  X(float, objects, 0, 0, 0, kFeatureSize)         \
  X(float, states, 0, 0, 0, kStateSize)            \
  X(float, final_state, 0, 0, kStateSize)          \
  X(ContactEvent, contacts, 0, 0)                  \
  X(int64_t, contact_count, 0)

// Pointers are null for what is not wanted, but for outcome and steps.
struct Outputs {
#define TOPPLE_POINTER(type, name, ...) type* name;
  TOPPLE_OUTPUTS(TOPPLE_POINTER)
#undef TOPPLE_POINTER
  int32_t frames;  // of images, objects and states
  int32_t max_objects, max_bodies;
  int64_t contact_capacity;
};

struct Job {
  PackedScenes scenes;
  int64_t attempt_count;
  const int32_t* scene_index;  // [attempts]
  const double* actions;       // [attempts, 3 * balls]
  int32_t ball_count;
  Rules rules;
  Outputs out;

  TOPPLE_FN const double* action(int64_t i) const { return actions + i * 3 * ball_count; }

  TOPPLE_FN Sink sink(int64_t i) const {
    Sink sink = {};
    sink.object_stride = static_cast<int64_t>(out.max_objects) * kFeatureSize;
    sink.state_stride = static_cast<int64_t>(out.max_bodies) * kStateSize;
    sink.contact_capacity = out.contact_capacity;
    if (out.balls) sink.balls = out.balls + i * 3 * ball_count;
    if (out.images) sink.images = out.images + i * out.frames * kImageBytes;
    if (out.objects) sink.objects = out.objects + i * out.frames * sink.object_stride;
    if (out.states) sink.states = out.states + i * out.frames * sink.state_stride;
    if (out.final_state) sink.final_state = out.final_state + i * sink.state_stride;
    if (out.contacts) sink.contacts = out.contacts + i * out.contact_capacity;
    return sink;
  }

  TOPPLE_FN void report(int64_t i, const AttemptResult& result, const Sink& sink) const {
    out.outcome[i] = static_cast<int8_t>(result.outcome);
    out.steps[i] = result.steps;
    if (out.frame_count) out.frame_count[i] = sink.frames;
    if (out.contact_count) out.contact_count[i] = sink.contact_count;
  }
};

}  // namespace topple::phyre
