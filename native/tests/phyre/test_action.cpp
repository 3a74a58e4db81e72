#include <cmath>

#include "check.h"
#include "phyre/packed.h"
#include "topple/phyre/action.h"
#include "topple/phyre/free_space.h"

using namespace topple::phyre;

namespace {

Packed one_box() {
  Packed packed;
  packed.add_body(false, 100.0, 100.0);
  packed.add_box(20.0, 10.0);
  packed.finish_scene();
  return packed;
}

bool covers(const Packed& packed, double x, double y, double radius) {
  const Balls balls = {{{x, y, radius}}, 1};
  return occluded(packed.scenes().view(0), balls);
}

}  // namespace

TEST(actions_become_whole_pixels_after_the_tests) {
  const double action[3] = {0.5, 0.25, 0.5};
  Balls balls;
  CHECK(map_action(action, 1, balls));
  CHECK_EQUAL(balls.list[0].x, 127.0);  // 127.5
  CHECK_EQUAL(balls.list[0].y, 63.0);   // 63.75
  CHECK_EQUAL(balls.list[0].radius, 17.0);
}

TEST(radii_are_rounded_half_to_even) {
  CHECK_EQUAL(detail::round_half_even(2.5), 2.0);
  CHECK_EQUAL(detail::round_half_even(3.5), 4.0);
  CHECK_EQUAL(detail::round_half_even(2.4999), 2.0);
  CHECK_EQUAL(detail::round_half_even(2.5001), 3.0);
}

TEST(numbers_out_of_range_are_refused) {
  Balls balls;
  for (const double bad : {-1e-9, 1.0 + 1e-9, static_cast<double>(NAN)}) {
    for (int place = 0; place < 3; ++place) {
      double action[3] = {0.5, 0.5, 0.5};
      action[place] = bad;
      CHECK(!map_action(action, 1, balls));
    }
  }
}

TEST(balls_have_to_lie_in_the_scene) {
  Balls balls;
  // Radius 2 at the left edge: the exact place decides, not the whole pixel.
  const double touching[3] = {2.0 / 255.0 + 1e-12, 0.5, 0.0};
  const double outside[3] = {1.99 / 255.0, 0.5, 0.0};
  const double right[3] = {1.0, 0.5, 0.0};  // 255 + 2 is beyond 256
  CHECK(map_action(touching, 1, balls));
  CHECK(!map_action(outside, 1, balls));
  CHECK(!map_action(right, 1, balls));
}

TEST(two_balls_keep_a_pixel_between_them) {
  Balls balls;
  // Radii 2 and 2, so centres have to be 5 pixels apart.
  double action[6] = {100.0 / 255, 0.5, 0.0, 105.01 / 255, 0.5, 0.0};
  CHECK(map_action(action, 2, balls));
  action[3] = 104.99 / 255;
  CHECK(!map_action(action, 2, balls));
}

TEST(no_ball_is_a_valid_action) {
  Balls balls;
  CHECK(map_action(nullptr, 0, balls));
  CHECK(!occluded(one_box().scenes().view(0), balls));
}

TEST(balls_may_touch_boxes_but_not_cover_them) {
  const Packed packed = one_box();
  CHECK(covers(packed, 100.0, 100.0, 2.0));   // inside
  CHECK(covers(packed, 100.0, 114.0, 5.0));   // over the upper edge
  CHECK(!covers(packed, 100.0, 115.0, 5.0));  // touching it
  CHECK(!covers(packed, 123.0, 114.0, 5.0));  // touching the corner: 3, 4, 5
  CHECK(covers(packed, 122.9, 113.9, 5.0));
}

TEST(balls_may_touch_circles_but_not_cover_them) {
  Packed packed;
  packed.add_body(true, 50.0, 50.0);
  packed.add_circle(10.0);
  packed.finish_scene();
  CHECK(!covers(packed, 65.0, 50.0, 5.0));
  CHECK(covers(packed, 64.9, 50.0, 5.0));
  CHECK(!covers(packed, 62.0, 66.0, 10.0));  // 12, 16, 20
}

TEST(turned_bodies_are_tested_in_their_own_frame) {
  Packed packed;
  packed.add_body(false, 100.0, 100.0, 1.5707963267948966);
  packed.add_box(20.0, 10.0);
  packed.finish_scene();
  CHECK(covers(packed, 100.0, 118.0, 2.0));
  CHECK(!covers(packed, 118.0, 100.0, 2.0));
}

TEST(free_space_knows_what_every_ball_covers) {
  Packed packed;
  packed.add_body(false, 100.3, 90.7, 0.4);
  packed.add_box(60.0, 10.0);
  packed.add_body(true, 20.0, 200.0);
  packed.add_circle(9.6);
  packed.add_body(false, 255.0, 128.0, -1.2);
  packed.add_box(8.0, 90.0);
  packed.finish_scene();
  static FreeSpace space;
  find_free_space(packed.scenes().view(0), space);
  for (int y = 0; y < FreeSpace::kSize; y += 3) {
    for (int x = 0; x < FreeSpace::kSize; ++x) {
      for (int radius = 2; radius <= FreeSpace::kLargest; ++radius) {
        const Balls balls = {{{double(x), double(y), double(radius)}}, 1};
        CHECK_EQUAL(is_free(space, balls), !occluded(packed.scenes().view(0), balls));
      }
    }
  }
}
