// The sequential impulse solver for the contacts of one island.
#pragma once

#include "topple/phyre/contacts.h"

namespace topple::phyre {

struct ConstraintPoint {
  Vec ra, rb;  // from the centres of mass to the point
  float normal_impulse, tangent_impulse;
  float normal_mass, tangent_mass;
  float bias;  // speed that restitution asks for
};

struct Constraint {
  ConstraintPoint points[2];
  Vec normal;
  float inv_mass_a, inv_inertia_a, inv_mass_b, inv_inertia_b;
  float k11, k12, k22;  // the two-point block and its inverse
  float n11, n12, n22;
  Body* a;
  Body* b;
  Contact* contact;
  uint8_t count;  // points in the velocity passes; 1 if the block is ill-conditioned
  bool a_moves, b_moves;
};

namespace detail {

struct WorldPoints {
  Vec normal;
  Vec points[2];
};

// The manifold in world coordinates, halfway between the two surfaces.
TOPPLE_FN WorldPoints world_points(const Manifold& m, const Transform& ta, float radius_a,
                                   const Transform& tb, float radius_b) {
  WorldPoints result = {};
  if (m.type == ManifoldType::kCircles) {
    const Vec pa = ta.p;
    const Vec pb = tb.p;
    const Vec d = pa - pb;
    result.normal = {1.0f, 0.0f};
    if (dot(d, d) > kEpsilon * kEpsilon) {
      result.normal = pb - pa;
      normalise(result.normal);
    }
    const Vec xa = pa + radius_a * result.normal;
    const Vec xb = pb - radius_b * result.normal;
    result.points[0] = 0.5f * (xa + xb);
    return result;
  }
  // The face belongs to A, or to B with everything mirrored.
  const bool face_b = m.type == ManifoldType::kFaceB;
  const Transform& t1 = face_b ? tb : ta;
  const Transform& t2 = face_b ? ta : tb;
  const float r1 = face_b ? radius_b : radius_a;
  const float r2 = face_b ? radius_a : radius_b;
  const Vec n = rotate(t1.q, m.local_normal);
  const Vec plane = apply(t1, m.local_point);
  for (int i = 0; i < m.count; ++i) {
    const Vec point = apply(t2, m.points[i].local);
    const Vec x1 = point + (r1 - dot(point - plane, n)) * n;
    const Vec x2 = point - r2 * n;
    result.points[i] = 0.5f * (x1 + x2);
  }
  result.normal = face_b ? -n : n;
  return result;
}

}  // namespace detail

// Fills a constraint from a contact; warm ones start from the impulses of the last step.
template <class Physics>
TOPPLE_BIG_FN void prepare(const Physics& physics, Constraint& c, Contact& contact,
                           const Shape* shapes, Body* bodies, bool warm) {
  const Manifold& m = contact.manifold;
  Body& a = bodies[contact.body_a];
  Body& b = bodies[contact.body_b];
  c.contact = &contact;
  c.a = &a;
  c.b = &b;
  c.a_moves = a.dynamic;
  c.b_moves = b.dynamic;
  c.count = m.count;
  c.inv_mass_a = a.inv_mass;
  c.inv_inertia_a = a.inv_inertia;
  c.inv_mass_b = b.inv_mass;
  c.inv_inertia_b = b.inv_inertia;

  const detail::WorldPoints world =
      detail::world_points(m, current_pose(a), shapes[contact.fixture_a].radius, current_pose(b),
                           shapes[contact.fixture_b].radius);
  c.normal = world.normal;
  const Vec n = c.normal;
  const Vec t = cross(n, 1.0f);
  const float ma = c.inv_mass_a, ia = c.inv_inertia_a, mb = c.inv_mass_b, ib = c.inv_inertia_b;
  float rna[2], rnb[2], kn[2];
  for (int i = 0; i < m.count; ++i) {
    ConstraintPoint& p = c.points[i];
    p.normal_impulse = warm ? m.points[i].normal_impulse : 0.0f;
    p.tangent_impulse = warm ? m.points[i].tangent_impulse : 0.0f;
    p.ra = world.points[i] - a.sweep.c;
    p.rb = world.points[i] - b.sweep.c;
    rna[i] = cross(p.ra, n);
    rnb[i] = cross(p.rb, n);
    kn[i] = ma + mb + ia * rna[i] * rna[i] + ib * rnb[i] * rnb[i];
    p.normal_mass = kn[i] > 0.0f ? 1.0f / kn[i] : 0.0f;
    const float rta = cross(p.ra, t);
    const float rtb = cross(p.rb, t);
    const float kt = ma + mb + ia * rta * rta + ib * rtb * rtb;
    p.tangent_mass = kt > 0.0f ? 1.0f / kt : 0.0f;
    const float speed = dot(n, b.v + cross(b.w, p.rb) - a.v - cross(a.w, p.ra));
    p.bias = speed < -kRestitutionSpeed ? -physics.restitution * speed : 0.0f;
  }
  if (m.count == 2) {
    const float k11 = kn[0];
    const float k22 = kn[1];
    const float k12 = ma + mb + ia * rna[0] * rna[1] + ib * rnb[0] * rnb[1];
    float det = k11 * k22 - k12 * k12;
    if (k11 * k11 < kMaxCondition * det) {
      if (det != 0.0f) det = 1.0f / det;
      c.k11 = k11;
      c.k12 = k12;
      c.k22 = k22;
      c.n11 = det * k22;
      c.n12 = -det * k12;
      c.n22 = det * k11;
    } else {
      c.count = 1;
    }
  }
}

TOPPLE_FN void warm_start(Constraint& c) {
  const Vec t = cross(c.normal, 1.0f);
  for (int i = 0; i < c.count; ++i) {
    const ConstraintPoint& p = c.points[i];
    const Vec impulse = p.normal_impulse * c.normal + p.tangent_impulse * t;
    if (c.a_moves) {
      c.a->w -= c.inv_inertia_a * cross(p.ra, impulse);
      c.a->v = c.a->v - c.inv_mass_a * impulse;
    }
    if (c.b_moves) {
      c.b->w += c.inv_inertia_b * cross(p.rb, impulse);
      c.b->v = c.b->v + c.inv_mass_b * impulse;
    }
  }
}

namespace detail {

// The two velocities a constraint acts on. A body that does not move takes no part:
// its terms are zeros.
template <bool kA, bool kB>
struct Motion {
  Vec va, vb;
  float wa, wb;

