#include "check.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

namespace {

constexpr float kStep = kTimeStep;

// Makes contacts and manifolds without moving anything.
void find_contacts(TestWorld& sim) {
  find_new_contacts(*sim.world, sim.work->pair_keys);
  collide(*sim.world);
}

// Prepares all touching contacts, newest first.
int prepare_all(TestWorld& sim) {
  int count = 0;
  for (int i = sim.world->contact_count - 1; i >= 0; --i) {
    Contact& contact = sim.world->contacts[i];
    if (!contact.touching) continue;
    prepare(ExactPhysics{}, sim.work->constraints[count++], contact, sim.world->shapes,
            sim.world->bodies, true);
  }
  return count;
}

void solve(TestWorld& sim, int count) {
  for (int i = 0; i < kVelocityPasses; ++i)
    velocity_pass(ExactPhysics{}, sim.work->constraints, count);
}

}  // namespace

TEST(a_slow_ball_is_stopped_and_a_fast_one_bounces) {
  for (const float speed : {0.9f, 5.0f}) {
    TestWorld sim;
    sim.add_floor();
    sim.add(true, {0.0f, 1.0f}, 0.0f, circle_shape(1.0f)).v = {0.0f, -speed};
    find_contacts(sim);
    const int n = prepare_all(sim);
    CHECK_EQUAL(n, 1);
    solve(sim, n);
    const float after = speed > kRestitutionSpeed ? kRestitution * speed : 0.0f;
    CHECK_NEAR(sim.body(1).v.y, after, 1e-6);
    const double mass = 1.0 / sim.body(1).inv_mass;
    CHECK_NEAR(sim.work->constraints[0].points[0].normal_impulse, mass * (after + speed), 1e-5);
  }
}

TEST(friction_is_at_most_half_the_normal_impulse) {
  TestWorld sim;
  sim.add_floor();
  Body& ball = sim.add(true, {0.0f, 1.0f}, 0.0f, circle_shape(1.0f));
  ball.v = {50.0f, -0.5f};
  find_contacts(sim);
  const int n = prepare_all(sim);
  solve(sim, n);
  const ConstraintPoint& p = sim.work->constraints[0].points[0];
  CHECK(p.normal_impulse > 0.0f);
  CHECK_NEAR(topple::phyre::abs(p.tangent_impulse), kFriction * p.normal_impulse, 1e-6);
  CHECK(ball.v.x < 50.0f);
  CHECK(ball.w < 0.0f);  // rolls to the right
}

TEST(a_resting_box_is_carried_by_both_corners) {
  TestWorld sim;
  sim.add_floor();
  Body& box = sim.add(true, {0.0f, 1.0f}, 0.0f, box_shape(2.0f, 1.0f));
  box.v = {0.0f, kGravityY * kStep};
  find_contacts(sim);
  const int n = prepare_all(sim);
  CHECK_EQUAL(sim.work->constraints[0].count, 2);
  solve(sim, n);
  const Constraint& c = sim.work->constraints[0];
  const double weight = -kGravityY * kStep / box.inv_mass;
  CHECK_NEAR(c.points[0].normal_impulse, 0.5 * weight, 1e-5);
  CHECK_NEAR(c.points[1].normal_impulse, 0.5 * weight, 1e-5);
  CHECK_NEAR(box.v.y, 0.0, 1e-6);
  CHECK_NEAR(box.w, 0.0, 1e-6);
}

