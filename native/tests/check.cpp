#include "check.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace check {
namespace {

struct Named {
  const char* name;
  Test test;
};

std::vector<Named>& tests() {
  static std::vector<Named> list;
  return list;
}

int failures = 0;

}  // namespace

Registration::Registration(const char* name, Test test) { tests().push_back({name, test}); }

bool that(bool holds, const char* text, const char* file, int line) {
  if (!holds) {
    ++failures;
    std::printf("  %s:%d: not so: %s\n", file, line, text);
  }
  return holds;
}

bool equal(double seen, double wanted, const char* text, const char* file, int line) {
  if (!that(seen == wanted, text, file, line)) {
    std::printf("    saw %.9g, wanted %.9g\n", seen, wanted);
    return false;
  }
  return true;
}

bool near(double seen, double wanted, double tolerance, const char* text, const char* file,
          int line) {
  if (!that(std::fabs(seen - wanted) <= tolerance, text, file, line)) {
    std::printf("    saw %.9g, wanted %.9g within %.3g\n", seen, wanted, tolerance);
    return false;
  }
  return true;
}

bool same_bits(float seen, uint32_t wanted, const char* text, const char* file, int line) {
  if (!that(bits(seen) == wanted, text, file, line)) {
    std::printf("    saw bits %08x, wanted %08x\n", bits(seen), wanted);
    return false;
  }
  return true;
}

}  // namespace check

int main() {
  for (const check::Named& named : check::tests()) {
    const int before = check::failures;
    named.test();
    std::printf("%s %s\n", check::failures == before ? "ok  " : "FAIL", named.name);
  }
  return check::failures == 0 ? 0 : 1;
}
