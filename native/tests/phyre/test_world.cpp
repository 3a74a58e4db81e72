#include "check.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

TEST(free_fall_adds_up_step_by_step) {
  TestWorld sim;
  sim.add(true, {1.0f, 100.0f}, 0.5f, box_shape(1.0f, 2.0f)).w = 1.0f;
  double y = 100.0, v = 0.0;
  for (int i = 0; i < 120; ++i) {
    sim.step();
    v += -9.8 / 60;
    y += v / 60;
    CHECK_NEAR(sim.body(0).pose.p.y, y, 2e-3);
  }
  CHECK_EQUAL(sim.body(0).pose.p.x, 1.0f);
  CHECK_NEAR(sim.body(0).w, std::pow(1.0 / (1.0 + 0.01 / 60), 120), 1e-5);
}

TEST(a_body_at_rest_sleeps_after_thirty_steps) {
  TestWorld sim;
  // As deep in the skin as a resting body is, so that nothing has to move.
  sim.add_floor();
  sim.add(true, {0.0f, 1.005f}, 0.0f, circle_shape(1.0f));
  sim.step();  // the new contact does not touch yet: the ball falls a little
  int steps = 1;
  while (sim.body(1).awake && steps < 200) {
    sim.step();
    ++steps;
  }
  CHECK(steps >= 30 && steps < 120);
  CHECK(all_asleep(*sim.world));
  CHECK_EQUAL(sim.body(1).v.y, 0.0f);
  float timer = 0.0f;
  for (int i = 0; i < 30; ++i) timer += kTimeStep;
  CHECK_BITS(timer, 0x3f000003);
}

TEST(a_sleeping_world_does_not_change) {
  Random random(101);
  int slept = 0;
  for (int n = 0; n < 40; ++n) {
    TestWorld sim;
    add_random_bodies(sim, random);
    for (int i = 0; i < 600 && !all_asleep(*sim.world); ++i) sim.step();
    if (!all_asleep(*sim.world)) continue;
    ++slept;
    const World before = *sim.world;
    sim.run(20, false);
    CHECK(same_world(*sim.world, before));
  }
  CHECK(slept > 5);
}

TEST(a_hit_wakes_a_sleeping_body) {
  TestWorld sim;
  sim.add_floor();
  sim.add(true, {0.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.run(100);
  CHECK(!sim.body(1).awake);
  sim.add(true, {0.0f, 6.0f}, 0.0f, circle_shape(0.5f));
  bool woken = false;
  for (int i = 0; i < 100; ++i) {
    sim.step();
    woken |= sim.body(1).awake;
  }
  CHECK(woken);
}

TEST(a_copy_of_the_world_replays_the_same_bits) {
  Random random(103);
  for (int n = 0; n < 15; ++n) {
    TestWorld sim;
    add_random_bodies(sim, random);
    sim.run(random.below(150));
    TestWorld replay;
    *replay.world = *sim.world;
    sim.run(100);
    replay.run(100);
    CHECK(same_world(*replay.world, *sim.world));
  }
}

TEST(contacts_are_kept_in_the_order_of_their_pairs) {
  TestWorld sim;
  sim.add_floor();
  for (int i = 0; i < 5; ++i) {
    sim.add(true, {1.9f * static_cast<float>(i), 1.0f}, 0.0f, circle_shape(1.0f));
  }
  sim.step();
  CHECK(sim.world->contact_count >= 9);
  int last = -1;
  for (int i = 0; i < sim.world->contact_count; ++i) {
    const Contact& c = sim.world->contacts[i];
    const int low = c.fixture_a < c.fixture_b ? c.fixture_a : c.fixture_b;
    const int high = c.fixture_a < c.fixture_b ? c.fixture_b : c.fixture_a;
    CHECK(low * 1000 + high > last);
    last = low * 1000 + high;
  }
}

TEST(a_polygon_comes_first_in_its_contact_with_a_circle) {
  TestWorld sim;
  sim.add(true, {0.0f, 2.0f}, 0.0f, circle_shape(1.0f));
  sim.add(false, {0.0f, 0.0f}, 0.0f, box_shape(2.0f, 1.0f));
  sim.step();
  CHECK_EQUAL(sim.world->contact_count, 1);
  CHECK_EQUAL(sim.world->contacts[0].fixture_a, 1);
  CHECK(sim.world->contacts[0].pair == ShapePair::kPolygonCircle);
}

TEST(a_jar_has_the_mass_of_its_parts) {
  TestWorld sim;
  sim.add(true, {5.0f, 5.0f}, 0.3f, box_shape(2.0f, 0.3f));
  const Vec wall[4] = {{2.0f, 0.3f}, {2.5f, 4.0f}, {2.0f, 4.0f}, {1.6f, 0.3f}};
  Shape side;
  polygon_shape(wall, 4, side);
  add_shape(*sim.world, side);
  const Mass base = mass_of(sim.world->shapes[0], kDensity);
  const Mass extra = mass_of(side, kDensity);
  const Body& body = sim.body(0);
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
  Random random(107);
  for (int n = 0; n < 200; ++n) {
    TestWorld sim;
    sim.add(false, {10.0f, 0.0f}, 0.0f, box_shape(0.05f, 30.0f));
    Body& ball =
        sim.add(true, {random.between(2, 8), 0.0f}, 0.0f, circle_shape(random.magnitude(0.1, 1)));
    ball.v = {random.between(60, 118), random.between(-20, 20)};
    sim.run(30);
    CHECK(sim.body(1).pose.p.x < 10.0f);
  }
}

TEST(a_fresh_copy_forgets_the_steps) {
  Random random(109);
  TestWorld fresh;
  add_random_bodies(fresh, random);
  TestWorld first, second;
  copy_fresh(*first.world, *fresh.world);
  copy_fresh(*second.world, *fresh.world);
  first.run(200);
  second.run(50);
  copy_fresh(*second.world, *fresh.world);
  second.run(200);
  CHECK(same_world(*first.world, *second.world));
}
