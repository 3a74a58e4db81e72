#include "iphyre/vector.h"

#include <cstring>

namespace topple {
namespace iphyre {

// Worlds are large and mostly unused, so their memory is not touched in advance.
Vector::Vector(const Environment& environment, int64_t slots)
    : environment_(environment),
      slot_count_(slots),
      fresh_(new World[static_cast<size_t>(environment.scenes.scene_count)]),
      slots_(new Slot[static_cast<size_t>(slots)]) {
  for (int32_t game = 0; game < environment.scenes.scene_count; ++game) {
    build_world(fresh_[static_cast<size_t>(game)], environment.scenes.view(game),
                environment.scenes.physics, environment.builds);
  }
  float observation[kMaxObservation];
  for (int64_t slot = 0; slot < slots; ++slot) start(slot, 0, observation);
}

void Vector::start(int64_t slot, int32_t game, float* observation) {
  const Environment& e = environment_;
  Slot& s = slots_[static_cast<size_t>(slot)];
  copy_world(s.episode.world, fresh_[static_cast<size_t>(game)]);
  start_episode(s.episode);
  s.game = game;
  see_all(s.seen, s.episode.world, e.blocks_of(game));
  see_candidates(s.seen + kTableSize, e.scenes.view(game), e.blocks_of(game),
                 e.strategy == Strategy::kOnTheFly);
  std::memcpy(observation, s.seen, sizeof(float) * static_cast<size_t>(e.observation_size()));
}

void Vector::step(int64_t slot, const StepArrays& arrays) {
  const Environment& e = environment_;
  float* observation = arrays.observations + slot * e.observation_size();
  arrays.rewards[slot] = 0.0;
  arrays.terminated[slot] = arrays.truncated[slot] = false;
  if (arrays.restart[slot] >= 0) {
    start(slot, arrays.restart[slot], observation);
    return;
  }
  Slot& s = slots_[static_cast<size_t>(slot)];
  Episode& episode = s.episode;
  const int32_t* blocks = e.blocks_of(s.game);
  const int32_t tick = episode.tick;
  const int removed = episode.removed.count;
  act(episode, e.scenes.view(s.game), e.scenes.physics, e.rules, blocks, e.strategy,
      arrays.action(slot));
  const int gone = episode.removed.count - removed;
  if (gone > 0) {
    see_all(s.seen, episode.world, blocks);
  } else {
    see_motion(s.seen, episode.world);
  }
  arrays.rewards[slot] = reward(e.rules, episode.tick - tick, gone, episode.solved);
  arrays.terminated[slot] = episode.solved;
  arrays.truncated[slot] = !episode.solved && is_over(episode, e.rules);
  std::memcpy(observation, s.seen, sizeof(float) * static_cast<size_t>(e.observation_size()));
}

void Vector::restore(int64_t slot, int32_t game, const Removals& removals, int32_t tick,
                     bool solved, uint8_t used) {
  const Environment& e = environment_;
  const SceneView scene = e.scenes.view(game);
  float observation[kMaxObservation];
  start(slot, game, observation);
  Slot& s = slots_[static_cast<size_t>(slot)];
  for (int i = 0; i < removals.count; ++i) {
    advance(s.episode, scene, e.scenes.physics, nullptr, removals.list[i].tick);
    remove_now(s.episode, removals.list[i].body);
  }
  advance(s.episode, scene, e.scenes.physics, nullptr, tick);
  s.episode.solved = solved;
  s.episode.used = used;
  see_all(s.seen, s.episode.world, e.blocks_of(game));
}

}  // namespace iphyre
}  // namespace topple
