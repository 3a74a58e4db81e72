// Episodes: a plan played from a tick on until every ball is out, or to a limit.
#pragma once

#include "topple/iphyre/edits.h"

namespace topple {
namespace iphyre {

constexpr int32_t kNever = -1;  // the tick of a removal that is not planned
constexpr int kStateSize = 6;   // x, y, angle and their velocities

// Where balls have to go: below a line, between two others.
struct Exit {
  double y, low, high;
};

TOPPLE_FN bool all_out(const World& world, const SceneView& scene, const Exit& out) {
  // The last balls decide as well as the first, and games list balls last.
  for (int i = scene.body_count - 1; i >= 0; --i) {
    if (!scene.is_ball[i]) continue;
    const Vec p = world.bodies[i].p;
    if (!(p.y > out.y && p.x >= out.low && p.x <= out.high)) return false;
  }
  return true;
}

TOPPLE_FN void write_state(double* rows, const World& world) {
  for (int i = 0; i < world.body_count; ++i, rows += kStateSize) {
    const Body& body = world.bodies[i];
    rows[0] = body.p.x;
    rows[1] = body.p.y;
    rows[2] = body.a;
    rows[3] = body.v.x;
    rows[4] = body.v.y;
    rows[5] = body.w;
  }
}

// Removals by rising tick, and by body within a tick.
struct Removals {
  int count;
  struct {
    int32_t tick, body;
  } list[kMaxBodies];
};

// ticks: [bodies] the tick before which a body goes, or kNever.
TOPPLE_FN Removals sort_removals(const int32_t* ticks, int bodies) {
  Removals removals;
  removals.count = 0;
  for (int body = 0; body < bodies; ++body) {
    if (ticks[body] < 0) continue;
    int place = removals.count++;
    for (; place > 0 && removals.list[place - 1].tick > ticks[body]; --place) {
      removals.list[place] = removals.list[place - 1];
    }
    removals.list[place] = {ticks[body], body};
  }
  return removals;
}

struct Outcome {
  bool solved;
  int32_t ticks;    // played, the solving one included
  int32_t removed;  // bodies, by the plan
};

// Where the states of one episode go; null for what is not wanted.
struct Sink {
  double* states;  // [frames, bodies, 6] before the first tick, then after every stride ticks
  int32_t stride;
  int32_t frames;  // written so far
  int64_t frame_size;
  double* final_state;  // [bodies, 6]
};

namespace detail {

TOPPLE_FN void write_frame(Sink& sink, const World& world) {
  write_state(sink.states + sink.frames++ * sink.frame_size, world);
}

}  // namespace detail

// Plays on from a tick; removals before it are left out.
TOPPLE_FN Outcome play(World& world, const SceneView& scene, const Physics& physics,
                       const Exit& out, const Removals& removals, int32_t from, int32_t limit,
                       Sink& sink) {
  Outcome outcome = {false, from, 0};
  int next = 0;
  while (next < removals.count && removals.list[next].tick < from) ++next;
  if (sink.states) detail::write_frame(sink, world);
  for (int32_t tick = from; tick < limit && !outcome.solved; ++tick) {
    for (; next < removals.count && removals.list[next].tick == tick; ++next) {
      outcome.removed += world.has(removals.list[next].body);
      remove_body(world, removals.list[next].body);
    }
    step(world, physics.dt, physics.bias);
    outcome.ticks = tick + 1;
    outcome.solved = all_out(world, scene, out);
    if (world.steady && !sink.states) {
      // Nothing will happen before the next removal.
      const int32_t due = next < removals.count ? removals.list[next].tick : limit;
      tick = (due < limit ? due : limit) - 1;
      outcome.ticks = outcome.solved ? outcome.ticks : tick + 1;
    }
    if (sink.states && (outcome.ticks % sink.stride == 0 || outcome.solved)) {
      detail::write_frame(sink, world);
    }
  }
  if (sink.final_state) write_state(sink.final_state, world);
  return outcome;
}

}  // namespace iphyre
}  // namespace topple
