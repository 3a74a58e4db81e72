// Built with room for eight contacts: running out is told, and nothing is written beyond.
#include "check.h"
#include "phyre/fixture.h"

using namespace topple::phyre;

namespace {

// Balls on a floor, each touching the floor and its neighbours.
void add_row(TestWorld& sim, int balls, float spacing) {
  sim.add_floor();
  for (int i = 0; i < balls; ++i) {
    sim.add(true, {spacing * static_cast<float>(i), 1.0f}, 0.0f, circle_shape(1.0f));
  }
}

}  // namespace

TEST(the_last_contact_still_fits) {
  TestWorld sim;
  add_row(sim, 8, 4.0f);
  sim.run(60);
  CHECK_EQUAL(sim.world->contact_count, 8);
  CHECK(!sim.world->out_of_contacts);
}

TEST(one_more_is_refused) {
  TestWorld sim;
  add_row(sim, 9, 3.0f);
  sim.run(60);
  CHECK(sim.world->out_of_contacts);
  CHECK_EQUAL(sim.world->contact_count, kMaxContacts);
}

TEST(a_heap_overflows_without_harm) {
  Random random(113);
  for (int n = 0; n < 50; ++n) {
    TestWorld sim;
    sim.add_floor();
    const int bodies = kMaxBodies - 1;
    for (int i = 0; i < bodies; ++i) {
      const Shape shape = random.coin() ? circle_shape(1.0f) : random_polygon(random, 2, 2);
      sim.add(true, {random.between(-3, 3), random.between(0, 4)}, 0.0f, shape);
    }
    sim.run(40);
    CHECK(sim.world->out_of_contacts);
    CHECK(sim.world->contact_count <= kMaxContacts);
  }
}

TEST(running_out_in_mid_flight_is_told) {
  TestWorld sim;
  add_row(sim, 7, 4.0f);
  sim.add(true, {2.0f, 12.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.add(true, {6.0f, 12.0f}, 0.0f, box_shape(1.0f, 1.0f));
  sim.run(30);
  CHECK(!sim.world->out_of_contacts);
  sim.run(120);
  CHECK(sim.world->out_of_contacts);
}
