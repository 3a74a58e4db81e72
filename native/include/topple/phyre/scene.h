// Scenes as packed arrays, and the worlds built from them.
#pragma once

#include "topple/phyre/goal.h"

namespace topple::phyre {

constexpr int kSceneSize = 256;  // pixels, both ways

// Doubles in pixels: what occlusion tests and pictures of scenes are computed from.
struct PixelVec {
  double x, y;
};

struct PixelPose {
  PixelVec p;
  double angle;
};

// Codes of the bodies' looks, in the order of the one-hot object features.
enum class Color : uint8_t { kWhite, kRed, kGreen, kBlue, kPurple, kGray, kBlack };
enum class Kind : uint8_t { kUndefined, kBall, kBar, kJar, kStandingSticks };

// The arrays that scenes are packed into, listed once: X(type, name, rows, more, columns). Rows
// says what an array has a row for, and more is 1 for offsets, which include the end. Bodies,
// fixtures and vertices of all scenes follow each other.
#define TOPPLE_SCENE_ARRAYS(X)                                                           \
  X(int32_t, body_start, kScenes, 1, 1)                                                  \
  X(int32_t, fixture_start, kBodies, 1, 1)                                               \
  X(int32_t, vertex_start, kFixtures, 1, 1) /* no vertices: a circle */                  \
  X(int32_t, goals, kScenes, 0, 3)          /* first, second, hold_steps; -1: no goal */ \
  X(uint8_t, dynamic, kBodies, 0, 1)                                                     \
  X(uint8_t, color, kBodies, 0, 1)                                                       \
  X(uint8_t, kind, kBodies, 0, 1)                                                        \
  X(float, diameter, kBodies, 0, 1)        /* pixels */                                  \
  X(double, feature_offset, kBodies, 0, 1) /* pixels; see features.h */                  \
  X(double, pose_px, kBodies, 0, 3)        /* x, y, angle */                             \
  X(float, pose_m, kBodies, 0, 3)                                                        \
  X(float, velocity, kBodies, 0, 3) /* metres and radians per second */                  \
  X(double, radius_px, kFixtures, 0, 1)                                                  \
  X(float, radius_m, kFixtures, 0, 1)                                                    \
  X(double, vertices_px, kVertices, 0, 2)                                                \
  X(float, vertices_m, kVertices, 0, 2)

enum class RowsOf { kScenes, kBodies, kFixtures, kVertices };

struct SceneArrays {
#define TOPPLE_POINTER(type, name, rows, more, columns) const type* name;
  TOPPLE_SCENE_ARRAYS(TOPPLE_POINTER)
#undef TOPPLE_POINTER
};

// One scene inside the arrays: body 0 is its first, while fixture and vertex numbers run through
// all scenes.
struct SceneView : SceneArrays {
  int32_t body_count;
  Goal goal;

  TOPPLE_FN int vertex_count(int fixture) const {
    return vertex_start[fixture + 1] - vertex_start[fixture];
  }
  TOPPLE_FN bool is_circle(int fixture) const { return vertex_count(fixture) == 0; }
  TOPPLE_FN PixelPose pixel_pose(int body) const {
    const double* p = pose_px + 3 * body;
    return {{p[0], p[1]}, p[2]};
  }
  TOPPLE_FN const PixelVec* polygon_px(int fixture) const {
    return reinterpret_cast<const PixelVec*>(vertices_px) + vertex_start[fixture];
  }
};

// All scenes of the arrays.
struct PackedScenes {
  int32_t scene_count;
  SceneArrays arrays;

