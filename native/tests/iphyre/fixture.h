// Scenes of the I-PHYRE engine for tests, packed as the engine takes them.
#pragma once

#include <vector>

#include "iphyre/batch.h"
#include "random.h"

struct SceneBuilder {
  std::vector<int32_t> body_start{0}, joint_start{0}, joined;
  std::vector<double> ends, velocity, radius, m_inv, i_inv, spring;
  std::vector<uint8_t> is_ball, is_spring;

  void add(double x1, double y1, double x2, double y2, double r, bool ball, bool moves) {
    ends.insert(ends.end(), {x1, y1, x2, y2});
    velocity.insert(velocity.end(), {0.0, 0.0, 0.0});
    radius.push_back(r);
    m_inv.push_back(moves ? 1.0 : 0.0);
    i_inv.push_back(!moves ? 0.0 : ball ? 2.0 / (r * r) : 0.015);
    is_ball.push_back(ball);
  }
  void add_block(double x1, double y1, double x2, double y2, bool moves = false) {
    add(x1, y1, x2, y2, 10.0, false, moves);
  }
  void add_ball(double x, double y, double r = 20.0) { add(x, y, x, y, r, true, true); }
  void join(int a, int b, bool as_spring) {
    joined.insert(joined.end(), {a, b});
    spring.insert(spring.end(), {20.0, 1.0, 0.005});
    is_spring.push_back(as_spring);
  }
  void finish_scene() {
    body_start.push_back(static_cast<int32_t>(radius.size()));
    joint_start.push_back(static_cast<int32_t>(is_spring.size()));
  }

  topple::iphyre::PackedScenes scenes(double dt = 1.0 / 60) const {
    // The share of an overlap corrected in a sixtieth of a second; any will do for a test.
    const double bias = dt < 0.05 ? 0x1.9999ap-4 : 0x1.dfcdf3e02c8a4p-2;
    return {static_cast<int32_t>(body_start.size() - 1),
            body_start.data(),
            joint_start.data(),
            {0, 0, ends.data(), velocity.data(), radius.data(), m_inv.data(), i_inv.data(),
             is_ball.data(), joined.data(), is_spring.data(), spring.data()},
            {100.0, {0.01, 0.25}, dt, bias}};
  }
};

// Balls above blocks, some of which move, with a joint now and then.
inline SceneBuilder random_scenes(Random& random, int scenes) {
  SceneBuilder built;
  for (int n = 0; n < scenes; ++n) {
    const int blocks = 1 + random.below(6);
    const int balls = 1 + random.below(5);
    for (int i = 0; i < blocks; ++i) {
      const double x = random.between(50, 450);
      const double y = random.between(200, 560);
      built.add_block(x, y, x + random.between(20, 200), y + random.between(-60, 60),
                      i > 0 && random.below(3) == 0);
    }
    for (int i = 0; i < balls; ++i) {
      built.add_ball(random.between(50, 550), random.between(50, 300), random.between(8, 40));
    }
    if (random.coin()) built.join(random.below(blocks), blocks, random.coin());
    built.finish_scene();
  }
  return built;
}
