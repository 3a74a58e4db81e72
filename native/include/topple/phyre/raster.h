// Pictures: scenes as 256 x 256 colour codes. Row 0 is the bottom row.
#pragma once

#include "topple/phyre/scene.h"

namespace topple::phyre {

constexpr int kImageBytes = kSceneSize * kSceneSize;

namespace detail {

// To the nearest whole number, halves to even: adding 1.5 * 2^23 leaves no room for a
// fraction. Good for |x| < 2^22.
TOPPLE_FN int nearest(float x) {
  constexpr float kRound = 0x1.8p+23f;
  return static_cast<int>((x + kRound) - kRound);
}

TOPPLE_FN int lesser(int a, int b) { return a < b ? a : b; }
TOPPLE_FN int greater(int a, int b) { return a > b ? a : b; }

// Some of the pixels of a picture: the columns [left, right) of the rows [first, end).
struct PixelBox {
  int left, right, first, end;
};

TOPPLE_FN PixelBox all_pixels() { return {0, kSceneSize, 0, kSceneSize}; }

TOPPLE_FN bool overlap(const PixelBox& a, const PixelBox& b) {
  return a.left < b.right && b.left < a.right && a.first < b.end && b.first < a.end;
}

TOPPLE_FN PixelBox unite(const PixelBox& a, const PixelBox& b) {
  return {lesser(a.left, b.left), greater(a.right, b.right), lesser(a.first, b.first),
          greater(a.end, b.end)};
}

TOPPLE_FN PixelBox intersect(const PixelBox& a, const PixelBox& b) {
  return {greater(a.left, b.left), lesser(a.right, b.right), greater(a.first, b.first),
          lesser(a.end, b.end)};
}

// One colour, in blocks of up to 16 bytes.
struct Paint {
  uint64_t eight;

  template <int kBytes>
  TOPPLE_FN void put(uint8_t* row, int x) const {
    constexpr int kPart = kBytes < 8 ? kBytes : 8;
    for (int i = 0; i < kBytes; i += kPart) TOPPLE_BUILTIN(memcpy)(row + x + i, &eight, kPart);
  }
};

// The pixels of another row.
struct Print {
  const uint8_t* from;

  template <int kBytes>
  TOPPLE_FN void put(uint8_t* row, int x) const {
    TOPPLE_BUILTIN(memcpy)(row + x, from + x, kBytes);
  }
};

// Covers columns with blocks of one size, the last over some of the one before.
template <int kBytes, class Source>
TOPPLE_FN void cover_by(uint8_t* row, int left, int right, const Source& source) {
  for (int x = left; x < right - kBytes; x += kBytes) source.template put<kBytes>(row, x);
  source.template put<kBytes>(row, right - kBytes);
}

// Covers the columns [left, right) of a row. Most rows are short: to call memset or memcpy for
// each would take longer than they do, and so would a loop whose length is hard to foresee.
template <class Source>
TOPPLE_FN void cover(uint8_t* row, int left, int right, const Source& source) {
  const int count = right - left;
  if (count >= 16) {
    cover_by<16>(row, left, right, source);
  } else if (count >= 8) {
    cover_by<8>(row, left, right, source);
  } else if (count >= 4) {
    cover_by<4>(row, left, right, source);
  } else if (count > 0) {
    cover_by<1>(row, left, right, source);
  }
}

// Fills the columns [left, right) of a row, as far as they are in a box.
TOPPLE_FN void fill_row(uint8_t* image, int y, int left, int right, uint8_t color,
                        const PixelBox& clip) {
  cover(image + y * kSceneSize, greater(clip.left, left), lesser(clip.right, right),
        Paint{0x0101010101010101u * color});
}

TOPPLE_FN void copy_row(uint8_t* to, const uint8_t* from, int y, int left, int right) {
  cover(to + y * kSceneSize, left, right, Print{from + y * kSceneSize});
}

// One side of a convex polygon: its edges from bottom to top.
struct Side {
  PixelVec start[kMaxVertices], end[kMaxVertices];
  int count, active;

  TOPPLE_FN void add(PixelVec from, PixelVec to) {
    int i = count++;
    for (; i > 0 && from.y < start[i - 1].y; --i) {
      start[i] = start[i - 1];
      end[i] = end[i - 1];
    }
    start[i] = from;
    end[i] = to;
  }

