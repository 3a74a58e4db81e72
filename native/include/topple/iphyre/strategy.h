// The three strategies: what an action of an environment does to its episode.
#pragma once

#include "topple/iphyre/episode.h"
#include "topple/iphyre/observe.h"

namespace topple {
namespace iphyre {

enum class Strategy : int32_t { kInAdvance, kOnTheFly, kCombined };

struct EnvironmentRules {
  Strategy strategy;
  Exit out;
  int32_t limit;  // ticks
  int32_t hz;     // ticks in a second
  int64_t builds;
  bool zero_is_never;   // a planned time of 0 means that the block stays
  bool ties_are_lost;   // of blocks planned for one tick, only the first goes
  float seconds;        // what a planned time of 1 stands for
  double time_reward;   // a second
  double block_reward;  // for each removal
  double goal_reward;
  const int32_t* last_tick;  // [limit + 1] where an episode ends that is planned at a tick
};

// One episode of an environment.
struct Play {
  World world;
  float seen[kMaxObservation];
  int32_t game;
  int32_t tick;
  int32_t removed;
  uint8_t used;  // entries of combined actions that have had their turn, as bits
  bool solved;
};

TOPPLE_FN bool is_over(const Play& play, const EnvironmentRules& rules) {
  return play.solved || play.tick >= rules.limit;
}

TOPPLE_FN double reward(const EnvironmentRules& rules, int32_t ticks, int32_t removed,
                        bool solved) {
  const double sum = rules.time_reward * ticks / rules.hz + rules.block_reward * removed;
  return solved ? sum + rules.goal_reward : sum;
}

TOPPLE_FN void start(Play& play, const World& fresh, int32_t game, const int32_t* blocks,
                     const float* candidates, int candidate_count) {
  copy_world(play.world, fresh);
  play.game = game;
  play.tick = play.removed = 0;
  play.used = 0;
  play.solved = false;
  see_all(play.seen, play.world, blocks);
  for (int i = 0; i < candidate_count; ++i) play.seen[kTableSize + i] = candidates[i];
}

namespace detail {

// The tick an entry of an action names, in single precision as in the original: a time next
// to a half tick may fall on either side otherwise.
TOPPLE_FN int32_t tick_of(float entry, const EnvironmentRules& rules) {
  const float ticks = entry * rules.seconds * static_cast<float>(rules.hz);
  constexpr float kRound = 0x1.8p23f;  // adding it rounds to a whole number, halves to even
  return static_cast<int32_t>((ticks + kRound) - kRound);
}

TOPPLE_FN bool remove_block(Play& play, int32_t body) {
  if (body < 0 || !play.world.has(body)) return false;
  remove_body(play.world, body);
  ++play.removed;
  return true;
}

// Plays up to a tick, or until every ball is out.
TOPPLE_FN void run_to(Play& play, const SceneView& scene, const Physics& physics,
                      const EnvironmentRules& rules, int32_t tick) {
  while (play.tick < tick && !play.solved) {
    step(play.world, physics.dt, physics.bias);
    ++play.tick;
    play.solved = all_out(play.world, scene, rules.out);
    if (play.world.steady && !play.solved) play.tick = tick;  // nothing will happen by then
  }
}

// All blocks at their times.
TOPPLE_FN void act_in_advance(Play& play, const SceneView& scene, const Physics& physics,
                              const EnvironmentRules& rules, const int32_t* blocks,
                              const float* action) {
  int32_t ticks[kMaxBodies];
  for (int i = 0; i < scene.body_count; ++i) ticks[i] = kNever;
  int32_t named[kMaxBlocks];
  for (int k = 0; k < kMaxBlocks && blocks[k] >= 0; ++k) {
    named[k] = tick_of(action[k], rules);
    bool stays = (named[k] == 0 && rules.zero_is_never) || named[k] >= rules.limit;
    for (int i = 0; i < k && rules.ties_are_lost; ++i) stays |= named[i] == named[k];
    if (!stays) ticks[blocks[k]] = named[k];
  }
  const Removals removals = sort_removals(ticks, scene.body_count);
  for (int i = 0; i < removals.count; ++i) {
    run_to(play, scene, physics, rules, removals.list[i].tick);
    if (play.solved) return;
    remove_block(play, removals.list[i].body);
  }
  run_to(play, scene, physics, rules, rules.limit);
}

// Up to the next removal, and one tick further. An entry has one turn in an episode; where
// several name one tick, the first stands for all of them, even if it has had its turn.
TOPPLE_FN void act_combined(Play& play, const SceneView& scene, const Physics& physics,
                            const EnvironmentRules& rules, const int32_t* blocks,
                            const float* action) {
  int32_t named[kMaxBlocks];
  for (int k = 0; k < kMaxBlocks; ++k) named[k] = tick_of(action[k], rules);
  const int32_t last = rules.last_tick[play.tick];
  for (int32_t now = play.tick; now < last; ++now) {
    if (now == 0 && rules.zero_is_never) continue;
    for (int k = 0; k < kMaxBlocks; ++k) {
      if (named[k] != now) continue;
      if ((play.used >> k & 1u) == 0) {
        play.used |= static_cast<uint8_t>(1u << k);
        if (blocks[k] >= 0) {
          run_to(play, scene, physics, rules, now);
          if (play.solved) return;
          remove_block(play, blocks[k]);
          run_to(play, scene, physics, rules, now + 1);
          return;
        }
      }
      if (rules.ties_are_lost) break;
    }
  }
  run_to(play, scene, physics, rules, last);
}

}  // namespace detail

// Nothing, or the removal of a block, and one tick; returns the reward.
TOPPLE_FN double act_on_the_fly(Play& play, const SceneView& scene, const Physics& physics,
                                const EnvironmentRules& rules, const int32_t* blocks,
                                int64_t choice) {
  const bool removed = choice > 0 && detail::remove_block(play, blocks[choice - 1]);
  detail::run_to(play, scene, physics, rules, play.tick + 1);
  if (removed) {
    see_all(play.seen, play.world, blocks);
  } else {
    see_motion(play.seen, play.world);
  }
  return reward(rules, 1, removed, play.solved);
}

// Times for all blocks, as fractions of the whole; returns the reward.
TOPPLE_FN double act_by_times(Play& play, const SceneView& scene, const Physics& physics,
                              const EnvironmentRules& rules, const int32_t* blocks,
                              const float* action) {
  const int32_t tick = play.tick;
  const int32_t removed = play.removed;
  if (rules.strategy == Strategy::kInAdvance) {
    detail::act_in_advance(play, scene, physics, rules, blocks, action);
  } else {
    detail::act_combined(play, scene, physics, rules, blocks, action);
  }
  see_all(play.seen, play.world, blocks);
  return reward(rules, play.tick - tick, play.removed - removed, play.solved);
}

}  // namespace iphyre
}  // namespace topple
