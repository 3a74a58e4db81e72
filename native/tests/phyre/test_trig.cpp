#include <cstdlib>

#include "check.h"
#include "phyre/random_shapes.h"
#include "topple/phyre/trig.h"

using namespace topple::phyre;

namespace {

struct Sample {
  uint32_t angle, sine, cosine;
};

// The rule evaluated outside this library, one double operation at a time.
const Sample kSamples[] = {
    {0x00000000u, 0x00000000u, 0x3f800000u}, {0x80000000u, 0x80000000u, 0x3f800000u},
    {0x00000001u, 0x00000001u, 0x3f800000u}, {0x31ffffffu, 0x31ffffffu, 0x3f800000u},
    {0x32000000u, 0x32000000u, 0x3f800000u}, {0xb2000000u, 0xb2000000u, 0x3f800000u},
    {0x3b800000u, 0x3b7fffd5u, 0x3f7fff80u}, {0xbb800000u, 0xbb7fffd5u, 0x3f7fff80u},
    {0x3c23d70au, 0x3c23d657u, 0x3f7ffcb9u}, {0xbc23d70au, 0xbc23d657u, 0x3f7ffcb9u},
    {0x3c8b2a11u, 0x3c8b285au, 0x3f7ff68bu}, {0x3cf3c1a7u, 0x3cf3b872u, 0x3f7fe2fdu},
    {0x3d000000u, 0x3cfff555u, 0x3f7fe001u}, {0xbd000000u, 0xbcfff555u, 0x3f7fe001u},
    {0x3e000000u, 0x3dff5577u, 0x3f7e00abu}, {0x3f490fdau, 0x3f3504f3u, 0x3f3504f4u},
    {0x3f490fdbu, 0x3f3504f3u, 0x3f3504f3u}, {0xbf490fdbu, 0xbf3504f3u, 0x3f3504f3u},
    {0x3f800000u, 0x3f576aa4u, 0x3f0a5140u}, {0x3fc90fdbu, 0x3f800000u, 0xb33bbd2eu},
    {0xbfc90fdbu, 0xbf800000u, 0xb33bbd2eu}, {0x40000000u, 0x3f68c7b7u, 0xbed51133u},
    {0x40490fdbu, 0xb3bbbd2eu, 0xbf800000u}, {0x40600000u, 0xbeb399dcu, 0xbf6fbba0u},
    {0xc0800000u, 0x3f41bdcfu, 0xbf275530u}, {0x40a00000u, 0xbf757c10u, 0x3e913c2cu},
    {0x40e231d5u, 0x3f3504eeu, 0x3f3504f9u}, {0x40e231d6u, 0x3f3504f3u, 0x3f3504f3u},
    {0x41200000u, 0xbf0b44f8u, 0xbf56cd64u}, {0xc1cc0000u, 0xbeb7d67fu, 0x3f6eedbdu},
    {0x42b66666u, 0xbdbfd759u, 0xbf7edfd8u}, {0x42f00000u, 0x3f14a2efu, 0x3f506e2au},
};

// Small angles at which the published slip shows; the correctly rounded value, found from
// the power series over rational numbers, is another one for at least one sign.
const Sample kSlips[] = {
    {0x3cfffffeu, 0x3cfff553u, 0x3f7fe000u}, {0x3cffffffu, 0x3cfff554u, 0x3f7fe000u},
    {0xbcffffffu, 0xbcfff554u, 0x3f7fe000u}, {0x3cf73342u, 0x3cf729a7u, 0x3f7fe22au},
    {0xbcf73342u, 0xbcf729a7u, 0x3f7fe229u}, {0x3cdbefb1u, 0x3cdbe8edu, 0x3f7fe862u},
    {0xbcdbefb1u, 0xbcdbe8edu, 0x3f7fe861u}, {0x3cc79c67u, 0x3cc79759u, 0x3f7fec8bu},
    {0xbcc79c67u, 0xbcc79758u, 0x3f7fec8bu},
};

void check_samples(const Sample* samples, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Rot q = rotation(check::from_bits(samples[i].angle));
    CHECK_BITS(q.s, samples[i].sine);
    CHECK_BITS(q.c, samples[i].cosine);
  }
}

// Distance in representable numbers, for values of one sign.
int64_t ulps(float seen, double exact) {
  const float rounded = static_cast<float>(exact);
  return std::llabs(static_cast<int64_t>(check::bits(seen)) -
                    static_cast<int64_t>(check::bits(rounded)));
}

}  // namespace

TEST(samples_have_their_bits) { check_samples(kSamples, sizeof kSamples / sizeof *kSamples); }

TEST(the_published_slip_is_kept) { check_samples(kSlips, sizeof kSlips / sizeof *kSlips); }

TEST(values_are_correctly_rounded_up_to_a_last_bit) {
  Random random(19);
  for (int i = 0; i < 300000; ++i) {
    const float angle = (random.coin() ? 1.0f : -1.0f) * random.magnitude(1e-9, 2000);
    const Rot q = rotation(angle);
    const double s = std::sin(static_cast<double>(angle));
    const double c = std::cos(static_cast<double>(angle));
    if (!CHECK(ulps(q.s, s) <= 1) || !CHECK(ulps(q.c, c) <= 1)) return;
  }
}

TEST(larger_angles_are_symmetric) {
  Random random(23);
  for (int i = 0; i < 100000; ++i) {
    const float angle = random.magnitude(0x1p-5, 1e5);
    const Rot plus = rotation(angle);
    const Rot minus = rotation(-angle);
    if (!CHECK_BITS(-minus.s, check::bits(plus.s))) return;
    if (!CHECK_BITS(minus.c, check::bits(plus.c))) return;
  }
}

TEST(the_largest_angles_still_lie_on_the_circle) {
  Random random(29);
  for (int i = 0; i < 100000; ++i) {
    const Rot q = rotation(random.between(-1, 1) * (kMaxAngle - 1.0f));
    const double square = static_cast<double>(q.s) * q.s + static_cast<double>(q.c) * q.c;
    if (!CHECK_NEAR(square, 1.0, 3e-7)) return;
  }
}
