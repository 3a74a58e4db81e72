// Jobs of I-PHYRE: many plans, or edited copies of one world, with the arrays their results are
// written to.
#pragma once

#include "iphyre/shared_prefix.h"

namespace topple {
namespace iphyre {

// Scenes as contiguous arrays; see SceneView for the fields.
struct PackedScenes {
  int32_t scene_count;
  const int32_t* body_start;   // [scenes + 1]
  const int32_t* joint_start;  // [scenes + 1]
  SceneView arrays;            // the counts are not used
  Physics physics;

  SceneView view(int32_t scene) const {
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
};

// Episodes that all start as one, each changed by edits of its own.
struct Branches {
  const Episode* origin;
  const int32_t* edit_start;  // [episodes + 1]
  const Edit* edits;
};

struct Job {
  PackedScenes scenes;
  int64_t episode_count;
  const int32_t* scene_index;  // [episodes]
  const int32_t* removals;     // [episodes, removal_width] ticks
  int32_t removal_width;
  const int64_t* builds;  // [episodes]
  const int32_t* limits;  // [episodes] ticks
  Exit out;
  const Branches* branches;  // null: every episode starts from its scene
  const int64_t* order;      // in which to play; null for that of the arrays

  uint8_t* solved;   // [episodes]
  int32_t* ticks;    // [episodes]
  int32_t* removed;  // [episodes]
  // Null for what is not wanted.
  int32_t stride, frames, max_bodies;
  double* states;        // [episodes, frames, max_bodies, 6]
  int32_t* frame_count;  // [episodes]
  double* final_state;   // [episodes, max_bodies, 6]
};

// What a thread needs; too large for a stack.
struct Workspace {
  SharedPrefix prefix;
  Episode episode;
};

inline void start_from_branch(const Job& job, int64_t i, const SceneView& scene, Episode& episode) {
  const Branches& branches = *job.branches;
  copy_world(episode.world, branches.origin->world);
  start_episode(episode);
  episode.tick = branches.origin->tick;
  add_missing_bodies(episode.world, scene);
  for (int32_t k = branches.edit_start[i]; k < branches.edit_start[i + 1]; ++k) {
    apply_edit(episode.world, branches.edits[k]);
  }
}

inline void play_episode(const Job& job, int64_t i, Workspace& workspace) {
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

}  // namespace iphyre
}  // namespace topple
