// The Python face of the I-PHYRE engine: arrays in, arrays out.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>

#include "iphyre/vector.h"
#include "iphyre_episode.h"
#include "thread_pool.h"

namespace topple {
namespace iphyre {
namespace {

Branches branches_from(const EpisodeHandle& origin, const Scenes& scenes, const Int32s& scene_index,
                       const Int32s& edit_start, const Edits& edits) {
  const size_t n = scene_index.shape(0);
  require(edit_start.shape(0) == n + 1, "edit_start: wrong length");
  check_offsets(edit_start, edits.shape(0));
  const Edit* list = reinterpret_cast<const Edit*>(edits.data());
  for (size_t i = 0; i < n; ++i) {
    const int bodies = scenes.view(scene_index(i)).body_count;
    require(bodies >= origin.episode().world.body_count, "a branch cannot have fewer bodies");
    for (int32_t k = edit_start(i); k < edit_start(i + 1); ++k) check_edit(list[k], bodies);
  }
  return {&origin.episode(), edit_start.data(), list};
}

void simulate(const Scenes& scenes, Int32s scene_index, In<int32_t, nb::ndim<2>> removals,
              In<int64_t, nb::ndim<1>> builds, Int32s limits, const Exit& out, int32_t threads,
              Out<uint8_t, nb::ndim<1>> solved, Out<int32_t, nb::ndim<1>> ticks,
              Out<int32_t, nb::ndim<1>> removed, int32_t stride,
              Maybe<Out<double, nb::shape<-1, -1, -1, kStateSize>>> states,
              Maybe<Out<int32_t, nb::ndim<1>>> frame_count,
              Maybe<Out<double, nb::shape<-1, -1, kStateSize>>> final_state,
              Maybe<Out<int64_t, nb::ndim<1>>> progress, const EpisodeHandle* origin,
              Maybe<Int32s> edit_start, Maybe<Edits> edits) {
  const size_t n = scene_index.shape(0);
  const auto fits = [n](const auto& array) { return array.shape(0) == n; };
  require(fits(removals) && fits(builds) && fits(limits) && fits(solved) && fits(ticks) &&
              fits(removed),
          "all arrays must have a place per episode");
  require(threads >= 1 && stride >= 1, "a count is out of range");
  size_t bodies = 0;
  int64_t steps = 0;
  int32_t limit = 0;
  for (size_t i = 0; i < n; ++i) {
    bodies = std::max(bodies, static_cast<size_t>(scenes.view(scene_index(i)).body_count));
    require(builds(i) >= 1, "a scene is built at least once");
    require(limits(i) >= 0, "a limit is negative");
    limit = std::max(limit, limits(i));
    steps += limits(i);
  }
  require(removals.shape(1) >= bodies, "removals: too few bodies");
  const size_t frames = static_cast<size_t>(limit / stride) + 2;
  require(!states || (fits(*states) && frame_count && fits(*frame_count) &&
                      states->shape(1) >= frames && states->shape(2) >= bodies),
          "states: wrong shape");
  require(!final_state || (fits(*final_state) && final_state->shape(1) >= bodies),
          "final_state: wrong shape");
  require(!states || !final_state || states->shape(2) == final_state->shape(1),
          "states and final_state differ in bodies");
  require(!progress || progress->shape(0) == 1, "progress: wrong shape");

  Job job = {};
  job.scenes = scenes.packed();
  job.episode_count = static_cast<int64_t>(n);
  job.scene_index = scene_index.data();
  job.removals = removals.data();
  job.removal_width = static_cast<int32_t>(removals.shape(1));
  job.builds = builds.data();
  job.out = out;
  job.limits = limits.data();
  job.solved = solved.data();
  job.ticks = ticks.data();
  job.removed = removed.data();
  job.stride = stride;
  job.frames = states ? static_cast<int32_t>(states->shape(1)) : 0;
  job.max_bodies = static_cast<int32_t>(states        ? states->shape(2)
                                        : final_state ? final_state->shape(1)
                                                      : 0);
  job.states = data_or_null(states);
  job.frame_count = data_or_null(frame_count);
  job.final_state = data_or_null(final_state);
  Branches branches = {};
  // Other threads may step the origin as soon as the lock is released.
  std::unique_ptr<const EpisodeHandle> start;
  if (origin) {
    require(edit_start && edits, "branches take edits");
    start.reset(new EpisodeHandle(*origin));
    branches = branches_from(*start, scenes, scene_index, *edit_start, *edits);
    job.branches = &branches;
  }
  std::vector<int64_t> order;
  if (!origin && !states) {
    order = sharing_order(job);
    job.order = order.data();
  }
  Control control;
  constexpr int64_t kBrief = 100000;  // steps that are over before anybody can interrupt
  run_threads(threads, steps <= kBrief, control, data_or_null(progress),
              [&] { work_on(job, control); });
}

// Episodes of environments beside each other. While one thread steps them, others are refused.
class VectorHandle {
 public:
  VectorHandle(const Scenes& scenes, int64_t builds, const Rules& rules, Strategy strategy,
               In<int32_t, nb::shape<-1, kMaxBlocks>> blocks, int64_t slots)
      : blocks_(blocks.data(), blocks.data() + blocks.size()) {
    const size_t games = static_cast<size_t>(scenes.count());
    require(games > 0 && slots > 0 && builds > 0, "a count is out of range");
    require(blocks.shape(0) == games, "blocks must have a row per game");
    for (size_t game = 0; game < games; ++game) {
      const int bodies = scenes.view(static_cast<int32_t>(game)).body_count;
      require(bodies <= kTableRows, "a game has more bodies than the table has rows");
      check_blocks(blocks_.data() + game * kMaxBlocks, bodies);
    }
    vector_.reset(new Vector({scenes.packed(), rules, strategy, builds, blocks_.data()}, slots));
  }

