#include "check.h"
#include "phyre/exact.h"
#include "phyre/fixture.h"
#include "topple/phyre/time_of_impact.h"

using namespace topple::phyre;

namespace {

// A body on its way from one place to another within a step.
Body moving(Vec from, Vec to, float angle_from, float angle_to, Vec local_centre = {0.0f, 0.0f}) {
  Body body = {};
  body.dynamic = true;
  body.sweep = {local_centre, from, to, angle_from, angle_to, 0.0f};
  body.start_rotation = rotation(angle_from);
  body.posed_angle = angle_to;
  body.pose.q = rotation(angle_to);
  update_pose(body);
  return body;
}

Body fixed(Vec place, float angle) {
  Body body = moving(place, place, angle, angle);
  body.dynamic = false;
  return body;
}

}  // namespace

TEST(a_falling_ball_meets_the_floor_when_it_should) {
  const Shape floor = box_shape(10.0f, 1.0f);
  const Shape ball = circle_shape(0.5f);
  const Body ground = fixed({0.0f, -1.0f}, 0.0f);
  const Body falling = moving({0.0f, 2.0f}, {0.0f, -2.0f}, 0.0f, 0.0f);
  const Impact impact = time_of_impact(floor, ground, ball, falling);
  CHECK(impact.state == ToiState::kTouching);
  // The centre is at height 2 - 4t and stops where the cores are the target apart.
  CHECK_NEAR(2.0 - 4.0 * impact.t, toi_target(floor, ball), 1.1 * kToiTolerance);
}

TEST(a_ball_that_starts_inside_is_overlapped) {
  const Body ground = fixed({0.0f, 0.0f}, 0.0f);
  const Body inside = moving({0.0f, 0.0f}, {0.0f, 3.0f}, 0.0f, 0.0f);
  const Impact impact = time_of_impact(box_shape(1, 1), ground, circle_shape(0.5f), inside);
  CHECK(impact.state == ToiState::kOverlapped);
}

TEST(a_ball_that_leaves_is_separated) {
  const Body ground = fixed({0.0f, -1.0f}, 0.0f);
  const Body leaving = moving({0.0f, 0.6f}, {0.0f, 2.6f}, 0.0f, 0.0f);
  const Impact impact = time_of_impact(box_shape(9, 1), ground, circle_shape(0.5f), leaving);
  CHECK(impact.state == ToiState::kSeparated);
  CHECK_EQUAL(impact.t, 1.0f);
}

TEST(a_turning_bar_is_caught_by_its_tip) {
  const Shape post = box_shape(0.1f, 0.1f);
  const Shape bar = box_shape(4.0f, 0.1f);
  const Body peg = fixed({3.0f, 1.0f}, 0.0f);
  const Body turning = moving({0.0f, 0.0f}, {0.0f, 0.0f}, 0.0f, 1.0f);
  const Impact impact = time_of_impact(post, peg, bar, turning);
  CHECK(impact.state == ToiState::kTouching);
  CHECK(impact.t > 0.15f && impact.t < 0.35f);
}

// Against dense sampling: at the reported time the cores are the target apart. Before it
// they are never nearer, if the body does not turn; a turning corner may graze unseen
// between the two ends of the search, which is part of the published method.
TEST(impacts_are_the_first_meeting) {
  Random random(43);
  int met = 0;
  for (int n = 0; n < 6000; ++n) {
    const Shape a = random_polygon(random, random.magnitude(0.3, 20), random.magnitude(0.3, 4));
    const bool round = random.coin();
    const Shape b =
        round ? circle_shape(random.magnitude(0.3, 4))
              : random_polygon(random, random.magnitude(0.3, 8), random.magnitude(0.3, 8));
    const Body ground =
        fixed({random.between(5, 35), random.between(5, 35)}, random.between(-3, 3));
    const Vec from = {ground.pose.p.x + random.between(-7, 7),
                      ground.pose.p.y + random.between(-7, 7)};
    const Vec to = {from.x + random.between(-2, 2), from.y + random.between(-2, 2)};
    const float angle = random.between(-9, 9);
    const float turn = random.coin() ? 0.0f : random.between(-1.5, 1.5);
    Body body = moving(from, to, angle, angle + turn);
    body.round = round;
    const Impact impact = time_of_impact(a, ground, b, body);
    const double target = toi_target(a, b);
    const auto gap = [&](double t) {
      return exact::distance(exact::place_at(a, ground, t), exact::place_at(b, body, t));
    };
    if (impact.state == ToiState::kOverlapped) {
      CHECK(gap(0.0) < 1e-4);
      continue;
    }
    const bool touching = impact.state == ToiState::kTouching;
    if (touching && impact.t == 0.0f) {
      CHECK(gap(0.0) < target + 1.2 * kToiTolerance);
      continue;
    }
    const double end = touching ? impact.t : 1.0;
    for (int i = 0; i <= 20 && turn == 0.0f; ++i) {
      if (!CHECK(gap(end * i / 20) > target - 1.2 * kToiTolerance)) return;
    }
    if (!touching) continue;
    ++met;
    if (!CHECK_NEAR(gap(impact.t), target, 1.2 * kToiTolerance)) return;
  }
  CHECK(met > 150);
}

TEST(whole_turns_do_not_matter) {
  const Shape post = box_shape(0.1f, 0.1f);
  const Shape bar = box_shape(4.0f, 0.1f);
  const Body peg = fixed({3.0f, 1.0f}, 0.0f);
  const float turn = 2.0f * kPi;
  const Impact near = time_of_impact(post, peg, bar, moving({}, {}, 0.0f, 1.0f));
  for (int k = -3; k <= 3; ++k) {
    const float shift = static_cast<float>(k) * turn;
    const Impact far = time_of_impact(post, peg, bar, moving({}, {}, shift, shift + 1.0f));
    CHECK(far.state == near.state);
    CHECK_NEAR(far.t, near.t, 2e-3);
  }
}

TEST(the_target_leaves_a_little_overlap) {
  const Shape ball = circle_shape(0.5f);
  const Shape box = box_shape(1.0f, 1.0f);
  CHECK_NEAR(toi_target(ball, box), 0.5 + 0.01 - 0.015, 1e-7);
  CHECK_BITS(toi_target(box, box), check::bits(kLinearSlop));
}
