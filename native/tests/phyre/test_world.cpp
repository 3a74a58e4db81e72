#include "check.h"
#include "phyre/fixture.h"

using namespace topple;

TEST(free_fall_adds_up_step_by_step) {
  Stage stage;
  stage.add(true, {1.0f, 100.0f}, 0.5f, box_shape(1.0f, 2.0f)).w = 1.0f;
  double y = 100.0, v = 0.0;
  for (int i = 0; i < 120; ++i) {
    stage.step();
    v += -9.8 / 60;
    y += v / 60;
    CHECK_NEAR(stage.body(0).pose.p.y, y, 2e-3);
  }
  CHECK_EQUAL(stage.body(0).pose.p.x, 1.0f);
  CHECK_NEAR(stage.body(0).w, std::pow(1.0 / (1.0 + 0.01 / 60), 120), 1e-5);
}

TEST(a_body_at_rest_sleeps_after_thirty_steps) {
  Stage stage;
  // As deep in the skin as a resting body is, so that nothing has to move.
  stage.add_floor();
  stage.add(true, {0.0f, 1.005f}, 0.0f, circle_shape(1.0f));
  stage.step();  // the new contact does not touch yet: the ball falls a little
  int steps = 1;
  while (stage.body(1).awake && steps < 200) {
    stage.step();
    ++steps;
  }
  CHECK(steps >= 30 && steps < 120);
  CHECK(all_asleep(*stage.world));
  CHECK_EQUAL(stage.body(1).v.y, 0.0f);
  float timer = 0.0f;
  for (int i = 0; i < 30; ++i) timer += kTimeStep;
  CHECK_BITS(timer, 0x3f000003);
}

TEST(a_sleeping_world_does_not_change) {
  Chance chance(101);
  int slept = 0;
  for (int n = 0; n < 40; ++n) {
    Stage stage;
    add_random_bodies(stage, chance);
    for (int i = 0; i < 600 && !all_asleep(*stage.world); ++i) stage.step();
    if (!all_asleep(*stage.world)) continue;
    ++slept;
    const World before = *stage.world;
    stage.run(20, false);
    CHECK(same_world(*stage.world, before));
  }
  CHECK(slept > 5);
}

TEST(a_hit_wakes_a_sleeping_body) {
  Stage stage;
  stage.add_floor();
  stage.add(true, {0.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  stage.run(100);
  CHECK(!stage.body(1).awake);
  stage.add(true, {0.0f, 6.0f}, 0.0f, circle_shape(0.5f));
  bool woken = false;
  for (int i = 0; i < 100; ++i) {
    stage.step();
    woken |= stage.body(1).awake;
  }
  CHECK(woken);
}

TEST(a_copy_of_the_world_replays_the_same_bits) {
  Chance chance(103);
  for (int n = 0; n < 15; ++n) {
    Stage stage;
    add_random_bodies(stage, chance);
    stage.run(chance.below(150));
    Stage replay;
    *replay.world = *stage.world;
    stage.run(100);
    replay.run(100);
    CHECK(same_world(*replay.world, *stage.world));
  }
}

TEST(contacts_are_kept_in_the_order_of_their_pairs) {
  Stage stage;
  stage.add_floor();
  for (int i = 0; i < 5; ++i) {
    stage.add(true, {1.9f * static_cast<float>(i), 1.0f}, 0.0f, circle_shape(1.0f));
  }
  stage.step();
  CHECK(stage.world->contact_count >= 9);
  int last = -1;
  for (int i = 0; i < stage.world->contact_count; ++i) {
    const Contact& c = stage.world->contacts[i];
    const int low = c.fixture_a < c.fixture_b ? c.fixture_a : c.fixture_b;
    const int high = c.fixture_a < c.fixture_b ? c.fixture_b : c.fixture_a;
    CHECK(low * 1000 + high > last);
    last = low * 1000 + high;
  }
}

TEST(a_polygon_comes_first_in_its_contact_with_a_circle) {
  Stage stage;
  stage.add(true, {0.0f, 2.0f}, 0.0f, circle_shape(1.0f));
  stage.add(false, {0.0f, 0.0f}, 0.0f, box_shape(2.0f, 1.0f));
  stage.step();
  CHECK_EQUAL(stage.world->contact_count, 1);
  CHECK_EQUAL(stage.world->contacts[0].fixture_a, 1);
  CHECK(stage.world->contacts[0].pair == ShapePair::kPolygonCircle);
}

TEST(a_jar_has_the_mass_of_its_parts) {
  Stage stage;
  stage.add(true, {5.0f, 5.0f}, 0.3f, box_shape(2.0f, 0.3f));
  const Vec wall[4] = {{2.0f, 0.3f}, {2.5f, 4.0f}, {2.0f, 4.0f}, {1.6f, 0.3f}};
  Shape side;
  polygon_shape(wall, 4, side);
  add_shape(*stage.world, side);
  const Mass base = mass_of(stage.world->shapes[0], kDensity);
  const Mass extra = mass_of(side, kDensity);
  const Body& body = stage.body(0);
  const double mass = base.mass + extra.mass;
  CHECK_NEAR(1.0 / body.inv_mass, mass, 1e-5);
  const double x = extra.mass * extra.centre.x / mass;
  const double y = extra.mass * extra.centre.y / mass;
  CHECK_NEAR(body.sweep.local_centre.x, x, 1e-6);
  CHECK_NEAR(body.sweep.local_centre.y, y, 1e-6);
  const double inertia = base.inertia + extra.inertia - mass * (x * x + y * y);
  CHECK_NEAR(1.0 / body.inv_inertia, inertia, 1e-4);
  const Vec centre = apply(body.pose, body.sweep.local_centre);
  CHECK_EQUAL(centre.x, body.sweep.c.x);
}

TEST(fast_balls_do_not_pass_through_thin_walls) {
  Chance chance(107);
  for (int n = 0; n < 200; ++n) {
    Stage stage;
    stage.add(false, {10.0f, 0.0f}, 0.0f, box_shape(0.05f, 30.0f));
    Body& ball =
        stage.add(true, {chance.between(2, 8), 0.0f}, 0.0f, circle_shape(chance.magnitude(0.1, 1)));
    ball.v = {chance.between(60, 118), chance.between(-20, 20)};
    stage.run(30);
    CHECK(stage.body(1).pose.p.x < 10.0f);
  }
}

TEST(a_fresh_copy_forgets_the_steps) {
  Chance chance(109);
  Stage fresh;
  add_random_bodies(fresh, chance);
  Stage first, second;
  copy_fresh(*first.world, *fresh.world);
  copy_fresh(*second.world, *fresh.world);
  first.run(200);
  second.run(50);
  copy_fresh(*second.world, *fresh.world);
  second.run(200);
  CHECK(same_world(*first.world, *second.world));
}
