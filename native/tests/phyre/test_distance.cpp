#include "check.h"
#include "phyre/exact.h"
#include "phyre/fixture.h"
#include "topple/phyre/distance.h"

using namespace topple::phyre;

namespace {

struct Pair {
  Shape a, b;
  Transform ta, tb;
  double angle_a, angle_b;

  double exact_distance() const {
    const Vec origin = {0.0f, 0.0f};
    return exact::distance(exact::place(a, {ta.p.x, ta.p.y}, angle_a, origin),
                           exact::place(b, {tb.p.x, tb.p.y}, angle_b, origin));
  }
};

Shape any_shape(Random& random) {
  if (random.below(5) == 0) return circle_shape(random.magnitude(0.1, 5));
  return random_polygon(random, random.magnitude(0.1, 20), random.magnitude(0.1, 20));
}

Pair any_pair(Random& random) {
  Pair pair = {};
  pair.a = any_shape(random);
  pair.b = any_shape(random);
  const float angle_a = random.between(-6, 6);
  const float angle_b = random.coin() ? angle_a : random.between(-6, 6);  // also parallel edges
  pair.angle_a = angle_a;
  pair.angle_b = angle_b;
  pair.ta = {{random.between(0, 42), random.between(0, 42)}, rotation(angle_a)};
  const float spread = random.magnitude(0.5, 30);
  pair.tb = {
      {pair.ta.p.x + spread * random.between(-1, 1), pair.ta.p.y + spread * random.between(-1, 1)},
      rotation(angle_b)};
  return pair;
}

}  // namespace

TEST(distances_agree_with_trying_every_pair_of_features) {
  Random random(31);
  int apart = 0;
  for (int n = 0; n < 60000; ++n) {
    const Pair pair = any_pair(random);
    DistanceCache cache = {};
    const float d = distance(pair.a, pair.ta, pair.b, pair.tb, cache);
    const double expected = pair.exact_distance();
    apart += expected > 0.0;
    if (!CHECK_NEAR(d, expected, 3e-5)) return;
  }
  CHECK(apart > 20000 && apart < 59000);
}

TEST(an_answer_can_start_the_next_search) {
  Random random(37);
  for (int n = 0; n < 10000; ++n) {
    Pair pair = any_pair(random);
    DistanceCache cache = {};
    distance(pair.a, pair.ta, pair.b, pair.tb, cache);
    CHECK(cache.count >= 1 && cache.count <= 3);
    for (int i = 0; i < cache.count; ++i) {
      CHECK(cache.index_a[i] >= 0 && cache.index_a[i] < pair.a.count);
      CHECK(cache.index_b[i] >= 0 && cache.index_b[i] < pair.b.count);
    }
    pair.tb.p = pair.tb.p + Vec{random.between(-1, 1), random.between(-1, 1)};
    const float d = distance(pair.a, pair.ta, pair.b, pair.tb, cache);
    if (!CHECK_NEAR(d, pair.exact_distance(), 3e-5)) return;
  }
}

TEST(the_two_shapes_may_be_exchanged) {
  Random random(41);
  for (int n = 0; n < 10000; ++n) {
    const Pair pair = any_pair(random);
    DistanceCache forth = {}, back = {};
    const float d = distance(pair.a, pair.ta, pair.b, pair.tb, forth);
    const float e = distance(pair.b, pair.tb, pair.a, pair.ta, back);
    if (!CHECK_NEAR(d, e, 3e-5)) return;
  }
}

TEST(the_first_of_equal_supports_is_taken) {
  const Shape box = box_shape(1.0f, 1.0f);
  CHECK_EQUAL(support(box, {1.0f, 0.0f}), 0);
  CHECK_EQUAL(support(box, {0.0f, 1.0f}), 1);
  CHECK_EQUAL(support(box, {-1.0f, 0.0f}), 2);
  CHECK_EQUAL(support(box, {-1.0f, -1.0f}), 3);
}
