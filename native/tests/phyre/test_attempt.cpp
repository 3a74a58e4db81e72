#include <memory>
#include <vector>

#include "check.h"
#include "phyre/random_scenes.h"
#include "topple/phyre/attempt.h"

using namespace topple::phyre;

namespace {

struct Scratch {
  std::unique_ptr<World> fresh{new World}, world{new World};
  std::unique_ptr<Workspace> work{new Workspace};

  AttemptResult run(const SceneView& scene, const double* action, int balls, const Rules& rules,
                    Sink& sink) {
    build_world(scene, *fresh);
    return attempt(ExactPhysics{}, *fresh, *world, *work, scene, action, balls, rules, sink);
  }
  AttemptResult run(const SceneView& scene, const Rules& rules) {
    Sink none = {};
    return run(scene, nullptr, 0, rules, none);
  }
};

// A ball at rest on the floor, which is the goal.
Packed resting_ball(int hold) {
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 100.0, 10.0, 0.0, 2, 1);
  packed.add_circle(10.0);
  packed.finish_scene(4, 0, hold);
  return packed;
}

}  // namespace

TEST(a_goal_held_from_the_start_is_solved_at_its_last_step) {
  const Packed packed = resting_ball(180);
  Scratch scratch;
  for (const bool shortcuts : {true, false}) {
    const AttemptResult result = scratch.run(packed.scenes().view(0), {1000, 0, false, shortcuts});
    CHECK(result.outcome == Outcome::kSolved);
    CHECK_EQUAL(result.steps, 179);
  }
}

TEST(a_goal_that_needs_more_steps_than_there_are_is_lost) {
  Scratch scratch;
  for (const int hold : {1001, 2000000000}) {
    const Packed packed = resting_ball(hold);
    for (const bool shortcuts : {true, false}) {
      const AttemptResult result =
          scratch.run(packed.scenes().view(0), {1000, 0, false, shortcuts});
      CHECK(result.outcome == Outcome::kNotSolved);
      CHECK_EQUAL(result.steps, 1000);
    }
  }
  const Packed exact = resting_ball(1000);
  CHECK_EQUAL(scratch.run(exact.scenes().view(0), {1000, 0, false, true}).steps, 999);
}

TEST(early_exits_change_no_outcome_and_no_observation) {
  Random random(149);
  const int scenes = 30;
  const Packed packed = random_scenes(random, scenes);
  Scratch scratch;
  int solved = 0, invalid = 0;
  for (int i = 0; i < scenes; ++i) {
    const SceneView scene = packed.scenes().view(i);
    const double action[3] = {random.unit(), random.unit(), 0.5 * random.unit()};
    const int bodies = scene.body_count + 1;
    std::vector<float> states[2], last[2];
    std::vector<ContactEvent> contacts[2];
    AttemptResult outcomes[2];
    Sink sinks[2] = {};
    for (int way = 0; way < 2; ++way) {
      states[way].resize(17u * kStateSize * static_cast<size_t>(bodies));
      last[way].resize(kStateSize * static_cast<size_t>(bodies));
      contacts[way].resize(4000);
      Sink& sink = sinks[way];
      sink.states = states[way].data();
      sink.final_state = last[way].data();
      sink.contacts = contacts[way].data();
      sink.contact_capacity = 4000;
      sink.state_stride = kStateSize * bodies;
      outcomes[way] = scratch.run(scene, action, 1, {500, 30, false, way == 0}, sink);
    }
    Sink none = {};
    const AttemptResult unseen = scratch.run(scene, action, 1, {500, 0, false, true}, none);
    CHECK(unseen.outcome == outcomes[0].outcome && unseen.steps == outcomes[0].steps);
    CHECK(outcomes[0].outcome == outcomes[1].outcome);
    CHECK_EQUAL(outcomes[0].steps, outcomes[1].steps);
    CHECK_EQUAL(sinks[0].frames, sinks[1].frames);
    CHECK_EQUAL(sinks[0].contact_count, sinks[1].contact_count);
    CHECK(std::memcmp(states[0].data(), states[1].data(), states[0].size() * sizeof(float)) == 0);
    CHECK(std::memcmp(last[0].data(), last[1].data(), last[0].size() * sizeof(float)) == 0);
    CHECK(std::memcmp(contacts[0].data(), contacts[1].data(), 4000 * sizeof(ContactEvent)) == 0);
    solved += outcomes[0].outcome == Outcome::kSolved;
    invalid += outcomes[0].outcome == Outcome::kInvalid;
  }
  CHECK(solved > 0 && invalid > 0 && solved + invalid < scenes);
}

TEST(contact_events_beyond_the_capacity_are_counted_not_written) {
  const Packed packed = resting_ball(180);
  std::vector<ContactEvent> events(5);
  Sink sink = {};
  sink.contacts = events.data();
  sink.contact_capacity = 3;
  events[3].step = events[4].step = -7;
  Scratch scratch;
  scratch.run(packed.scenes().view(0), nullptr, 0, {20, 0, false, true}, sink);
  CHECK(sink.contact_count > 10);
  CHECK_EQUAL(events[3].step, -7);
  CHECK_EQUAL(events[0].begins, 1);
  CHECK_EQUAL(events[1].begins, 0);
}

TEST(a_stable_solution_survives_its_neighbours) {
  // The ball of the action falls on the wide floor, whatever its place.
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 100.0, 10.0, 0.0, 2, 1);
  packed.add_circle(10.0);
  packed.finish_scene(4, 0, 60);
  const double action[3] = {0.8, 0.5, 0.2};
  Scratch scratch;
  Sink none = {};
  const AttemptResult result =
      scratch.run(packed.scenes().view(0), action, 1, {300, 0, true, true}, none);
  CHECK(result.outcome == Outcome::kStablySolved);
}
