#include <cmath>
#include <initializer_list>

#include "check.h"
#include "random.h"
#include "topple/iphyre/trig.h"

using namespace topple::iphyre;

namespace {

constexpr double kScales[] = {1e-9, 1e-3, 0.1, 0.9, 3.0, 100.0, 1e5, 9e7};

}  // namespace

TEST(soft_fused_operations_round_once) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    const double a = random.between(-2, 2);
    const double b = random.between(-2, 2) * (random.coin() ? 1.0 : 1e-12);
    const double c = random.coin() ? -a * b : random.between(-2, 2);
    CHECK(same(SoftFused()(a, b, c), std::fma(a, b, c)));
  }
}

TEST(both_kinds_of_fused_operations_give_the_same_rotation) {
  Random random(5);
  for (const double scale : kScales) {
    for (int i = 0; i < 20000; ++i) {
      const double x = random.between(-scale, scale);
      const Rot here = rotation(x);
      const Rot soft = trig::rotation<SoftFused>(x);
      CHECK(same(here.c, soft.c) && same(here.s, soft.s));
    }
  }
}

TEST(rotations_are_those_of_mathematics_within_a_unit) {
  Random random(7);
  for (const double scale : kScales) {
    for (int i = 0; i < 20000; ++i) {
      const double x = random.between(-scale, scale);
      const Rot q = rotation(x);
      CHECK(std::abs(q.c - std::cos(x)) < 3e-16);
      CHECK(std::abs(q.s - std::sin(x)) < 3e-16);
    }
  }
}

TEST(absurd_angles_give_no_harm) {
  for (const double x : {1e9, -1e300, HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    const Rot q = rotation(x);
    CHECK(!(std::abs(q.c) > 1.0) && !(std::abs(q.s) > 1.0));
  }
  CHECK(rotation(0.0).c == 1.0);
}
