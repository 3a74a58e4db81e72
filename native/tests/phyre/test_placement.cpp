#include <cmath>

#include "check.h"
#include "topple/phyre/placement.h"

using namespace topple::phyre;

namespace {

PlacedShape disc(double x, double y, double radius) {
  PlacedShape shape = {};
  shape.points[0] = {x, y};
  shape.count = 1;
  shape.radius = radius;
  return shape;
}

PlacedShape square(double x, double y, double half, double angle) {
  const double corners[4][2] = {{half, half}, {-half, half}, {-half, -half}, {half, -half}};
  PlacedShape shape = {};
  shape.count = 4;
  for (int i = 0; i < 4; ++i) {
    shape.points[i] = {x + corners[i][0] * std::cos(angle) - corners[i][1] * std::sin(angle),
                       y + corners[i][0] * std::sin(angle) + corners[i][1] * std::cos(angle)};
  }
  return shape;
}

}  // namespace

TEST(discs_are_apart_by_their_distance_less_their_radii) {
  CHECK_NEAR(separation(disc(0, 0, 2), disc(3, 4, 1)), 2.0, 1e-12);
  CHECK_NEAR(separation(disc(0, 0, 4), disc(3, 4, 3)), -2.0, 1e-12);
}

TEST(a_disc_is_measured_from_sides_and_corners) {
  const PlacedShape box = square(10, 10, 5, 0);
  CHECK_NEAR(separation(box, disc(20, 10, 2)), 3.0, 1e-12);
  CHECK_NEAR(separation(disc(18, 19, 2), box), 3.0, 1e-12);  // from the corner at 15, 15
  CHECK_NEAR(separation(box, disc(14, 10, 2)), -3.0, 1e-12);
}

TEST(boxes_overlap_only_if_no_side_parts_them) {
  const PlacedShape box = square(0, 0, 5, 0);
  CHECK_NEAR(separation(box, square(11, 3, 5, 0)), 1.0, 1e-12);
  CHECK_NEAR(separation(box, square(9, 9, 5, 0)), -1.0, 1e-12);
  // Their boxes overlap, but a diagonal lies between them.
  CHECK(separation(box, square(9, 9, 5, 0.7853981633974483)) > 0.0);
}

TEST(bodies_take_their_first_place_with_room) {
  const int32_t fixture_start[] = {0, 1};
  const int32_t vertex_start[] = {0, 0};
  const double radius[] = {10.0};
  const Outlines outlines = {fixture_start, vertex_start, radius, nullptr};
  const int32_t outline[6] = {};
  const double pose[] = {50, 50, 0, 0, 0, 0, 55, 50, 0, 80, 50, 0, 55, 50, 0, NAN, 50, 0};
  static PlacedShapes placed;
  int8_t chosen[3];
  const uint8_t dynamic[] = {1, 1, 1};
  find_places(outlines, {3, 2, outline, pose, dynamic}, 9, false, placed, chosen);
  CHECK_EQUAL(chosen[0], 0);
  CHECK_EQUAL(chosen[1], 1);   // beside the first
  CHECK_EQUAL(chosen[2], -1);  // on the first, or nowhere
  find_places(outlines, {3, 2, outline, pose, dynamic}, 1, false, placed, chosen);
  CHECK_EQUAL(chosen[1], -1);  // one too many
  const uint8_t fixed[] = {0, 0, 0};
  find_places(outlines, {3, 2, outline, pose, fixed}, 9, true, placed, chosen);
  CHECK_EQUAL(chosen[1], 0);  // static bodies may overlap
}