  TOPPLE_FN explicit Motion(const Constraint& c)
      : va{kA ? c.a->v : Vec{0.0f, 0.0f}},
        vb{kB ? c.b->v : Vec{0.0f, 0.0f}},
        wa{kA ? c.a->w : 0.0f},
        wb{kB ? c.b->w : 0.0f} {}

  TOPPLE_FN void store(const Constraint& c) const {
    if (kA) {
      c.a->v = va;
      c.a->w = wa;
    }
    if (kB) {
      c.b->v = vb;
      c.b->w = wb;
    }
  }

  TOPPLE_FN Vec speed_at(const ConstraintPoint& p) const {
    Vec dv = kB ? vb + cross(wb, p.rb) : Vec{0.0f, 0.0f};
    if (kA) dv = dv - va - cross(wa, p.ra);
    return dv;
  }

  TOPPLE_FN void apply_impulse(const Constraint& c, const ConstraintPoint& p, Vec impulse) {
    if (kA) {
      va = va - c.inv_mass_a * impulse;
      wa -= c.inv_inertia_a * cross(p.ra, impulse);
    }
    if (kB) {
      vb = vb + c.inv_mass_b * impulse;
      wb += c.inv_inertia_b * cross(p.rb, impulse);
    }
  }
};

// In any bit: a zero that changed its sign can change that of another one in the next pass.
TOPPLE_FN bool differ(float a, float b) { return trig::bits(a) != trig::bits(b); }

// Solves both normals at once; tries the four ways two contacts can be open or closed.
template <bool kA, bool kB>
TOPPLE_FN bool solve_block(Constraint& c, Motion<kA, kB>& motion) {
  ConstraintPoint& p1 = c.points[0];
  ConstraintPoint& p2 = c.points[1];
  const Vec n = c.normal;
  const Vec old = {p1.normal_impulse, p2.normal_impulse};
  const float vn1 = dot(motion.speed_at(p1), n);
  const float vn2 = dot(motion.speed_at(p2), n);
  Vec b = {vn1 - p1.bias, vn2 - p2.bias};
  b = b - Vec{c.k11 * old.x + c.k12 * old.y, c.k12 * old.x + c.k22 * old.y};

  Vec x = -Vec{c.n11 * b.x + c.n12 * b.y, c.n12 * b.x + c.n22 * b.y};
  if (!(x.x >= 0.0f && x.y >= 0.0f)) {
    x = {-p1.normal_mass * b.x, 0.0f};
    if (!(x.x >= 0.0f && c.k12 * x.x + b.y >= 0.0f)) {
      x = {0.0f, -p2.normal_mass * b.y};
      if (!(x.y >= 0.0f && c.k12 * x.y + b.x >= 0.0f)) {
        x = {0.0f, 0.0f};
        if (!(b.x >= 0.0f && b.y >= 0.0f)) return false;
      }
    }
  }
  const Vec d = x - old;
  const Vec i1 = d.x * n;
  const Vec i2 = d.y * n;
  if (kA) {
    motion.va = motion.va - c.inv_mass_a * (i1 + i2);
    motion.wa -= c.inv_inertia_a * (cross(p1.ra, i1) + cross(p2.ra, i2));
  }
  if (kB) {
    motion.vb = motion.vb + c.inv_mass_b * (i1 + i2);
    motion.wb += c.inv_inertia_b * (cross(p1.rb, i1) + cross(p2.rb, i2));
  }
  p1.normal_impulse = x.x;
  p2.normal_impulse = x.y;
  return differ(x.x, old.x) || differ(x.y, old.y);
}

// One velocity pass over one constraint; true if it changed anything.
template <bool kA, bool kB, class Physics>
TOPPLE_BIG_FN bool solve_velocity(const Physics& physics, Constraint& c) {
  Motion<kA, kB> motion(c);
  const Vec n = c.normal;
  const Vec t = cross(n, 1.0f);
  bool changed = false;
  for (int i = 0; i < c.count; ++i) {
    ConstraintPoint& p = c.points[i];
    const float vt = dot(motion.speed_at(p), t);
    const float bound = physics.friction * p.normal_impulse;
    const float impulse = clamp(p.tangent_impulse + p.tangent_mass * -vt, -bound, bound);
    const float lambda = impulse - p.tangent_impulse;
    changed |= differ(impulse, p.tangent_impulse);
    p.tangent_impulse = impulse;
    motion.apply_impulse(c, p, lambda * t);
  }
  if (c.count == 1) {
    ConstraintPoint& p = c.points[0];
    const float vn = dot(motion.speed_at(p), n);
    const float impulse = max(p.normal_impulse + -p.normal_mass * (vn - p.bias), 0.0f);
    const float lambda = impulse - p.normal_impulse;
    changed |= differ(impulse, p.normal_impulse);
    p.normal_impulse = impulse;
    motion.apply_impulse(c, p, lambda * n);
  } else {
    changed |= solve_block(c, motion);
  }
  motion.store(c);
  return changed;
}

}  // namespace detail

// One velocity pass in order; true if any velocity or impulse changed.
template <class Physics>
TOPPLE_FN bool velocity_pass(const Physics& physics, Constraint* constraints, int count) {
  bool changed = false;
  TOPPLE_ROLLED
  for (int i = 0; i < count; ++i) {
    Constraint& c = constraints[i];
#if defined(__CUDA_ARCH__)
    // Lanes of a warp would take the branches below one after the other.
    changed |= detail::solve_velocity<true, true>(physics, c);
#else
    if (!c.a_moves) {
      changed |= detail::solve_velocity<false, true>(physics, c);
    } else if (!c.b_moves) {
      changed |= detail::solve_velocity<true, false>(physics, c);
    } else {
      changed |= detail::solve_velocity<true, true>(physics, c);
    }
#endif
  }
  return changed;
}

TOPPLE_FN void store_impulses(const Constraint& c) {
  for (int i = 0; i < c.count; ++i) {
    c.contact->manifold.points[i].normal_impulse = c.points[i].normal_impulse;
    c.contact->manifold.points[i].tangent_impulse = c.points[i].tangent_impulse;
  }
}

namespace detail {

struct PositionPoint {
  Vec normal, point;
  float separation;
};

TOPPLE_FN PositionPoint position_point(const Manifold& m, int i, const Transform& ta,
                                       const Transform& tb, float radius_a, float radius_b) {
  PositionPoint result;
  if (m.type == ManifoldType::kCircles) {
    result.normal = tb.p - ta.p;
    normalise(result.normal);
    result.point = 0.5f * (ta.p + tb.p);
    result.separation = dot(tb.p - ta.p, result.normal) - radius_a - radius_b;
    return result;
  }
  const bool face_b = m.type == ManifoldType::kFaceB;
  const Transform& t1 = face_b ? tb : ta;
  const Transform& t2 = face_b ? ta : tb;
  const Vec n = rotate(t1.q, m.local_normal);
  result.point = apply(t2, m.points[i].local);
  result.separation = dot(result.point - apply(t1, m.local_point), n) - radius_a - radius_b;
  result.normal = face_b ? -n : n;
  return result;
}

}  // namespace detail

// One position pass in order; returns the deepest separation met.
TOPPLE_BIG_FN float position_pass(const Constraint* constraints, int count, const Shape* shapes,
                                  float baumgarte) {
  float deepest = 0.0f;
  TOPPLE_ROLLED
  for (int k = 0; k < count; ++k) {
    const Constraint& c = constraints[k];
    const Manifold& m = c.contact->manifold;
    const float radius_a = shapes[c.contact->fixture_a].radius;
    const float radius_b = shapes[c.contact->fixture_b].radius;
    Sweep& a = c.a->sweep;
    Sweep& b = c.b->sweep;
    for (int i = 0; i < m.count; ++i) {
      const detail::PositionPoint p =
          detail::position_point(m, i, current_pose(*c.a), current_pose(*c.b), radius_a, radius_b);
      const Vec ra = p.point - a.c;
      const Vec rb = p.point - b.c;
      deepest = min(deepest, p.separation);
      const float correction =
          clamp(baumgarte * (p.separation + kLinearSlop), -kMaxCorrection, 0.0f);
      const float rna = cross(ra, p.normal);
      const float rnb = cross(rb, p.normal);
      const float mass =
          c.inv_mass_a + c.inv_mass_b + c.inv_inertia_a * rna * rna + c.inv_inertia_b * rnb * rnb;
      const float impulse = mass > 0.0f ? -correction / mass : 0.0f;
      const Vec push = impulse * p.normal;
      if (c.a_moves) {
        a.c = a.c - c.inv_mass_a * push;
        a.a -= c.inv_inertia_a * cross(ra, push);
      }
      if (c.b_moves) {
        b.c = b.c + c.inv_mass_b * push;
        b.a += c.inv_inertia_b * cross(rb, push);
      }
    }
  }
  return deepest;
}

// Position passes until the overlaps are tolerable; false if they never were.
template <class Physics>
TOPPLE_FN bool solve_positions(const Physics& physics, const Constraint* constraints, int count,
                               const Shape* shapes, float baumgarte, float tolerance) {
  TOPPLE_ROLLED
  for (int pass = 0; pass < physics.position_passes; ++pass) {
    if (position_pass(constraints, count, shapes, baumgarte) >= -tolerance) return true;
  }
  return false;
}

// Moves a body by its velocity, within the limits of one step.
TOPPLE_BIG_FN void integrate(Body& body, float h) {
  const Vec translation = h * body.v;
  if (dot(translation, translation) > kMaxTranslation * kMaxTranslation) {
    body.v = (kMaxTranslation / length(translation)) * body.v;
  }
  const float turn = h * body.w;
  if (turn * turn > kMaxRotation * kMaxRotation) body.w *= kMaxRotation / abs(turn);
  body.sweep.c = body.sweep.c + h * body.v;
  body.sweep.a += h * body.w;
}

}  // namespace topple::phyre
