// Attempts: an action on a scene, simulated until the goal has held or time is up.
#pragma once

#include "topple/phyre/observe.h"
#include "topple/phyre/step.h"

namespace topple::phyre {

enum class Outcome : int8_t {
  kNotSolved = -1,
  kInvalid = 0,
  kSolved = 1,
  kUnstablySolved = 2,
  kStablySolved = 3,
  kOutOfContacts = 4,  // an error: the scene outgrew the engine
};

struct AttemptResult {
  Outcome outcome;
  int32_t steps;  // index of the last step if solved, else the limit; 0 if invalid
};

struct Rules {
  int32_t max_steps;
  int32_t stride;  // observe after steps 0, stride, 2 * stride ...; 0: never
  bool stable;     // also try the eight neighbours of a solution
  bool shortcuts;  // leave out work that cannot change a bit
};

// How far a run has come: the next step and for how many steps the goal has held.
struct Progress {
  int32_t step, held;
};

// Where the observations of one attempt go; null for what is not wanted.
struct Sink {
  Background* background;  // of the scene, if nothing static can have moved
  double* balls;           // [balls, 3] x, y and radius in pixels, as simulated
  uint8_t* images;         // [frames, 256, 256]
  float* objects;          // [frames, objects, 14]
  float* states;           // [frames, bodies, 6]
  float* final_state;      // [bodies, 6]
  ContactEvent* contacts;
  int64_t contact_capacity;
  int64_t object_stride, state_stride;  // numbers per frame
  int32_t frames;                       // written so far
  int64_t contact_count;                // met so far
};

namespace detail {

// Writes the present into the next frames.
TOPPLE_FN void write_frames(Sink& sink, int count, const SceneView& scene, const World& world,
                            const Balls& balls) {
  const int64_t first = sink.frames;
  sink.frames += count;
  if (sink.images && sink.background) {
    write_images_over(sink.images + first * kImageBytes, count, *sink.background, scene, world,
                      balls);
  }
  for (int64_t frame = first; frame < sink.frames; ++frame) {
    if (sink.images && !sink.background) {
      write_image(sink.images + frame * kImageBytes, scene, &world, balls);
    }
    if (sink.objects) {
      write_objects(sink.objects + frame * sink.object_stride, scene, &world, balls);
    }
    if (sink.states) write_states(sink.states + frame * sink.state_stride, world);
  }
}

// Writes the first balls of a list, and zeros for the others.
TOPPLE_FN void write_balls(double* out, const Balls& balls, int count, int slots) {
  for (int i = 0; i < slots; ++i, out += 3) {
    const Ball ball = i < count ? balls.list[i] : Ball{0.0, 0.0, 0.0};
    out[0] = ball.x;
    out[1] = ball.y;
    out[2] = ball.radius;
  }
}

// The last step somebody looks at; -1 if nobody does.
TOPPLE_FN int last_watched_step(const Rules& rules, const Sink& sink) {
  const int last = rules.max_steps - 1;
  if (sink.final_state || sink.contacts) return last;
  return rules.stride > 0 ? last - last % rules.stride : -1;
}

TOPPLE_FN bool frame_due(const Rules& rules, int step) {
  return rules.stride > 0 && step % rules.stride == 0;
}

// How many are due after a step and up to another, that included.
TOPPLE_FN int frames_due(const Rules& rules, int step, int end) {
  return rules.stride > 0 && end > step ? end / rules.stride - step / rules.stride : 0;
}

}  // namespace detail

TOPPLE_FN void add_balls(World& world, const Balls& balls) {
  for (int i = 0; i < balls.count; ++i) {
    const Ball& ball = balls.list[i];
    add_body(world, true,
             {static_cast<float>(ball.x) / kPixelsPerMetre,
              static_cast<float>(ball.y) / kPixelsPerMetre},
             0.0f);
    add_shape(world, circle_shape(static_cast<float>(ball.radius) / kPixelsPerMetre));
  }
}

// Steps a world until the goal has held long enough or the steps are used up.
//
// Two exits come early and change nothing: when all bodies sleep, later steps repeat the
// present; and when the goal can no longer be held for long enough and nobody looks at what
// is left, the attempt is lost whatever happens.
template <class Physics>
TOPPLE_FN AttemptResult run(const Physics& physics, World& world, Workspace& work,
                            const SceneView& scene, const Balls& balls, const Rules& rules,
                            Sink& sink, Progress start = {0, 0}) {
  NoObserver observer;
  const Goal& goal = scene.goal;
  const int hold_steps = physics.steps(goal.hold_steps);
  const int last_watched = detail::last_watched_step(rules, sink);
  AttemptResult result = {Outcome::kNotSolved, rules.max_steps};
  int held = start.held;
  const int last = rules.max_steps - 1;
  for (int k = start.step; k <= last; ++k) {
    step(physics, world, work, rules.shortcuts, observer);
    if (world.out_of_contacts) return {Outcome::kOutOfContacts, k};
    if (detail::frame_due(rules, k)) detail::write_frames(sink, 1, scene, world, balls);
    if (sink.contacts) {
      const int64_t used =
          sink.contact_count < sink.contact_capacity ? sink.contact_count : sink.contact_capacity;
      sink.contact_count +=
          write_contacts(sink.contacts + used, sink.contact_capacity - used, world, k);
    }
    held = goal_holds(world, goal) ? held + 1 : 0;
    if (goal.first >= 0 && held == hold_steps) {
      result = {Outcome::kSolved, k};
      break;
    }
    if (!rules.shortcuts) continue;
    const int needed = hold_steps - held;
    const bool reachable = goal.first >= 0 && needed < rules.max_steps - k;
    if (!reachable && k >= last_watched) break;
    if (all_asleep(world)) {
      if (held > 0 && reachable) result = {Outcome::kSolved, k + needed};
      const int end = result.outcome == Outcome::kSolved ? result.steps : last;
      const int due = detail::frames_due(rules, k, detail::lesser(end, last_watched));
      if (due > 0) detail::write_frames(sink, due, scene, world, balls);
      break;
    }
  }
  if (sink.final_state) write_states(sink.final_state, world);
  return result;
}

namespace detail {

// A solution is stable if it survives a shift by half a pixel in any direction, as far as
// the shifted balls fit.
template <class Physics>
TOPPLE_FN Outcome stability(const Physics& physics, const World& fresh, World& world,
                            Workspace& work, const SceneView& scene, const Balls& balls,
                            const Rules& rules) {
  for (int shift = 0; shift < 9; ++shift) {
    if (shift == 4) continue;  // the solution itself
    Balls moved = balls;
    for (int i = 0; i < balls.count; ++i) {
      moved.list[i].x += 0.5 * (shift / 3 - 1);
      moved.list[i].y += 0.5 * (shift % 3 - 1);
    }
    if (occluded(scene, moved)) continue;
    copy_fresh(world, fresh);
    add_balls(world, moved);
    Sink none = {};
    const Outcome outcome = run(physics, world, work, scene, moved, rules, none).outcome;
    if (outcome == Outcome::kOutOfContacts) return outcome;
    if (outcome == Outcome::kNotSolved) return Outcome::kUnstablySolved;
  }
  return Outcome::kStablySolved;
}

}  // namespace detail

// Simulates an action of 3 numbers per ball; no balls at all is a valid action. The fresh
// world is that of the scene before any step.
template <class Physics>
TOPPLE_FN AttemptResult attempt(const Physics& physics, const World& fresh, World& world,
                                Workspace& work, const SceneView& scene, const double* action,
                                int ball_count, const Rules& rules, Sink& sink) {
  Balls balls = {};
  const bool valid = map_action(action, ball_count, balls) && !occluded(scene, balls);
  if (sink.balls) detail::write_balls(sink.balls, balls, valid ? balls.count : 0, ball_count);
  if (!valid) return {Outcome::kInvalid, 0};
  copy_fresh(world, fresh);
  add_balls(world, balls);
  AttemptResult result = run(physics, world, work, scene, balls, rules, sink);
  if (rules.stable && result.outcome == Outcome::kSolved) {
    result.outcome = detail::stability(physics, fresh, world, work, scene, balls, rules);
  }
  return result;
}

}  // namespace topple::phyre
