// Contacts: pairs of fixtures whose fat boxes overlap, and where they touch.
#pragma once

#include "topple/phyre/bodies.h"

namespace topple::phyre {

enum class ManifoldType : uint8_t { kCircles = 0, kFaceA = 1, kFaceB = 2 };

struct ManifoldPoint {
  Vec local;  // in the frame of the body that does not own the face
  float normal_impulse, tangent_impulse;
  uint32_t id;  // the two features that meet, to recognise the point in the next step
};

struct Manifold {
  ManifoldPoint points[2];
  Vec local_normal, local_point;
  ManifoldType type;
  uint8_t count;
};

enum class ShapePair : uint8_t { kCircles, kPolygonCircle, kPolygons };

// An edge normal that separated the two shapes, or nearly, when last looked at.
struct AxisHint {
  uint8_t edge;
  bool of_b;
};

struct Contact {
  Manifold manifold;
  float toi;  // fraction of the step, if toi_valid
  int16_t fixture_a, fixture_b;
  int16_t body_a, body_b;
  ShapePair pair;
  AxisHint hint;
  uint8_t toi_count;
  bool touching;
  bool enabled;
  bool in_island;
  bool toi_valid;
  bool reported;  // touching when contact events were last written
};

}  // namespace topple::phyre
