#include "check.h"
#include "phyre/random_shapes.h"
#include "topple/phyre/features.h"

using namespace topple::phyre;

TEST(places_angles_and_sizes_are_shares) {
  float row[kFeatureSize];
  detail::write_features(row, {{64.0, 128.0}, 3.14159265358979}, 32.0f, 0.0, 2, 5);
  CHECK_EQUAL(row[0], 0.25f);
  CHECK_EQUAL(row[1], 0.5f);
  CHECK_NEAR(row[2], 0.5, 1e-6);
  CHECK_EQUAL(row[3], 0.125f);
  for (int i = 0; i < kKinds; ++i) CHECK_EQUAL(row[4 + i], i == 1);
  for (int i = 0; i < kColors; ++i) CHECK_EQUAL(row[8 + i], i == 4);
}

TEST(angles_are_wrapped_into_one_turn) {
  Random random(137);
  for (int i = 0; i < 20000; ++i) {
    const float angle = random.between(-100, 100);
    const double turns = static_cast<double>(angle) / 6.283185307179586;
    const float wrapped = detail::wrapped_turn(angle);
    CHECK(wrapped >= 0.0f && wrapped <= 1.0f);
    CHECK_NEAR(std::remainder(static_cast<double>(wrapped) - turns, 1.0), 0.0, 1e-6);
  }
}

TEST(the_fused_pair_is_sine_and_cosine) {
  Random random(139);
  for (int i = 0; i < 50000; ++i) {
    const float angle = random.between(-7, 7);
    const Rot q = detail::fused_rotation(angle);
    CHECK_NEAR(q.s, std::sin(static_cast<double>(angle)), 2e-7);
    CHECK_NEAR(q.c, std::cos(static_cast<double>(angle)), 2e-7);
  }
}

TEST(a_jar_is_placed_by_its_centre_of_mass) {
  float upright[kFeatureSize], lying[kFeatureSize];
  detail::write_features(upright, {{128.0, 128.0}, 0.0}, 32.0f, 25.6, 3, 2);
  CHECK_NEAR(upright[0], 0.5, 1e-6);
  CHECK_NEAR(upright[1], 0.6, 1e-6);
  detail::write_features(lying, {{128.0, 128.0}, 1.5707963}, 32.0f, 25.6, 3, 2);
  CHECK_NEAR(lying[0], 0.4, 1e-6);
  CHECK_NEAR(lying[1], 0.5, 1e-6);
}
