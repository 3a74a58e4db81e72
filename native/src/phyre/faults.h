// The rules of scenes as sentences.
#pragma once

#include <string>

#include "topple/phyre/scene.h"

namespace topple::phyre {

// The rule that a scene with this fault breaks.
inline std::string rule(SceneFault fault) {
  const auto most = [](const char* begin, int limit, const char* end) {
    return begin + std::to_string(limit) + end;
  };
  switch (fault) {
    case SceneFault::kNone:
      return "";
    case SceneFault::kTooManyBodies:
      return most("a scene has at most ", kMaxBodies - kMaxBalls, " bodies");
    case SceneFault::kTooManyFixtures:
      return most("a scene has at most ", kMaxFixtures - kMaxBalls, " shapes");
    case SceneFault::kTooManyVertices:
      return most("a polygon has at most ", kMaxVertices, " vertices");
    case SceneFault::kNoShape:
      return "a body needs at least one shape";
    case SceneFault::kNotFinite:
      return "all numbers have to be finite";
    case SceneFault::kTooLarge:
      return most("coordinates stay within ", static_cast<int>(kMaxCoordinate), " metres");
    case SceneFault::kBadRadius:
      return "a circle needs a positive radius";
    case SceneFault::kTooFewVertices:
      return "a polygon needs at least 3 distinct vertices";
    case SceneFault::kNotConvex:
      return "a polygon has to be strictly convex";
    case SceneFault::kClockwise:
      return "a polygon lists its vertices counter-clockwise";
    case SceneFault::kNoMass:
      return "a dynamic body needs a mass: its shapes are too small";
    case SceneFault::kBadGoal:
      break;
  }
  return "a goal names two different bodies of the scene, at least one of them dynamic, and is "
         "held for at least one step";
}

}  // namespace topple::phyre
