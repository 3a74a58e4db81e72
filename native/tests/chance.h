// Reproducible random numbers and shapes.
#pragma once

#include <cmath>
#include <cstdint>

#include "topple/phyre/shapes.h"

// SplitMix64: the same numbers on every platform.
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  float between(double low, double high) { return static_cast<float>(low + (high - low) * unit()); }
  // Spread evenly over orders of magnitude; both bounds positive.
  float magnitude(double low, double high) {
    return static_cast<float>(low * std::pow(high / low, unit()));
  }
  int below(int end) { return static_cast<int>(next() % static_cast<uint64_t>(end)); }
  bool coin() { return (next() & 1) != 0; }

  // A convex polygon around the origin: corners on an ellipse, at angles far enough apart.
  topple::Shape polygon(float width, float height) {
    topple::Shape shape;
    do {
      const int count = 3 + below(topple::kMaxVertices - 2);
      const double turn = between(0.0, 6.28);
      topple::Vec corners[topple::kMaxVertices];
      for (int i = 0; i < count; ++i) {
        const double angle = turn + 6.283185307 * (i + 0.6 * unit()) / count;
        corners[i] = {static_cast<float>(0.5 * width * std::cos(angle)),
                      static_cast<float>(0.5 * height * std::sin(angle))};
      }
      if (topple::polygon_shape(corners, count, shape) != topple::PolygonFault::kNone) {
        shape.count = 0;
      }
    } while (shape.count < 3);
    return shape;
  }

 private:
  uint64_t state_;
};

inline topple::Shape box_shape(float half_width, float half_height) {
  const topple::Vec corners[4] = {{half_width, half_height},
                                  {-half_width, half_height},
                                  {-half_width, -half_height},
                                  {half_width, -half_height}};
  topple::Shape shape;
  topple::polygon_shape(corners, 4, shape);
  return shape;
}
