#include "batch.h"

#include <memory>
#include <new>

namespace topple {

SceneView PackedScenes::view(int32_t scene) const {
  const int32_t first = body_start[scene];
  SceneView v = arrays;
  v.body_count = body_start[scene + 1] - first;
  v.goal = {goals[3 * scene], goals[3 * scene + 1], goals[3 * scene + 2]};
  v.fixture_start += first;
  v.dynamic += first;
  v.color += first;
  v.kind += first;
  v.diameter += first;
  v.feature_offset += first;
  v.pose_px += 3 * static_cast<int64_t>(first);
  v.pose_m += 3 * static_cast<int64_t>(first);
  v.velocity += 3 * static_cast<int64_t>(first);
  return v;
}

namespace {

// What a thread needs; too large for a stack.
struct Bench {
  World fresh, world;
  Workspace work;
  Backdrop backdrop;
  int32_t scene = -1;
};

Sink sink_for(const Job& job, int64_t i) {
  Sink sink = {};
  sink.object_stride = static_cast<int64_t>(job.max_objects) * kFeatureSize;
  sink.state_stride = static_cast<int64_t>(job.max_bodies) * kStateSize;
  sink.contact_room = job.contact_room;
  if (job.images) sink.images = job.images + i * job.frames * kImageBytes;
  if (job.objects) sink.objects = job.objects + i * job.frames * sink.object_stride;
  if (job.states) sink.states = job.states + i * job.frames * sink.state_stride;
  if (job.final_state) sink.final_state = job.final_state + i * sink.state_stride;
  if (job.contacts) sink.contacts = job.contacts + i * job.contact_room;
  return sink;
}

Outcome from_scene(const Job& job, int64_t i, const SceneView& scene, Bench& bench, Sink& sink) {
  if (bench.scene != job.scene_index[i]) {
    build_world(scene, bench.fresh);
    if (job.images) draw_backdrop(bench.backdrop, scene, bench.fresh);
    bench.scene = job.scene_index[i];
  }
  sink.backdrop = &bench.backdrop;
  return attempt(bench.fresh, bench.world, bench.work, scene, job.actions + i * 3 * job.ball_count,
                 job.ball_count, job.rules, sink);
}

Outcome from_branch(const Job& job, int64_t i, const SceneView& scene, Bench& bench, Sink& sink) {
  const Branches& branches = *job.branches;
  bench.world = *branches.origin;
  add_missing_bodies(bench.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(bench.world, branches.edits[k]);
  }
  const Balls none = {};
  return run(bench.world, bench.work, scene, none, job.rules, sink, branches.progress);
}

void make_attempt(const Job& job, int64_t i, Bench& bench) {
  const SceneView scene = job.scenes.view(job.scene_index[i]);
  Sink sink = sink_for(job, i);
  const Outcome outcome = job.branches ? from_branch(job, i, scene, bench, sink)
                                       : from_scene(job, i, scene, bench, sink);
  job.status[i] = static_cast<int8_t>(outcome.status);
  job.steps[i] = outcome.steps;
  if (job.frame_count) job.frame_count[i] = sink.frames;
  if (job.contact_count) job.contact_count[i] = sink.contact_count;
}

}  // namespace

void work_on(const Job& job, Control& control) noexcept {
  const std::unique_ptr<Bench> bench(new (std::nothrow) Bench);
  if (!bench) {
    control.failed = true;
    return;
  }
  take_turns(control, job.attempt_count, [&](int64_t i) { make_attempt(job, i, *bench); });
}

}  // namespace topple
