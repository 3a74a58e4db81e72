#include "munk_batch.h"

#include <algorithm>
#include <memory>
#include <new>
#include <tuple>

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

// What a thread needs; too large for a stack. Plans for one scene are alike up to their first
// removals, so that part is played once, on the trunk, by rising tick.
struct Bench {
  World trunk, world;
  int32_t scene = -1;
  int64_t builds = 0;
  int32_t tick = 0;
  bool solved = false;
};

// The tick at which an episode leaves the trunk.
int32_t first_change(const Job& job, int64_t i) {
  int32_t first = job.limits[i];
  const int32_t* ticks = job.removals + i * job.removal_width;
  for (int32_t body = 0; body < job.removal_width; ++body) {
    if (ticks[body] >= 0) first = std::min(first, ticks[body]);
  }
  return first;
}

void grow_trunk(const Job& job, int64_t i, const SceneView& scene, int32_t until, Bench& bench) {
  const Physics& physics = job.scenes.physics;
  if (bench.scene != job.scene_index[i] || bench.builds != job.builds[i] || bench.tick > until) {
    bench.scene = job.scene_index[i];
    bench.builds = job.builds[i];
    bench.tick = 0;
    bench.solved = false;
    build_world(bench.trunk, scene, physics, bench.builds);
  }
  while (bench.tick < until && !bench.solved) {
    step(bench.trunk, physics.dt, physics.bias);
    ++bench.tick;
    bench.solved = all_out(bench.trunk, scene, job.out);
    if (bench.trunk.steady && !bench.solved) bench.tick = until;
  }
}

int32_t start_from_scene(const Job& job, int64_t i, const SceneView& scene, Bench& bench) {
  // Whoever looks at every tick gets every tick.
  grow_trunk(job, i, scene, job.states ? 0 : first_change(job, i), bench);
  copy_world(bench.world, bench.trunk);
  return bench.tick;
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
  const bool over = !job.branches && bench.solved;
  const Outcome outcome = play(bench.world, scene, job.scenes.physics, job.out, removals, from,
                               over ? from : job.limits[i], sink);
  job.solved[i] = outcome.solved || over;
  job.ticks[i] = outcome.ticks;
  job.removed[i] = outcome.removed;
  if (job.frame_count) job.frame_count[i] = sink.frames;
}

}  // namespace

std::vector<int64_t> trunk_order(const Job& job) {
  std::vector<int32_t> first(static_cast<size_t>(job.episode_count));
  std::vector<int64_t> order(first.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = static_cast<int64_t>(i);
    first[i] = first_change(job, order[i]);
  }
  const auto key = [&](int64_t i) {
    return std::make_tuple(job.scene_index[i], job.builds[i], first[static_cast<size_t>(i)], i);
  };
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
  return order;
}

void work_on(const Job& job, Control& control) noexcept {
  const std::unique_ptr<Bench> bench(new (std::nothrow) Bench);
  if (!bench) {
    control.failed = true;
    return;
  }
  take_turns(control, job.episode_count,
             [&](int64_t turn) { play_episode(job, job.order ? job.order[turn] : turn, *bench); });
}

}  // namespace munk
}  // namespace topple
