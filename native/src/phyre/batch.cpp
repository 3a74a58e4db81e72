#include "phyre/batch.h"

#include "phyre/share.h"

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

}  // namespace

void work_on(const Job& job, const Branches* branches, Control& control) noexcept {
  make_attempts(job, control, [&](int64_t i, const SceneView& scene, Scratch& scratch, Sink& sink) {
    return branches ? from_branch(job, *branches, i, scene, scratch, sink)
                    : from_scene(ExactPhysics{}, job, i, scene, scratch, sink);
  });
}

}  // namespace topple::phyre
