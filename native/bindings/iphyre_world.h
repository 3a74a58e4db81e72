// Scenes and single worlds of the I-PHYRE engine, as Python holds them.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "arrays.h"
#include "iphyre/batch.h"

namespace topple {
namespace iphyre {

using Doubles = In<double, nb::ndim<1>>;
using Bytes = In<uint8_t, nb::ndim<1>>;
using Ends = In<double, nb::shape<-1, 4>>;
using Velocities = In<double, nb::shape<-1, 3>>;
using Joined = In<int32_t, nb::shape<-1, 2>>;
using Springs = In<double, nb::shape<-1, 3>>;

// Packed scenes, kept alive with their arrays and checked so that nothing built from them
// can read out of bounds.
class Scenes {
 public:
  Scenes(Int32s body_start, Int32s joint_start, Ends ends, Velocities velocity, Doubles radius,
         Doubles m_inv, Doubles i_inv, Bytes is_ball, Joined joined, Bytes is_spring,
         Springs spring, double gravity, double bounce, double friction, double dt, double bias)
      : owners_{nb::cast(body_start), nb::cast(joint_start), nb::cast(ends),  nb::cast(velocity),
                nb::cast(radius),     nb::cast(m_inv),       nb::cast(i_inv), nb::cast(is_ball),
                nb::cast(joined),     nb::cast(is_spring),   nb::cast(spring)} {
    const size_t bodies = ends.shape(0);
    const size_t joints = joined.shape(0);
    check_offsets(body_start, bodies);
    check_offsets(joint_start, joints);
    require(body_start.shape(0) == joint_start.shape(0) && velocity.shape(0) == bodies &&
                radius.shape(0) == bodies && m_inv.shape(0) == bodies && i_inv.shape(0) == bodies &&
                is_ball.shape(0) == bodies && is_spring.shape(0) == joints &&
                spring.shape(0) == joints,
            "packed scene arrays disagree in length");
    require(dt > 0.0 && std::isfinite(dt), "a step has to last");
    packed_ = {static_cast<int32_t>(body_start.shape(0) - 1),
               body_start.data(),
               joint_start.data(),
               {0, 0, ends.data(), velocity.data(), radius.data(), m_inv.data(), i_inv.data(),
                is_ball.data(), joined.data(), is_spring.data(), spring.data()},
               {gravity, {bounce, friction}, dt, bias}};
    for (int32_t i = 0; i < packed_.scene_count; ++i) {
      const SceneView view = packed_.view(i);
      require(view.body_count <= kMaxBodies, "a scene has too many bodies");
      require(view.joint_count <= kMaxJoints, "a scene has too many joints");
      for (int k = 0; k < 2 * view.joint_count; ++k) {
        require(view.joined[k] >= 0 && view.joined[k] < view.body_count, "a joint names no body");
      }
    }
  }

  const PackedScenes& packed() const { return packed_; }
  int32_t count() const { return packed_.scene_count; }

  SceneView view(int32_t index) const {
    require(index >= 0 && index < packed_.scene_count, "scene index out of range");
    return packed_.view(index);
  }

 private:
  std::vector<nb::object> owners_;
  PackedScenes packed_{};
};

// Edits as rows of six 8-byte words.
using Edits = In<int64_t, nb::shape<-1, 6>>;
static_assert(sizeof(Edit) == 6 * sizeof(int64_t));

inline void check_edit(const Edit& edit, int bodies) {
  require(edit.body >= 0 && edit.body < bodies, "an edit names no body");
  require(edit.kind >= EditKind::kRemove && edit.kind <= EditKind::kImpulse, "an edit has no kind");
}

// A single world, to step, look at, edit and copy.
class Simulation {
 public:
  Simulation(const Scenes& scenes, int32_t scene, int64_t builds)
      : view_(scenes.view(scene)), physics_(scenes.packed().physics), world_(new World) {
    reset(builds);
  }
  Simulation(const Simulation& other)
      : view_(other.view_), physics_(other.physics_), tick_(other.tick_), world_(new World) {
    copy_world(*world_, *other.world_);
  }

