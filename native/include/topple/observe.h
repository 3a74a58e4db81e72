// Observations of a world: pictures, object features, full states and contacts.
#pragma once

#include "topple/action.h"
#include "topple/features.h"
#include "topple/raster.h"
#include "topple/solver.h"

namespace topple {

constexpr int kStateSize = 6;  // x, y, angle, then their velocities
constexpr int kKindBall = 1;
constexpr int kColorRed = 1;

// One touching point, as the solver left it. Pixels; impulses in newton seconds.
struct ContactEvent {
  int32_t step;
  int32_t body_a, body_b;
  int32_t begins;  // 1 if the two shapes did not touch after the step before
  float x, y;
  float normal_impulse, tangent_impulse;
};

TOPPLE_FN PixelPose world_pose(const Body& body) {
  return {{static_cast<double>(body.pose.p.x * kPixelsPerMetre),
           static_cast<double>(body.pose.p.y * kPixelsPerMetre)},
          static_cast<double>(body.sweep.a)};
}

TOPPLE_FN int object_count(const SceneView& scene, int balls) {
  int count = balls;
  for (int i = 0; i < scene.body_count; ++i) count += scene.kind[i] != 0;
  return count;
}

// Draws the scene with its bodies where the world has them, or at their first places.
TOPPLE_FN void write_image(uint8_t* image, const SceneView& scene, const World* world,
                           const Balls& balls) {
  TOPPLE_BUILTIN(memset)(image, 0, kImageBytes);
  for (int i = 0; i < scene.body_count; ++i) {
    if (world && world->bodies[i].removed) continue;
    detail::draw_scene_body(image, scene, i,
                            world ? world_pose(world->bodies[i]) : scene.pixel_pose(i));
  }
  for (int i = 0; i < balls.count; ++i) {
    const Ball& ball = balls.list[i];
    const PixelVec centre =
        world ? world_pose(world->bodies[scene.body_count + i]).p : PixelVec{ball.x, ball.y};
    detail::draw_circle(image, centre, ball.radius, kColorRed);
  }
}

// The static bodies of a scene, drawn once for all frames of all attempts on it, and a
// canvas to draw the rest on.
struct Backdrop {
  uint8_t image[kImageBytes];
  uint8_t canvas[kImageBytes];
  Box boxes[kMaxBodies];   // metres; of the static bodies
  int first_row, end_row;  // where the canvas may differ from the image
};

namespace detail {

// The fat boxes of a body's shapes, joined: nothing of it is drawn outside, but for the
// rounding to whole pixels.
TOPPLE_FN Box drawn_box(const World& world, const Body& body) {
  constexpr float kPixel = 1.0f / kPixelsPerMetre;
  Box box = world.boxes[body.first_fixture];
  for (int i = 1; i < body.fixture_count; ++i) {
    box = unite(box, world.boxes[body.first_fixture + i]);
  }
  return {box.lower - Vec{kPixel, kPixel}, box.upper + Vec{kPixel, kPixel}};
}

}  // namespace detail

TOPPLE_FN void draw_backdrop(Backdrop& backdrop, const SceneView& scene, const World& fresh) {
  TOPPLE_BUILTIN(memset)(backdrop.image, 0, kImageBytes);
  for (int i = 0; i < scene.body_count; ++i) {
    const Body& body = fresh.bodies[i];
    if (body.dynamic) continue;
    backdrop.boxes[i] = detail::drawn_box(fresh, body);
    detail::draw_scene_body(backdrop.image, scene, i, world_pose(body));
  }
  backdrop.first_row = 0;
  backdrop.end_row = kSceneSize;
}

namespace detail {

// Wipes the canvas: the rows drawn on since the last time become the backdrop's again.
TOPPLE_FN void wipe(Backdrop& backdrop) {
  const int from = backdrop.first_row * kSceneSize;
  const int bytes = backdrop.end_row * kSceneSize - from;
  if (bytes > 0) TOPPLE_BUILTIN(memcpy)(backdrop.canvas + from, backdrop.image + from, bytes);
  backdrop.first_row = kSceneSize;
  backdrop.end_row = 0;
}

TOPPLE_FN void note_rows(Backdrop& backdrop, const Box& box) {
  const float last = kSceneSize - 1;
  const int low = static_cast<int>(clamp(box.lower.y * kPixelsPerMetre, 0.0f, last));
  const int high = static_cast<int>(clamp(box.upper.y * kPixelsPerMetre, 0.0f, last));
  backdrop.first_row = lesser(backdrop.first_row, low);
  backdrop.end_row = greater(backdrop.end_row, high + 1);
}

}  // namespace detail

// The same picture as write_image, from a backdrop whose static bodies have not moved. Later
// bodies cover earlier ones, so a static body is drawn again where something before it in
// order was drawn over the backdrop.
TOPPLE_FN void write_image_over(uint8_t* image, Backdrop& backdrop, const SceneView& scene,
                                const World& world, const Balls& balls) {
  uint8_t* canvas = backdrop.canvas;
  detail::wipe(backdrop);
  Box drawn[kMaxBodies];
  int drawn_count = 0;
  for (int i = 0; i < scene.body_count; ++i) {
    const Body& body = world.bodies[i];
    const Box box = body.dynamic ? detail::drawn_box(world, body) : backdrop.boxes[i];
    bool covered = body.dynamic;
    for (int k = 0; k < drawn_count && !covered; ++k) covered = overlap(box, drawn[k]);
    if (!covered) continue;
    drawn[drawn_count++] = box;
    detail::note_rows(backdrop, box);
    detail::draw_scene_body(canvas, scene, i, world_pose(body));
  }
  for (int i = 0; i < balls.count; ++i) {
    const Body& body = world.bodies[scene.body_count + i];
    detail::note_rows(backdrop, detail::drawn_box(world, body));
    detail::draw_circle(canvas, world_pose(body).p, balls.list[i].radius, kColorRed);
  }
  copy_image(image, canvas);
}

TOPPLE_FN void write_objects(float* out, const SceneView& scene, const World* world,
                             const Balls& balls) {
  for (int i = 0; i < scene.body_count; ++i) {
    if (scene.kind[i] == 0) continue;
    if (world && world->bodies[i].removed) {  // its row stays, as zeros
      for (int k = 0; k < kFeatureSize; ++k) *out++ = 0.0f;
      continue;
    }
    detail::write_features(out, world ? world_pose(world->bodies[i]) : scene.pixel_pose(i),
                           scene.diameter[i], scene.feature_offset[i], scene.kind[i],
                           scene.color[i]);
    out += kFeatureSize;
  }
  for (int i = 0; i < balls.count; ++i) {
    const Ball& ball = balls.list[i];
    const PixelPose pose =
        world ? world_pose(world->bodies[scene.body_count + i]) : PixelPose{{ball.x, ball.y}, 0.0};
    detail::write_features(out, pose, static_cast<float>(2.0 * ball.radius), 0.0, kKindBall,
                           kColorRed);
    out += kFeatureSize;
  }
}

// Pixels, radians and seconds; the velocity is that of the centre of mass.
TOPPLE_FN void write_states(float* out, const World& world) {
  for (int i = 0; i < world.body_count; ++i, out += kStateSize) {
    const Body& body = world.bodies[i];
    out[0] = body.pose.p.x * kPixelsPerMetre;
    out[1] = body.pose.p.y * kPixelsPerMetre;
    out[2] = body.sweep.a;
    out[3] = body.v.x * kPixelsPerMetre;
    out[4] = body.v.y * kPixelsPerMetre;
    out[5] = body.w;
  }
}

// Writes the touching points of awake bodies; returns how many there are, even if more
// than the room left.
TOPPLE_FN int64_t write_contacts(ContactEvent* out, int64_t room, World& world, int step) {
  int64_t count = 0;
  for (int k = 0; k < world.contact_count; ++k) {
    Contact& contact = world.contacts[k];
    const bool begins = contact.touching && !contact.reported;
    contact.reported = contact.touching;
    Body& a = world.bodies[contact.body_a];
    Body& b = world.bodies[contact.body_b];
    if (!contact.touching || (!is_active(a) && !is_active(b))) continue;
    const Manifold& m = contact.manifold;
    const detail::WorldPoints points =
        detail::world_points(m, a.pose, world.shapes[contact.fixture_a].radius, b.pose,
                             world.shapes[contact.fixture_b].radius);
    for (int i = 0; i < m.count; ++i, ++count) {
      if (count >= room) continue;
      out[count] = {step,
                    contact.body_a,
                    contact.body_b,
                    begins,
                    points.points[i].x * kPixelsPerMetre,
                    points.points[i].y * kPixelsPerMetre,
                    m.points[i].normal_impulse,
                    m.points[i].tangent_impulse};
    }
  }
  return count;
}

}  // namespace topple
