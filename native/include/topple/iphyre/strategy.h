// The three strategies: what an action of an environment does to its episode.
#pragma once

#include "topple/iphyre/episode.h"
#include "topple/iphyre/observe.h"

namespace topple {
namespace iphyre {

enum class Strategy : int32_t { kInAdvance, kOnTheFly, kCombined };

struct Rules {
  Exit out;
  int32_t hz;           // ticks in a second
  int32_t seconds;      // an episode's length, and what a planned time of 1 stands for
  bool zero_is_never;   // a planned time of 0 means that the block stays
  bool ties_are_lost;   // of blocks planned for one tick, only the first goes
  bool extra_tick;      // see last_tick
  double time_reward;   // a second
  double block_reward;  // for each removal
  double goal_reward;

  TOPPLE_FN int32_t limit() const { return seconds * hz; }
};

TOPPLE_FN bool is_over(const Episode& episode, const Rules& rules) {
  return episode.solved || episode.tick >= rules.limit();
}

TOPPLE_FN double reward(const Rules& rules, int32_t ticks, int32_t removed, bool solved) {
  const double sum = rules.time_reward * ticks / rules.hz + rules.block_reward * removed;
  return solved ? sum + rules.goal_reward : sum;
}

// Where an episode ends that is planned anew at a tick. The original lays out the rest of the
// clock as floats from tick / hz up to the end in steps of 1 / hz; at some ticks the rounding of
// that count adds one.
TOPPLE_FN int32_t last_tick(int32_t tick, const Rules& rules) {
  if (!rules.extra_tick) return rules.limit();
  const double hz = rules.hz;
  const double count = (rules.seconds - tick / hz) / (1 / hz);
  const int32_t whole = static_cast<int32_t>(count);
  return tick + whole + (count > whole);
}

// The tick an entry of an action names, in single precision as in the original: a time next
// to a half tick may fall on either side otherwise.
TOPPLE_FN int32_t tick_of(float entry, const Rules& rules) {
  const float ticks = entry * static_cast<float>(rules.seconds) * static_cast<float>(rules.hz);
  constexpr float kRound = 0x1.8p23f;  // adding it rounds to a whole number, halves to even
  return static_cast<int32_t>((ticks + kRound) - kRound);
}

// When blocks go whose times are all fixed before the first tick.
// blocks: [6] bodies, then -1. ticks: [bodies] written; kNever for a body that stays.
TOPPLE_FN void plan_in_advance(int32_t* ticks, int bodies, const Rules& rules,
                               const int32_t* blocks, const float* action) {
  for (int i = 0; i < bodies; ++i) ticks[i] = kNever;
  int32_t named[kMaxBlocks];
  for (int k = 0; k < kMaxBlocks && blocks[k] >= 0; ++k) {
    named[k] = tick_of(action[k], rules);
    bool stays = (named[k] == 0 && rules.zero_is_never) || named[k] >= rules.limit();
    for (int i = 0; i < k && rules.ties_are_lost; ++i) stays |= named[i] == named[k];
    if (!stays) ticks[blocks[k]] = named[k];
  }
}

// All blocks at their times, to the end.
TOPPLE_FN void act_in_advance(Episode& episode, const SceneView& scene, const Physics& physics,
                              const Rules& rules, const int32_t* blocks, const float* action) {
  int32_t ticks[kMaxBodies];
  plan_in_advance(ticks, scene.body_count, rules, blocks, action);
  Sink sink = {};
  sink.stride = 1;
  play(episode, scene, physics, rules.out, sort_removals(ticks, scene.body_count), rules.limit(),
       sink);
}

// Up to the next removal, and one tick further. An entry has one turn in an episode; where
// several name one tick, the first stands for all of them, even if it has had its turn.
TOPPLE_FN void act_combined(Episode& episode, const SceneView& scene, const Physics& physics,
                            const Rules& rules, const int32_t* blocks, const float* action) {
  int32_t named[kMaxBlocks];
  for (int k = 0; k < kMaxBlocks; ++k) named[k] = tick_of(action[k], rules);
  const int32_t last = last_tick(episode.tick, rules);
  for (int32_t now = episode.tick; now < last; ++now) {
    if (now == 0 && rules.zero_is_never) continue;
    for (int k = 0; k < kMaxBlocks; ++k) {
      if (named[k] != now) continue;
      if ((episode.used >> k & 1u) == 0) {
        episode.used |= static_cast<uint8_t>(1u << k);
        if (blocks[k] >= 0) {
          advance(episode, scene, physics, &rules.out, now);
          if (episode.solved) return;
          remove_now(episode, blocks[k]);
          advance(episode, scene, physics, &rules.out, now + 1);
          return;
        }
      }
      if (rules.ties_are_lost) break;
    }
  }
  advance(episode, scene, physics, &rules.out, last);
}

// Nothing, or the removal of a block, and one tick.
TOPPLE_FN void act_on_the_fly(Episode& episode, const SceneView& scene, const Physics& physics,
                              const Rules& rules, const int32_t* blocks, int64_t choice) {
  const int32_t body = choice > 0 ? blocks[choice - 1] : -1;
  if (body >= 0) remove_now(episode, body);
  advance(episode, scene, physics, &rules.out, episode.tick + 1);
}

// One action of a strategy: a choice on the fly, otherwise times for all blocks as fractions of
// the whole.
struct Action {
  int64_t choice;
  const float* times;  // [6]
};

// Whether an action is within its space.
TOPPLE_FN bool is_valid(const Action& action, Strategy strategy) {
  if (strategy == Strategy::kOnTheFly) return action.choice >= 0 && action.choice <= kMaxBlocks;
  for (int k = 0; k < kMaxBlocks; ++k) {
    if (!(action.times[k] >= 0.0f && action.times[k] <= 1.0f)) return false;
  }
  return true;
}

// Carries out a valid action in an episode that is not over.
TOPPLE_FN void act(Episode& episode, const SceneView& scene, const Physics& physics,
                   const Rules& rules, const int32_t* blocks, Strategy strategy,
                   const Action& action) {
  switch (strategy) {
    case Strategy::kInAdvance:
      act_in_advance(episode, scene, physics, rules, blocks, action.times);
      break;
    case Strategy::kOnTheFly:
      act_on_the_fly(episode, scene, physics, rules, blocks, action.choice);
      break;
    case Strategy::kCombined:
      act_combined(episode, scene, physics, rules, blocks, action.times);
  }
}

}  // namespace iphyre
}  // namespace topple
