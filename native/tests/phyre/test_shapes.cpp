#include "check.h"
#include "phyre/random_shapes.h"
#include "topple/phyre/shapes.h"
#include "topple/phyre/trig.h"

using namespace topple::phyre;

TEST(a_box_is_wrapped_from_its_lower_right_corner) {
  const Shape box = box_shape(3.0f, 2.0f);
  const float x[4] = {3, 3, -3, -3};
  const float y[4] = {-2, 2, 2, -2};
  const float nx[4] = {1, 0, -1, 0};
  const float ny[4] = {0, 1, 0, -1};
  CHECK_EQUAL(box.count, 4);
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(box.vertices[i].x, x[i]);
    CHECK_EQUAL(box.vertices[i].y, y[i]);
    CHECK_EQUAL(box.normals[i].x, nx[i]);
    CHECK_EQUAL(box.normals[i].y, ny[i]);
  }
  CHECK_BITS(box.radius, 0x3c23d70a);
}

TEST(the_order_of_input_does_not_matter) {
  const Vec corners[5] = {{1, 0}, {2, 1}, {1.5f, 2}, {0.5f, 2}, {0, 1}};
  Shape first;
  polygon_shape(corners, 5, first);
  for (int shift = 1; shift < 5; ++shift) {
    Vec turned[5];
    for (int i = 0; i < 5; ++i) turned[i] = corners[(i * 2 + shift) % 5];
    Shape other;
    CHECK(polygon_shape(turned, 5, other) == PolygonFault::kNone);
    for (int i = 0; i < 5; ++i) {
      CHECK_EQUAL(other.vertices[i].x, first.vertices[i].x);
      CHECK_EQUAL(other.vertices[i].y, first.vertices[i].y);
    }
  }
}

TEST(close_vertices_are_welded_and_inner_ones_left_out) {
  Shape shape;
  const Vec twice[5] = {{0, 0}, {1, 0}, {1.001f, 0.001f}, {1, 1}, {0, 1}};
  CHECK(polygon_shape(twice, 5, shape) == PolygonFault::kNone);
  CHECK_EQUAL(shape.count, 4);
  const Vec dented[5] = {{0, 0}, {1, 0}, {0.5f, 0.5f}, {1, 1}, {0, 1}};
  CHECK(polygon_shape(dented, 5, shape) == PolygonFault::kNone);
  CHECK_EQUAL(shape.count, 4);
  const Vec straight[4] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}};
  CHECK(polygon_shape(straight, 4, shape) == PolygonFault::kNone);
  CHECK_EQUAL(shape.count, 3);
  const Vec point[3] = {{0, 0}, {0.001f, 0}, {0, 0.001f}};
  CHECK(polygon_shape(point, 3, shape) == PolygonFault::kTooFewVertices);
  const Vec line[3] = {{0, 0}, {1, 0}, {2, 0}};
  CHECK(polygon_shape(line, 3, shape) == PolygonFault::kTooFewVertices);
}

TEST(random_hulls_are_convex_with_outward_unit_normals) {
  Random random(7);
  for (int n = 0; n < 2000; ++n) {
    Vec points[8];
    for (Vec& p : points) p = {random.between(-4, 4), random.between(-4, 4)};
    Shape hull;
    if (!CHECK(polygon_shape(points, 8, hull) == PolygonFault::kNone)) return;
    for (int i = 0; i < hull.count; ++i) {
      CHECK_NEAR(length(hull.normals[i]), 1.0, 1e-6);
      for (const Vec& p : points) {
        CHECK(dot(hull.normals[i], p - hull.vertices[i]) <= 1e-5f);
      }
    }
  }
}

