// Packed scenes written by hand.
#pragma once

#include <vector>

#include "phyre/batch.h"

// Bodies are added one after the other; places and sizes are in pixels.
class Packed : public topple::phyre::SceneData {
 public:
  Packed() { body_start = fixture_start = vertex_start = {0}; }

  void add_body(bool moves, double x, double y, double angle = 0.0, uint8_t code = 6,
                uint8_t shape_kind = 0) {
    fixture_start.push_back(fixture_start.back());
    dynamic.push_back(moves);
    color.push_back(code);
    kind.push_back(shape_kind);
    diameter.push_back(12.0f);
    feature_offset.push_back(0.0);
    pose_px.insert(pose_px.end(), {x, y, angle});
    pose_m.insert(pose_m.end(), {metres(x), metres(y), static_cast<float>(angle)});
    velocity.insert(velocity.end(), {0.0f, 0.0f, 0.0f});
  }
  void add_circle(double radius) {
    ++fixture_start.back();
    vertex_start.push_back(vertex_start.back());
    radius_px.push_back(radius);
    radius_m.push_back(metres(radius));
  }
  void add_polygon(std::initializer_list<topple::phyre::PixelVec> corners) {
    ++fixture_start.back();
    vertex_start.push_back(vertex_start.back() + static_cast<int32_t>(corners.size()));
    radius_px.push_back(0.0);
    radius_m.push_back(0.0f);
    for (const topple::phyre::PixelVec& v : corners) {
      vertices_px.insert(vertices_px.end(), {v.x, v.y});
      vertices_m.insert(vertices_m.end(), {metres(v.x), metres(v.y)});
    }
  }
  void add_box(double half_width, double half_height) {
    add_polygon({{half_width, half_height},
                 {-half_width, half_height},
                 {-half_width, -half_height},
                 {half_width, -half_height}});
  }
  void add_walls() {
    const double places[4][4] = {{128, -2.5, 128, 2.5},
                                 {-2.5, 128, 2.5, 128},
                                 {128, 258.5, 128, 2.5},
                                 {258.5, 128, 2.5, 128}};
    for (const double* w : places) {
      add_body(false, w[0], w[1]);
      add_box(w[2], w[3]);
    }
  }
  void finish_scene(int32_t first = -1, int32_t second = -1, int32_t hold = 0) {
    body_start.push_back(static_cast<int32_t>(dynamic.size()));
    goals.insert(goals.end(), {first, second, hold});
  }

 private:
  static float metres(double pixels) {
    return static_cast<float>(pixels) / topple::phyre::kPixelsPerMetre;
  }
};
