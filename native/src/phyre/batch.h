// Batches: many attempts on all cores, in caller-owned arrays.
#pragma once

#include <vector>

#include "control.h"
#include "topple/phyre/edits.h"
#include "topple/phyre/job.h"

namespace topple::phyre {

// Scenes in arrays of their own.
struct SceneData {
#define TOPPLE_VECTOR(type, name, rows, more, columns) std::vector<type> name;
  TOPPLE_SCENE_ARRAYS(TOPPLE_VECTOR)
#undef TOPPLE_VECTOR

  PackedScenes scenes() const {
    PackedScenes packed = {};
    packed.scene_count = static_cast<int32_t>(body_start.size()) - 1;
#define TOPPLE_DATA(type, name, rows, more, columns) packed.arrays.name = name.data();
    TOPPLE_SCENE_ARRAYS(TOPPLE_DATA)
#undef TOPPLE_DATA
    return packed;
  }
};

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

// The same with other physics than PHYRE's.
void imagine_on(const Job& job, const ImaginedPhysics& physics, Control& control) noexcept;

}  // namespace topple::phyre
