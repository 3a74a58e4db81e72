#include "iphyre/batch.h"

#include <algorithm>
#include <memory>
#include <new>

#include "iphyre/shared_prefix.h"

namespace topple {
namespace iphyre {

SceneView PackedScenes::view(int32_t scene) const {
  SceneView view = arrays;
  view.body_count = body_start[scene + 1] - body_start[scene];
  view.joint_count = joint_start[scene + 1] - joint_start[scene];
  const auto start_at = [](int64_t row) {
    return [row](const char*, auto*& array, int columns) { array += row * columns; };
  };
  visit_body_arrays(view, start_at(body_start[scene]));
  visit_joint_arrays(view, start_at(joint_start[scene]));
  return view;
}

namespace {

// What a thread needs; too large for a stack.
struct Workspace {
  SharedPrefix prefix;
  Episode episode;
};

void start_from_branch(const Job& job, int64_t i, const SceneView& scene, Episode& episode) {
  const Branches& branches = *job.branches;
  copy_world(episode.world, branches.origin->world);
  start_episode(episode);
  episode.tick = branches.origin->tick;
  add_missing_bodies(episode.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(episode.world, branches.edits[k]);
  }
}

void play_episode(const Job& job, int64_t i, Workspace& workspace) {
  const int32_t index = job.scene_index[i];
  const SceneView scene = job.scenes.view(index);
  const Physics& physics = job.scenes.physics;
  const Removals removals = sort_removals(job.removals + i * job.removal_width, scene.body_count);
  Sink sink = {};
  sink.stride = job.stride;
  sink.frame_size = static_cast<int64_t>(job.max_bodies) * kStateSize;
  if (job.states) sink.states = job.states + i * job.frames * sink.frame_size;
  if (job.final_state) sink.final_state = job.final_state + i * sink.frame_size;
  const Episode* played = &workspace.episode;
  if (job.branches || job.states) {
    Episode& episode = workspace.episode;
    if (job.branches) {
      start_from_branch(job, i, scene, episode);
    } else {
      build_world(episode.world, scene, physics, job.builds[i]);
      start_episode(episode);
    }
    play(episode, scene, physics, job.out, removals, job.limits[i], sink);
  } else {
    played = &workspace.prefix.play(scene, physics, job.out, index, job.builds[i], removals,
                                    job.limits[i]);
    if (sink.final_state) write_state(sink.final_state, played->world);
  }
  job.solved[i] = played->solved;
  job.ticks[i] = played->tick;
  job.removed[i] = played->removed.count;
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
  const std::unique_ptr<Workspace> workspace(new (std::nothrow) Workspace);
  if (!workspace) {
    control.failed = true;
    return;
  }
  take_turns(control, job.episode_count, [&](int64_t turn) {
    play_episode(job, job.order ? job.order[turn] : turn, *workspace);
  });
}

}  // namespace iphyre
}  // namespace topple
