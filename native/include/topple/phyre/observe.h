// Observations of a world: pictures, object features, full states and contacts.
#pragma once

#include "topple/common/stream.h"
#include "topple/phyre/action.h"
#include "topple/phyre/features.h"
#include "topple/phyre/raster.h"
#include "topple/phyre/solver.h"

namespace topple::phyre {

constexpr int kStateSize = 6;                                // x, y, angle, then their velocities
constexpr uint8_t kRed = static_cast<uint8_t>(Color::kRed);  // of the player's balls

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
    detail::draw_circle(image, centre, ball.radius, kRed);
  }
}

namespace detail {

TOPPLE_FN int to_pixel(float x) { return static_cast<int>(clamp(x, 0.0f, float{kSceneSize})); }

// The pixels that a body's shapes reach into, and half a pixel around them to which corners are
// rounded: nothing of it is drawn outside.
TOPPLE_FN PixelBox drawn_box(const World& world, const Body& body) {
  constexpr Vec kMargin = {0.6f, 0.6f};
  Box box = tight_box(world.shapes[body.first_fixture], body.pose);
  for (int i = 1; i < body.fixture_count; ++i) {
    box = unite(box, tight_box(world.shapes[body.first_fixture + i], body.pose));
  }
  const Vec low = kPixelsPerMetre * box.lower - kMargin;
  const Vec high = kPixelsPerMetre * box.upper + kMargin;
  return {to_pixel(low.x), to_pixel(high.x), to_pixel(low.y), to_pixel(high.y)};
}

constexpr double kNotShown = -1.0;  // as a radius

}  // namespace detail

// What a canvas shows of a moving body.
struct Shown {
  Vec p;
  float angle;
  double radius;  // of a ball, in pixels; 0 for the bodies of the scene
  detail::PixelBox box;
};

// The static bodies of a scene, drawn once for all frames of all attempts on it, and a
// canvas with the last frame, from which the next one differs little.
struct Background {
  uint8_t image[kImageBytes];
  uint8_t canvas[kImageBytes];
  detail::PixelBox boxes[kMaxBodies];  // of the static bodies
  Shown shown[kMaxBodies];
};

TOPPLE_FN void draw_background(Background& background, const SceneView& scene, const World& fresh) {
  TOPPLE_BUILTIN(memset)(background.image, 0, kImageBytes);
  for (int i = 0; i < scene.body_count; ++i) {
    const Body& body = fresh.bodies[i];
    if (body.dynamic) continue;
    background.boxes[i] = detail::drawn_box(fresh, body);
    detail::draw_scene_body(background.image, scene, i, world_pose(body));
  }
  TOPPLE_BUILTIN(memcpy)(background.canvas, background.image, kImageBytes);
  for (Shown& shown : background.shown) shown.radius = detail::kNotShown;
}

namespace detail {

// Makes a box of the canvas the background's again.
TOPPLE_FN void wipe(Background& background, const PixelBox& box) {
  for (int y = box.first; y < box.end; ++y) {
    copy_row(background.canvas, background.image, y, box.left, box.right);
  }
}

// Boxes of the canvas that are not as they were a frame ago: first the wiped ones, then those
// of the bodies drawn again.
struct Changes {
  PixelBox boxes[2 * kMaxBodies];
  int wiped, count;

  TOPPLE_FN void add(const PixelBox& box) { boxes[count++] = box; }

  // The part of a body's box in which it meets them, from one of them on.
  TOPPLE_FN PixelBox meet(const PixelBox& body, int from) const {
    PixelBox met = {kSceneSize, 0, kSceneSize, 0};
    for (int k = from; k < count; ++k) {
      if (overlap(body, boxes[k])) met = unite(met, boxes[k]);
    }
    return intersect(body, met);
  }
};

}  // namespace detail

// Copies of the same picture as write_image's, from a background whose static bodies have not
// moved. Only what moved since the last picture is wiped and drawn. Later bodies cover earlier
// ones, so a body is also drawn again where something before it in order was, and one that is not
// part of the background where something was wiped.
TOPPLE_FN void write_images_over(uint8_t* images, int copies, Background& background,
                                 const SceneView& scene, const World& world, const Balls& balls) {
  const int body_count = scene.body_count + balls.count;
  bool moved[kMaxBodies];
  detail::Changes changes;
  changes.count = 0;
  for (int i = 0; i < body_count; ++i) {
    const Body& body = world.bodies[i];
    moved[i] = false;
    if (!body.dynamic) continue;
    const double radius = i < scene.body_count ? 0.0 : balls.list[i - scene.body_count].radius;
    Shown& last = background.shown[i];
    if (last.p.x == body.pose.p.x && last.p.y == body.pose.p.y && last.angle == body.sweep.a &&
        last.radius == radius) {
      continue;
    }
    moved[i] = true;
    if (last.radius != detail::kNotShown) {
      detail::wipe(background, last.box);
      changes.add(last.box);
    }
    last = {body.pose.p, body.sweep.a, radius, detail::drawn_box(world, body)};
  }
  changes.wiped = changes.count;
  for (int i = 0; i < body_count; ++i) {
    const Body& body = world.bodies[i];
    const detail::PixelBox& box = body.dynamic ? background.shown[i].box : background.boxes[i];
    const detail::PixelBox clip =
        moved[i] ? box : changes.meet(box, body.dynamic ? 0 : changes.wiped);
    if (clip.first >= clip.end) continue;
    changes.add(clip);
    if (i < scene.body_count) {
      detail::draw_scene_body(background.canvas, scene, i, world_pose(body), clip);
    } else {
      detail::draw_circle(background.canvas, world_pose(body).p, background.shown[i].radius, kRed,
                          clip);
    }
  }
  copy_past_caches(images, copies, background.canvas, kImageBytes);
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
    detail::write_features(out, pose, static_cast<float>(2.0 * ball.radius), 0.0,
                           static_cast<int>(Kind::kBall), kRed);
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
// than the capacity.
TOPPLE_FN int64_t write_contacts(ContactEvent* out, int64_t capacity, World& world, int step) {
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
      if (count >= capacity) continue;
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

}  // namespace topple::phyre
