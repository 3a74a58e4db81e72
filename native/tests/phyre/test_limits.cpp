// Built with room for eight contacts: running out is told, and nothing is written beyond.
#include "check.h"
#include "phyre/fixture.h"

using namespace topple;

namespace {

// Balls on a floor, each touching the floor and its neighbours.
void add_row(Stage& stage, int balls, float spacing) {
  stage.add_floor();
  for (int i = 0; i < balls; ++i) {
    stage.add(true, {spacing * static_cast<float>(i), 1.0f}, 0.0f, circle_shape(1.0f));
  }
}

}  // namespace

TEST(the_last_contact_still_fits) {
  Stage stage;
  add_row(stage, 8, 4.0f);
  stage.run(60);
  CHECK_EQUAL(stage.world->contact_count, 8);
  CHECK(!stage.world->out_of_contacts);
}

TEST(one_more_is_refused) {
  Stage stage;
  add_row(stage, 9, 3.0f);
  stage.run(60);
  CHECK(stage.world->out_of_contacts);
  CHECK_EQUAL(stage.world->contact_count, kMaxContacts);
}

TEST(a_heap_overflows_without_harm) {
  Chance chance(113);
  for (int n = 0; n < 50; ++n) {
    Stage stage;
    stage.add_floor();
    const int bodies = kMaxBodies - 1;
    for (int i = 0; i < bodies; ++i) {
      const Shape shape = chance.coin() ? circle_shape(1.0f) : chance.polygon(2, 2);
      stage.add(true, {chance.between(-3, 3), chance.between(0, 4)}, 0.0f, shape);
    }
    stage.run(40);
    CHECK(stage.world->out_of_contacts);
    CHECK(stage.world->contact_count <= kMaxContacts);
  }
}

TEST(running_out_in_mid_flight_is_told) {
  Stage stage;
  add_row(stage, 7, 4.0f);
  stage.add(true, {2.0f, 12.0f}, 0.0f, box_shape(1.0f, 1.0f));
  stage.add(true, {6.0f, 12.0f}, 0.0f, box_shape(1.0f, 1.0f));
  stage.run(30);
  CHECK(!stage.world->out_of_contacts);
  stage.run(120);
  CHECK(stage.world->out_of_contacts);
}
