// What plans have in common. Plans for one scene that begin with the same removals are alike
// up to the next one. Played in the right order, each part is played once and copied.
#pragma once

#include "topple/iphyre/episode.h"

namespace topple {
namespace iphyre {

// A removal as a number: by tick, then by body. The end of an episode stands last.
inline int64_t removal_key(int64_t tick, int64_t body) { return tick * kMaxBodies + body; }

// The worlds of the last episode, one after each removal. The order that spares the most is
// that of the removals' keys, with the end of an episode for the next one after the last.
class Stem {
 public:
  // Plays a plan from its scene on; its world at the end is world().
  Outcome play(const SceneView& scene, const Physics& physics, const Exit& out, int32_t scene_index,
               int64_t builds, const Removals& removals, int32_t limit) {
    int depth = shared(scene_index, builds, removals, limit);
    if (depth < 0) {
      scene_ = scene_index;
      builds_ = builds;
      build_world(levels_[0].world, scene, physics, builds);
      levels_[0].tick = 0;
      levels_[0].solved = false;
      depth = 0;
    }
    for (;; ++depth) {
      Level& level = levels_[depth];
      depth_ = depth;
      const int32_t until = next_change(removals, depth, limit);
      advance(level, scene, physics, out, until);
      if (level.solved || until == limit) return {level.solved, level.tick, depth};
      Level& next = levels_[depth + 1];
      copy_world(next.world, level.world);
      next.tick = level.tick;
      next.solved = false;
      const auto& removal = removals.list[depth];
      next.key = removal_key(removal.tick, removal.body);
      remove_body(next.world, removal.body);
    }
  }

  const World& world() const { return levels_[depth_].world; }

 private:
  struct Level {
    World world;
    int64_t key;   // of the removal that led here
    int32_t tick;  // ticks played
    bool solved;
  };

  static int32_t next_change(const Removals& removals, int depth, int32_t limit) {
    if (depth == removals.count || removals.list[depth].tick > limit) return limit;
    return removals.list[depth].tick;
  }

  // The deepest level that a plan can go on from, or -1.
  int shared(int32_t scene_index, int64_t builds, const Removals& removals, int32_t limit) const {
    if (scene_ != scene_index || builds_ != builds) return -1;
    int depth = 0;
    while (depth < depth_ && depth < removals.count && removals.list[depth].tick < limit &&
           levels_[depth + 1].key ==
               removal_key(removals.list[depth].tick, removals.list[depth].body)) {
      ++depth;
    }
    // A level may have been played on too far for this plan.
    while (depth >= 0 && levels_[depth].tick > next_change(removals, depth, limit)) --depth;
    return depth;
  }

  static void advance(Level& level, const SceneView& scene, const Physics& physics, const Exit& out,
                      int32_t until) {
    while (level.tick < until && !level.solved) {
      step(level.world, physics.dt, physics.bias);
      ++level.tick;
      level.solved = all_out(level.world, scene, out);
      if (level.world.steady && !level.solved) level.tick = until;  // nothing happens before
    }
  }

  Level levels_[kMaxBodies + 1];
  int32_t scene_ = -1;
  int64_t builds_ = 0;
  int depth_ = 0;
};

}  // namespace iphyre
}  // namespace topple
