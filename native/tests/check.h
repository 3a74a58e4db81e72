// A test is a function; a failed check says where and what, and the run goes on.
#pragma once

#include <cstdint>
#include <cstring>

namespace check {

using Test = void (*)();

struct Registration {
  Registration(const char* name, Test test);
};

// Reports a failed check with the values it saw; true if it held.
bool that(bool holds, const char* text, const char* file, int line);
bool equal(double seen, double wanted, const char* text, const char* file, int line);
bool near(double seen, double wanted, double tolerance, const char* text, const char* file,
          int line);
bool same_bits(float seen, uint32_t wanted, const char* text, const char* file, int line);

inline uint32_t bits(float x) {
  uint32_t u;
  std::memcpy(&u, &x, sizeof u);
  return u;
}

inline float from_bits(uint32_t u) {
  float x;
  std::memcpy(&x, &u, sizeof x);
  return x;
}

}  // namespace check

#define TEST(name)                                            \
  static void name();                                         \
  static const check::Registration name##_known(#name, name); \
  static void name()
#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(seen, wanted)                                                            \
  check::equal(static_cast<double>(seen), static_cast<double>(wanted), #seen " == " #wanted, \
               __FILE__, __LINE__)
#define CHECK_NEAR(seen, wanted, tolerance)                           \
  check::near(static_cast<double>(seen), static_cast<double>(wanted), \
              static_cast<double>(tolerance), #seen " is near " #wanted, __FILE__, __LINE__)
#define CHECK_BITS(seen, wanted) check::same_bits((seen), (wanted), #seen, __FILE__, __LINE__)
