// The rules of scenes as sentences.
#pragma once

#include "topple/phyre/scene.h"

namespace topple::phyre {

// A sentence, or its beginning and its end around a number.
struct Rule {
  const char* text;
  int32_t limit = -1;  // -1: none
  const char* end = "";
};

// The rule that a scene with this fault breaks.
inline Rule broken_rule(SceneFault fault) {
  switch (fault) {
    case SceneFault::kNone:
      return {""};
    case SceneFault::kTooManyBodies:
      return {"a scene has at most ", kMaxBodies - kMaxBalls, " bodies"};
    case SceneFault::kTooManyFixtures:
      return {"a scene has at most ", kMaxFixtures - kMaxBalls, " shapes"};
    case SceneFault::kTooManyVertices:
      return {"a polygon has at most ", kMaxVertices, " vertices"};
    case SceneFault::kNoShape:
      return {"a body needs at least one shape"};
    case SceneFault::kNotFinite:
      return {"all numbers have to be finite"};
    case SceneFault::kTooLarge:
      return {"coordinates stay within ", static_cast<int32_t>(kMaxCoordinate), " metres"};
    case SceneFault::kBadRadius:
      return {"a circle needs a positive radius"};
    case SceneFault::kTooFewVertices:
      return {"a polygon needs at least 3 distinct vertices"};
    case SceneFault::kNotConvex:
      return {"a polygon has to be strictly convex"};
    case SceneFault::kClockwise:
      return {"a polygon lists its vertices counter-clockwise"};
    case SceneFault::kNoMass:
      return {"a dynamic body needs a mass: its shapes are too small"};
    case SceneFault::kBadGoal:
      break;
  }
  return {
      "a goal names two different bodies of the scene, at least one of them dynamic, and is held "
      "for at least one step"};
}

}  // namespace topple::phyre
