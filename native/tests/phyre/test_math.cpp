#include "check.h"
#include "phyre/random_shapes.h"
#include "topple/phyre/constants.h"
#include "topple/phyre/math.h"
#include "topple/phyre/time_of_impact.h"

using namespace topple::phyre;

namespace {

// Kept from the compiler, so that sums and products are rounded when the test runs.
float opaque(float x) {
  volatile float v = x;
  return v;
}

}  // namespace

TEST(constants_have_the_published_bits) {
  CHECK_BITS(kEpsilon, 0x34000000);
  CHECK_BITS(kEpsilon * kEpsilon, 0x28800000);
  CHECK_BITS(1.0f - 10.0f * kEpsilon, 0x3f7fffec);
  CHECK_BITS(kMaxFloat, 0x7f7fffff);
  CHECK_BITS(kPi, 0x40490fdb);
  CHECK_BITS(2.0f * kPi, 0x40c90fdb);
  CHECK_BITS(kLinearSlop, 0x3ba3d70a);
  CHECK_BITS(kPolygonRadius, 0x3c23d70a);
  CHECK_BITS(-(3.0f * kLinearSlop), 0xbc75c28f);
  CHECK_BITS(-(1.5f * kLinearSlop), 0xbbf5c28f);
  CHECK_BITS(kToiTolerance, 0x3aa3d70a);
  CHECK_BITS(0.1f * kLinearSlop, 0x3a03126f);
  CHECK_BITS((0.5f * kLinearSlop) * (0.5f * kLinearSlop), 0x36d1b717);
  CHECK_BITS(kBoxMargin, 0x3dcccccd);
  CHECK_BITS(kBoxLookahead, 0x40000000);
  CHECK_BITS(kRestitutionSpeed, 0x3f800000);
  CHECK_BITS(kMaxCorrection, 0x3e4ccccd);
  CHECK_BITS(kBaumgarte, 0x3e4ccccd);
  CHECK_BITS(kToiBaumgarte, 0x3f400000);
  CHECK_BITS(kMaxTranslation * kMaxTranslation, 0x40800000);
  CHECK_BITS(kMaxRotation, 0x3fc90fdb);
  CHECK_BITS(kMaxRotation * kMaxRotation, 0x401de9e7);
  CHECK_BITS(kTimeToSleep, 0x3f000000);
  CHECK_BITS(kLinearSleepTolerance * kLinearSleepTolerance, 0x38d1b717);
  CHECK_BITS(kAngularSleepTolerance, 0x3d0efa36);
  CHECK_BITS(kAngularSleepTolerance * kAngularSleepTolerance, 0x3a9fb511);
  CHECK_BITS(kMaxCondition, 0x447a0000);
  CHECK_BITS(1.0f / 3.0f, 0x3eaaaaab);
}

TEST(the_settings_of_the_benchmark_have_the_published_bits) {
  CHECK_BITS(kTimeStep, 0x3c888889);
  CHECK_BITS(1.0f / kTimeStep, 0x426fffff);
  CHECK_BITS((1.0f / kTimeStep) * kTimeStep, 0x3f800000);  // impulses carry over unscaled
  CHECK_BITS(kGravityY, 0xc11ccccd);
  CHECK_BITS(kTimeStep * kGravityY, 0xbe2740db);
  CHECK_BITS(kDensity, 0x3e800000);
  CHECK_BITS(kFriction, 0x3f000000);
  CHECK_BITS(kRestitution, 0x3e4ccccd);
  CHECK_BITS(kAngularDamping, 0x3c23d70a);
  CHECK_BITS(1.0f / (1.0f + kTimeStep * kAngularDamping), 0x3f7ff514);
  CHECK_BITS(0.1f / kPixelsPerMetre, 0x3c888889);  // a tenth of a pixel
  CHECK_EQUAL(kVelocityPasses, 15);
  CHECK_EQUAL(kPositionPasses, 20);
  CHECK_EQUAL(kMaxToiEvents, 8);
  CHECK_EQUAL(kMaxToiContacts, 32);
  CHECK_EQUAL(kMaxToiBodies, 64);
  CHECK_EQUAL(kMaxVertices, 8);
}

TEST(selections_return_the_second_of_two_equal_values) {
  CHECK_BITS(min(0.0f, -0.0f), 0x80000000);
  CHECK_BITS(min(-0.0f, 0.0f), 0x00000000);
  CHECK_BITS(max(0.0f, -0.0f), 0x80000000);
  CHECK_BITS(max(-0.0f, 0.0f), 0x00000000);
  CHECK_BITS(topple::phyre::abs(0.0f), 0x80000000);
  CHECK_EQUAL(clamp(5.0f, -1.0f, 2.0f), 2.0f);
  CHECK_EQUAL(clamp(-5.0f, -1.0f, 2.0f), -1.0f);
  CHECK_EQUAL(clamp(0.5f, -1.0f, 2.0f), 0.5f);
}

TEST(products_are_not_fused_with_sums) {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: rounding the product first loses the last term.
  const float x = opaque(1.0f + 0x1p-12f);
  CHECK_EQUAL(x * x - opaque(1.0f + 0x1p-11f), 0.0f);
  CHECK_EQUAL(dot({x, -1.0f}, {x, opaque(1.0f + 0x1p-11f)}), 0.0f);
  CHECK_EQUAL(cross(Vec{x, opaque(1.0f + 0x1p-11f)}, Vec{1.0f, x}), 0.0f);
}

TEST(floor_is_the_floor) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    const float x = random.between(-1, 1) * random.magnitude(1e-3, 4e6);
    if (!CHECK_EQUAL(topple::phyre::floor(x), std::floor(x))) return;
  }
  CHECK_EQUAL(topple::phyre::floor(-1.0f), -1.0f);
  CHECK_EQUAL(topple::phyre::floor(-0.5f), -1.0f);
}

TEST(short_vectors_are_not_normalised) {
  Vec v = {0.5f * kEpsilon, 0.0f};
  CHECK_EQUAL(normalise(v), 0.0f);
  CHECK_EQUAL(v.x, 0.5f * kEpsilon);
  Vec w = {3.0f, -4.0f};
  CHECK_EQUAL(normalise(w), 5.0f);
  CHECK_NEAR(w.x, 0.6, 1e-7);
  CHECK_NEAR(w.y, -0.8, 1e-7);
}

TEST(transforms_undo_each_other) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Transform a = {{random.between(-40, 40), random.between(-40, 40)},
                         rotation(random.between(-9, 9))};
    const Transform b = {{random.between(-40, 40), random.between(-40, 40)},
                         rotation(random.between(-9, 9))};
    const Vec v = {random.between(-5, 5), random.between(-5, 5)};
    const Vec back = apply_back(a, apply(a, v));
    CHECK_NEAR(back.x, v.x, 2e-5);
    CHECK_NEAR(back.y, v.y, 2e-5);
    // b seen from a, then placed by a, is b.
    const Vec direct = apply(b, v);
    const Vec through = apply(a, apply(relative(a, b), v));
    CHECK_NEAR(through.x, direct.x, 5e-5);
    CHECK_NEAR(through.y, direct.y, 5e-5);
  }
}

TEST(cross_products_turn_the_right_way) {
  const Vec x = {1.0f, 0.0f};
  const Vec y = {0.0f, 1.0f};
  CHECK_EQUAL(cross(x, y), 1.0f);
  CHECK_EQUAL(cross(2.0f, x).y, 2.0f);  // a spin moves a point on the right upwards
  CHECK_EQUAL(cross(x, 2.0f).y, -2.0f);
}
