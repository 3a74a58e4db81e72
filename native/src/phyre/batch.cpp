#include "phyre/batch.h"

#include <memory>
#include <new>

#include "phyre/scratch.h"

namespace topple::phyre {

namespace {

AttemptResult from_branch(const Job& job, const Branches& branches, int64_t i,
                          const SceneView& scene, Scratch& scratch, Sink& sink) {
  scratch.world = *branches.origin;
  add_missing_bodies(scratch.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(scratch.world, branches.edits[k]);
  }
  const Balls none = {};
  return run(ExactPhysics{}, scratch.world, scratch.work, scene, none, job.rules, sink,
             branches.progress);
}

void make_attempt(const Job& job, const Branches* branches, const ImaginedPhysics* physics,
                  int64_t i, Scratch& scratch) {
  const SceneView scene = job.scenes.view(job.scene_index[i]);
  Sink sink = job.sink(i);
  const AttemptResult result = branches  ? from_branch(job, *branches, i, scene, scratch, sink)
                               : physics ? from_scene(*physics, job, i, scene, scratch, sink)
                                         : from_scene(ExactPhysics{}, job, i, scene, scratch, sink);
  job.report(i, result, sink);
}

}  // namespace

void work_on(const Job& job, const Branches* branches, const ImaginedPhysics* physics,
             Control& control) noexcept {
  const std::unique_ptr<Scratch> scratch(new (std::nothrow) Scratch);
  if (!scratch) {
    control.failed = true;
    return;
  }
  scratch->scene = -1;
  take_turns(control, job.attempt_count,
             [&](int64_t i) { make_attempt(job, branches, physics, i, *scratch); });
  finish_copies();
}

}  // namespace topple::phyre
