#include "munk_batch.h"

#include <memory>
#include <new>

namespace topple {
namespace munk {

SceneView PackedScenes::view(int32_t scene) const {
  const int64_t body = body_start[scene];
  const int64_t joint = joint_start[scene];
  SceneView v = arrays;
  v.body_count = body_start[scene + 1] - body_start[scene];
  v.joint_count = joint_start[scene + 1] - joint_start[scene];
  v.ends += 4 * body;
  v.velocity += 3 * body;
  v.radius += body;
  v.m_inv += body;
  v.i_inv += body;
  v.is_ball += body;
  v.joined += 2 * joint;
  v.is_spring += joint;
  v.spring += 3 * joint;
  return v;
}

namespace {

// What a thread needs; too large for a stack.
struct Bench {
  World fresh, world;
  int32_t scene = -1;
  int64_t builds = 0;
};

int32_t start_from_scene(const Job& job, int64_t i, const SceneView& scene, Bench& bench) {
  if (bench.scene != job.scene_index[i] || bench.builds != job.builds[i]) {
    bench.scene = job.scene_index[i];
    bench.builds = job.builds[i];
    build_world(bench.fresh, scene, job.scenes.physics, bench.builds);
  }
  copy_world(bench.world, bench.fresh);
  return 0;
}

int32_t start_from_branch(const Job& job, int64_t i, const SceneView& scene, Bench& bench) {
  const Branches& branches = *job.branches;
  copy_world(bench.world, *branches.origin);
  add_missing_bodies(bench.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(bench.world, branches.edits[k]);
  }
  return branches.tick;
}

void play_episode(const Job& job, int64_t i, Bench& bench) {
  const SceneView scene = job.scenes.view(job.scene_index[i]);
  const int32_t from = job.branches ? start_from_branch(job, i, scene, bench)
                                    : start_from_scene(job, i, scene, bench);
  const Removals removals = sort_removals(job.removals + i * job.removal_width, scene.body_count);
  Sink sink = {};
  sink.stride = job.stride;
  sink.frame_size = static_cast<int64_t>(job.max_bodies) * kStateSize;
  if (job.states) sink.states = job.states + i * job.frames * sink.frame_size;
  if (job.final_state) sink.final_state = job.final_state + i * sink.frame_size;
  const Outcome outcome =
      play(bench.world, scene, job.scenes.physics, job.out, removals, from, job.limits[i], sink);
  job.solved[i] = outcome.solved;
  job.ticks[i] = outcome.ticks;
  job.removed[i] = outcome.removed;
  if (job.frame_count) job.frame_count[i] = sink.frames;
}

}  // namespace

void work_on(const Job& job, Control& control) noexcept {
  const std::unique_ptr<Bench> bench(new (std::nothrow) Bench);
  if (!bench) {
    control.failed = true;
    return;
  }
  take_turns(control, job.episode_count, [&](int64_t i) { play_episode(job, i, *bench); });
}

}  // namespace munk
}  // namespace topple
