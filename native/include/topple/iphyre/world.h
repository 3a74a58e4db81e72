// A world: bodies with their shapes, joints, and the memory of who met whom.
#pragma once

#include "topple/iphyre/joints.h"
#include "topple/iphyre/leaf_table.h"
#include "topple/iphyre/tree.h"

namespace topple {
namespace iphyre {

// Two bodies whose boxes meet, kept with the moving body that looks for contacts. The
// other one may move, too, but is then looked at from here only.
struct Pair {
  uint32_t memory;  // of the search between two capsules
  int8_t other;
};

struct Pairs {
  Pair list[kMaxBodies];  // the newest last; they are gone through from there
  int32_t count;
};

struct World {
  double gravity;  // downwards
  Surface surface;
  double last_dt;
  int64_t stamp;  // steps made
  uint64_t next_number;
  int32_t body_count;
  int32_t dynamic_count;
  int32_t joint_count;
  int32_t arbiter_count;
  int32_t active_count;
  uint32_t present;  // a bit for each body
  uint32_t fresh;    // bodies that have just left their fat box
  bool steady;       // the last step changed nothing, so that neither will the next
  int8_t dynamic[kMaxBodies];
  LeafTable table;
  Tree moving, still;
  uint8_t active[kMaxArbiters];  // arbiters that touch, in solving order
  // The arbiter of two bodies, the lower one first, or kNoArbiter.
  uint8_t arbiter_of[kMaxBodies][kMaxBodies];

  Body bodies[kMaxBodies];
  Shape shapes[kMaxBodies];
  Pairs pairs[kMaxBodies];
  Joint joints[kMaxJoints];
  Nodes nodes;
  Arbiter arbiters[kMaxArbiters];

  TOPPLE_FN bool has(int body) const { return (present >> body & 1u) != 0; }
  TOPPLE_FN bool is_fresh(int body) const { return (fresh >> body & 1u) != 0; }
};

constexpr uint8_t kNoArbiter = 255;
static_assert(kMaxArbiters < kNoArbiter, "arbiters are numbered by a byte");

TOPPLE_FN void init_world(World& world, double gravity, Surface surface, uint64_t first_number,
                          int table_size) {
  world.gravity = gravity;
  world.surface = surface;
  world.last_dt = 0.0;
  world.stamp = 0;
  world.next_number = first_number;
  world.body_count = world.dynamic_count = world.joint_count = 0;
  world.arbiter_count = world.active_count = 0;
  world.present = world.fresh = 0;
  world.steady = false;
  world.table.size = table_size;
  world.table.count = 0;
  world.moving.root = world.still.root = kNone;
  world.moving.count = world.still.count = 0;
  world.nodes.used_inner = 0;
  for (auto& row : world.arbiter_of) {
    for (uint8_t& slot : row) slot = kNoArbiter;
  }
}

TOPPLE_FN uint8_t& arbiter_slot(World& world, int a, int b) {
  return a < b ? world.arbiter_of[a][b] : world.arbiter_of[b][a];
}

// The last one takes its place: their order has no effect.
TOPPLE_FN void drop_arbiter(World& world, int index) {
  const Arbiter& gone = world.arbiters[index];
  arbiter_slot(world, gone.a, gone.b) = kNoArbiter;
  const int last = --world.arbiter_count;
  if (index == last) return;
  world.arbiters[index] = world.arbiters[last];
  const Arbiter& moved = world.arbiters[index];
  arbiter_slot(world, moved.a, moved.b) = static_cast<uint8_t>(index);
}

// Copies what is in use; the rest of a world is never read.
TOPPLE_FN void copy_world(World& to, const World& from) {
  TOPPLE_BUILTIN(memcpy)(&to, &from, __builtin_offsetof(World, bodies));
  for (int i = 0; i < from.body_count; ++i) {
    to.bodies[i] = from.bodies[i];
    to.shapes[i] = from.shapes[i];
    to.nodes.list[i] = from.nodes.list[i];
    to.nodes.list[kMaxBodies + i] = from.nodes.list[kMaxBodies + i];
  }
  to.nodes.used_inner = from.nodes.used_inner;
  for (int i = 0; i < from.dynamic_count; ++i) {
    const int body = from.dynamic[i];
    to.pairs[body].count = from.pairs[body].count;
    for (int k = 0; k < from.pairs[body].count; ++k) {
      to.pairs[body].list[k] = from.pairs[body].list[k];
    }
  }
  for (int i = 0; i < from.joint_count; ++i) to.joints[i] = from.joints[i];
  for (int i = 0; i < from.arbiter_count; ++i) to.arbiters[i] = from.arbiters[i];
}

}  // namespace iphyre
}  // namespace topple