  using Observations = Out<float, nb::ndim<2>>;

  void start(In<int64_t, nb::ndim<1>> slots, Int32s games, Observations observations) {
    require_idle();
    require_observations(observations);
    require(games.shape(0) == slots.shape(0), "as many games as slots are needed");
    for (size_t i = 0; i < slots.shape(0); ++i) {
      require(slots(i) >= 0 && slots(i) < vector_->slots(), "there is no such slot");
      require(games(i) >= 0 && games(i) < vector_->environment().scenes.scene_count,
              "there is no such game");
      vector_->start(slots(i), games(i),
                     observations.data() + static_cast<size_t>(slots(i)) * observations.shape(1));
    }
  }

  // Returns 0, or before anything has happened: slot + 1 for a bad action, -(slot + 1) for an
  // episode that is over.
  int64_t step(Maybe<In<int64_t, nb::ndim<1>>> choices,
               Maybe<In<float, nb::shape<-1, kMaxBlocks>>> times, Int32s restart,
               Observations observations, Out<double, nb::ndim<1>> rewards,
               Out<bool, nb::ndim<1>> terminated, Out<bool, nb::ndim<1>> truncated,
               int32_t threads) {
    const Busy busy(busy_);
    const int64_t slots = vector_->slots();
    const size_t n = static_cast<size_t>(slots);
    const Environment& environment = vector_->environment();
    const bool on_the_fly = environment.strategy == Strategy::kOnTheFly;
    require_observations(observations);
    require(on_the_fly ? choices && choices->shape(0) == n : times && times->shape(0) == n,
            "an action is needed per slot");
    require(restart.shape(0) == n && rewards.shape(0) == n && terminated.shape(0) == n &&
                truncated.shape(0) == n,
            "all arrays must have a place per slot");
    const StepArrays arrays = {on_the_fly ? choices->data() : nullptr,
                               on_the_fly ? nullptr : times->data(),
                               restart.data(),
                               observations.data(),
                               rewards.data(),
                               terminated.data(),
                               truncated.data()};
    for (int64_t slot = 0; slot < slots; ++slot) {
      require(arrays.restart[slot] < environment.scenes.scene_count, "there is no such game");
      if (arrays.restart[slot] >= 0) continue;
      if (is_over(vector_->slot(slot).episode, environment.rules)) return -(slot + 1);
      if (!is_valid(arrays.action(slot), environment.strategy)) return slot + 1;
    }
    const int64_t steps = on_the_fly ? slots : slots * environment.rules.limit();
    constexpr int64_t kWorthThreads = 4096;  // steps that take longer than to start a thread
    constexpr int64_t kBrief = 100000;
    if (steps < kWorthThreads) threads = 1;
    Control control;
    run_threads(static_cast<int>(std::min<int64_t>(threads, slots)), steps <= kBrief, control,
                nullptr,
                [&] { take_turns(control, slots, [&](int64_t i) { vector_->step(i, arrays); }); });
    return 0;
  }

