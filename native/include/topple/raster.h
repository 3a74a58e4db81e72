// Pictures: scenes as 256 x 256 colour codes. Row 0 is the bottom row.
#pragma once

#include "topple/scene.h"

#if defined(__SSE2__) && !defined(__CUDACC__)
#include <emmintrin.h>
#endif

namespace topple {

constexpr int kImageBytes = kSceneSize * kSceneSize;

// Copies a finished image past the caches: nobody reads it soon, and fetching the memory it
// goes to would cost as much as drawing it.
TOPPLE_FN void copy_image(uint8_t* to, const uint8_t* from) {
#if defined(__SSE2__) && !defined(__CUDACC__)
  if (reinterpret_cast<uintptr_t>(to) % 16 == 0) {
    constexpr int kParts = 4;  // of a cache line, written together
    const auto* source = reinterpret_cast<const __m128i*>(from);
    auto* target = reinterpret_cast<__m128i*>(to);
    for (int i = 0; i < kImageBytes / 16; i += kParts) {
      __m128i line[kParts];
      for (int k = 0; k < kParts; ++k) line[k] = _mm_loadu_si128(source + i + k);
      for (int k = 0; k < kParts; ++k) _mm_stream_si128(target + i + k, line[k]);
    }
    _mm_sfence();
    return;
  }
#endif
  TOPPLE_BUILTIN(memcpy)(to, from, kImageBytes);
}

namespace detail {

// To the nearest whole number, halves to even: adding 1.5 * 2^23 leaves no room for a
// fraction. Good for |x| < 2^22.
TOPPLE_FN int nearest(float x) {
  constexpr float kRound = 0x1.8p+23f;
  return static_cast<int>((x + kRound) - kRound);
}

TOPPLE_FN int lesser(int a, int b) { return a < b ? a : b; }
TOPPLE_FN int greater(int a, int b) { return a > b ? a : b; }

// Rows of a picture, from the first to before the end.
struct Rows {
  int first, end;
};

constexpr Rows kAllRows = {0, kSceneSize};

// Fills the columns [left, right) of a row. Most rows are short, and calling memset for each
// would take longer than the filling.
TOPPLE_FN void fill_row(uint8_t* image, int y, int left, int right, uint8_t color) {
  left = greater(0, left);
  right = lesser(kSceneSize, right);
  uint8_t* row = image + y * kSceneSize;
  const uint64_t eight = 0x0101010101010101u * color;
  if (right - left >= 8) {
    for (int x = left; x < right - 8; x += 8) TOPPLE_BUILTIN(memcpy)(row + x, &eight, 8);
    TOPPLE_BUILTIN(memcpy)(row + right - 8, &eight, 8);  // over some of the last again
  } else {
    for (int x = left; x < right; ++x) row[x] = color;
  }
}

// Copies the columns [left, right) of a row in the same way.
TOPPLE_FN void copy_row(uint8_t* to, const uint8_t* from, int y, int left, int right) {
  to += y * kSceneSize;
  from += y * kSceneSize;
  if (right - left >= 8) {
    for (int x = left; x < right - 8; x += 8) TOPPLE_BUILTIN(memcpy)(to + x, from + x, 8);
    TOPPLE_BUILTIN(memcpy)(to + right - 8, from + right - 8, 8);
  } else {
    for (int x = left; x < right; ++x) to[x] = from[x];
  }
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
                            Rows rows = kAllRows) {
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
  const int end = lesser(rows.end, nearest(static_cast<float>(highest)));
  for (int y = greater(rows.first, nearest(static_cast<float>(lowest))); y < end; ++y) {
    const int from = nearest(left.cross_row(y));
    fill_row(image, y, from, nearest(right.cross_row(y)), color);
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

  TOPPLE_FN void draw(uint8_t* image, int row, uint8_t color) const {
    const int middle = static_cast<int>(x);
    if (!reaches(middle)) return;
    const float reach = sqrt(reach_squared);  // a guess; the squares decide
    int left = lesser(static_cast<int>(x - reach), middle);
    while (reaches(left)) --left;
    while (!reaches(left + 1)) ++left;
    int right = greater(static_cast<int>(x + reach), middle);
    while (reaches(right)) ++right;
    while (!reaches(right - 1)) --right;
    fill_row(image, row, left + 1, right, color);
  }
};

TOPPLE_FN void draw_circle(uint8_t* image, PixelVec centre, double size, uint8_t color) {
  const float x = static_cast<float>(static_cast<double>(static_cast<float>(centre.x)) - 0.5);
  const float y = static_cast<float>(static_cast<double>(static_cast<float>(centre.y)) - 0.5);
  const float radius = static_cast<float>(size);
  const int first = greater(0, static_cast<int>(y - radius));
  const int last = lesser(kSceneSize - 1, static_cast<int>(y + radius + 1.0f));
  for (int row = first; row <= last; ++row) {
    const float away = static_cast<float>(row) - y;
    const CircleRow reached = {x, radius * radius - away * away};
    reached.draw(image, row, color);
  }
}

// Draws a body; of polygons only some rows, where the others are known to be right.
TOPPLE_FN void draw_scene_body(uint8_t* image, const SceneView& scene, int body,
                               const PixelPose& pose, Rows rows = kAllRows) {
  const uint8_t color = scene.color[body];
  if (color == 0) return;
  const Rot q = rotation(static_cast<float>(pose.angle));
  for (int f = scene.fixture_start[body]; f < scene.fixture_start[body + 1]; ++f) {
    if (scene.is_circle(f)) {
      draw_circle(image, pose.p, scene.radius_px[f], color);
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
    draw_polygon(image, v, count, color, rows);
  }
}

}  // namespace detail
}  // namespace topple
