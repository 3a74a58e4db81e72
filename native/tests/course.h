// Scenes with every kind of ending: solved, lost, asleep, restless.
#pragma once

#include "chance.h"
#include "packed.h"

// A green ball above a blue bar, among bars and boxes at random.
inline Packed random_course(Chance& chance, int scenes) {
  Packed packed;
  for (int n = 0; n < scenes; ++n) {
    packed.add_walls();
    packed.add_body(true, chance.between(40, 216), chance.between(120, 220), 0.0, 2, 1);
    packed.add_circle(chance.between(4, 20));
    packed.add_body(chance.coin(), chance.between(60, 196), chance.between(10, 60),
                    chance.between(-0.5, 0.5), 3, 2);
    packed.add_box(chance.between(20, 90), 2.56);
    const int extra = chance.below(4);
    for (int i = 0; i < extra; ++i) {
      packed.add_body(chance.coin(), chance.between(30, 226), chance.between(30, 226),
                      chance.between(-3, 3), 5, 2);
      packed.add_box(chance.between(5, 50), chance.between(3, 12));
    }
    packed.finish_scene(4, 5, 60 + chance.below(121));
  }
  return packed;
}
