// Leaving out work must not change a bit: random worlds, step by step, with and without.
#include "check.h"
#include "phyre/fixture.h"

using namespace topple;

namespace {

// Steps both ways and compares everything after each step; the number of steps compared.
int compare(Stage& quick, Stage& full, int steps) {
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
    Chance chance(1000 + seed);
    Stage quick, full;
    add_random_bodies(quick, chance);
    *full.world = *quick.world;
    if (compare(quick, full, 250) < 250) return;
  }
}

TEST(long_bars_falling_flat_on_long_bars) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Chance chance(2000 + seed);
    Stage quick, full;
    quick.add(false, {21.0f, -0.5f}, 0.0f, box_shape(21.3f, 0.42f));
    for (int i = 0; i < 4; ++i) {
      const float angle = chance.coin() ? 0.0f : chance.between(-0.05, 0.05);
      Body& bar = quick.add(true, {chance.between(15, 27), 2.0f + 2.0f * static_cast<float>(i)},
                            angle, box_shape(chance.between(2, 20), chance.magnitude(0.002, 0.43)));
      bar.v = {chance.between(-3, 3), chance.between(-40, 0)};
      bar.w = chance.between(-1, 1);
    }
    *full.world = *quick.world;
    if (compare(quick, full, 200) < 200) return;
  }
}

TEST(spinning_shapes_at_high_speed) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Chance chance(3000 + seed);
    Stage quick, full;
    add_random_bodies(quick, chance);
    for (int i = 0; i < quick.world->dynamic_count; ++i) {
      Body& body = quick.body(quick.world->dynamic[i]);
      body.v = {chance.between(-200, 200), chance.between(-200, 200)};
      body.w = chance.between(-120, 120);
    }
    *full.world = *quick.world;
    if (compare(quick, full, 150) < 150) return;
  }
}
