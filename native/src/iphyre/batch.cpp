#include "iphyre/batch.h"

#include <algorithm>
#include <memory>
#include <new>

#include "iphyre/branch_point.h"

namespace topple {
namespace iphyre {

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
  Stem stem;
  World world;
};

int32_t start_from_branch(const Job& job, int64_t i, const SceneView& scene, World& world) {
  const Branches& branches = *job.branches;
  copy_world(world, *branches.origin);
  add_missing_bodies(world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(world, branches.edits[k]);
  }
  return branches.tick;
}

void play_episode(const Job& job, int64_t i, Bench& bench) {
  const int32_t index = job.scene_index[i];
  const SceneView scene = job.scenes.view(index);
  const Physics& physics = job.scenes.physics;
  const Removals removals = sort_removals(job.removals + i * job.removal_width, scene.body_count);
  Sink sink = {};
  sink.stride = job.stride;
  sink.frame_size = static_cast<int64_t>(job.max_bodies) * kStateSize;
  if (job.states) sink.states = job.states + i * job.frames * sink.frame_size;
  if (job.final_state) sink.final_state = job.final_state + i * sink.frame_size;
  Outcome outcome;
  if (job.branches || job.states) {
    World& world = bench.world;
    int32_t from = 0;
    if (job.branches) {
      from = start_from_branch(job, i, scene, world);
    } else {
      build_world(world, scene, physics, job.builds[i]);
    }
    outcome = play(world, scene, physics, job.out, removals, from, job.limits[i], sink);
  } else {
    outcome =
        bench.stem.play(scene, physics, job.out, index, job.builds[i], removals, job.limits[i]);
    if (sink.final_state) write_state(sink.final_state, bench.stem.world());
  }
  job.solved[i] = outcome.solved;
  job.ticks[i] = outcome.ticks;
  job.removed[i] = outcome.removed;
  if (job.frame_count) job.frame_count[i] = sink.frames;
}

}  // namespace

std::vector<int64_t> sharing_order(const Job& job) {
  const size_t count = static_cast<size_t>(job.episode_count);
  std::vector<Removals> sorted(count);
  size_t width = 1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t n = static_cast<int64_t>(i);
    const int bodies = job.scenes.view(job.scene_index[n]).body_count;
    sorted[i] = sort_removals(job.removals + n * job.removal_width, bodies);
    width = std::max(width, static_cast<size_t>(sorted[i].count));
  }
  // The keys of all removals, filled up with the end.
  std::vector<int64_t> keys(count * width);
  for (size_t i = 0; i < count; ++i) {
    const int64_t end = removal_key(job.limits[i], 0);
    for (size_t k = 0; k < width; ++k) {
      const bool some = k < static_cast<size_t>(sorted[i].count);
      const int64_t key = some ? removal_key(sorted[i].list[k].tick, sorted[i].list[k].body) : end;
      keys[i * width + k] = std::min(key, end);
    }
  }
  std::vector<int64_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (job.scene_index[a] != job.scene_index[b]) return job.scene_index[a] < job.scene_index[b];
    if (job.builds[a] != job.builds[b]) return job.builds[a] < job.builds[b];
    const auto at = [&](int64_t i) { return keys.begin() + i * static_cast<int64_t>(width); };
    const auto end = static_cast<int64_t>(width);
    const auto [left, right] = std::mismatch(at(a), at(a) + end, at(b));
    return left == at(a) + end ? a < b : *left < *right;
  });
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

}  // namespace iphyre
}  // namespace topple
