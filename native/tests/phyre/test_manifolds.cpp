#include "check.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

namespace {

const Rot kStraight = {0.0f, 1.0f};

Manifold boxes_at(Vec place, float angle, AxisHint& hint) {
  const Shape big = box_shape(4.0f, 1.0f);
  const Shape small = box_shape(1.0f, 1.0f);
  Manifold m = {};
  collide_polygons(big, {{0.0f, 0.0f}, kStraight}, small, {place, rotation(angle)}, hint, m);
  return m;
}

bool same_manifold(const Manifold& a, const Manifold& b) {
  if (a.count != b.count) return false;
  if (a.count == 0) return true;
  bool same = a.type == b.type && bits::same(a.local_normal, b.local_normal) &&
              bits::same(a.local_point, b.local_point);
  for (int i = 0; i < a.count; ++i) {
    same = same && a.points[i].id == b.points[i].id &&
           bits::same(a.points[i].local, b.points[i].local);
  }
  return same;
}

}  // namespace

TEST(circles_touch_up_to_the_sum_of_their_radii) {
  const Shape one = circle_shape(1.0f);
  const Shape two = circle_shape(2.0f);
  Manifold m = {};
  collide_circles(one, {0.0f, 0.0f}, two, {3.0f, 0.0f}, m);
  CHECK_EQUAL(m.count, 1);
  CHECK(m.type == ManifoldType::kCircles);
  CHECK_EQUAL(m.points[0].id, 0);
  collide_circles(one, {0.0f, 0.0f}, two, {3.0001f, 0.0f}, m);
  CHECK_EQUAL(m.count, 0);
}

TEST(a_circle_meets_a_face_a_corner_or_the_inside) {
  const Shape box = box_shape(2.0f, 1.0f);
  const Shape ball = circle_shape(0.5f);
  const Transform at_origin = {{0.0f, 0.0f}, kStraight};
  Manifold m = {};
  AxisHint hint = {0, false};
  collide_polygon_circle(box, at_origin, ball, {0.3f, 1.4f}, hint, m);
  CHECK_EQUAL(m.count, 1);
  CHECK(m.type == ManifoldType::kFaceA);
  CHECK_EQUAL(m.local_normal.y, 1.0f);
  CHECK_EQUAL(m.local_point.x, 0.0f);  // the middle of the face
  CHECK_EQUAL(m.local_point.y, 1.0f);
  CHECK_EQUAL(hint.edge, 1);

  collide_polygon_circle(box, at_origin, ball, {2.3f, 1.3f}, hint, m);
  CHECK_EQUAL(m.count, 1);
  CHECK_NEAR(m.local_normal.x, std::sqrt(0.5), 1e-6);
  CHECK_EQUAL(m.local_point.x, 2.0f);  // the corner
  collide_polygon_circle(box, at_origin, ball, {2.4f, 1.4f}, hint, m);
  CHECK_EQUAL(m.count, 0);  // within both faces' reach, yet past the corner

  collide_polygon_circle(box, at_origin, ball, {1.9f, 0.0f}, hint, m);
  CHECK_EQUAL(m.count, 1);
  CHECK_EQUAL(m.local_normal.x, 1.0f);  // the nearest way out
}

TEST(a_box_on_a_box_has_two_points_with_known_features) {
  AxisHint hint = {0, false};
  const Manifold m = boxes_at({1.0f, 2.0f}, 0.0f, hint);
  CHECK_EQUAL(m.count, 2);
  CHECK(m.type == ManifoldType::kFaceA);
  CHECK_EQUAL(m.local_normal.y, 1.0f);
  CHECK_EQUAL(hint.edge, 1);
  CHECK(!hint.of_b);
  // Face 1 of the lower box against the corners 3 and 0 of the upper one's lower edge.
  CHECK_EQUAL(m.points[0].id, detail::feature_id(1, 3, 1, 0));
  CHECK_EQUAL(m.points[1].id, detail::feature_id(1, 0, 1, 0));
  CHECK_NEAR(m.points[0].local.y, -1.0, 1e-6);
  CHECK_NEAR(m.points[1].local.y, -1.0, 1e-6);
}

TEST(an_overhanging_box_is_clipped_at_the_corner) {
  AxisHint hint = {0, false};
  const Manifold m = boxes_at({4.0f, 2.0f}, 0.0f, hint);
  CHECK_EQUAL(m.count, 2);
  // One corner of the upper box, and a point over the lower one's corner, skins included.
  CHECK_EQUAL(m.points[0].id, detail::feature_id(1, 3, 1, 0));
  const uint32_t cut = m.points[1].id;
  CHECK_EQUAL(cut >> 16 & 0xff, 0);
  CHECK_EQUAL(cut >> 24, 1);
  CHECK_NEAR(m.points[1].local.x, 2.0 * kPolygonRadius, 1e-5);
}

