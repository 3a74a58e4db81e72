#include <algorithm>
#include <memory>

#include "check.h"
#include "phyre/random_scenes.h"
#include "topple/phyre/edits.h"
#include "topple/phyre/observe.h"
#include "topple/phyre/step.h"

using namespace topple::phyre;

namespace {

constexpr int kScenes = 25;

// Scenes at random, drawn anew and over a background. That is a shortcut: the pixels have to be
// the same.
struct Gallery {
  const Packed packed;
  const std::unique_ptr<World> world{new World};
  const std::unique_ptr<Background> background{new Background};

  explicit Gallery(Random& random) : packed(random_scenes(random, kScenes)) {}

  SceneView open(int n) {
    const SceneView scene = packed.scenes().view(n);
    build_world(scene, *world);
    draw_background(*background, scene, *world);
    return scene;
  }

  // Copies of the picture, in memory that starts so many bytes behind a cache line.
  void check(const SceneView& scene, int copies = 1, int shift = 0) {
    std::vector<uint8_t> plain(kImageBytes), memory((copies + 1) * kImageBytes);
    uint8_t* over = memory.data() + shift;
    while (reinterpret_cast<uintptr_t>(over) % 64 != static_cast<uintptr_t>(shift)) ++over;
    const Balls none = {{}, 0};
    write_image(plain.data(), scene, world.get(), none);
    write_images_over(over, copies, *background, scene, *world, none);
    topple::finish_copies();
    for (int n = 0; n < copies; ++n) {
      CHECK(std::memcmp(plain.data(), over + n * kImageBytes, kImageBytes) == 0);
    }
    const auto untouched = [](const uint8_t* from, const uint8_t* to) {
      return std::all_of(from, to, [](uint8_t pixel) { return pixel == 0; });
    };
    CHECK(untouched(memory.data(), over));
    CHECK(untouched(over + copies * kImageBytes, memory.data() + memory.size()));
  }
};

}  // namespace

TEST(pictures_over_a_background_are_the_same_pictures) {
  Random random(157);
  Gallery gallery(random);
  const std::unique_ptr<Workspace> work(new Workspace);
  for (int n = 0; n < kScenes; ++n) {
    const SceneView scene = gallery.open(n);
    for (int k = 0; k < 200; ++k) {
      step(*gallery.world, *work);
      if (k % 20 != 0) continue;
      for (const int shift : {0, 1, 16, 48}) gallery.check(scene, 1 + k / 20 % 3, shift);
    }
  }
}

// The canvas keeps what did not move, from frame to frame and from attempt to attempt; here
// bodies jump, also out of the picture.
TEST(pictures_over_the_last_one_are_the_same_pictures) {
  Random random(211);
  Gallery gallery(random);
  World& world = *gallery.world;
  for (int n = 0; n < kScenes; ++n) {
    const SceneView scene = gallery.open(n);
    for (int k = 0; k < 60; ++k) {
      for (int i = 0; i < scene.body_count; ++i) {
        if (!world.bodies[i].dynamic || random.coin()) continue;
        const Vec place = {static_cast<float>(random.between(-10, 53)),
                           static_cast<float>(random.between(-10, 53))};
        detail::move_body(world, i, place, static_cast<float>(random.between(-3, 3)));
      }
      gallery.check(scene);
    }
  }
}

TEST(states_are_in_pixels_and_seconds) {
  Packed packed;
  packed.add_body(true, 60.0, 120.0, 0.5);
  packed.add_box(12.0, 6.0);
  packed.velocity = {3.0f, -1.0f, 2.0f};
  packed.finish_scene();
  const std::unique_ptr<World> world(new World);
  build_world(packed.scenes().view(0), *world);
  float row[kStateSize];
  write_states(row, *world);
  const double wanted[kStateSize] = {60.0, 120.0, 0.5, 18.0, -6.0, 2.0};
  for (int i = 0; i < kStateSize; ++i) CHECK_NEAR(row[i], wanted[i], 1e-4);
}

TEST(objects_are_the_bodies_of_a_known_kind_and_the_balls) {
  Packed packed;
  packed.add_walls();
  packed.add_body(true, 60.0, 120.0, 0.0, 2, 1);
  packed.add_circle(6.0);
  packed.finish_scene();
  const SceneView scene = packed.scenes().view(0);
  CHECK_EQUAL(object_count(scene, 1), 2);
  float rows[2 * kFeatureSize];
  write_objects(rows, scene, nullptr, {{{128.0, 64.0, 8.0}}, 1});
  CHECK_EQUAL(rows[0], 60.0f / 256.0f);
  CHECK_EQUAL(rows[kFeatureSize + 1], 0.25f);
  CHECK_EQUAL(rows[kFeatureSize + 3], 0.0625f);
  CHECK_EQUAL(rows[kFeatureSize + 8], 1.0f);  // red
}
