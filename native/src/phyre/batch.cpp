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

namespace topple {

namespace {

// What a thread needs; too large for a stack.
struct Bench {
  World fresh, world;
  Workspace work;
  Backdrop backdrop;
  int32_t scene = -1;
};

Outcome from_scene(const Job& job, int64_t i, const SceneView& scene, Bench& bench, Sink& sink) {
  if (bench.scene != job.scene_index[i]) {
    build_world(scene, bench.fresh);
    if (job.images) draw_backdrop(bench.backdrop, scene, bench.fresh);
    bench.scene = job.scene_index[i];
  }
  sink.backdrop = &bench.backdrop;
  return attempt(bench.fresh, bench.world, bench.work, scene, job.action(i), job.ball_count,
                 job.rules, sink);
}

Outcome from_branch(const Job& job, const Branches& branches, int64_t i, const SceneView& scene,
                    Bench& bench, Sink& sink) {
  bench.world = *branches.origin;
  add_missing_bodies(bench.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(bench.world, branches.edits[k]);
  }
  const Balls none = {};
  return run(bench.world, bench.work, scene, none, job.rules, sink, branches.progress);
}

void make_attempt(const Job& job, const Branches* branches, int64_t i, Bench& bench) {
  const SceneView scene = job.scenes.view(job.scene_index[i]);
  Sink sink = job.sink(i);
  const Outcome outcome = branches ? from_branch(job, *branches, i, scene, bench, sink)
                                   : from_scene(job, i, scene, bench, sink);
  job.report(i, outcome, sink);
}

}  // namespace

void work_on(const Job& job, const Branches* branches, Control& control) noexcept {
  const std::unique_ptr<Bench> bench(new (std::nothrow) Bench);
  if (!bench) {
    control.failed = true;
    return;
  }
  take_turns(control, job.attempt_count,
             [&](int64_t i) { make_attempt(job, branches, i, *bench); });
  finish_copies();
}

}  // namespace topple
