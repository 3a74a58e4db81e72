// Object features: 14 numbers for each body of a known kind.
#pragma once

#include "topple/phyre/scene.h"

namespace topple::phyre {

constexpr int kKinds = static_cast<int>(Kind::kStandingSticks);
constexpr int kColors = static_cast<int>(Color::kBlack);
constexpr int kFeatureSize = 4 + kKinds + kColors;

namespace detail {

TOPPLE_FN float wrapped_turn(float angle) {
  constexpr double kTurn = 2.0 * 3.14159265358979323846;
  float wrapped = static_cast<float>(TOPPLE_BUILTIN(fmod)(static_cast<double>(angle), kTurn));
  if (wrapped < 0.0f) wrapped = static_cast<float>(static_cast<double>(wrapped) + kTurn);
  return static_cast<float>(static_cast<double>(wrapped) / kTurn);
}

// Sine and cosine as the array library of the original computes them in float32: a
// reduction by quarter turns in three parts and two short polynomials, every
// multiplication fused with the addition after it. Only object features use it.
TOPPLE_FN Rot fused_rotation(float angle) {
  constexpr float kQuarters[3] = {-0x1.921fb0p+00f, -0x1.5110b4p-22f, -0x1.846988p-48f};
  constexpr float kSine[5] = {0x1.7d3bbcp-19f, -0x1.a06bbap-13f, 0x1.11119ap-07f, -0x1.555556p-03f,
                              0.0f};
  constexpr float kCosine[5] = {0x1.98e616p-16f, -0x1.6c06dcp-10f, 0x1.55553cp-05f, -0.5f, 1.0f};
  constexpr float kRound = 0x1.8p+23f;  // adding and taking it away rounds to a whole number
  const float turns = (angle * 0x1.45f306p-1f + kRound) - kRound;
  float r = angle;
  for (const float part : kQuarters) r = TOPPLE_BUILTIN(fmaf)(turns, part, r);
  const float square = r * r;
  float s = kSine[0];
  float c = kCosine[0];
  for (int i = 1; i < 5; ++i) {
    s = TOPPLE_BUILTIN(fmaf)(s, square, kSine[i]);
    c = TOPPLE_BUILTIN(fmaf)(c, square, kCosine[i]);
  }
  s = TOPPLE_BUILTIN(fmaf)(s, r, r);
  switch (static_cast<int>(turns) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

// Position as a share of the scene, angle as a share of a turn, diameter, then kind and
// colour as one-hot codes. A jar's place is that of its centre of mass, feature_offset
// pixels above its origin.
TOPPLE_FN void write_features(float* out, const PixelPose& pose, float diameter,
                              double feature_offset, int kind, int color) {
  constexpr float kPiFloat = 3.14159265358979f;
  out[0] = static_cast<float>(pose.p.x) / kSceneSize;
  out[1] = static_cast<float>(pose.p.y) / kSceneSize;
  out[2] = wrapped_turn(static_cast<float>(pose.angle));
  out[3] = diameter / kSceneSize;
  for (int i = 0; i < kKinds; ++i) out[4 + i] = i == kind - 1 ? 1.0f : 0.0f;
  for (int i = 0; i < kColors; ++i) out[4 + kKinds + i] = i == color - 1 ? 1.0f : 0.0f;
  if (feature_offset != 0.0) {
    const Rot q = fused_rotation(out[2] * 2.0f * kPiFloat);
    const double dx = -feature_offset * static_cast<double>(q.s) / kSceneSize;
    const double dy = feature_offset * static_cast<double>(q.c) / kSceneSize;
    out[0] = static_cast<float>(static_cast<double>(out[0]) + dx);
    out[1] = static_cast<float>(static_cast<double>(out[1]) + dy);
  }
}

}  // namespace detail
}  // namespace topple::phyre
