#include "iphyre/vector.h"

#include <cstring>

namespace topple {
namespace iphyre {

// Worlds are large and mostly unused, so their memory is not touched in advance.
Vector::Vector(const Environment& environment, int64_t slots)
    : environment_(environment),
      slots_(slots),
      fresh_(new World[static_cast<size_t>(environment.scenes.scene_count)]),
      plays_(new Play[static_cast<size_t>(slots)]) {
  for (int32_t game = 0; game < environment.scenes.scene_count; ++game) {
    build_world(fresh_[static_cast<size_t>(game)], environment.scenes.view(game),
                environment.scenes.physics, environment.rules.builds);
  }
  float observation[kMaxObservation];
  for (int64_t slot = 0; slot < slots; ++slot) start(slot, 0, observation);
}

void Vector::start(int64_t slot, int32_t game, float* observation) {
  const Environment& e = environment_;
  Play& play = plays_[static_cast<size_t>(slot)];
  iphyre::start(play, fresh_[static_cast<size_t>(game)], game, e.blocks_of(game),
              e.candidates + static_cast<int64_t>(e.candidate_count) * game, e.candidate_count);
  std::memcpy(observation, play.seen, sizeof(float) * static_cast<size_t>(e.observation_size()));
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
  Play& play = plays_[static_cast<size_t>(slot)];
  const SceneView scene = e.scenes.view(play.game);
  const int32_t* blocks = e.blocks_of(play.game);
  const Physics& physics = e.scenes.physics;
  arrays.rewards[slot] =
      arrays.choices
          ? act_on_the_fly(play, scene, physics, e.rules, blocks, arrays.choices[slot])
          : act_by_times(play, scene, physics, e.rules, blocks, arrays.times + kMaxBlocks * slot);
  arrays.terminated[slot] = play.solved;
  arrays.truncated[slot] = !play.solved && is_over(play, e.rules);
  std::memcpy(observation, play.seen, sizeof(float) * static_cast<size_t>(e.observation_size()));
}

}  // namespace iphyre
}  // namespace topple
