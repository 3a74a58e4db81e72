// What one thread needs to make the attempts of a job.
#pragma once

#include <float.h>

#include "topple/phyre/job.h"

// What exactness rests on beside the flags of engine.cmake: numbers have the precision of their
// type, as they have not on the x87.
static_assert(FLT_EVAL_METHOD == 0, "floats have to be computed as floats");
#if defined(__FAST_MATH__)
#error "the engine has to be built without -ffast-math"
#endif

namespace topple::phyre {

// Too large for a stack.
struct Scratch {
  World fresh, world;
  Workspace work;
  Background background;
  int32_t scene;  // whose fresh world this is; -1 for none
};

// Makes an attempt from its scene.
template <class Physics>
AttemptResult from_scene(const Physics& physics, const Job& job, int64_t i, const SceneView& scene,
                         Scratch& scratch, Sink& sink) {
  if (scratch.scene != job.scene_index[i]) {
    build_world(scene, scratch.fresh);
    if (job.out.images) draw_background(scratch.background, scene, scratch.fresh);
    scratch.scene = job.scene_index[i];
  }
  sink.background = &scratch.background;
  return attempt(physics, scratch.fresh, scratch.world, scratch.work, scene, job.action(i),
                 job.ball_count, job.rules, sink);
}

}  // namespace topple::phyre
