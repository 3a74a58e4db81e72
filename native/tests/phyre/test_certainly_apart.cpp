// The proof behind a shortcut: where certainly_apart says so, the full search must not find
// an impact. Pairs are aimed at the threshold, where a mistake would show first.
#include <cstdio>

#include "check.h"
#include "phyre/exact.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

namespace {

struct Case {
  Shape fixed, moving;
  Body ground, body;
};

struct Family {
  double extent;        // coordinates of the ground, metres
  double size;          // length of the longest shapes
  double thinnest;      // length of the shortest edges, about
  double travel, turn;  // in one step
  double angle;         // of the moving body before the step
};

void sweep_to(Body& body, Vec c0, Vec c, float a0, float a) {
  body.sweep.c0 = c0;
  body.sweep.c = c;
  body.sweep.a0 = a0;
  body.sweep.a = a;
  body.start_rotation = rotation(a0);
  body.posed_angle = a;
  body.pose.q = rotation(a);
  update_pose(body);
}

Shape thin_shape(Random& random, const Family& family) {
  const float length = random.magnitude(family.thinnest, family.size);
  const float width = random.coin() ? random.magnitude(family.thinnest, length)
                                    : random.magnitude(family.thinnest, 1.1 * family.thinnest);
  return random.below(3) > 0 ? box_shape(0.5f * length, 0.5f * width)
                             : random_polygon(random, length, width);
}

Case make_case(Random& random, const Family& family) {
  Case c = {};
  const bool round = random.below(3) == 0;
  c.fixed = random.below(6) == 0 ? circle_shape(random.magnitude(0.1, family.size))
                                 : thin_shape(random, family);
  c.moving = round ? circle_shape(random.magnitude(0.1, family.size)) : thin_shape(random, family);
  c.ground.round = c.fixed.is_circle();
  c.body.round = round;
  c.body.dynamic = true;
  if (!round && random.coin()) {
    c.body.sweep.local_centre = {random.between(-1, 1), random.between(-1, 1)};
  }
  const Vec place = {static_cast<float>(family.extent) * random.between(-1, 1),
                     static_cast<float>(family.extent) * random.between(-1, 1)};
  const float angle = random.coin() ? 0.0f : random.between(-6, 6);
  sweep_to(c.ground, place, place, angle, angle);
  c.ground.plain = is_plain(c.fixed);
  c.body.plain = is_plain(c.moving);
  const float reach = static_cast<float>(family.size);
  const Vec from = {place.x + reach * random.between(-1, 1),
                    place.y + reach * random.between(-1, 1)};
  const Vec step = {static_cast<float>(family.travel) * random.between(-1, 1),
                    static_cast<float>(family.travel) * random.between(-1, 1)};
  // Often parallel to the ground, where the search has most to choose from.
  const float start = random.below(3) == 0
                          ? angle + 1.5707963f * static_cast<float>(random.below(4))
                          : static_cast<float>(family.angle) * random.between(-1, 1);
  const float turn =
      random.below(3) == 0 ? 0.0f : static_cast<float>(family.turn) * random.between(-1, 1);
  sweep_to(c.body, from, from + step, start, start + turn);
  return c;
}

// The hardest case known: the short end of a bar parallel to a long edge of the ground, near
// one end of that edge, and about to turn. The nearest features are hard to tell apart.
Case make_end_on(Random& random, const Family& family) {
  Case c = {};
  const float half = 0.5f * random.between(0.5 * family.size, family.size);
  const float thickness = random.magnitude(family.thinnest, 2 * family.thinnest);
  const float width = random.magnitude(family.thinnest, 1.05 * family.thinnest);
  const float arm = 0.5f * random.magnitude(family.thinnest, family.size);
  c.fixed = box_shape(half, 0.5f * thickness);
  c.moving = random.coin() ? box_shape(arm, 0.5f * width) : box_shape(0.5f * width, arm);
  c.ground.plain = is_plain(c.fixed);
  c.body.plain = is_plain(c.moving);
  c.body.dynamic = true;
  const Vec place = {static_cast<float>(family.extent) * random.between(-1, 1),
                     static_cast<float>(family.extent) * random.between(-1, 1)};
  const float angle = random.coin() ? 0.0f : random.between(-6, 6);
  sweep_to(c.ground, place, place, angle, angle);
  const Vec along = rotate(c.ground.pose.q, {1.0f, 0.0f});
  const Vec up = rotate(c.ground.pose.q, {0.0f, 1.0f});
  const Vec from = place + (half * random.between(-1, 1)) * along + (2.0f * arm) * up;
  const Vec step = random.between(-0.2, 0.2) * along +
                   static_cast<float>(family.travel) * random.between(-0.1, 1) * up;
  const float start = angle + 1.5707963f * static_cast<float>(random.below(4)) +
                      (random.coin() ? 0.0f : random.between(-1e-4, 1e-4));
  const float turn = static_cast<float>(family.turn) *
                     (random.coin() ? random.between(-1, 1) : random.between(-0.01, 0.01));
  sweep_to(c.body, from, from + step, start, start + turn);
  return c;
}

// The axes the engine may ask about: normals of either shape, or from centre to centre.
Vec any_axis(Random& random, const Case& c) {
  const int kind = random.below(4);
  Vec axis = c.body.sweep.c0 - c.ground.sweep.c0;
  if (kind < 2 && !c.fixed.is_circle()) {
    axis = rotate(c.ground.pose.q, c.fixed.normals[random.below(c.fixed.count)]);
  } else if (kind == 2 && !c.moving.is_circle()) {
    axis = -rotate(c.body.pose.q, c.moving.normals[random.below(c.moving.count)]);
  }
  normalise(axis);
  return axis;
}

// The least gap along an axis over the whole step, bounded as the engine bounds it, but in
// double precision.
double least_gap(const Case& c, Vec axis) {
  const exact::Point n = {axis.x, axis.y};
  double highest = -1e300;
  const exact::Placed ground = exact::place_at(c.fixed, c.ground, 1.0);
  for (int i = 0; i < ground.count; ++i) highest = std::max(highest, dot(ground.vertices[i], n));
  double least = 1e300;
  double reach = 0.0;
  for (const double t : {0.0, 1.0}) {
    const exact::Placed shape = exact::place_at(c.moving, c.body, t);
    for (int i = 0; i < shape.count; ++i) least = std::min(least, dot(shape.vertices[i], n));
  }
  for (int i = 0; i < c.moving.count; ++i) {
    const Vec arm = c.moving.vertices[i] - c.body.sweep.local_centre;
    reach = std::max(reach, static_cast<double>(length(arm)));
  }
  const double turn = static_cast<double>(c.body.sweep.a) - c.body.sweep.a0;
  if (c.body.round) reach = 0.0;
  return least - reach * turn * turn / 8.0 - highest;
}

// Moves the body along the axis until the gap is what it should be.
void set_gap(Case& c, Vec axis, double gap) {
  for (int i = 0; i < 3; ++i) {
    const float shift = static_cast<float>(gap - least_gap(c, axis));
    sweep_to(c.body, c.body.sweep.c0 + shift * axis, c.body.sweep.c + shift * axis, c.body.sweep.a0,
             c.body.sweep.a);
  }
}

bool searches_find_impact(const Case& c) {
  return time_of_impact(c.fixed, c.ground, c.moving, c.body).state == ToiState::kTouching ||
         time_of_impact(c.moving, c.body, c.fixed, c.ground).state == ToiState::kTouching;
}

// Aims at gaps around the threshold. Counts how often the shortcut would be taken, and finds
// the widest gap, beyond target and tolerance, at which a search still met an impact.
struct Tally {
  int taken = 0, contradicted = 0;
  double widest = -1.0;
};

Tally hammer(const Family& family, uint64_t seed, int cases) {
  Random random(seed);
  Tally tally;
  for (int n = 0; n < cases; ++n) {
    const bool end_on = random.coin();
    Case c = end_on ? make_end_on(random, family) : make_case(random, family);
    const Vec axis = end_on ? rotate(c.ground.pose.q, {0.0f, 1.0f}) : any_axis(random, c);
    if (length(axis) < 0.5f) continue;
    const double threshold = static_cast<double>(toi_target(c.fixed, c.moving)) + kToiTolerance;
    const double excess =
        random.coin() ? random.magnitude(1e-6, 6e-3) : 4e-3 * random.between(0.9, 1.3);
    set_gap(c, axis, threshold + excess);
    const bool impact = searches_find_impact(c);
    const bool apart = certainly_apart(c.fixed, c.ground, c.moving, c.body, axis);
    tally.taken += apart;
    tally.contradicted += apart && impact;
    if (impact) tally.widest = std::max(tally.widest, least_gap(c, axis) - threshold);
  }
  return tally;
}

void expect_safe(const Family& family, uint64_t seed, int cases) {
  const Tally tally = hammer(family, seed, cases);
  std::printf("     taken %d of %d, impact up to %.2g m beyond the tolerance\n", tally.taken, cases,
              tally.widest);
  CHECK(tally.taken > cases / 10);
  CHECK_EQUAL(tally.contradicted, 0);
}

}  // namespace

TEST(shapes_of_published_sizes) { expect_safe({42, 43, 0.43, 2, 1.5, 7}, 47, 60000); }
TEST(slow_and_resting_shapes) { expect_safe({42, 43, 0.43, 0.01, 0.01, 7}, 53, 60000); }
TEST(fast_turns) { expect_safe({42, 43, 0.43, 2, 1.57, 7}, 61, 60000); }
TEST(many_turns_behind_them) { expect_safe({42, 43, 0.43, 1, 1, 200}, 67, 60000); }
TEST(the_largest_scenes) { expect_safe({128, 96, 0.25, 2, 1.5, 7}, 73, 60000); }
TEST(the_largest_angles) { expect_safe({128, 96, 0.25, 2, 1.5, 2600}, 79, 60000); }
TEST(shapes_that_are_not_plain) {
  const Tally tally = hammer({128, 256, 0.003, 2, 1.5, 7}, 83, 60000);
  CHECK(tally.taken > 0);
  CHECK_EQUAL(tally.contradicted, 0);
}
