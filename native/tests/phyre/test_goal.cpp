#include "check.h"
#include "phyre/fixture.h"
#include "topple/phyre/goal.h"

using namespace topple::phyre;

TEST(two_balls_are_compared_by_distance) {
  const Goal goal = {0, 1, 1};
  for (const bool near : {true, false}) {
    TestWorld sim;
    const float gap = near ? 0.016f : 0.017f;  // a tenth of a pixel is 0.01667 m
    sim.add(false, {0.0f, 0.0f}, 0.0f, circle_shape(1.0f));
    sim.add(true, {3.0f + gap, 0.0f}, 0.0f, circle_shape(2.0f));
    CHECK_EQUAL(goal_holds(*sim.world, goal), near);
  }
}

TEST(other_bodies_are_compared_by_touching_contacts) {
  TestWorld sim;
  sim.add_floor();
  sim.add(true, {0.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  const Goal goal = {0, 1, 1};
  const Goal mirrored = {1, 0, 1};
  CHECK(!goal_holds(*sim.world, goal));  // nothing touches before the first step
  sim.step();
  CHECK(goal_holds(*sim.world, goal));
  CHECK(goal_holds(*sim.world, mirrored));
  sim.body(1).pose.p.y = 50.0f;
  CHECK(goal_holds(*sim.world, goal));  // the flag is that of the start of the step
}

TEST(contacts_of_other_pairs_do_not_count) {
  TestWorld sim;
  sim.add_floor();
  sim.add(true, {0.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.add(true, {9.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.run(5);
  CHECK(goal_holds(*sim.world, {0, 1, 1}));
  CHECK(goal_holds(*sim.world, {0, 2, 1}));
  CHECK(!goal_holds(*sim.world, {1, 2, 1}));
}

TEST(a_ball_made_of_two_circles_is_not_a_single_one) {
  TestWorld sim;
  sim.add(false, {0.0f, 0.0f}, 0.0f, circle_shape(1.0f));
  sim.add(true, {2.0f, 0.0f}, 0.0f, circle_shape(1.0f));
  add_shape(*sim.world, circle_shape(0.5f));
  CHECK(!goal_holds(*sim.world, {0, 1, 1}));
}

TEST(without_a_goal_nothing_holds) {
  TestWorld sim;
  sim.add_floor();
  CHECK(!goal_holds(*sim.world, {-1, -1, 0}));
}