  TOPPLE_FN SceneView view(int32_t scene) const {
    SceneView v = {};
    static_cast<SceneArrays&>(v) = arrays;
    const int64_t first = arrays.body_start[scene];
#define TOPPLE_ADVANCE(type, name, rows, more, columns) \
  if (RowsOf::rows == RowsOf::kBodies) v.name += columns * first;
    TOPPLE_SCENE_ARRAYS(TOPPLE_ADVANCE)
#undef TOPPLE_ADVANCE
    v.body_count = static_cast<int32_t>(arrays.body_start[scene + 1] - first);
    const int32_t* goal = arrays.goals + 3 * scene;
    v.goal = {goal[0], goal[1], goal[2]};
    return v;
  }
};

// What can be wrong with a scene; the body it was found at comes with it.
enum class SceneFault : int32_t {
  kNone,
  kTooManyBodies,
  kTooManyFixtures,
  kTooManyVertices,
  kNoShape,
  kNotFinite,
  kTooLarge,
  kBadRadius,
  kTooFewVertices,
  kNotConvex,
  kClockwise,
  kNoMass,
  kBadGoal,
};

// Beyond these, scenes are refused: the proof in certainly_apart assumes them.
constexpr float kMaxCoordinate = 128.0f;  // metres, three times the size of a scene
constexpr float kMaxMotion = 1000.0f;     // metres per second, radians, radians per second

namespace detail {

TOPPLE_FN bool finite(float x) { return x - x == 0.0f; }

TOPPLE_FN SceneFault number_fault(const float* values, int count, float limit) {
  for (int i = 0; i < count; ++i) {
    if (!finite(values[i])) return SceneFault::kNotFinite;
    if (abs(values[i]) > limit) return SceneFault::kTooLarge;
  }
  return SceneFault::kNone;
}

TOPPLE_FN bool same_place(Vec a, Vec b) { return a.x == b.x && a.y == b.y; }

// Builds the shape of a fixture, refusing what the engine would silently change.
TOPPLE_FN SceneFault build_shape(const SceneView& scene, int fixture, Shape& shape) {
  if (scene.is_circle(fixture)) {
    const float radius = scene.radius_m[fixture];
    const SceneFault fault = number_fault(&radius, 1, kMaxCoordinate);
    if (fault != SceneFault::kNone) return fault;
    if (!(radius > 0.0f)) return SceneFault::kBadRadius;
    shape = circle_shape(radius);
    return SceneFault::kNone;
  }
  const int count = scene.vertex_count(fixture);
  if (count > kMaxVertices) return SceneFault::kTooManyVertices;
  const float* raw = scene.vertices_m + 2 * scene.vertex_start[fixture];
  const SceneFault fault = number_fault(raw, 2 * count, kMaxCoordinate);
  if (fault != SceneFault::kNone) return fault;
  Vec vertices[kMaxVertices];
  for (int i = 0; i < count; ++i) vertices[i] = {raw[2 * i], raw[2 * i + 1]};
  int left_turns = 0;
  for (int i = 0; i < count; ++i) {
    const Vec e1 = vertices[(i + 1) % count] - vertices[i];
    const Vec e2 = vertices[(i + 2) % count] - vertices[(i + 1) % count];
    left_turns += cross(e1, e2) > 0.0f;
  }
  if (count >= 3 && left_turns == 0) return SceneFault::kClockwise;
  switch (polygon_shape(vertices, count, shape)) {
    case PolygonFault::kTooFewVertices:
      return SceneFault::kTooFewVertices;
    case PolygonFault::kNotConvex:
      return SceneFault::kNotConvex;
    case PolygonFault::kNone:
      break;
  }
  if (shape.count != count || left_turns != count) return SceneFault::kNotConvex;
  // Stars turn left all the way too, but their corners are not in the order of the hull.
  int first = 0;
  while (first + 1 < count && !same_place(vertices[first], shape.vertices[0])) ++first;
  for (int i = 0; i < count; ++i) {
    if (!same_place(vertices[(first + i) % count], shape.vertices[i])) {
      return SceneFault::kNotConvex;
    }
  }
  return SceneFault::kNone;
}

}  // namespace detail

struct SceneCheck {
  SceneFault fault;
  int32_t body;
};

TOPPLE_FN SceneCheck check_scene(const SceneView& scene) {
  if (scene.body_count > kMaxBodies - kMaxBalls) return {SceneFault::kTooManyBodies, -1};
  const int fixtures = scene.fixture_start[scene.body_count] - scene.fixture_start[0];
  if (fixtures > kMaxFixtures - kMaxBalls) return {SceneFault::kTooManyFixtures, -1};
  for (int body = 0; body < scene.body_count; ++body) {
    if (scene.fixture_start[body] == scene.fixture_start[body + 1]) {
      return {SceneFault::kNoShape, body};
    }
    SceneFault fault = detail::number_fault(scene.pose_m + 3 * body, 2, kMaxCoordinate);
    if (fault != SceneFault::kNone) return {fault, body};
    fault = detail::number_fault(scene.pose_m + 3 * body + 2, 1, kMaxMotion);
    if (fault != SceneFault::kNone) return {fault, body};
    fault = detail::number_fault(scene.velocity + 3 * body, 3, kMaxMotion);
    if (fault != SceneFault::kNone) return {fault, body};
    Mass sum = {0.0f, {0.0f, 0.0f}, 0.0f};
    for (int f = scene.fixture_start[body]; f < scene.fixture_start[body + 1]; ++f) {
      Shape shape;
      fault = detail::build_shape(scene, f, shape);
      if (fault != SceneFault::kNone) return {fault, body};
      const Mass m = mass_of(shape, kDensity);
      sum = {sum.mass + m.mass, sum.centre + m.mass * m.centre, sum.inertia + m.inertia};
    }
    // Far from the body's origin, the inertia about the centre is lost in rounding.
    const float moment = sum.inertia - dot(sum.centre, sum.centre) / sum.mass;
    const bool weighs =
        sum.mass > kEpsilon && moment > kEpsilon * kEpsilon && moment > 1e-4f * sum.inertia;
    if (scene.dynamic[body] && !weighs) return {SceneFault::kNoMass, body};
  }
  const Goal& goal = scene.goal;
  if (goal.first >= 0) {
    const bool known = goal.first < scene.body_count && goal.second >= 0 &&
                       goal.second < scene.body_count && goal.first != goal.second;
    if (!known || goal.hold_steps < 1 ||
        (!scene.dynamic[goal.first] && !scene.dynamic[goal.second])) {
      return {SceneFault::kBadGoal, -1};
    }
  }
  return {SceneFault::kNone, -1};
}

// Adds a body of a scene that passed its check; bodies have to be added in order.
TOPPLE_FN void add_scene_body(World& world, const SceneView& scene, int i) {
  const float* pose = scene.pose_m + 3 * i;
  const float* velocity = scene.velocity + 3 * i;
  Body& body = add_body(world, scene.dynamic[i] != 0, {pose[0], pose[1]}, pose[2]);
  if (body.dynamic) {
    body.v = {velocity[0], velocity[1]};
    body.w = velocity[2];
  }
  for (int f = scene.fixture_start[i]; f < scene.fixture_start[i + 1]; ++f) {
    Shape shape;
    detail::build_shape(scene, f, shape);
    add_shape(world, shape);
  }
}

TOPPLE_FN void build_world(const SceneView& scene, World& world) {
  clear(world);
  for (int i = 0; i < scene.body_count; ++i) add_scene_body(world, scene, i);
}

}  // namespace topple::phyre