TEST(the_reference_face_may_belong_to_the_second_polygon) {
  // A corner of the first box pokes into the flat side of the second.
  const Shape box = box_shape(1.0f, 1.0f);
  const Transform tilted = {{0.0f, 0.0f}, rotation(0.7853982f)};
  const Transform above = {{0.0f, 2.41f}, kStraight};
  Manifold m = {};
  AxisHint hint = {0, false};
  collide_polygons(box, tilted, box, above, hint, m);
  CHECK_EQUAL(m.count, 1);
  CHECK(m.type == ManifoldType::kFaceB);
  CHECK(hint.of_b);
  CHECK_NEAR(m.local_normal.y, -1.0, 1e-6);
  // The features of the point are exchanged: a vertex of A, a face of B.
  CHECK_EQUAL(m.points[0].id >> 16 & 0xff, 0);
  CHECK_EQUAL(m.points[0].id >> 24, 1);
}

TEST(feature_ids_swap_halves) {
  const uint32_t id = detail::feature_id(2, 5, 1, 0);
  CHECK_EQUAL(detail::swap_id(id), detail::feature_id(5, 2, 0, 1));
  CHECK_EQUAL(detail::swap_id(detail::swap_id(id)), id);
}

// The remembered axis may only answer sooner, never differently.
TEST(hints_never_change_a_manifold) {
  Random random(17);
  int touching = 0;
  for (int n = 0; n < 4000; ++n) {
    const Shape a = random_polygon(random, random.magnitude(0.5, 6), random.magnitude(0.5, 6));
    const Shape b = random_polygon(random, random.magnitude(0.5, 6), random.magnitude(0.5, 6));
    const Shape ball = circle_shape(random.magnitude(0.2, 3));
    const Transform ta = {{0.0f, 0.0f}, rotation(random.between(-4, 4))};
    const Transform tb = {{random.between(-5, 5), random.between(-5, 5)},
                          rotation(random.between(-4, 4))};
    Manifold polygons = {}, round = {};
    AxisHint hint = {0, false};
    collide_polygons(a, ta, b, tb, hint, polygons);
    hint = {0, false};
    collide_polygon_circle(a, ta, ball, tb.p, hint, round);
    touching += polygons.count > 0;
    for (int edge = 0; edge < 2 * kMaxVertices; ++edge) {
      const bool of_b = edge >= kMaxVertices;
      const int e = edge % kMaxVertices;
      if (e >= (of_b ? b : a).count) continue;
      Manifold m = {};
      hint = {static_cast<uint8_t>(e), of_b};
      collide_polygons(a, ta, b, tb, hint, m);
      CHECK(same_manifold(m, polygons));
      if (of_b) continue;
      hint = {static_cast<uint8_t>(e), false};
      collide_polygon_circle(a, ta, ball, tb.p, hint, m = {});
      CHECK(same_manifold(m, round));
    }
  }
  CHECK(touching > 500 && touching < 3900);
}

TEST(updating_carries_impulses_over_and_wakes_on_change) {
  TestWorld sim;
  sim.add_floor();
  sim.add(true, {0.0f, 1.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.step();
  Contact& contact = sim.world->contacts[0];
  sim.run(3);
  CHECK(contact.touching);
  CHECK_EQUAL(contact.manifold.count, 2);
  contact.manifold.points[0].normal_impulse = 3.0f;
  contact.manifold.points[1].tangent_impulse = 0.5f;
  const uint32_t id = contact.manifold.points[0].id;
  sim.body(1).sleep_time = 0.25f;
  update_contact(contact, sim.world->shapes, sim.world->bodies);
  CHECK_EQUAL(contact.manifold.points[0].id, id);
  CHECK_EQUAL(contact.manifold.points[0].normal_impulse, 3.0f);
  CHECK_EQUAL(contact.manifold.points[1].tangent_impulse, 0.5f);
  CHECK_EQUAL(sim.body(1).sleep_time, 0.25f);  // still touching: nobody is woken

  sim.body(1).pose.p.y += 5.0f;
  update_contact(contact, sim.world->shapes, sim.world->bodies);
  CHECK(!contact.touching);
  CHECK_EQUAL(sim.body(1).sleep_time, 0.0f);
}