  const World& world() const { return *world_; }
  int32_t tick() const { return tick_; }

  // A world of its own in the state of another.
  Simulation(const SceneView& view, const Physics& physics, const World& world, int32_t tick)
      : view_(view), physics_(physics), tick_(tick), world_(new World) {
    copy_world(*world_, world);
  }

  void reset(int64_t builds) {
    require(builds >= 1, "a scene is built at least once");
    build_world(*world_, view_, physics_, builds);
    tick_ = 0;
  }

  void step_on(int32_t count) {
    for (int32_t i = 0; i < count; ++i, ++tick_) step(*world_, physics_.dt, physics_.bias);
  }

  // Steps until every ball is out; returns how many steps that took, or 0.
  int32_t run(int32_t count, double y, double low, double high) {
    const Exit out = {y, low, high};
    for (int32_t i = 1; i <= count; ++i) {
      step_on(1);
      if (all_out(*world_, view_, out)) return i;
    }
    return 0;
  }

  bool is_out(double y, double low, double high) const {
    return all_out(*world_, view_, {y, low, high});
  }

  void edit(Edits edits) {
    const Edit* list = reinterpret_cast<const Edit*>(edits.data());
    for (size_t i = 0; i < edits.shape(0); ++i) {
      check_edit(list[i], world_->body_count);
      apply_edit(*world_, list[i]);
    }
  }

  void remove(int32_t body) {
    require(body >= 0 && body < world_->body_count, "there is no such body");
    remove_body(*world_, body);
  }

  // Goes on in a scene with more bodies, which enter now.
  void extend(const Scenes& scenes, int32_t scene) {
    const SceneView view = scenes.view(scene);
    require(view.body_count >= world_->body_count, "a world cannot lose bodies by growing");
    view_ = view;
    add_missing_bodies(*world_, view_);
  }

  nb::object state() const {
    std::vector<double> rows(static_cast<size_t>(world_->body_count) * kStateSize);
    write_state(rows.data(), *world_);
    return owned(std::move(rows), {static_cast<size_t>(world_->body_count), kStateSize});
  }

  // [bodies, 4] the ends of the cores; a ball has its centre twice.
  nb::object ends() const {
    std::vector<double> rows;
    for (int i = 0; i < world_->body_count; ++i) {
      const Shape& shape = world_->shapes[i];
      const Vec a = shape.ends[0];
      const Vec b = shape.kind == Kind::kCircle ? a : shape.ends[1];
      rows.insert(rows.end(), {a.x, a.y, b.x, b.y});
    }
    return owned(std::move(rows), {static_cast<size_t>(world_->body_count), 4});
  }

  nb::list present() const {
    nb::list list;
    for (int i = 0; i < world_->body_count; ++i) list.append(world_->has(i));
    return list;
  }

  // Whether each joint of the scene still holds.
  nb::list holds() const {
    std::vector<bool> holds(static_cast<size_t>(view_.joint_count), false);
    for (int i = 0; i < world_->joint_count; ++i) holds[world_->joints[i].number] = true;
    nb::list list;
    for (const bool each : holds) list.append(each);
    return list;
  }

  // Contacts in solving order, with every number of theirs, for comparison with traces.
  nb::list arbiters() const {
    nb::list list;
    for (int i = 0; i < world_->active_count; ++i) {
      const Arbiter& arbiter = world_->arbiters[world_->active[i]];
      nb::list contacts;
      for (int k = 0; k < arbiter.count; ++k) {
        const Contact& c = arbiter.contacts[k];
        contacts.append(nb::make_tuple(c.r1.x, c.r1.y, c.r2.x, c.r2.y, c.jn, c.jt, c.j_bias, c.bias,
                                       c.bounce, c.hash));
      }
      list.append(nb::make_tuple(arbiter.a, arbiter.b, arbiter.age == Age::kFirst, arbiter.n.x,
                                 arbiter.n.y, contacts));
    }
    return list;
  }

 private:
  SceneView view_;
  Physics physics_;
  int32_t tick_ = 0;
  std::unique_ptr<World> world_;
};

}  // namespace iphyre
}  // namespace topple
