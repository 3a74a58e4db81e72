// Scenes with every kind of ending: solved, lost, asleep, restless.
#pragma once

#include "phyre/packed.h"
#include "phyre/random_shapes.h"

// A green ball above a blue bar, among bars and boxes at random.
inline Packed random_scenes(Random& random, int scenes) {
  Packed packed;
  for (int n = 0; n < scenes; ++n) {
    packed.add_walls();
    packed.add_body(true, random.between(40, 216), random.between(120, 220), 0.0, 2, 1);
    packed.add_circle(random.between(4, 20));
    packed.add_body(random.coin(), random.between(60, 196), random.between(10, 60),
                    random.between(-0.5, 0.5), 3, 2);
    packed.add_box(random.between(20, 90), 2.56);
    const int extra = random.below(4);
    for (int i = 0; i < extra; ++i) {
      packed.add_body(random.coin(), random.between(30, 226), random.between(30, 226),
                      random.between(-3, 3), 5, 2);
      packed.add_box(random.between(5, 50), random.between(3, 12));
    }
    packed.finish_scene(4, 5, 60 + random.below(121));
  }
  return packed;
}
