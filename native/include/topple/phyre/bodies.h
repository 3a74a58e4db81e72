// Bodies: pose, motion over the current step, and what the solver needs of them.
#pragma once

#include "topple/phyre/shapes.h"
#include "topple/phyre/trig.h"

namespace topple::phyre {

// The motion of a body's centre of mass within one step.
struct Sweep {
  Vec local_centre;
  Vec c0, c;    // centre at the fraction alpha0 of the step, and at its end
  float a0, a;  // angles likewise
  float alpha0;
};

struct Body {
  Vec v;  // of the centre of mass
  float w;
  float inv_mass, inv_inertia;  // 0 for static bodies
  Sweep sweep;
  Transform pose;      // of the origin
  Rot start_rotation;  // that of sweep.a0, as long as nothing advanced the sweep alone
  float posed_angle;   // pose.q is the rotation by this angle
  float sleep_time;
  int16_t first_fixture, fixture_count;
  bool dynamic;
  bool awake;
  bool in_island;
  bool round;    // made of circles alone: its rotation is never read
  bool plain;    // made of plain shapes alone; see is_plain
  bool removed;  // by an edit; keeps its index
};

TOPPLE_FN void set_awake(Body& body, bool awake) {
  body.awake = awake;
  body.sleep_time = 0.0f;
  if (!awake) {
    body.v = {0.0f, 0.0f};
    body.w = 0.0f;
  }
}

TOPPLE_FN bool is_active(const Body& body) { return body.awake && body.dynamic; }

// The pose for the current centre and angle; the rotation is reused while the angle stays.
TOPPLE_BIG_FN Transform current_pose(Body& body) {
  if (body.round) return {body.sweep.c, body.pose.q};
  if (trig::bits(body.sweep.a) != trig::bits(body.posed_angle)) {
    body.posed_angle = body.sweep.a;
    body.pose.q = rotation(body.sweep.a);
  }
  return {body.sweep.c - rotate(body.pose.q, body.sweep.local_centre), body.pose.q};
}

TOPPLE_FN void update_pose(Body& body) { body.pose = current_pose(body); }

// The pose at the start of the sweep.
TOPPLE_FN Transform start_pose(const Body& body) {
  if (body.round) return {body.sweep.c0, body.pose.q};
  return {body.sweep.c0 - rotate(body.start_rotation, body.sweep.local_centre),
          body.start_rotation};
}

// Makes the current state the start of the sweep.
TOPPLE_FN void start_sweep(Body& body) {
  body.sweep.c0 = body.sweep.c;
  body.sweep.a0 = body.sweep.a;
  if (!body.round) current_pose(body);
  body.start_rotation = body.pose.q;
}

TOPPLE_FN void advance(Sweep& sweep, float alpha) {
  const float beta = (alpha - sweep.alpha0) / (1.0f - sweep.alpha0);
  sweep.c0 = sweep.c0 + beta * (sweep.c - sweep.c0);
  sweep.a0 = sweep.a0 + beta * (sweep.a - sweep.a0);
  sweep.alpha0 = alpha;
}

// Moves a body to where its sweep is at the fraction alpha of the step.
TOPPLE_FN void advance_body(Body& body, float alpha) {
  advance(body.sweep, alpha);
  body.sweep.c = body.sweep.c0;
  body.sweep.a = body.sweep.a0;
  update_pose(body);
}

}  // namespace topple::phyre
