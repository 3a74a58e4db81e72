// Joints: pins that hold two bodies at a distance, and damped springs, centre to centre.
#pragma once

#include "topple/iphyre/arbiters.h"

namespace topple {
namespace iphyre {

struct Joint {
  uint8_t a, b;
  uint8_t number;  // in the scene
  bool spring;
  // Of a pin.
  double distance;
  double jn;        // carried over from step to step
  double jn_start;  // that carried over into this step
  // Of a spring.
  double rest, stiffness;
  double damping;  // the share of the velocity that is taken away in a pass
  // Of the present step.
  Vec n;
  double n_mass, bias, target, j_sum;
};

namespace detail {

TOPPLE_FN void apply_both(Body& a, Body& b, Vec j) {
  // The spin is left out: its change is a zero, and it is never the zero with a sign.
  if (is_dynamic(a)) a.v = a.v + (-j) * a.m_inv;
  if (is_dynamic(b)) b.v = b.v + j * b.m_inv;
}

}  // namespace detail

TOPPLE_FN void prepare(Joint& joint, Body& a, Body& b, const TimeStep& timing) {
  const Vec delta = b.p - a.p;
  const double distance = length(delta);
  joint.n = delta * (1.0 / (distance != 0.0 ? distance : __builtin_inf()));
  joint.n_mass = 1.0 / (a.m_inv + b.m_inv);
  if (!joint.spring) {
    joint.jn_start = joint.jn;
    joint.bias = (-timing.bias) * (distance - joint.distance) / timing.dt;
    return;
  }
  joint.target = 0.0;
  joint.j_sum = ((joint.rest - distance) * joint.stiffness) * timing.dt;
  detail::apply_both(a, b, joint.n * joint.j_sum);
}

TOPPLE_FN void warm_start(const Joint& joint, Body& a, Body& b, const TimeStep& timing) {
  if (!joint.spring) detail::apply_both(a, b, joint.n * (joint.jn * timing.warm));
}

// One pass; tells whether anything changed in any bit.
TOPPLE_FN bool solve(Joint& joint, Body& a, Body& b) {
  const double vrn = dot(b.v - a.v, joint.n);
  if (!joint.spring) {
    const double before = joint.jn;
    joint.jn = before + (joint.bias - vrn) * joint.n_mass;
    if (same(joint.jn, before)) return false;
    detail::apply_both(a, b, joint.n * (joint.jn - before));
    return true;
  }
  const double target_before = joint.target;
  const double sum_before = joint.j_sum;
  const double vd = (joint.target - vrn) * joint.damping;
  joint.target = vrn + vd;
  // Rounded as by the clamp to an infinite limit that the original has here.
  const double jd = (sum_before + vd * joint.n_mass) - sum_before;
  joint.j_sum = sum_before + jd;
  detail::apply_both(a, b, joint.n * jd);
  return !same(joint.target, target_before) || !same(joint.j_sum, sum_before);
}

}  // namespace iphyre
}  // namespace topple
