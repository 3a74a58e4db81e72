// The Python face of the I-PHYRE engine: arrays in, arrays out.
#include <algorithm>

#include "thread_pool.h"
#include "iphyre/vector.h"
#include "iphyre_world.h"

namespace topple {
namespace iphyre {
namespace {

Branches branches_from(const Simulation& origin, const Scenes& scenes, const Int32s& scene_index,
                       const Int32s& edit_start, const Edits& edits) {
  const size_t n = scene_index.shape(0);
  require(edit_start.shape(0) == n + 1, "edit_start: wrong length");
  check_offsets(edit_start, edits.shape(0));
  const Edit* list = reinterpret_cast<const Edit*>(edits.data());
  for (size_t i = 0; i < n; ++i) {
    const int bodies = scenes.view(scene_index(i)).body_count;
    require(bodies >= origin.world().body_count, "a branch cannot have fewer bodies");
    for (int32_t k = edit_start(i); k < edit_start(i + 1); ++k) check_edit(list[k], bodies);
  }
  return {&origin.world(), origin.tick(), edit_start.data(), list};
}

void simulate(const Scenes& scenes, Int32s scene_index, In<int32_t, nb::ndim<2>> removals,
              In<int64_t, nb::ndim<1>> builds, Int32s limits, double y, double low, double high,
              int32_t threads, Out<uint8_t, nb::ndim<1>> solved, Out<int32_t, nb::ndim<1>> ticks,
              Out<int32_t, nb::ndim<1>> removed, int32_t stride,
              Maybe<Out<double, nb::shape<-1, -1, -1, kStateSize>>> states,
              Maybe<Out<int32_t, nb::ndim<1>>> frame_count,
              Maybe<Out<double, nb::shape<-1, -1, kStateSize>>> final_state,
              Maybe<Out<int64_t, nb::ndim<1>>> progress, const Simulation* origin,
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
  job.out = {y, low, high};
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
  if (origin) {
    require(edit_start && edits, "branches take edits");
    branches = branches_from(*origin, scenes, scene_index, *edit_start, *edits);
    job.branches = &branches;
  }
  std::vector<int64_t> order;
  if (!origin && !states) {
    order = sharing_order(job);
    job.order = order.data();
  }
  Control control;
  constexpr int64_t kBrief = 100000;  // steps that are over before anybody can interrupt
  run_crew(threads, steps <= kBrief, control, data_or_null(progress),
           [&] { work_on(job, control); });
}

// Episodes of environments beside each other; keeps the arrays it was made from.
class Vectors {
 public:
  Vectors(const Scenes& scenes, int64_t slots, int32_t strategy,
          In<int32_t, nb::shape<-1, kMaxBlocks>> blocks, In<float, nb::ndim<2>> candidates,
          double y, double low, double high, int32_t hz, int64_t builds, bool zero_is_never,
          bool ties_are_lost, float seconds, double time_reward, double block_reward,
          double goal_reward, Int32s last_tick)
      : owners_{nb::cast(blocks), nb::cast(candidates), nb::cast(last_tick)} {
    const size_t games = static_cast<size_t>(scenes.count());
    require(games > 0 && slots > 0 && hz > 0 && builds > 0, "a count is out of range");
    require(strategy >= 0 && strategy <= 2, "there are three strategies");
    require(blocks.shape(0) == games && candidates.shape(0) == games,
            "blocks and candidates must have a row per game");
    require(candidates.shape(1) <= kMaxCandidates, "candidates: too many");
    require(last_tick.shape(0) >= 2 && last_tick.shape(0) < (1u << 22), "last_tick: wrong length");
    const int32_t limit = static_cast<int32_t>(last_tick.shape(0)) - 1;
    for (size_t game = 0; game < games; ++game) {
      const int bodies = scenes.view(static_cast<int32_t>(game)).body_count;
      require(bodies <= kTableRows, "a game has more bodies than the table has rows");
      for (size_t k = 0; k < kMaxBlocks; ++k) {
        require(blocks(game, k) < bodies, "a block is no body");
        require(k == 0 || blocks(game, k - 1) >= 0 || blocks(game, k) < 0, "blocks have gaps");
      }
    }
    Environment environment = {};
    environment.scenes = scenes.packed();
    environment.rules = {static_cast<Strategy>(strategy),
                         {y, low, high},
                         limit,
                         hz,
                         builds,
                         zero_is_never,
                         ties_are_lost,
                         seconds,
                         time_reward,
                         block_reward,
                         goal_reward,
                         last_tick.data()};
    environment.blocks = blocks.data();
    environment.candidates = candidates.data();
    environment.candidate_count = static_cast<int32_t>(candidates.shape(1));
    vector_.reset(new Vector(environment, slots));
  }

