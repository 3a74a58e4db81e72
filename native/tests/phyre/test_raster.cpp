#include <algorithm>
#include <memory>

#include "check.h"
#include "phyre/random_shapes.h"
#include "topple/phyre/raster.h"

using namespace topple::phyre;

namespace {

struct Image {
  std::unique_ptr<uint8_t[]> pixels{new uint8_t[kImageBytes]()};

  int at(int x, int y) const { return pixels[y * kSceneSize + x]; }
  int count() const {
    int n = 0;
    for (int i = 0; i < kImageBytes; ++i) n += pixels[i] != 0;
    return n;
  }
};

}  // namespace

TEST(halves_round_to_even) {
  CHECK_EQUAL(detail::nearest(0.5f), 0);
  CHECK_EQUAL(detail::nearest(1.5f), 2);
  CHECK_EQUAL(detail::nearest(2.5f), 2);
  CHECK_EQUAL(detail::nearest(-0.5f), 0);
  CHECK_EQUAL(detail::nearest(-1.5f), -2);
  CHECK_EQUAL(detail::nearest(2.51f), 3);
}

TEST(a_box_fills_its_pixels) {
  Image image;
  const PixelVec box[4] = {{20, 10}, {30, 10}, {30, 14}, {20, 14}};
  detail::draw_polygon(image.pixels.get(), box, 4, 3);
  CHECK_EQUAL(image.count(), 40);
  CHECK_EQUAL(image.at(20, 10), 3);
  CHECK_EQUAL(image.at(29, 13), 3);
  CHECK_EQUAL(image.at(30, 13), 0);
  CHECK_EQUAL(image.at(29, 14), 0);
}

TEST(a_circle_fills_the_pixels_whose_middle_it_covers) {
  Random random(127);
  for (int n = 0; n < 60; ++n) {
    Image image;
    const double x = random.between(-10, 266);
    const double y = random.between(-10, 266);
    const double r = random.between(0.5, 40);
    detail::draw_circle(image.pixels.get(), {x, y}, r, 2);
    for (int row = 0; row < kSceneSize; ++row) {
      for (int column = 0; column < kSceneSize; ++column) {
        const double d = std::hypot(column + 0.5 - x, row + 0.5 - y);
        if (std::fabs(d - r) < 0.01) continue;  // the edge itself is a matter of rounding
        const double rise = row + 0.5 - y;
        if (d < r && r * r - rise * rise < 1.0) continue;  // tips narrower than a pixel may go
        if (!CHECK_EQUAL(image.at(column, row), d < r ? 2 : 0)) return;
      }
    }
  }
}

TEST(polygons_cover_the_pixels_well_inside_and_none_well_outside) {
  Random random(131);
  for (int n = 0; n < 200; ++n) {
    Image image;
    const Shape shape = random_polygon(random, random.magnitude(5, 120), random.magnitude(5, 120));
    const double x = random.between(-20, 276);
    const double y = random.between(-20, 276);
    PixelVec v[kMaxVertices];
    for (int i = 0; i < shape.count; ++i) {
      v[i] = {x + static_cast<double>(shape.vertices[i].x),
              y + static_cast<double>(shape.vertices[i].y)};
    }
    detail::draw_polygon(image.pixels.get(), v, shape.count, 5);
    for (int row = 0; row < kSceneSize; row += 3) {
      for (int column = 0; column < kSceneSize; column += 3) {
        double outside = -1e9;
        for (int i = 0; i < shape.count; ++i) {
          const Vec normal = shape.normals[i];
          outside = std::max(outside, static_cast<double>(normal.x) * (column + 0.5 - v[i].x) +
                                          static_cast<double>(normal.y) * (row + 0.5 - v[i].y));
        }
        if (outside < -1.5) CHECK_EQUAL(image.at(column, row), 5);
        if (outside > 1.5) CHECK_EQUAL(image.at(column, row), 0);
      }
    }
  }
}

TEST(far_and_flat_things_are_left_out_without_harm) {
  Image image;
  const PixelVec far[3] = {{1e5, 1e5}, {2e5, 1e5}, {1e5, 2e5}};
  const PixelVec flat[3] = {{10, 10}, {20, 10.0001}, {15, 10.0002}};
  detail::draw_polygon(image.pixels.get(), far, 3, 1);
  detail::draw_polygon(image.pixels.get(), flat, 3, 1);
  detail::draw_circle(image.pixels.get(), {-5000.0, 300.0}, 30.0, 1);
  CHECK_EQUAL(image.count(), 0);
  const PixelVec huge[4] = {{-1e5, -1e5}, {1e5, -1e5}, {1e5, 1e5}, {-1e5, 1e5}};
  detail::draw_polygon(image.pixels.get(), huge, 4, 1);
  CHECK_EQUAL(image.count(), kImageBytes);
}