  // [slots, 4] game, tick, blocks removed, whether it is solved.
  void status(Out<int32_t, nb::shape<-1, 4>> rows) const {
    require_idle();
    require(rows.shape(0) == static_cast<size_t>(vector_->slots()), "status: wrong shape");
    int32_t* row = rows.data();
    for (int64_t i = 0; i < vector_->slots(); ++i, row += 4) {
      const Slot& slot = vector_->slot(i);
      row[0] = slot.game;
      row[1] = slot.episode.tick;
      row[2] = slot.episode.removed.count;
      row[3] = slot.episode.solved;
    }
  }

  // Game, tick, blocks removed and whether it is solved, of one slot.
  nb::tuple slot(int64_t number) const {
    const Slot& slot = checked_slot(number);
    const Episode& episode = slot.episode;
    return nb::make_tuple(slot.game, episode.tick, episode.removed.count, episode.solved);
  }

  // What `restore` takes: game, tick, whether it is solved, entries of combined actions that have
  // had their turn, and the removals, as (tick, body) in order.
  nb::tuple snapshot(int64_t number) const {
    const Slot& slot = checked_slot(number);
    const Episode& episode = slot.episode;
    return nb::make_tuple(slot.game, episode.tick, episode.solved, episode.used,
                          removal_list(episode.removed));
  }

  void restore(int64_t number, int32_t game, int32_t tick, bool solved, uint8_t used,
               const std::vector<std::pair<int32_t, int32_t>>& removals) {
    checked_slot(number);
    const Environment& environment = vector_->environment();
    require(game >= 0 && game < environment.scenes.scene_count, "there is no such game");
    // The combined strategy may play a tick beyond the limit.
    require(tick >= 0 && tick <= environment.rules.limit() + 1, "there is no such tick");
    require(removals.size() <= static_cast<size_t>(kMaxBodies), "there are too many removals");
    Removals list = {};
    int32_t earliest = 0;
    for (const auto& [when, body] : removals) {
      require(when >= earliest && when <= tick, "removals are out of order");
      require(body >= 0 && body < environment.scenes.view(game).body_count,
              "a removal names no body");
      list.list[list.count++] = {when, body};
      earliest = when;
    }
    vector_->restore(number, game, list, tick, solved, used);
  }

  // A copy of the episode of a slot.
  EpisodeHandle* episode(int64_t number) const {
    const Slot& slot = checked_slot(number);
    const PackedScenes& scenes = vector_->environment().scenes;
    return new EpisodeHandle(scenes.view(slot.game), scenes.physics, slot.episode);
  }

 private:
  [[noreturn]] static void refuse() {
    throw std::runtime_error("another thread steps this vector; use it in one thread at a time");
  }

