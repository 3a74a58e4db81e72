// Leaving out work must not change a bit: random worlds, step by step, with and without.
#include "check.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

namespace {

// Steps both ways and compares everything after each step; the number of steps compared.
int compare(TestWorld& quick, TestWorld& full, int steps) {
  for (int i = 0; i < steps; ++i) {
    quick.step(true);
    full.step(false);
    if (!CHECK(same_world(*quick.world, *full.world))) return i;
  }
  return steps;
}

}  // namespace

TEST(random_worlds) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Random random(1000 + seed);
    TestWorld quick, full;
    add_random_bodies(quick, random);
    *full.world = *quick.world;
    if (compare(quick, full, 250) < 250) return;
  }
}

TEST(long_bars_falling_flat_on_long_bars) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(2000 + seed);
    TestWorld quick, full;
    quick.add(false, {21.0f, -0.5f}, 0.0f, box_shape(21.3f, 0.42f));
    for (int i = 0; i < 4; ++i) {
      const float angle = random.coin() ? 0.0f : random.between(-0.05, 0.05);
      Body& bar = quick.add(true, {random.between(15, 27), 2.0f + 2.0f * static_cast<float>(i)},
                            angle, box_shape(random.between(2, 20), random.magnitude(0.002, 0.43)));
      bar.v = {random.between(-3, 3), random.between(-40, 0)};
      bar.w = random.between(-1, 1);
    }
    *full.world = *quick.world;
    if (compare(quick, full, 200) < 200) return;
  }
}

TEST(spinning_shapes_at_high_speed) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(3000 + seed);
    TestWorld quick, full;
    add_random_bodies(quick, random);
    for (int i = 0; i < quick.world->dynamic_count; ++i) {
      Body& body = quick.body(quick.world->dynamic[i]);
      body.v = {random.between(-200, 200), random.between(-200, 200)};
      body.w = random.between(-120, 120);
    }
    *full.world = *quick.world;
    if (compare(quick, full, 150) < 150) return;
  }
}