  using Observations = Out<float, nb::ndim<2>>;

  void start(In<int64_t, nb::ndim<1>> slots, Int32s games, Observations observations) {
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
    const int64_t slots = vector_->slots();
    const size_t n = static_cast<size_t>(slots);
    const Environment& environment = vector_->environment();
    const bool on_the_fly = environment.rules.strategy == Strategy::kOnTheFly;
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
      if (is_over(vector_->play(slot), environment.rules)) return -(slot + 1);
      if (!is_action(arrays, slot)) return slot + 1;
    }
    const int64_t steps = on_the_fly ? slots : slots * environment.rules.limit;
    constexpr int64_t kWorthThreads = 4096;  // steps that take longer than to start a thread
    constexpr int64_t kBrief = 100000;
    if (steps < kWorthThreads) threads = 1;
    Control control;
    run_crew(static_cast<int>(std::min<int64_t>(threads, slots)), steps <= kBrief, control, nullptr,
             [&] { take_turns(control, slots, [&](int64_t i) { vector_->step(i, arrays); }); });
    return 0;
  }

  // [slots, 4] game, tick, blocks removed, whether it is solved.
  void status(Out<int32_t, nb::shape<-1, 4>> rows) const {
    require(rows.shape(0) == static_cast<size_t>(vector_->slots()), "status: wrong shape");
    int32_t* row = rows.data();
    for (int64_t slot = 0; slot < vector_->slots(); ++slot, row += 4) {
      const Play& play = vector_->play(slot);
      row[0] = play.game;
      row[1] = play.tick;
      row[2] = play.removed;
      row[3] = play.solved;
    }
  }

  // Game, tick, blocks removed and whether it is solved, of one slot.
  nb::tuple slot(int64_t slot) const {
    require(slot >= 0 && slot < vector_->slots(), "there is no such slot");
    const Play& play = vector_->play(slot);
    return nb::make_tuple(play.game, play.tick, play.removed, play.solved);
  }

  // A copy of the world of a slot.
  Simulation* world(int64_t slot) const {
    require(slot >= 0 && slot < vector_->slots(), "there is no such slot");
    const Play& play = vector_->play(slot);
    const PackedScenes& scenes = vector_->environment().scenes;
    return new Simulation(scenes.view(play.game), scenes.physics, play.world, play.tick);
  }

 private:
  void require_observations(const Observations& observations) const {
    require(
        observations.shape(0) == static_cast<size_t>(vector_->slots()) &&
            observations.shape(1) == static_cast<size_t>(vector_->environment().observation_size()),
        "observations: wrong shape");
  }

  static bool is_action(const StepArrays& arrays, int64_t slot) {
    if (arrays.choices) return arrays.choices[slot] >= 0 && arrays.choices[slot] <= kMaxBlocks;
    for (int k = 0; k < kMaxBlocks; ++k) {
      const float entry = arrays.times[kMaxBlocks * slot + k];
      if (!(entry >= 0.0f && entry <= 1.0f)) return false;
    }
    return true;
  }

  std::vector<nb::object> owners_;
  std::unique_ptr<Vector> vector_;
};

}  // namespace
}  // namespace iphyre