  // Marks the vector while it is stepped without the lock of the interpreter.
  class Busy {
   public:
    explicit Busy(std::atomic<bool>& busy) : busy_(busy) {
      if (busy_.exchange(true)) refuse();
    }
    ~Busy() { busy_ = false; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

  void require_idle() const {
    if (busy_) refuse();
  }

  void require_observations(const Observations& observations) const {
    require(
        observations.shape(0) == static_cast<size_t>(vector_->slots()) &&
            observations.shape(1) == static_cast<size_t>(vector_->environment().observation_size()),
        "observations: wrong shape");
  }

  const Slot& checked_slot(int64_t number) const {
    require_idle();
    require(number >= 0 && number < vector_->slots(), "there is no such slot");
    return vector_->slot(number);
  }

  std::vector<int32_t> blocks_;  // [games, 6]
  std::unique_ptr<Vector> vector_;
  std::atomic<bool> busy_{false};
};

// [6] the ticks that the entries of an action name.
nb::list action_ticks(const Rules& rules, Times action) {
  nb::list ticks;
  for (size_t k = 0; k < kMaxBlocks; ++k) ticks.append(tick_of(action(k), rules));
  return ticks;
}

// The removals, as (tick, body) in order, that an action means when all times are fixed in
// advance.
nb::list planned_removals(const Rules& rules, Blocks blocks, Times action) {
  check_blocks(blocks.data(), kMaxBodies);
  int32_t ticks[kMaxBodies];
  plan_in_advance(ticks, kMaxBodies, rules, blocks.data(), action.data());
  return removal_list(sort_removals(ticks, kMaxBodies));
}

}  // namespace
}  // namespace iphyre

void bind_iphyre(nb::module_& m) {
  using namespace iphyre;
  using namespace nb::literals;
  m.attr("MAX_BODIES") = kMaxBodies;
  m.attr("MAX_JOINTS") = kMaxJoints;
  m.attr("MAX_BLOCKS") = kMaxBlocks;
  m.attr("TABLE_ROWS") = kTableRows;
  m.attr("TABLE_COLUMNS") = kTableColumns;
  m.attr("NEVER") = kNever;
  nb::enum_<EditKind>(m, "EditKind", nb::is_arithmetic())
      .value("REMOVE", EditKind::kRemove)
      .value("MOVE", EditKind::kMove)
      .value("SET_VELOCITY", EditKind::kSetVelocity)
      .value("IMPULSE", EditKind::kImpulse);
  nb::enum_<Strategy>(m, "Strategy")
      .value("IN_ADVANCE", Strategy::kInAdvance)
      .value("ON_THE_FLY", Strategy::kOnTheFly)
      .value("COMBINED", Strategy::kCombined);
  nb::class_<Exit>(m, "Exit").def(
      "__init__",
      [](Exit* self, double y, double low, double high) { new (self) Exit{y, low, high}; },
      nb::kw_only(), "y"_a, "low"_a, "high"_a);
  nb::class_<Rules>(m, "Rules")
      .def(
          "__init__",
          [](Rules* self, const Exit& out, int32_t hz, int32_t seconds, bool zero_is_never,
             bool ties_are_lost, bool extra_tick, double time_reward, double block_reward,
             double goal_reward) {
            require(hz > 0 && seconds > 0 && int64_t{hz} * seconds < (1 << 22),
                    "an episode has too many ticks, or none");
            new (self) Rules{out,        hz,          seconds,      zero_is_never, ties_are_lost,
                             extra_tick, time_reward, block_reward, goal_reward};
          },
          nb::kw_only(), "out"_a, "hz"_a, "seconds"_a, "zero_is_never"_a, "ties_are_lost"_a,
          "extra_tick"_a, "time_reward"_a, "block_reward"_a, "goal_reward"_a)
      .def(
          "last_tick", [](const Rules& self, int32_t tick) { return last_tick(tick, self); },
          "tick"_a)
      .def("action_ticks", &action_ticks, "action"_a)
      .def("planned_removals", &planned_removals, "blocks"_a, "action"_a);
  nb::class_<Scenes>(m, "Scenes")
      .def(nb::init<const nb::dict&, double, double, double, double, double>(), "arrays"_a,
           nb::kw_only(), "gravity"_a, "bounce"_a, "friction"_a, "dt"_a, "bias"_a)
      .def("__len__", &Scenes::count);
  nb::class_<EpisodeHandle>(m, "Episode")
      .def(nb::init<const Scenes&, int32_t, int64_t>(), "scenes"_a, "scene"_a, "builds"_a,
           nb::keep_alive<1, 2>())
      .def(
          "copy", [](const EpisodeHandle& self) { return new EpisodeHandle(self); },
          nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def("reset", &EpisodeHandle::reset, "builds"_a)
      .def_prop_ro("tick", &EpisodeHandle::tick)
      .def_prop_rw("solved", &EpisodeHandle::solved, &EpisodeHandle::set_solved)
      .def_prop_ro("removed", &EpisodeHandle::removed)
      .def("removals", &EpisodeHandle::removals)
      .def("step", &EpisodeHandle::step, "count"_a)
      .def("run", &EpisodeHandle::run, "count"_a, "out"_a)
      .def("is_out", &EpisodeHandle::is_out, "out"_a)
      .def("remove", &EpisodeHandle::remove, "body"_a)
      .def("act", &EpisodeHandle::act, "strategy"_a, "rules"_a, "blocks"_a, nb::kw_only(),
           "choice"_a = 0, "times"_a = nb::none())
      .def("observe", &EpisodeHandle::observe, "strategy"_a, "blocks"_a)
      .def("edit", &EpisodeHandle::edit, "edits"_a)
      .def("extend", &EpisodeHandle::extend, "scenes"_a, "scene"_a, nb::keep_alive<1, 2>())
      .def("state", &EpisodeHandle::state)
      .def("ends", &EpisodeHandle::ends)
      .def("present", &EpisodeHandle::present)
      .def("holds", &EpisodeHandle::holds)
      .def("arbiters", &EpisodeHandle::arbiters);
  m.def("simulate", &simulate, "scenes"_a, nb::kw_only(), "scene_index"_a, "removals"_a, "builds"_a,
        "limits"_a, "out"_a, "threads"_a, "solved"_a.noconvert(), "ticks"_a.noconvert(),
        "removed"_a.noconvert(), "stride"_a, "states"_a.none().noconvert(),
        "frame_count"_a.none().noconvert(), "final_state"_a.none().noconvert(),
        "progress"_a.none().noconvert(), "origin"_a.none(), "edit_start"_a.none(),
        "edits"_a.none());
  nb::class_<VectorHandle>(m, "Vector")
      .def(nb::init<const Scenes&, int64_t, const Rules&, Strategy,
                    In<int32_t, nb::shape<-1, kMaxBlocks>>, int64_t>(),
           "scenes"_a, nb::kw_only(), "builds"_a, "rules"_a, "strategy"_a, "blocks"_a, "slots"_a,
           nb::keep_alive<1, 2>())
      .def("start", &VectorHandle::start, "slots"_a, "games"_a, "observations"_a.noconvert())
      .def("step", &VectorHandle::step, nb::kw_only(), "choices"_a.none(), "times"_a.none(),
           "restart"_a, "observations"_a.noconvert(), "rewards"_a.noconvert(),
           "terminated"_a.noconvert(), "truncated"_a.noconvert(), "threads"_a)
      .def("status", &VectorHandle::status, "rows"_a.noconvert())
      .def("slot", &VectorHandle::slot, "slot"_a)
      .def("snapshot", &VectorHandle::snapshot, "slot"_a)
      .def("restore", &VectorHandle::restore, "slot"_a, "game"_a, "tick"_a, "solved"_a, "used"_a,
           "removals"_a)
      .def("episode", &VectorHandle::episode, "slot"_a, nb::rv_policy::take_ownership,
           nb::keep_alive<0, 1>());
}

}  // namespace topple
