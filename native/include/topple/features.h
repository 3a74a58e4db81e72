// Object features: 14 numbers for each body of a known kind.
#pragma once

#include "topple/scene.h"

namespace topple {

constexpr int kFeatureSize = 14;
constexpr int kKinds = 4;   // ball, bar, jar, standing sticks
constexpr int kColors = 6;  // red, green, blue, purple, gray, black

namespace detail {

TOPPLE_FN float wrapped_turn(float angle) {
  constexpr double kTurn = 2.0 * 3.14159265358979323846;
  float wrapped = static_cast<float>(__builtin_fmod(static_cast<double>(angle), kTurn));
  if (wrapped < 0.0f) wrapped = static_cast<float>(static_cast<double>(wrapped) + kTurn);
  return static_cast<float>(static_cast<double>(wrapped) / kTurn);
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
    const Rot q = rotation(out[2] * 2.0f * kPiFloat);
    const double dx = -feature_offset * static_cast<double>(q.s) / kSceneSize;
    const double dy = feature_offset * static_cast<double>(q.c) / kSceneSize;
    out[0] = static_cast<float>(static_cast<double>(out[0]) + dx);
    out[1] = static_cast<float>(static_cast<double>(out[1]) + dy);
  }
}

}  // namespace detail
}  // namespace topple
