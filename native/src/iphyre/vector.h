// Many episodes of environments beside each other, stepped into caller-owned arrays.
#pragma once

#include <memory>

#include "iphyre/batch.h"
#include "topple/iphyre/strategy.h"

namespace topple {
namespace iphyre {

// What the environments of a vector have in common.
struct Environment {
  PackedScenes scenes;
  Rules rules;
  Strategy strategy;
  int64_t builds;         // how often the scenes were built in their spaces
  const int32_t* blocks;  // [games, 6] removable bodies, then -1

  int observation_size() const {
    return kTableSize + 2 * (kMaxBlocks + (strategy == Strategy::kOnTheFly));
  }
  const int32_t* blocks_of(int32_t game) const {
    return blocks + static_cast<int64_t>(kMaxBlocks) * game;
  }
};

// One entry per slot; observations have rows of their own size.
struct StepArrays {
  const int64_t* choices;  // on the fly; otherwise null
  const float* times;      // [6] otherwise
  const int32_t* restart;  // the game to start in place of an action, or -1
  float* observations;
  double* rewards;
  bool* terminated;
  bool* truncated;

  Action action(int64_t slot) const {
    return {choices ? choices[slot] : 0, times ? times + kMaxBlocks * slot : nullptr};
  }
};

// The episode of a slot, with what was seen of it last.
struct Slot {
  Episode episode;
  int32_t game;
  float seen[kMaxObservation];
};

class Vector {
 public:
  Vector(const Environment& environment, int64_t slots);

  int64_t slots() const { return slot_count_; }
  const Environment& environment() const { return environment_; }
  const Slot& slot(int64_t slot) const { return slots_[static_cast<size_t>(slot)]; }

  void start(int64_t slot, int32_t game, float* observation);
  void step(int64_t slot, const StepArrays& arrays);

  // Brings a slot to where an episode of a game stood, by playing its removals again.
  void restore(int64_t slot, int32_t game, const Removals& removals, int32_t tick, bool solved,
               uint8_t used);

 private:
  Environment environment_;
  int64_t slot_count_;
  std::unique_ptr<World[]> fresh_;  // one for each game
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace iphyre
}  // namespace topple
