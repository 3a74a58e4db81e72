// Random and rectangular shapes.
#pragma once

#include <cmath>

#include "random.h"
#include "topple/phyre/shapes.h"

// A convex polygon around the origin: corners on an ellipse, at angles far enough apart.
inline topple::phyre::Shape random_polygon(Random& random, float width, float height) {
  topple::phyre::Shape shape;
  do {
    const int count = 3 + random.below(topple::phyre::kMaxVertices - 2);
    const double turn = random.between(0.0, 6.28);
    topple::phyre::Vec corners[topple::phyre::kMaxVertices];
    for (int i = 0; i < count; ++i) {
      const double angle = turn + 6.283185307 * (i + 0.6 * random.unit()) / count;
      corners[i] = {static_cast<float>(0.5 * width * std::cos(angle)),
                    static_cast<float>(0.5 * height * std::sin(angle))};
    }
    if (topple::phyre::polygon_shape(corners, count, shape) != topple::phyre::PolygonFault::kNone) {
      shape.count = 0;
    }
  } while (shape.count < 3);
  return shape;
}

inline topple::phyre::Shape box_shape(float half_width, float half_height) {
  const topple::phyre::Vec corners[4] = {{half_width, half_height},
                                         {-half_width, half_height},
                                         {-half_width, -half_height},
                                         {half_width, -half_height}};
  topple::phyre::Shape shape;
  topple::phyre::polygon_shape(corners, 4, shape);
  return shape;
}
