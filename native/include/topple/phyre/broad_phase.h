// Broad phase: fat boxes around fixtures, and the pairs of them that overlap.
#pragma once

#include "topple/phyre/contacts.h"

namespace topple::phyre {

// A bit for each pair of fixtures that has a contact.
struct PairSet {
  static constexpr int kWords = (kMaxFixtures + 63) / 64;
  uint64_t rows[kMaxFixtures][kWords];

  TOPPLE_FN bool has(int low, int high) const { return rows[low][high >> 6] >> (high & 63) & 1; }
  TOPPLE_FN void flip(int low, int high) { rows[low][high >> 6] ^= uint64_t{1} << (high & 63); }
};

TOPPLE_FN Box fatten(const Box& tight) {
  const Vec margin = {kBoxMargin, kBoxMargin};
  return {tight.lower - margin, tight.upper + margin};
}

// Follows a moving fixture; true if its fat box had to change.
TOPPLE_FN bool move_box(Box& fat, const Box& swept, Vec displacement) {
  if (contains(fat, swept)) return false;
  fat = fatten(swept);
  const Vec ahead = kBoxLookahead * displacement;
  (ahead.x < 0.0f ? fat.lower.x : fat.upper.x) += ahead.x;
  (ahead.y < 0.0f ? fat.lower.y : fat.upper.y) += ahead.y;
  return true;
}

// Sorts a short list of pair keys, in place.
TOPPLE_FN void sort_keys(uint32_t* keys, int count) {
  TOPPLE_ROLLED
  for (int i = 1; i < count; ++i) {
    const uint32_t key = keys[i];
    int j = i;
    TOPPLE_ROLLED
    for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

}  // namespace topple::phyre
