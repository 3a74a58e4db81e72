// Arbiters: the contacts of two bodies, remembered from step to step, and their solver.
#pragma once

#include "topple/iphyre/collide.h"

namespace topple {
namespace iphyre {

struct Contact {
  Vec r1, r2;  // from the bodies' centres
  uint64_t hash;
  double jn, jt;              // impulses along and across the normal, summed up and carried over
  double jn_start, jt_start;  // those carried over into this step
  double n_mass, t_mass;
  double bias, bounce;
  double j_bias;
};

// First: touching again or for the first time, so the old impulses are not applied at once.
enum class Age : uint8_t { kFirst, kNormal, kCached };

struct Arbiter {
  Contact contacts[2];
  Vec n;          // from a to b
  int64_t stamp;  // the step of the last touch
  uint8_t a, b;   // bodies, in the order of the last touch
  uint8_t count;  // of contacts
  Age age;
};

// What friction and bounce come from; products over the two shapes of a contact.
struct Surface {
  double bounce, friction;
};

// Numbers that depend on the length of a step.
struct TimeStep {
  double dt;
  double bias;  // the share of an overlap that is corrected in a step
  double warm;  // how much of the old impulses is applied at once
};

namespace detail {

TOPPLE_FN double mass_part(const Body& body, Vec r, Vec n) {
  const double q = cross(r, n);
  return body.m_inv + body.i_inv * q * q;
}

TOPPLE_FN double inverse_mass(const Body& a, const Body& b, Vec r1, Vec r2, Vec n) {
  return 1.0 / (mass_part(a, r1, n) + mass_part(b, r2, n));
}

TOPPLE_FN Vec velocity_at(const Body& body, Vec r) { return body.v + perp(r) * body.w; }
TOPPLE_FN Vec bias_at(const Body& body, Vec r) { return body.v_bias + perp(r) * body.w_bias; }

}  // namespace detail

TOPPLE_FN void prepare(Arbiter& arbiter, const Body& a, const Body& b, const Surface& surface,
                       const TimeStep& timing) {
  const Vec n = arbiter.n;
  const Vec apart = b.p - a.p;
  for (int i = 0; i < arbiter.count; ++i) {
    Contact& c = arbiter.contacts[i];
    c.n_mass = detail::inverse_mass(a, b, c.r1, c.r2, n);
    c.t_mass = detail::inverse_mass(a, b, c.r1, c.r2, perp(n));
    const double distance = dot((c.r2 - c.r1) + apart, n);
    c.bias = (-timing.bias) * min(0.0, distance + kSlop) / timing.dt;
    c.j_bias = 0.0;
    c.bounce = dot(detail::velocity_at(b, c.r2) - detail::velocity_at(a, c.r1), n) * surface.bounce;
  }
}

TOPPLE_FN void warm_start(const Arbiter& arbiter, Body& a, Body& b, const TimeStep& timing) {
  if (arbiter.age == Age::kFirst) return;
  for (int i = 0; i < arbiter.count; ++i) {
    const Contact& c = arbiter.contacts[i];
    const Vec j = rotate(arbiter.n, {c.jn, c.jt}) * timing.warm;
    if (is_dynamic(a)) apply_impulse(a, -j, c.r1);
    if (is_dynamic(b)) apply_impulse(b, j, c.r2);
  }
}

// One pass over the contacts. A static body is left out: what it adds are zeros, and it is
// never moved. Tells whether any impulse changed in any bit; if none did, the bodies'
// velocities have not changed either, since these are never the zero with a sign.
template <bool kMovesA, bool kMovesB>
TOPPLE_FN bool solve(Arbiter& arbiter, Body& a, Body& b, double friction) {
  using namespace detail;
  const Vec n = arbiter.n;
  bool changed = false;
  for (int i = 0; i < arbiter.count; ++i) {
    Contact& c = arbiter.contacts[i];
    const Vec still = {0.0, 0.0};
    const Vec vb1 = kMovesA ? bias_at(a, c.r1) : still;
    const Vec vb2 = kMovesB ? bias_at(b, c.r2) : still;
    const Vec v1 = kMovesA ? velocity_at(a, c.r1) : still;
    const Vec v2 = kMovesB ? velocity_at(b, c.r2) : still;
    const double vbn = dot(kMovesA ? vb2 - vb1 : vb2, n);
    const Vec vr = kMovesA ? v2 - v1 : v2;
    const double vrn = dot(vr, n);
    const double vrt = dot(vr, perp(n));

    const double bias_before = c.j_bias;
    c.j_bias = max(bias_before + (c.bias - vbn) * c.n_mass, 0.0);
    const double jn_before = c.jn;
    c.jn = max(jn_before + -(c.bounce + vrn) * c.n_mass, 0.0);
    const double limit = friction * c.jn;
    const double jt_before = c.jt;
    c.jt = clamp(jt_before + -vrt * c.t_mass, -limit, limit);

    // Only the second kind of impulse may be a zero with a sign.
    const bool bias_changed = c.j_bias != bias_before;
    const bool here = (c.jn != jn_before) | !same(c.jt, jt_before);
    changed |= bias_changed | here;
    if (bias_changed) {
      const Vec j = n * (c.j_bias - bias_before);
      if (kMovesA) apply_bias(a, -j, c.r1);
      if (kMovesB) apply_bias(b, j, c.r2);
    }
    if (here) {
      const Vec j = rotate(n, {c.jn - jn_before, c.jt - jt_before});
      if (kMovesA) apply_impulse(a, -j, c.r1);
      if (kMovesB) apply_impulse(b, j, c.r2);
    }
  }
  return changed;
}

TOPPLE_FN bool solve(Arbiter& arbiter, Body& a, Body& b, double friction) {
  if (!is_dynamic(a)) return solve<false, true>(arbiter, a, b, friction);
  if (!is_dynamic(b)) return solve<true, false>(arbiter, a, b, friction);
  return solve<true, true>(arbiter, a, b, friction);
}

}  // namespace iphyre
}  // namespace topple
