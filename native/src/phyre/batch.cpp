#include "phyre/batch.h"

#include <cfloat>
#include <memory>
#include <new>

// What exactness rests on beside the flags of engine.cmake: numbers have the precision of their
// type, as they have not on the x87.
static_assert(FLT_EVAL_METHOD == 0, "floats have to be computed as floats");
#if defined(__FAST_MATH__)
#error "the engine has to be built without -ffast-math"
#endif

namespace topple::phyre {

namespace {

// The memory of one thread; too large for a stack.
struct Scratch {
  World fresh, world;
  Workspace work;
  Background background;
  int32_t scene = -1;
};

AttemptResult from_scene(const Job& job, int64_t i, const SceneView& scene, Scratch& scratch,
                         Sink& sink) {
  if (scratch.scene != job.scene_index[i]) {
    build_world(scene, scratch.fresh);
    if (job.out.images) draw_background(scratch.background, scene, scratch.fresh);
    scratch.scene = job.scene_index[i];
  }
  sink.background = &scratch.background;
  return attempt(scratch.fresh, scratch.world, scratch.work, scene, job.action(i), job.ball_count,
                 job.rules, sink);
}

AttemptResult from_branch(const Job& job, const Branches& branches, int64_t i,
                          const SceneView& scene, Scratch& scratch, Sink& sink) {
  scratch.world = *branches.origin;
  add_missing_bodies(scratch.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(scratch.world, branches.edits[k]);
  }
  const Balls none = {};
  return run(scratch.world, scratch.work, scene, none, job.rules, sink, branches.progress);
}

void make_attempt(const Job& job, const Branches* branches, int64_t i, Scratch& scratch) {
  const SceneView scene = job.scenes.view(job.scene_index[i]);
  Sink sink = job.sink(i);
  const AttemptResult result = branches ? from_branch(job, *branches, i, scene, scratch, sink)
                                        : from_scene(job, i, scene, scratch, sink);
  job.report(i, result, sink);
}

}  // namespace

void work_on(const Job& job, const Branches* branches, Control& control) noexcept {
  const std::unique_ptr<Scratch> scratch(new (std::nothrow) Scratch);
  if (!scratch) {
    control.failed = true;
    return;
  }
  take_turns(control, job.attempt_count,
             [&](int64_t i) { make_attempt(job, branches, i, *scratch); });
  finish_copies();
}

}  // namespace topple::phyre
