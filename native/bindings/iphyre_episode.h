// Scenes and single episodes of the I-PHYRE engine, as Python holds them.
#pragma once

#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "arrays.h"
#include "iphyre/batch.h"
#include "topple/iphyre/strategy.h"

namespace topple {
namespace iphyre {

// Packed scenes, kept alive with their arrays and checked so that nothing built from them
// can read out of bounds.
class Scenes {
 public:
  // arrays: what SceneView names, and body_start and joint_start, by name.
  Scenes(const nb::dict& arrays, double gravity, double bounce, double friction, double dt,
         double bias) {
    const auto body_start = offsets(arrays, "body_start");
    const auto joint_start = offsets(arrays, "joint_start");
    require(body_start.shape(0) == joint_start.shape(0), "scenes: counts differ");
    require(dt > 0.0 && std::isfinite(dt), "a step has to last");
    packed_.scene_count = static_cast<int32_t>(body_start.shape(0) - 1);
    packed_.body_start = body_start.data();
    packed_.joint_start = joint_start.data();
    packed_.physics = {gravity, {bounce, friction}, dt, bias};
    const auto reader = [&](const Int32s& start) {
      const int32_t rows = start(start.shape(0) - 1);
      return [this, &arrays, rows](const char* name, auto*& data, int columns) {
        using T = std::remove_const_t<std::remove_pointer_t<std::decay_t<decltype(data)>>>;
        const auto array = take<In<T>>(arrays, name);
        if (array.size() != static_cast<size_t>(rows) * static_cast<size_t>(columns)) {
          throw std::invalid_argument(std::string("scenes: wrong shape of ") + name);
        }
        data = array.data();
      };
    };
    visit_body_arrays(packed_.arrays, reader(body_start));
    visit_joint_arrays(packed_.arrays, reader(joint_start));
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
  template <class Array>
  Array take(const nb::dict& arrays, const char* name) {
    Array array;
    if (!arrays.contains(name) || !nb::try_cast(arrays[name], array)) {
      throw std::invalid_argument(std::string("scenes: no array of the right type is named ") +
                                  name);
    }
    owners_.push_back(nb::cast(array));
    return array;
  }

  Int32s offsets(const nb::dict& arrays, const char* name) {
    const Int32s array = take<Int32s>(arrays, name);
    require(array.shape(0) > 0, "packed offsets must start at 0");
    check_offsets(array, static_cast<size_t>(array(array.shape(0) - 1)));
    return array;
  }

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

// The removable bodies of a game, then -1.
using Blocks = In<int32_t, nb::shape<kMaxBlocks>>;
using Times = In<float, nb::shape<kMaxBlocks>>;

inline void check_blocks(const int32_t* blocks, int bodies) {
  for (int k = 0; k < kMaxBlocks; ++k) {
    require(blocks[k] < bodies, "a block is no body");
    require(k == 0 || blocks[k - 1] >= 0 || blocks[k] < 0, "blocks have gaps");
  }
}

// Removals as (tick, body), in order.
inline nb::list removal_list(const Removals& removals) {
  nb::list list;
  for (int i = 0; i < removals.count; ++i) {
    list.append(nb::make_tuple(removals.list[i].tick, removals.list[i].body));
  }
  return list;
}

// A single episode, to play, look at, edit and copy.
class EpisodeHandle {
 public:
  EpisodeHandle(const Scenes& scenes, int32_t scene, int64_t builds)
      : view_(scenes.view(scene)), physics_(scenes.packed().physics), episode_(new Episode) {
    reset(builds);
  }
  EpisodeHandle(const EpisodeHandle& other)
      : EpisodeHandle(other.view_, other.physics_, *other.episode_) {}

  // An episode of its own in the state of another.
  EpisodeHandle(const SceneView& view, const Physics& physics, const Episode& episode)
      : view_(view), physics_(physics), episode_(new Episode) {
    copy_episode(*episode_, episode);
  }

  const Episode& episode() const { return *episode_; }
  int32_t tick() const { return episode_->tick; }
  bool solved() const { return episode_->solved; }
  void set_solved(bool solved) { episode_->solved = solved; }

  // What the player removed.
  nb::list removals() const { return removal_list(episode_->removed); }
  int removed() const { return episode_->removed.count; }

  void reset(int64_t builds) {
    require(builds >= 1, "a scene is built at least once");
    build_world(episode_->world, view_, physics_, builds);
    start_episode(*episode_);
  }

  // Plays a number of ticks without looking at the balls.
  void step(int32_t count) {
    const int32_t until = tick_after(count);
    episode_->solved = false;
    advance(*episode_, view_, physics_, nullptr, until);
  }

  // Plays until every ball is out, at most a number of ticks; returns whether they are.
  bool run(int32_t count, const Exit& out) {
    const int32_t until = tick_after(count);
    episode_->solved = false;
    advance(*episode_, view_, physics_, &out, until);
    return episode_->solved;
  }

  bool is_out(const Exit& out) const { return all_out(episode_->world, view_, out); }

  bool remove(int32_t body) {
    require(body >= 0 && body < episode_->world.body_count, "there is no such body");
    return remove_now(*episode_, body);
  }

  // Carries out an action; returns false, and does nothing, if it is outside its space.
  bool act(Strategy strategy, const Rules& rules, const Blocks& blocks, int64_t choice,
           const Maybe<Times>& times) {
    require(strategy == Strategy::kOnTheFly || times, "times are needed");
    require(!is_over(*episode_, rules), "the episode is over");
    check_blocks(blocks.data(), view_.body_count);
    const Action action = {choice, times ? times->data() : nullptr};
    if (!is_valid(action, strategy)) return false;
    iphyre::act(*episode_, view_, physics_, rules, blocks.data(), strategy, action);
    return true;
  }

  // The symbolic observation of a strategy.
  nb::object observe(Strategy strategy, const Blocks& blocks) const {
    check_blocks(blocks.data(), view_.body_count);
    require(view_.body_count <= kTableRows, "there are more bodies than the table has rows");
    std::vector<float> seen(kMaxObservation);
    see_all(seen.data(), episode_->world, blocks.data());
    const int candidates = see_candidates(seen.data() + kTableSize, view_, blocks.data(),
                                          strategy == Strategy::kOnTheFly);
    seen.resize(static_cast<size_t>(kTableSize + candidates));
    const size_t size = seen.size();
    return owned(std::move(seen), {size});
  }

  void edit(Edits edits) {
    const Edit* list = reinterpret_cast<const Edit*>(edits.data());
    for (size_t i = 0; i < edits.shape(0); ++i) {
      check_edit(list[i], episode_->world.body_count);
      apply_edit(episode_->world, list[i]);
    }
  }

  // Goes on in a scene with more bodies, which enter now.
  void extend(const Scenes& scenes, int32_t scene) {
    const SceneView view = scenes.view(scene);
    require(view.body_count >= episode_->world.body_count, "a world cannot lose bodies by growing");
    view_ = view;
    add_missing_bodies(episode_->world, view_);
  }

  nb::object state() const {
    const World& world = episode_->world;
    std::vector<double> rows(static_cast<size_t>(world.body_count) * kStateSize);
    write_state(rows.data(), world);
    return owned(std::move(rows), {static_cast<size_t>(world.body_count), kStateSize});
  }

  // [bodies, 4] the ends of the cores; a ball has its centre twice.
  nb::object ends() const {
    const World& world = episode_->world;
    std::vector<double> rows;
    for (int i = 0; i < world.body_count; ++i) {
      const Shape& shape = world.shapes[i];
      const Vec a = shape.ends[0];
      const Vec b = shape.kind == Kind::kCircle ? a : shape.ends[1];
      rows.insert(rows.end(), {a.x, a.y, b.x, b.y});
    }
    return owned(std::move(rows), {static_cast<size_t>(world.body_count), 4});
  }

  nb::list present() const {
    nb::list list;
    for (int i = 0; i < episode_->world.body_count; ++i) list.append(episode_->world.has(i));
    return list;
  }

  // Whether each joint of the scene still holds.
  nb::list holds() const {
    std::vector<bool> holds(static_cast<size_t>(view_.joint_count), false);
    for (int i = 0; i < episode_->world.joint_count; ++i) {
      holds[episode_->world.joints[i].number] = true;
    }
    nb::list list;
    for (const bool each : holds) list.append(each);
    return list;
  }

  // Contacts of the last step in solving order, with every number of theirs.
  nb::list arbiters() const {
    const World& world = episode_->world;
    nb::list list;
    for (int i = 0; i < world.active_count; ++i) {
      const Arbiter& arbiter = world.arbiters[world.active[i]];
      // Where a body was removed since then, its arbiters gave their places to others, whose old
      // places still hold them.
      if (arbiter.stamp != world.stamp || !world.has(arbiter.a) || !world.has(arbiter.b)) continue;
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
  int32_t tick_after(int32_t count) const {
    require(count <= std::numeric_limits<int32_t>::max() - episode_->tick, "too many ticks");
    return episode_->tick + count;
  }

  SceneView view_;
  Physics physics_;
  std::unique_ptr<Episode> episode_;
};

}  // namespace iphyre
}  // namespace topple
