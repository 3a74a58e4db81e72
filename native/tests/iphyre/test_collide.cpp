#include <cmath>
#include <initializer_list>

#include "check.h"
#include "random.h"
#include "topple/iphyre/collide.h"

using namespace topple::iphyre;

namespace {

Shape capsule(Random& random, uint64_t number) {
  Body body = {};
  body.p = {random.between(0, 200), random.between(0, 200)};
  body.rot = rotation(random.between(-7, 7));
  Shape shape = {};
  shape.kind = Kind::kCapsule;
  shape.number = number;
  shape.radius = random.between(2, 15);
  const double half = random.between(1, 80);
  shape.local_ends[0] = {-half, 0.0};
  shape.local_ends[1] = {half, 0.0};
  shape.local_normal = rperp(normalise(shape.local_ends[1] - shape.local_ends[0]));
  update_shape(shape, body);
  return shape;
}

double to_segment(Vec p, Vec a, Vec b) {
  const Vec e = b - a;
  const double t = clamp01(dot(p - a, e) / dot(e, e));
  return length(a + e * t - p);
}

bool cross_each_other(const Shape& a, const Shape& b) {
  const auto side = [](const Shape& s, Vec p) {
    return cross(s.ends[1] - s.ends[0], p - s.ends[0]) > 0;
  };
  return side(a, b.ends[0]) != side(a, b.ends[1]) && side(b, a.ends[0]) != side(b, a.ends[1]);
}

double core_distance(const Shape& a, const Shape& b) {
  if (cross_each_other(a, b)) return 0.0;
  double least = 1e300;
  for (int i = 0; i < 2; ++i) {
    least = min(least, to_segment(a.ends[i], b.ends[0], b.ends[1]));
    least = min(least, to_segment(b.ends[i], a.ends[0], a.ends[1]));
  }
  return least;
}

}  // namespace

TEST(capsules_touch_when_their_cores_are_near_enough) {
  Random random(23);
  int touching = 0;
  for (int i = 0; i < 100000; ++i) {
    const Shape a = capsule(random, 3);
    const Shape b = capsule(random, 4);
    const double gap = core_distance(a, b) - a.radius - b.radius;
    if (std::abs(gap) < 1e-9) continue;
    const Touch touch = collide(a, b, 0);
    if (gap > 0) CHECK_EQUAL(touch.count, 0);
    if (touch.count == 0) continue;
    ++touching;
    CHECK(std::abs(length(touch.normal) - 1.0) < 1e-12);
    for (int k = 0; k < touch.count; ++k) {
      CHECK(dot(touch.points[k].p2 - touch.points[k].p1, touch.normal) <= 0.0);
    }
    // Where a search ended is a good start, and gives the same contacts.
    const Touch again = collide(a, b, touch.memory);
    CHECK_EQUAL(again.count, touch.count);
  }
  CHECK(touching > 10000);
}

TEST(balls_touch_capsules_at_their_nearest_point) {
  Random random(29);
  for (int i = 0; i < 100000; ++i) {
    const Shape b = capsule(random, 1);
    Shape ball = {};
    Body body = {};
    body.p = {random.between(0, 200), random.between(0, 200)};
    ball.kind = Kind::kCircle;
    ball.radius = random.between(1, 40);
    update_shape(ball, body);
    const double gap = to_segment(body.p, b.ends[0], b.ends[1]) - ball.radius - b.radius;
    if (std::abs(gap) < 1e-9) continue;
    CHECK_EQUAL(collide(ball, b, 0).count, gap < 0 ? 1 : 0);
  }
}

TEST(coincident_shapes_have_a_normal) {
  Body body = {};
  body.rot = {1.0, 0.0};
  Shape ball = {};
  ball.radius = 5.0;
  update_shape(ball, body);
  const Touch touch = collide(ball, ball, 0);
  CHECK_EQUAL(touch.count, 1);
  CHECK(touch.normal.x == 1.0 && touch.normal.y == 0.0);
}

TEST(numbers_that_are_none_end_the_search) {
  Random random(31);
  for (const double bad : {static_cast<double>(NAN), static_cast<double>(INFINITY), 1e308}) {
    Shape a = capsule(random, 0);
    Shape b = capsule(random, 1);
    a.ends[0].x = bad;
    for (uint32_t memory : {0u, 0x01000001u}) CHECK(collide(a, b, memory).count <= 2);
    b.ends[1].y = -bad;
    CHECK(collide(a, b, 0).count <= 2);
  }
}