TEST(two_moving_bodies_keep_their_momentum) {
  Random random(89);
  int met = 0;
  for (int n = 0; n < 500; ++n) {
    TestWorld sim;
    Body& a = sim.add(true, {0.0f, 0.0f}, random.between(-3, 3), random_polygon(random, 4, 3));
    Body& b = sim.add(true, {random.between(-2, 2), random.between(2, 3)}, random.between(-3, 3),
                      random_polygon(random, 3, 4));
    a.v = {random.between(-5, 5), random.between(0, 5)};
    b.v = {random.between(-5, 5), random.between(-5, 0)};
    a.w = random.between(-3, 3);
    find_contacts(sim);
    const int count = prepare_all(sim);
    if (count == 0) continue;
    ++met;
    const double ma = 1.0 / a.inv_mass, mb = 1.0 / b.inv_mass;
    const double ia = 1.0 / a.inv_inertia, ib = 1.0 / b.inv_inertia;
    const auto spin = [&] {
      return ia * a.w + ib * b.w + ma * cross(a.sweep.c, a.v) + mb * cross(b.sweep.c, b.v);
    };
    const auto energy = [&] {
      return ma * dot(a.v, a.v) + mb * dot(b.v, b.v) + ia * a.w * a.w + ib * b.w * b.w;
    };
    const double x = ma * a.v.x + mb * b.v.x;
    const double y = ma * a.v.y + mb * b.v.y;
    const double spin_before = spin();
    const double energy_before = energy();
    solve(sim, count);
    CHECK_NEAR(ma * a.v.x + mb * b.v.x, x, 1e-4);
    CHECK_NEAR(ma * a.v.y + mb * b.v.y, y, 1e-4);
    CHECK_NEAR(spin(), spin_before, 1e-3);
    CHECK(energy() <= energy_before * 1.0001 + 1e-4);
  }
  CHECK(met > 200);
}

// What leaving out passes rests on: one that reports no change has no effect, and neither
// has any after it.
TEST(a_pass_without_change_repeats_itself) {
  Random random(97);
  int settled = 0;
  for (int n = 0; n < 300; ++n) {
    TestWorld sim;
    add_random_bodies(sim, random);
    sim.run(random.below(120));
    find_contacts(sim);
    const int count = prepare_all(sim);
    for (int i = 0; i < count; ++i) warm_start(sim.work->constraints[i]);
    bool changed = true;
    for (int pass = 0; pass < 60 && changed; ++pass) {
      changed = velocity_pass(ExactPhysics{}, sim.work->constraints, count);
    }
    if (changed || count == 0) continue;
    ++settled;
    const World before = *sim.world;
    const std::vector<Constraint> constraints(sim.work->constraints, sim.work->constraints + count);
    for (int pass = 0; pass < 3; ++pass) {
      CHECK(!velocity_pass(ExactPhysics{}, sim.work->constraints, count));
    }
    CHECK(same_world(*sim.world, before));
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < constraints[i].count; ++k) {
        const ConstraintPoint& was = constraints[i].points[k];
        const ConstraintPoint& is = sim.work->constraints[i].points[k];
        CHECK_BITS(is.normal_impulse, check::bits(was.normal_impulse));
        CHECK_BITS(is.tangent_impulse, check::bits(was.tangent_impulse));
      }
    }
  }
  CHECK(settled > 30);
}

TEST(position_passes_push_overlapping_bodies_apart) {
  TestWorld sim;
  sim.add_floor();
  sim.add(true, {0.0f, 0.9f}, 0.0f, box_shape(2.0f, 1.0f));
  find_contacts(sim);
  const int n = prepare_all(sim);
  const float before = position_pass(sim.work->constraints, n, sim.world->shapes, kBaumgarte);
  CHECK(before <= -0.1f - 2.0f * kPolygonRadius + 1e-4f);
  CHECK(solve_positions(ExactPhysics{}, sim.work->constraints, n, sim.world->shapes, kBaumgarte,
                        3.0f * kLinearSlop));
  CHECK(sim.body(1).sweep.c.y > 0.99f);
}

TEST(a_step_moves_at_most_two_metres_and_a_quarter_turn) {
  TestWorld sim;
  Body& ball = sim.add(true, {0.0f, 0.0f}, 0.0f, circle_shape(1.0f));
  ball.v = {300.0f, 400.0f};
  ball.w = -1000.0f;
  integrate(ball, kStep);
  CHECK_NEAR(length(ball.sweep.c), 2.0, 1e-5);
  CHECK_NEAR(ball.sweep.a, -1.5707963, 1e-5);
  CHECK_NEAR(ball.v.x / ball.v.y, 0.75, 1e-5);
}
