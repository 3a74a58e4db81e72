// What plans have in common. Plans for one scene that begin with the same removals are alike
// up to the next one. Played in the right order, each part is played once and copied.
#pragma once

#include "topple/iphyre/episode.h"

namespace topple {
namespace iphyre {

// A removal as a number: by tick, then by body. The end of an episode stands last.
inline int64_t removal_key(int64_t tick, int64_t body) { return tick * kMaxBodies + body; }

// The episode of the last plan, as it was before each removal. The order that spares the most is
// that of the removals' keys, with the end of an episode for the next one after the last.
class SharedPrefix {
 public:
  // Plays a plan from its scene on and returns its episode, which the next call changes.
  const Episode& play(const SceneView& scene, const Physics& physics, const Exit& out,
                      int32_t scene_index, int64_t builds, const Removals& removals,
                      int32_t limit) {
    int depth = shared(scene_index, builds, removals, limit);
    if (depth < 0) {
      scene_ = scene_index;
      builds_ = builds;
      build_world(levels_[0].world, scene, physics, builds);
      start_episode(levels_[0]);
      depth = 0;
    }
    for (;; ++depth) {
      Episode& level = levels_[depth];
      depth_ = depth;
      const int32_t until = next_change(removals, depth, limit);
      advance(level, scene, physics, &out, until);
      if (level.solved || until == limit) return level;
      Episode& next = levels_[depth + 1];
      copy_episode(next, level);
      remove_now(next, removals.list[depth].body);
    }
  }

  // Lets the next plan start from its scene.
  void forget() { builds_ = 0; }

 private:
  static int32_t next_change(const Removals& removals, int depth, int32_t limit) {
    if (depth == removals.count || removals.list[depth].tick > limit) return limit;
    return removals.list[depth].tick;
  }

  // The deepest level that a plan can go on from, or -1.
  int shared(int32_t scene_index, int64_t builds, const Removals& removals, int32_t limit) const {
    if (scene_ != scene_index || builds_ != builds) return -1;
    int depth = 0;
    while (depth < depth_ && depth < removals.count && removals.list[depth].tick < limit &&
           same(levels_[depth + 1].removed.list[depth], removals.list[depth])) {
      ++depth;
    }
    // A level may have been played on too far for this plan.
    while (depth >= 0 && levels_[depth].tick > next_change(removals, depth, limit)) --depth;
    return depth;
  }

  static bool same(const Removal& a, const Removal& b) {
    return a.tick == b.tick && a.body == b.body;
  }

  Episode levels_[kMaxBodies + 1];  // level n has n removals behind it
  int32_t scene_ = 0;
  int64_t builds_ = 0;  // scenes are built at least once, so 0 stands for none
  int depth_ = 0;
};

}  // namespace iphyre
}  // namespace topple
