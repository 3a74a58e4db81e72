// Episodes: a scene played tick by tick until every ball is out, or to a limit.
//
// `advance` is the only loop over ticks. Plans, strategies, vectors, branches and live play
// differ in what they remove between two calls of it.
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

// A body goes before the physics of a tick.
struct Removal {
  int32_t tick, body;
};

struct Removals {
  int count;
  Removal list[kMaxBodies];
};

// Removals by rising tick, and by body within a tick.
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

struct Episode {
  World world;
  int32_t tick;      // ticks played, the solving one included
  bool solved;       // whether every ball is out
  uint8_t used;      // entries of combined actions that have had their turn, as bits
  Removals removed;  // by the player, in order; edits are not among them
};

// The world is for the caller to fill.
TOPPLE_FN void start_episode(Episode& episode) {
  episode.tick = 0;
  episode.solved = false;
  episode.used = 0;
  episode.removed.count = 0;
}

TOPPLE_FN void copy_episode(Episode& to, const Episode& from) {
  copy_world(to.world, from.world);
  to.tick = from.tick;
  to.solved = from.solved;
  to.used = from.used;
  to.removed.count = from.removed.count;
  for (int i = 0; i < from.removed.count; ++i) to.removed.list[i] = from.removed.list[i];
}

// Takes a body away before the next tick; returns whether it was there.
TOPPLE_FN bool remove_now(Episode& episode, int32_t body) {
  if (!episode.world.has(body)) return false;
  remove_body(episode.world, body);
  episode.removed.list[episode.removed.count++] = {episode.tick, body};
  return true;
}

// Plays up to a tick, or until every ball is out; without an exit, nobody looks at the balls.
TOPPLE_FN void advance(Episode& episode, const SceneView& scene, const Physics& physics,
                       const Exit* out, int32_t until) {
  while (episode.tick < until && !episode.solved) {
    step(episode.world, physics.dt, physics.bias);
    ++episode.tick;
    episode.solved = out && all_out(episode.world, scene, *out);
    // Nothing will happen before the next removal.
    if (episode.world.steady && !episode.solved) episode.tick = until;
  }
}

// Where the states of one episode go; null for what is not wanted.
struct Sink {
  double* states;  // [frames, bodies, 6] before the first tick, then after every stride ticks
  int32_t stride;
  int32_t frames;  // written so far
  int64_t frame_size;
  double* final_state;  // [bodies, 6]
};

// Plays a plan on from the present tick; removals before it are left out.
TOPPLE_FN void play(Episode& episode, const SceneView& scene, const Physics& physics,
                    const Exit& out, const Removals& removals, int32_t limit, Sink& sink) {
  const auto write_frame = [&] {
    if (sink.states) write_state(sink.states + sink.frames++ * sink.frame_size, episode.world);
  };
  int next = 0;
  while (next < removals.count && removals.list[next].tick < episode.tick) ++next;
  write_frame();
  while (episode.tick < limit && !episode.solved) {
    for (; next < removals.count && removals.list[next].tick == episode.tick; ++next) {
      remove_now(episode, removals.list[next].body);
    }
    int32_t until = limit;
    if (next < removals.count && removals.list[next].tick < until) {
      until = removals.list[next].tick;
    }
    const int32_t frame = (episode.tick / sink.stride + 1) * sink.stride;
    if (sink.states && frame < until) until = frame;
    advance(episode, scene, physics, &out, until);
    if (episode.tick % sink.stride == 0 || episode.solved) write_frame();
  }
  if (sink.final_state) write_state(sink.final_state, episode.world);
}

}  // namespace iphyre
}  // namespace topple