TEST(masses_have_their_closed_forms) {
  const Mass disc = mass_of(circle_shape(2.0f), 0.25f);
  CHECK_NEAR(disc.mass, 3.14159265 * 4 * 0.25, 1e-6);
  CHECK_NEAR(disc.inertia, 0.5 * 3.14159265 * 4 * 0.25 * 4, 1e-5);

  const Mass box = mass_of(box_shape(3.0f, 0.5f), 0.25f);
  CHECK_NEAR(box.mass, 6.0 * 1.0 * 0.25, 1e-6);
  CHECK_NEAR(box.centre.x, 0.0, 1e-6);
  CHECK_NEAR(box.inertia, 1.5 * (36.0 + 1.0) / 12.0, 1e-5);

  const Vec corners[3] = {{0, 0}, {3, 0}, {0, 6}};
  Shape triangle;
  polygon_shape(corners, 3, triangle);
  const Mass m = mass_of(triangle, 2.0f);
  CHECK_NEAR(m.mass, 18.0, 1e-5);
  CHECK_NEAR(m.centre.x, 1.0, 1e-6);
  CHECK_NEAR(m.centre.y, 2.0, 1e-6);
  // About the right angle: density * b * h * (b^2 + h^2) / 12.
  CHECK_NEAR(m.inertia, 2.0 * 3.0 * 6.0 * (9.0 + 36.0) / 12.0, 1e-3);
}

TEST(a_shifted_polygon_obeys_the_parallel_axis_rule) {
  Random random(11);
  for (int n = 0; n < 500; ++n) {
    const Shape shape = random_polygon(random, 4.0f, 3.0f);
    const Vec shift = {random.between(-3, 3), random.between(-3, 3)};
    Vec moved[8];
    for (int i = 0; i < shape.count; ++i) moved[i] = shape.vertices[i] + shift;
    Shape far;
    polygon_shape(moved, shape.count, far);
    const Mass near_mass = mass_of(shape, 0.25f);
    const Mass far_mass = mass_of(far, 0.25f);
    CHECK_NEAR(far_mass.mass, near_mass.mass, 1e-4);
    CHECK_NEAR(far_mass.centre.x, near_mass.centre.x + shift.x, 1e-4);
    const double about_centre =
        near_mass.inertia - near_mass.mass * dot(near_mass.centre, near_mass.centre);
    const double expected = about_centre + far_mass.mass * dot(far_mass.centre, far_mass.centre);
    CHECK_NEAR(far_mass.inertia, expected, 1e-3);
  }
}

TEST(boxes_hold_their_shapes) {
  Random random(13);
  for (int n = 0; n < 500; ++n) {
    const Transform t = {{random.between(-20, 20), random.between(-20, 20)},
                         rotation(random.between(-7, 7))};
    const Shape shape =
        random_polygon(random, random.magnitude(0.1, 20), random.magnitude(0.1, 20));
    const Box box = tight_box(shape, t);
    Box hull = {apply(t, shape.vertices[0]), apply(t, shape.vertices[0])};
    for (int i = 0; i < shape.count; ++i) {
      const Vec v = apply(t, shape.vertices[i]);
      hull = unite(hull, {v, v});
    }
    CHECK(contains(box, hull));
    CHECK_NEAR(box.upper.x - hull.upper.x, kPolygonRadius, 1e-5);
    CHECK_NEAR(hull.lower.y - box.lower.y, kPolygonRadius, 1e-5);
  }
  const Box disc = tight_box(circle_shape(1.5f), {{2.0f, 3.0f}, {0.0f, 1.0f}});
  CHECK_EQUAL(disc.lower.x, 0.5f);
  CHECK_EQUAL(disc.upper.y, 4.5f);
}

TEST(touching_boxes_overlap) {
  const Box a = {{0, 0}, {1, 1}};
  CHECK(overlap(a, {{1, 0}, {2, 1}}));
  CHECK(overlap({{1, 0}, {2, 1}}, a));
  CHECK(!overlap(a, {{1.0001f, 0}, {2, 1}}));
  CHECK(!overlap(a, {{0, -2}, {1, -0.0001f}}));
  CHECK(contains(a, a));
}
