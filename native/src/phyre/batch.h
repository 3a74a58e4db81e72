// Batches: many attempts on all cores, in caller-owned arrays.
#pragma once

#include "control.h"
#include "topple/phyre/edits.h"
#include "topple/phyre/job.h"

namespace topple {

// Scenes over arrays that somebody keeps alive, in the order of SceneView.
template <class Starts, class Goals, class... Arrays>
PackedScenes packed_scenes(const Starts& body_start, const Goals& goals, const Arrays&... arrays) {
  PackedScenes packed = {};
  packed.scene_count = static_cast<int32_t>(body_start.size()) - 1;
  packed.body_start = body_start.data();
  packed.goals = goals.data();
  packed.arrays = {0, {-1, -1, 0}, arrays.data()...};
  return packed;
}

// Worlds that all start as one, each changed by edits of its own.
struct Branches {
  const World* origin;
  Progress progress;
  const int32_t* edit_start;  // [attempts + 1]
  const Edit* edits;
};

// Takes attempts off the job until none is left; any number of threads may run it. Attempts
// start from their scenes, or from branches unless that is null.
void work_on(const Job& job, const Branches* branches, Control& control) noexcept;

}  // namespace topple
