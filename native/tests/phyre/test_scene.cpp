#include <cmath>
#include <memory>

#include "check.h"
#include "phyre/packed.h"
#include "topple/phyre/scene.h"

using namespace topple::phyre;

namespace {

SceneCheck check_of(const Packed& packed) { return check_scene(packed.scenes().view(0)); }

SceneFault polygon_fault(std::initializer_list<PixelVec> corners) {
  Packed packed;
  packed.add_body(true, 100.0, 100.0);
  packed.add_polygon(corners);
  packed.finish_scene();
  return check_of(packed).fault;
}

SceneFault goal_fault(int first, int second, int hold) {
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 100.0, 100.0);
  packed.add_circle(5.0);
  packed.finish_scene(first, second, hold);
  return check_of(packed).fault;
}

}  // namespace

TEST(a_good_scene_has_no_fault) {
  CHECK(goal_fault(4, 0, 180) == SceneFault::kNone);
  CHECK(goal_fault(0, 4, 1) == SceneFault::kNone);
}

TEST(polygons_have_to_be_convex_and_counter_clockwise) {
  CHECK(polygon_fault({{0, 0}, {10, 0}, {10, 10}, {0, 10}}) == SceneFault::kNone);
  CHECK(polygon_fault({{0, 0}, {0, 10}, {10, 10}, {10, 0}}) == SceneFault::kClockwise);
  CHECK(polygon_fault({{0, 0}, {10, 0}, {3, 3}, {0, 10}}) == SceneFault::kNotConvex);
  CHECK(polygon_fault({{0, 0}, {5, 0}, {10, 0}, {0, 10}}) == SceneFault::kNotConvex);
  // A star turns left at every corner, yet twice around.
  CHECK(polygon_fault({{10, 0}, {-8, 6}, {3, -9.5}, {3, 9.5}, {-8, -6}}) == SceneFault::kNotConvex);
  CHECK(polygon_fault({{0, 0}, {0.001, 0}, {0, 0.001}}) == SceneFault::kTooFewVertices);
  CHECK(polygon_fault({{0, 0}, {10, 0}}) == SceneFault::kTooFewVertices);
  CHECK(polygon_fault(
            {{9, 0}, {8, 3}, {6, 5}, {3, 6}, {-3, 6}, {-6, 5}, {-8, 3}, {-9, 0}, {0, -9}}) ==
        SceneFault::kTooManyVertices);
}

TEST(numbers_have_to_be_finite_and_near) {
  CHECK(polygon_fault({{0, 0}, {NAN, 0}, {0, 10}}) == SceneFault::kNotFinite);
  CHECK(polygon_fault({{0, 0}, {INFINITY, 0}, {0, 10}}) == SceneFault::kNotFinite);
  CHECK(polygon_fault({{0, 0}, {1e5, 0}, {0, 10}}) == SceneFault::kTooLarge);
  for (const double bad : {static_cast<double>(NAN), 1e9}) {
    for (int place = 0; place < 3; ++place) {
      double pose[3] = {100, 100, 0};
      pose[place] = bad;
      Packed packed;
      packed.add_body(false, pose[0], pose[1], pose[2]);
      packed.add_circle(5.0);
      packed.finish_scene();
      const SceneCheck found = check_of(packed);
      CHECK(found.fault == (bad == 1e9 ? SceneFault::kTooLarge : SceneFault::kNotFinite));
      CHECK_EQUAL(found.body, 0);
    }
  }
}

TEST(circles_need_a_positive_radius_and_bodies_a_shape) {
  for (const double radius : {0.0, -1.0}) {
    Packed packed;
    packed.add_body(false, 1, 1);
    packed.add_circle(radius);
    packed.finish_scene();
    CHECK(check_of(packed).fault == SceneFault::kBadRadius);
  }
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 1, 1);
  packed.finish_scene();
  CHECK(check_of(packed).fault == SceneFault::kNoShape);
  CHECK_EQUAL(check_of(packed).body, 4);
}

TEST(dynamic_bodies_need_a_mass_and_an_inertia) {
  Packed small;
  small.add_body(true, 1, 1);
  small.add_circle(1e-3);
  small.finish_scene();
  CHECK(check_of(small).fault == SceneFault::kNoMass);
  // So far from its origin that the inertia about its centre is lost in rounding.
  Packed far;
  far.add_body(true, 1, 1);
  far.add_polygon({{700, 700}, {701, 700}, {701, 701}, {700, 701}});
  far.finish_scene();
  CHECK(check_of(far).fault == SceneFault::kNoMass);
}

TEST(goals_name_two_bodies_one_of_them_dynamic) {
  CHECK(goal_fault(4, 4, 180) == SceneFault::kBadGoal);
  CHECK(goal_fault(4, 5, 180) == SceneFault::kBadGoal);
  CHECK(goal_fault(4, -1, 180) == SceneFault::kBadGoal);
  CHECK(goal_fault(0, 1, 180) == SceneFault::kBadGoal);
  CHECK(goal_fault(4, 0, 0) == SceneFault::kBadGoal);
}

TEST(capacities_leave_room_for_the_balls_of_an_action) {
  for (const int extra : {0, 1}) {
    Packed bodies;
    for (int i = 0; i < kMaxBodies - kMaxBalls + extra; ++i) {
      bodies.add_body(true, 10, 10);
      bodies.add_circle(5.0);
    }
    bodies.finish_scene();
    CHECK(check_of(bodies).fault == (extra ? SceneFault::kTooManyBodies : SceneFault::kNone));
    Packed shapes;
    shapes.add_body(false, 10, 10);
    for (int i = 0; i < kMaxFixtures - kMaxBalls + extra; ++i) shapes.add_circle(5.0);
    shapes.finish_scene();
    CHECK(check_of(shapes).fault == (extra ? SceneFault::kTooManyFixtures : SceneFault::kNone));
  }
}

TEST(the_world_is_the_scene_in_metres) {
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 60.0, 120.0, 0.5);
  packed.add_box(12.0, 6.0);
  packed.velocity[12] = 3.0f;
  packed.finish_scene();
  const std::unique_ptr<World> world(new World);
  build_world(packed.scenes().view(0), *world);
  CHECK_EQUAL(world->body_count, 5);
  CHECK_EQUAL(world->dynamic_count, 1);
  CHECK_EQUAL(world->bodies[4].pose.p.x, 10.0f);
  CHECK_EQUAL(world->bodies[4].v.x, 3.0f);
  CHECK_NEAR(1.0 / world->bodies[4].inv_mass, 4.0 * 2.0 * 0.25, 1e-5);
}
