// The world: everything a simulation changes, as one plain value that can be copied.
#pragma once

#include "topple/phyre/broad_phase.h"
#include "topple/phyre/manifolds.h"

namespace topple::phyre {

struct World {
  int32_t body_count, fixture_count, contact_count, dynamic_count, moved_count;
  bool fixtures_added;          // since the last step
  bool alphas_advanced;         // some sweep does not start at the start of the step
  bool out_of_contacts;         // the contact capacity was exceeded; nothing after that is valid
  int16_t dynamic[kMaxBodies];  // indices of dynamic bodies, newest first
  int16_t fixture_body[kMaxFixtures];
  int16_t moved[kMaxFixtures];  // fixtures whose fat box changed
  bool is_moved[kMaxFixtures];
  Box boxes[kMaxFixtures];  // fat boxes
  Body bodies[kMaxBodies];
  Shape shapes[kMaxFixtures];
  Contact contacts[kMaxContacts];  // oldest first; the physics walks them newest first
  PairSet pairs;
};

TOPPLE_FN void clear(World& world) {
  world.body_count = world.fixture_count = world.contact_count = 0;
  world.dynamic_count = world.moved_count = 0;
  world.fixtures_added = world.alphas_advanced = world.out_of_contacts = false;
}

// Copies a world that has not been stepped yet: no contacts, and only what is in use.
TOPPLE_FN void copy_fresh(World& to, const World& from) {
  to.body_count = from.body_count;
  to.fixture_count = from.fixture_count;
  to.contact_count = 0;
  to.dynamic_count = from.dynamic_count;
  to.moved_count = from.moved_count;
  to.fixtures_added = from.fixtures_added;
  to.alphas_advanced = to.out_of_contacts = false;
  TOPPLE_ROLLED
  for (int i = 0; i < from.dynamic_count; ++i) to.dynamic[i] = from.dynamic[i];
  TOPPLE_ROLLED
  for (int i = 0; i < from.body_count; ++i) to.bodies[i] = from.bodies[i];
  TOPPLE_ROLLED
  for (int i = 0; i < from.fixture_count; ++i) {
    to.fixture_body[i] = from.fixture_body[i];
    to.moved[i] = from.moved[i];
    to.is_moved[i] = from.is_moved[i];
    to.boxes[i] = from.boxes[i];
    to.shapes[i] = from.shapes[i];
    for (int k = 0; k < PairSet::kWords; ++k) to.pairs.rows[i][k] = 0;
  }
}

TOPPLE_FN void mark_moved(World& world, int fixture) {
  if (world.is_moved[fixture]) return;
  world.is_moved[fixture] = true;
  world.moved[world.moved_count++] = static_cast<int16_t>(fixture);
}

// Adds a body at rest. Its shapes follow with add_shape; capacities are checked before.
TOPPLE_FN Body& add_body(World& world, bool dynamic, Vec position, float angle) {
  const int index = world.body_count++;
  Body& body = world.bodies[index];
  body = {};
  body.dynamic = dynamic;
  body.awake = true;
  body.round = true;
  body.plain = true;
  body.inv_mass = dynamic ? 1.0f : 0.0f;
  body.posed_angle = angle;
  body.pose = {position, rotation(angle)};
  body.start_rotation = body.pose.q;
  body.sweep.c0 = body.sweep.c = position;
  body.sweep.a0 = body.sweep.a = angle;
  body.first_fixture = static_cast<int16_t>(world.fixture_count);
  if (dynamic) {
    TOPPLE_ROLLED
    for (int i = world.dynamic_count; i > 0; --i) world.dynamic[i] = world.dynamic[i - 1];
    world.dynamic[0] = static_cast<int16_t>(index);
    ++world.dynamic_count;
  }
  return body;
}

// Mass, centre and inertia about the centre, summed over the shapes newest first.
TOPPLE_FN Mass body_mass(const World& world, const Body& body) {
  Mass sum = {0.0f, {0.0f, 0.0f}, 0.0f};
  TOPPLE_ROLLED
  for (int i = body.fixture_count - 1; i >= 0; --i) {
    const Mass m = mass_of(world.shapes[body.first_fixture + i], kDensity);
    sum.mass += m.mass;
    sum.centre = sum.centre + m.mass * m.centre;
    sum.inertia += m.inertia;
  }
  sum.centre = (1.0f / sum.mass) * sum.centre;
  sum.inertia -= sum.mass * dot(sum.centre, sum.centre);
  return sum;
}

TOPPLE_FN void reset_mass(World& world, Body& body) {
  const Mass m = body_mass(world, body);
  body.inv_mass = 1.0f / m.mass;
  body.inv_inertia = 1.0f / m.inertia;
  body.sweep.local_centre = m.centre;
  const Vec old = body.sweep.c;
  body.sweep.c0 = body.sweep.c = apply(body.pose, m.centre);
  body.v = body.v + cross(body.w, body.sweep.c - old);
}

// Adds a shape to the newest body.
TOPPLE_FN void add_shape(World& world, const Shape& shape) {
  const int body_index = world.body_count - 1;
  Body& body = world.bodies[body_index];
  const int index = world.fixture_count++;
  world.shapes[index] = shape;
  world.fixture_body[index] = static_cast<int16_t>(body_index);
  world.boxes[index] = fatten(tight_box(shape, body.pose));
  world.is_moved[index] = false;
  for (int k = 0; k < PairSet::kWords; ++k) world.pairs.rows[index][k] = 0;
  mark_moved(world, index);
  world.fixtures_added = true;
  ++body.fixture_count;
  body.round &= shape.is_circle();
  body.plain &= is_plain(shape);
  if (body.dynamic) reset_mass(world, body);
}

namespace detail {

TOPPLE_BIG_FN void add_contact(World& world, int low, int high) {
  if (world.contact_count == kMaxContacts) {
    world.out_of_contacts = true;
    return;
  }
  const bool swap = world.shapes[low].is_circle() && !world.shapes[high].is_circle();
  Contact& contact = world.contacts[world.contact_count++];
  contact = {};
  contact.fixture_a = static_cast<int16_t>(swap ? high : low);
  contact.fixture_b = static_cast<int16_t>(swap ? low : high);
  contact.body_a = world.fixture_body[contact.fixture_a];
  contact.body_b = world.fixture_body[contact.fixture_b];
  contact.pair = !world.shapes[contact.fixture_b].is_circle()  ? ShapePair::kPolygons
                 : world.shapes[contact.fixture_a].is_circle() ? ShapePair::kCircles
                                                               : ShapePair::kPolygonCircle;
  contact.enabled = true;
  world.pairs.flip(low, high);
  set_awake(world.bodies[contact.body_a], true);
  set_awake(world.bodies[contact.body_b], true);
}

TOPPLE_BIG_FN void remove_contact(World& world, int index) {
  Contact& contact = world.contacts[index];
  if (contact.manifold.count > 0) {
    set_awake(world.bodies[contact.body_a], true);
    set_awake(world.bodies[contact.body_b], true);
  }
  const bool ordered = contact.fixture_a < contact.fixture_b;
  world.pairs.flip(ordered ? contact.fixture_a : contact.fixture_b,
                   ordered ? contact.fixture_b : contact.fixture_a);
  --world.contact_count;
  TOPPLE_ROLLED
  for (int i = index; i < world.contact_count; ++i) world.contacts[i] = world.contacts[i + 1];
}

TOPPLE_FN bool may_touch(const World& world, int low, int high) {
  const int a = world.fixture_body[low];
  const int b = world.fixture_body[high];
  return a != b && (world.bodies[a].dynamic || world.bodies[b].dynamic) &&
         !world.pairs.has(low, high);
}

}  // namespace detail

// Creates the contacts of fixtures that moved, in the order of their pairs.
TOPPLE_BIG_FN void find_new_contacts(World& world, uint32_t* keys) {
  int count = 0;
  TOPPLE_ROLLED
  for (int i = 0; i < world.moved_count && !world.out_of_contacts; ++i) {
    const int fixture = world.moved[i];
    const Box box = world.boxes[fixture];
    TOPPLE_ROLLED
    for (int other = 0; other < world.fixture_count; ++other) {
      if (!overlap(box, world.boxes[other]) || other == fixture) continue;
      if (other < fixture && world.is_moved[other]) continue;  // found from its side
      const int low = fixture < other ? fixture : other;
      const int high = fixture < other ? other : fixture;
      if (!detail::may_touch(world, low, high)) continue;
      if (world.contact_count + count == kMaxContacts) {
        world.out_of_contacts = true;
        break;
      }
      keys[count++] = static_cast<uint32_t>(low) << 16 | static_cast<uint32_t>(high);
    }
  }
  TOPPLE_ROLLED
  for (int i = 0; i < world.moved_count; ++i) world.is_moved[world.moved[i]] = false;
  world.moved_count = 0;
  sort_keys(keys, count);
  TOPPLE_ROLLED
  for (int i = 0; i < count; ++i) {
    detail::add_contact(world, static_cast<int>(keys[i] >> 16),
                        static_cast<int>(keys[i] & 0xffffu));
  }
}

// Brings the fat boxes of a body up to date with its sweep.
TOPPLE_BIG_FN void synchronise(World& world, const Body& body) {
  const Transform from = start_pose(body);
  const Vec displacement = body.pose.p - from.p;
  TOPPLE_ROLLED
  for (int i = 0; i < body.fixture_count; ++i) {
    const int fixture = body.first_fixture + i;
    const Shape& shape = world.shapes[fixture];
    const Box swept = unite(tight_box(shape, from), tight_box(shape, body.pose));
    if (move_box(world.boxes[fixture], swept, displacement)) mark_moved(world, fixture);
  }
}

// Updates all contacts of awake bodies and drops those whose boxes came apart.
TOPPLE_FN void collide(World& world) {
  TOPPLE_ROLLED
  for (int i = world.contact_count - 1; i >= 0; --i) {
    Contact& contact = world.contacts[i];
    if (!is_active(world.bodies[contact.body_a]) && !is_active(world.bodies[contact.body_b])) {
      continue;
    }
    if (!overlap(world.boxes[contact.fixture_a], world.boxes[contact.fixture_b])) {
      detail::remove_contact(world, i);
    } else {
      update_contact(contact, world.shapes, world.bodies);
    }
  }
}

TOPPLE_FN bool all_asleep(const World& world) {
  TOPPLE_ROLLED
  for (int i = 0; i < world.dynamic_count; ++i) {
    if (world.bodies[world.dynamic[i]].awake) return false;
  }
  return true;
}

}  // namespace topple::phyre
