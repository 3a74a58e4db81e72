// Bodies: where they are and how they move. The centre of gravity is the origin.
#pragma once

#include "topple/iphyre/trig.h"

namespace topple {
namespace iphyre {

struct Body {
  Vec p, v;
  double a, w;  // angle and spin
  // Velocities that only push overlapping bodies apart, and only in the next step.
  Vec v_bias;
  double w_bias;
  double m_inv, i_inv;  // 0 for static bodies
  Rot rot;              // of the angle; kept at none for balls, whose shape it does not change
};

TOPPLE_FN bool is_dynamic(const Body& body) { return body.m_inv != 0.0; }

TOPPLE_FN void apply_impulse(Body& body, Vec j, Vec r) {
  body.v = body.v + j * body.m_inv;
  body.w = body.w + body.i_inv * cross(r, j);
}

TOPPLE_FN void apply_bias(Body& body, Vec j, Vec r) {
  body.v_bias = body.v_bias + j * body.m_inv;
  body.w_bias = body.w_bias + body.i_inv * cross(r, j);
}

}  // namespace iphyre
}  // namespace topple
