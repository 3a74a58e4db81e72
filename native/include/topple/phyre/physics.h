// Physics: the constants of a world and the care with which it is computed.
#pragma once

#include "topple/phyre/bodies.h"

namespace topple::phyre {

// The physics of PHYRE, known to the compiler: functions that take one of these cost nothing.
struct ExactPhysics {
  static constexpr float time_step = kTimeStep;
  static constexpr float gravity = kGravityY;
  static constexpr float friction = kFriction;
  static constexpr float restitution = kRestitution;
  static constexpr int velocity_passes = kVelocityPasses;
  static constexpr int position_passes = kPositionPasses;
  static constexpr bool continuous = true;  // fast bodies do not pass through static ones

  TOPPLE_FN static int steps(int published) { return published; }
  TOPPLE_FN static void shake(Body&) {}
};

// Physics that somebody imagines: another world, or this one with less care.
struct ImaginedPhysics {
  float time_step;
  float gravity;
  float friction;
  float restitution;
  float noise;  // of velocities: standard deviation after a second, in radians and as a share
  uint32_t seed;
  int32_t velocity_passes;
  int32_t position_passes;
  bool continuous;

  // How many steps take as long as a number of published ones.
  TOPPLE_FN int steps(int published) const {
    return static_cast<int>(static_cast<float>(published) * kTimeStep / time_step + 0.5f);
  }

  // Turns and scales the velocity of a body at random. The bits of the motion decide how, so
  // nothing has to be remembered, and equal motions are shaken alike.
  TOPPLE_FN void shake(Body& body) const {
    if (!(noise > 0.0f)) return;
    const uint32_t one = mix(mix(mix(seed, body.sweep.c.x), body.sweep.c.y), body.v.x);
    const uint32_t two = mix(one, body.v.y);
    const float spread = noise * sqrt(time_step);
    const float turn = spread * deviate(one);
    const Vec v = {body.v.x - turn * body.v.y, body.v.y + turn * body.v.x};
    body.v = (1.0f + spread * deviate(two)) * v;
  }

 private:
  TOPPLE_FN static uint32_t mix(uint32_t seed, float value) {
    uint32_t x = (seed ^ trig::bits(value)) * 0x9e3779b1u;
    x = (x ^ x >> 15) * 0x85ebca77u;
    x = (x ^ x >> 13) * 0xc2b2ae3du;
    return x ^ x >> 16;
  }

  // A sum of four bytes: nearly normal, with mean 0 and variance 1.
  TOPPLE_FN static float deviate(uint32_t x) {
    const uint32_t sum = (x & 255u) + (x >> 8 & 255u) + (x >> 16 & 255u) + (x >> 24);
    return (static_cast<float>(sum) - 510.0f) / 147.80054f;
  }
};

}  // namespace topple::phyre