void bind_munk(nb::module_& m) {
  using namespace iphyre;
  using namespace nb::literals;
  m.attr("MUNK_MAX_BODIES") = kMaxBodies;
  m.attr("MUNK_MAX_JOINTS") = kMaxJoints;
  nb::class_<Scenes>(m, "MunkScenes")
      .def(nb::init<Int32s, Int32s, Ends, Velocities, Doubles, Doubles, Doubles, Bytes, Joined,
                    Bytes, Springs, double, double, double, double, double>(),
           "body_start"_a, "joint_start"_a, "ends"_a, "velocity"_a, "radius"_a, "m_inv"_a,
           "i_inv"_a, "is_ball"_a, "joined"_a, "is_spring"_a, "spring"_a, "gravity"_a, "bounce"_a,
           "friction"_a, "dt"_a, "bias"_a)
      .def("__len__", &Scenes::count);
  nb::class_<Simulation>(m, "MunkSimulation")
      .def(nb::init<const Scenes&, int32_t, int64_t>(), "scenes"_a, "scene"_a, "builds"_a,
           nb::keep_alive<1, 2>())
      .def(
          "copy", [](const Simulation& self) { return new Simulation(self); },
          nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
      .def("reset", &Simulation::reset, "builds"_a)
      .def("tick", &Simulation::tick)
      .def("step", &Simulation::step_on, "count"_a)
      .def("run", &Simulation::run, "count"_a, "y"_a, "low"_a, "high"_a)
      .def("is_out", &Simulation::is_out, "y"_a, "low"_a, "high"_a)
      .def("remove", &Simulation::remove, "body"_a)
      .def("edit", &Simulation::edit, "edits"_a)
      .def("extend", &Simulation::extend, "scenes"_a, "scene"_a, nb::keep_alive<1, 2>())
      .def("state", &Simulation::state)
      .def("ends", &Simulation::ends)
      .def("present", &Simulation::present)
      .def("holds", &Simulation::holds)
      .def("arbiters", &Simulation::arbiters);
  m.def("munk_simulate", &simulate, "scenes"_a, "scene_index"_a, "removals"_a, "builds"_a,
        "limits"_a, "y"_a, "low"_a, "high"_a, "threads"_a, "solved"_a.noconvert(),
        "ticks"_a.noconvert(), "removed"_a.noconvert(), "stride"_a, "states"_a.none().noconvert(),
        "frame_count"_a.none().noconvert(), "final_state"_a.none().noconvert(),
        "progress"_a.none().noconvert(), "origin"_a.none(), "edit_start"_a.none(),
        "edits"_a.none());
  nb::class_<Vectors>(m, "MunkVector")
      .def(nb::init<const Scenes&, int64_t, int32_t, In<int32_t, nb::shape<-1, kMaxBlocks>>,
                    In<float, nb::ndim<2>>, double, double, double, int32_t, int64_t, bool, bool,
                    float, double, double, double, Int32s>(),
           "scenes"_a, "slots"_a, "strategy"_a, "blocks"_a, "candidates"_a, "y"_a, "low"_a,
           "high"_a, "hz"_a, "builds"_a, "zero_is_never"_a, "ties_are_lost"_a, "seconds"_a,
           "time_reward"_a, "block_reward"_a, "goal_reward"_a, "last_tick"_a,
           nb::keep_alive<1, 2>())
      .def("start", &Vectors::start, "slots"_a, "games"_a, "observations"_a.noconvert())
      .def("step", &Vectors::step, "choices"_a.none(), "times"_a.none(), "restart"_a,
           "observations"_a.noconvert(), "rewards"_a.noconvert(), "terminated"_a.noconvert(),
           "truncated"_a.noconvert(), "threads"_a)
      .def("status", &Vectors::status, "rows"_a.noconvert())
      .def("slot", &Vectors::slot, "slot"_a)
      .def("world", &Vectors::world, "slot"_a, nb::rv_policy::take_ownership,
           nb::keep_alive<0, 1>());
}

}  // namespace topple
