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
  EnvironmentRules rules;
  const int32_t* blocks;    // [games, 6] removable bodies, then -1
  const float* candidates;  // [games, candidate_count]
  int32_t candidate_count;

  int observation_size() const { return kTableSize + candidate_count; }
  const int32_t* blocks_of(int32_t game) const {
    return blocks + static_cast<int64_t>(kMaxBlocks) * game;
  }
};

// One entry per episode; observations have rows of their own size.
struct StepArrays {
  const int64_t* choices;  // on the fly; otherwise null
  const float* times;      // [6] otherwise
  const int32_t* restart;  // the game to start in place of an action, or -1
  float* observations;
  double* rewards;
  bool* terminated;
  bool* truncated;
};

class Vector {
 public:
  Vector(const Environment& environment, int64_t slots);

  int64_t slots() const { return slots_; }
  const Environment& environment() const { return environment_; }
  const Play& play(int64_t slot) const { return plays_[static_cast<size_t>(slot)]; }

  void start(int64_t slot, int32_t game, float* observation);
  void step(int64_t slot, const StepArrays& arrays);

 private:
  Environment environment_;
  int64_t slots_;
  std::unique_ptr<World[]> fresh_;  // one for each game
  std::unique_ptr<Play[]> plays_;
};

}  // namespace iphyre
}  // namespace topple
