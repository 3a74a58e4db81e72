// Reproducible random numbers.
#pragma once

#include <cmath>
#include <cstdint>

// SplitMix64: the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

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

 private:
  uint64_t state_;
};