  // Where the side crosses the middle of a row.
  TOPPLE_FN float cross_row(int row) {
    const double y = row + 0.5;
    while (active + 1 < count && end[active].y < y) ++active;
    const PixelVec& from = start[active];
    const PixelVec& to = end[active];
    const float along = static_cast<float>((y - from.y) / (to.y - from.y));
    return static_cast<float>(static_cast<double>(along) * (to.x - from.x) + from.x);
  }
};

TOPPLE_FN void draw_polygon(uint8_t* image, const PixelVec* v, int count, uint8_t color,
                            const PixelBox& clip = all_pixels()) {
  constexpr double kFlat = 1e-3;  // pixels; flatter edges bound no row
  Side left, right;
  left.count = left.active = right.count = right.active = 0;
  double lowest = v[0].y;
  double highest = v[0].y;
  for (int i = 0; i < count; ++i) {
    const PixelVec from = v[i == 0 ? count - 1 : i - 1];
    const PixelVec to = v[i];
    lowest = to.y < lowest ? to.y : lowest;
    highest = to.y > highest ? to.y : highest;
    const double rise = to.y - from.y;
    if (rise < kFlat && rise > -kFlat) continue;
    if (rise > 0.0) {
      right.add(from, to);
    } else {
      left.add(to, from);
    }
  }
  if (left.count == 0 || right.count == 0) return;
  const int end = lesser(clip.end, nearest(static_cast<float>(highest)));
  for (int y = greater(clip.first, nearest(static_cast<float>(lowest))); y < end; ++y) {
    const int from = nearest(left.cross_row(y));
    fill_row(image, y, from, nearest(right.cross_row(y)), color, clip);
  }
}

// A row of a circle reaches from its middle column to the last on either side that is not
// too far, and is empty if the middle is.
struct CircleRow {
  float x, reach_squared;

  TOPPLE_FN bool reaches(int column) const {
    const float away = static_cast<float>(column) - x;
    return away * away <= reach_squared;
  }

  TOPPLE_FN void draw(uint8_t* image, int row, uint8_t color, const PixelBox& clip) const {
    const int middle = static_cast<int>(x);
    if (!reaches(middle)) return;
    const float reach = sqrt(reach_squared);  // a guess; the squares decide
    int left = lesser(static_cast<int>(x - reach), middle);
    while (reaches(left)) --left;
    while (!reaches(left + 1)) ++left;
    int right = greater(static_cast<int>(x + reach), middle);
    while (reaches(right)) ++right;
    while (!reaches(right - 1)) --right;
    fill_row(image, row, left + 1, right, color, clip);
  }
};

TOPPLE_FN void draw_circle(uint8_t* image, PixelVec centre, double size, uint8_t color,
                           const PixelBox& clip = all_pixels()) {
  const float x = static_cast<float>(static_cast<double>(static_cast<float>(centre.x)) - 0.5);
  const float y = static_cast<float>(static_cast<double>(static_cast<float>(centre.y)) - 0.5);
  const float radius = static_cast<float>(size);
  const int first = greater(clip.first, static_cast<int>(y - radius));
  const int last = lesser(clip.end - 1, static_cast<int>(y + radius + 1.0f));
  for (int row = first; row <= last; ++row) {
    const float away = static_cast<float>(row) - y;
    const CircleRow reached = {x, radius * radius - away * away};
    reached.draw(image, row, color, clip);
  }
}

// Draws a body, or what of it is in a box if the rest is known to be right.
TOPPLE_FN void draw_scene_body(uint8_t* image, const SceneView& scene, int body,
                               const PixelPose& pose, const PixelBox& clip = all_pixels()) {
  const uint8_t color = scene.color[body];
  if (color == 0) return;
  const Rot q = rotation(static_cast<float>(pose.angle));
  for (int f = scene.fixture_start[body]; f < scene.fixture_start[body + 1]; ++f) {
    if (scene.is_circle(f)) {
      draw_circle(image, pose.p, scene.radius_px[f], color, clip);
      continue;
    }
    const PixelVec* local = scene.polygon_px(f);
    const int count = scene.vertex_count(f);
    const double s = q.s;
    const double c = q.c;
    PixelVec v[kMaxVertices];
    for (int i = 0; i < count; ++i) {
      v[i] = {(local[i].x * c - local[i].y * s) + pose.p.x,
              (local[i].x * s + local[i].y * c) + pose.p.y};
    }
    draw_polygon(image, v, count, color, clip);
  }
}

}  // namespace detail
}  // namespace topple::phyre
