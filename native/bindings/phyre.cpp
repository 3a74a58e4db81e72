// The PHYRE engine for Python: arrays in, arrays out. Defaults, messages and units are the
// business of the Python side.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "arrays.h"
#include "phyre/batch.h"
#include "phyre/faults.h"
#include "thread_pool.h"
#include "topple/phyre/free_space.h"
#include "topple/phyre/placement.h"

namespace topple {

void bind_phyre(nb::module_& m);

namespace phyre {
namespace {

// Packed scenes, copied so that nothing can change them after they were checked: what is built
// from them cannot read out of bounds. Worlds share them.
class Scenes {
 public:
  explicit Scenes(const nb::kwargs& arrays) {
    auto data = std::make_shared<SceneData>();
    size_t known = 0;
#define TOPPLE_READ(type, name, rows, more, columns) \
  read<type, columns>(data->name, arrays, #name);    \
  ++known;
    TOPPLE_SCENE_ARRAYS(TOPPLE_READ)
#undef TOPPLE_READ
    require(arrays.size() == known, "there are arrays that scenes do not have");
    check(*data);
    data_ = std::move(data);
    const PackedScenes packed = data_->scenes();
    for (int32_t i = 0; i < packed.scene_count && fault_.fault == SceneFault::kNone; ++i) {
      fault_ = check_scene(packed.view(i));
      faulty_scene_ = i;
    }
  }

  // The first fault as (scene, body, the rule it breaks), or None.
  nb::object fault() const {
    if (fault_.fault == SceneFault::kNone) return nb::none();
    const Rule rule = broken_rule(fault_.fault);
    const std::string limit = rule.limit < 0 ? "" : std::to_string(rule.limit);
    return nb::make_tuple(faulty_scene_, fault_.body, rule.text + limit + rule.end);
  }

  PackedScenes packed() const {
    require(fault_.fault == SceneFault::kNone, "these scenes have a fault");
    return data_->scenes();
  }

  std::shared_ptr<const SceneData> data() const { return data_; }

 private:
  template <class T, int kColumns>
  static void read(std::vector<T>& values, const nb::kwargs& arrays, const char* name) {
    using Shape = std::conditional_t<kColumns == 1, nb::shape<-1>, nb::shape<-1, kColumns>>;
    const auto array = named_array<In<T, Shape>>(arrays, name);
    if (!array) throw std::invalid_argument(std::string(name) + ": missing");
    values.assign(array->data(), array->data() + array->size());
  }

  static void check(const SceneData& data) {
    const size_t bodies = data.dynamic.size();
    const size_t fixtures = data.radius_px.size();
    const size_t vertices = data.vertices_px.size() / 2;
    check_offsets(data.body_start, bodies);
    check_offsets(data.fixture_start, fixtures);
    check_offsets(data.vertex_start, vertices);
    const size_t counts[] = {data.body_start.size() - 1, bodies, fixtures, vertices};
#define TOPPLE_CHECK(type, name, rows, more, columns)                                       \
  require(data.name.size() == (counts[static_cast<size_t>(RowsOf::rows)] + more) * columns, \
          #name ": wrong length");
    TOPPLE_SCENE_ARRAYS(TOPPLE_CHECK)
#undef TOPPLE_CHECK
  }

  std::shared_ptr<const SceneData> data_;
  SceneCheck fault_{SceneFault::kNone, -1};
  int32_t faulty_scene_ = -1;
};

SceneView scene_at(const PackedScenes& scenes, int32_t index) {
  require(index >= 0 && index < scenes.scene_count, "scene index out of range");
  return scenes.view(index);
}

void require_actions(const In<double, nb::ndim<2>>& actions, size_t count) {
  require(actions.shape(0) == count, "as many actions as scene indices are needed");
  require(actions.shape(1) % 3 == 0 && actions.shape(1) <= 3 * kMaxBalls,
          "an action has 0, 3 or 6 numbers");
}

using Actions = In<double, nb::ndim<2>>;

// Whether each action is valid, without simulating it; balls as the simulation sees them.
void map_actions(const Scenes& scenes, Int32s scene_index, Actions actions,
                 Out<uint8_t, nb::ndim<1>> valid, Out<double, nb::shape<-1, -1, 3>> out) {
  const size_t n = scene_index.shape(0);
  const PackedScenes packed = scenes.packed();
  require_actions(actions, n);
  const int ball_count = static_cast<int>(actions.shape(1) / 3);
  require(
      valid.shape(0) == n && out.shape(0) == n && out.shape(1) == static_cast<size_t>(ball_count),
      "outputs must have a place per action");
  for (size_t i = 0; i < n; ++i) {
    Balls balls = {};
    const SceneView scene = scene_at(packed, scene_index(i));
    valid(i) = map_action(actions.data() + i * actions.shape(1), ball_count, balls) &&
               !occluded(scene, balls);
    detail::write_balls(out.data() + i * 3 * static_cast<size_t>(ball_count), balls,
                        valid(i) ? ball_count : 0, ball_count);
  }
}

// The first place where each body of unfinished scenes fits; see placement.h.
void place_bodies(Int32s fixture_start, Int32s vertex_start, In<double, nb::ndim<1>> radius,
                  In<double, nb::shape<-1, 2>> vertices, Int32s body_start,
                  In<int32_t, nb::ndim<2>> outline, In<double, nb::shape<-1, -1, 3>> pose,
                  In<uint8_t, nb::ndim<1>> dynamic, int32_t limit, bool statics_overlap,
                  int threads, Out<int8_t, nb::ndim<1>> chosen) {
  const size_t bodies = outline.shape(0);
  const size_t choices = outline.shape(1);
  check_offsets(fixture_start, radius.size());
  check_offsets(vertex_start, vertices.shape(0));
  check_offsets(body_start, bodies);
  require(vertex_start.size() == radius.size() + 1, "there must be an offset for each fixture");
  require(pose.shape(0) == bodies && pose.shape(1) == choices && dynamic.size() == bodies &&
              chosen.size() == bodies && choices < 128,
          "bodies must have a place in each array, and fewer than 128 choices");
  for (size_t i = 0; i + 1 < vertex_start.size(); ++i) {
    const int32_t corners = vertex_start(i + 1) - vertex_start(i);
    require(corners <= kMaxVertices && (corners == 0 || corners > 2),
            "polygons have 3 to 8 corners");
  }
  const int32_t known = static_cast<int32_t>(fixture_start.size()) - 1;
  for (size_t i = 0; i < bodies * choices; ++i) {
    require(outline.data()[i] >= 0 && outline.data()[i] < known, "there is no such outline");
    require(!(std::abs(pose.data()[3 * i + 2]) >= kMaxAngle), "an angle is too large");
  }
  const Outlines outlines = {fixture_start.data(), vertex_start.data(), radius.data(),
                             reinterpret_cast<const PixelVec*>(vertices.data())};
  const int64_t scenes = static_cast<int64_t>(body_start.size()) - 1;
  Control control;
  run_threads(threads, scenes < 64, control, nullptr, [&] {
    const std::unique_ptr<PlacedShapes> placed(new (std::nothrow) PlacedShapes);
    if (!placed) {
      control.failed = true;
      return;
    }
    take_turns(control, scenes, [&](int64_t scene) {
      const int32_t first = body_start.data()[scene];
      const size_t at = static_cast<size_t>(first) * choices;
      const Places places = {body_start.data()[scene + 1] - first, static_cast<int32_t>(choices),
                             outline.data() + at, pose.data() + 3 * at, dynamic.data() + first};
      find_places(outlines, places, limit, statics_overlap, *placed, chosen.data() + first);
    });
  });
}

// Whether each action is valid on each scene from the first one on: for long lists of actions.
void valid_actions(const Scenes& scenes, int32_t first, Actions actions,
                   Out<uint8_t, nb::ndim<2>> valid) {
  const size_t count = actions.shape(0);
  require_actions(actions, count);
  require(valid.shape(1) == count, "the output must have a place per action");
  if (valid.shape(0) == 0) return;
  const int32_t scene_count = static_cast<int32_t>(valid.shape(0));
  const PackedScenes packed = scenes.packed();
  scene_at(packed, first);
  scene_at(packed, first + scene_count - 1);
  const nb::gil_scoped_release release;
  const int ball_count = static_cast<int>(actions.shape(1) / 3);
  std::vector<Balls> balls(count);
  std::vector<uint8_t> fits(count);
  for (size_t i = 0; i < count; ++i) {
    fits[i] = map_action(actions.data() + i * actions.shape(1), ball_count, balls[i]);
  }
  constexpr size_t kMany = 8000;  // from here on, drawing the map of a scene is faster
  const auto space = std::make_unique<FreeSpace>();
  for (int32_t row = 0; row < scene_count; ++row) {
    const SceneView scene = packed.view(first + row);
    uint8_t* out = valid.data() + static_cast<size_t>(row) * count;
    if (count < kMany) {
      for (size_t i = 0; i < count; ++i) out[i] = fits[i] && !occluded(scene, balls[i]);
    } else {
      find_free_space(scene, *space);
      for (size_t i = 0; i < count; ++i) out[i] = fits[i] && is_free(*space, balls[i]);
    }
  }
}

constexpr double kLeastRadius = 0.1;  // pixels; lighter balls have no mass in float32

Balls balls_from(const In<double, nb::shape<-1, 3>>& array) {
  require(array.shape(0) <= kMaxBalls, "too many balls");
  Balls balls = {};
  balls.count = static_cast<int32_t>(array.shape(0));
  for (size_t i = 0; i < array.shape(0); ++i) {
    const Ball ball = {array(i, 0), array(i, 1), array(i, 2)};
    const double limit = kMaxCoordinate * kPixelsPerMetre;
    require(std::abs(ball.x) <= limit && std::abs(ball.y) <= limit && ball.radius >= kLeastRadius &&
                ball.radius <= limit,
            "a ball is out of range");
    balls.list[i] = ball;
  }
  return balls;
}

// Pictures and features of scenes before the first step.
void observe(const Scenes& scenes, Int32s scene_index, In<double, nb::shape<-1, 3>> balls,
             Maybe<Out<uint8_t, nb::shape<-1, kSceneSize, kSceneSize>>> images,
             Maybe<Out<float, nb::shape<-1, -1, kFeatureSize>>> objects) {
  const size_t n = scene_index.shape(0);
  const PackedScenes packed = scenes.packed();
  const Balls placed = balls_from(balls);
  require((!images || images->shape(0) == n) && (!objects || objects->shape(0) == n),
          "outputs must have a place per scene");
  for (size_t i = 0; i < n; ++i) {
    const SceneView view = scene_at(packed, scene_index(i));
    if (images) write_image(images->data() + i * kImageBytes, view, nullptr, placed);
    if (objects) {
      require(objects->shape(1) >= static_cast<size_t>(object_count(view, placed.count)),
              "objects: wrong shape");
      write_objects(objects->data() + i * objects->shape(1) * kFeatureSize, view, nullptr, placed);
    }
  }
}

// Writes down what a step did, for comparison with reference traces.
struct Recorder {
  nb::list islands, impacts;

  static nb::tuple pair(const Contact& c) { return nb::make_tuple(c.fixture_a, c.fixture_b); }

  static nb::tuple members(const World& world, const Workspace& work, const Island& island) {
    nb::list bodies, contacts;
    for (int i = 0; i < island.body_count; ++i) bodies.append(work.bodies[island.first_body + i]);
    for (int i = 0; i < island.contact_count; ++i) {
      contacts.append(pair(world.contacts[work.contacts[island.first_contact + i]]));
    }
    return nb::make_tuple(bodies, contacts);
  }

  void island(const World& world, const Workspace& work, const Island& found) {
    islands.append(members(world, work, found));
  }
  void toi_evaluated(const Contact& contact, float alpha0, const Impact& impact, float alpha) {
    if (impact.state == ToiState::kSeparated) return;
    impacts.append(nb::make_tuple("eval", pair(contact), trig::bits(alpha0),
                                  static_cast<int>(impact.state), trig::bits(impact.t),
                                  trig::bits(alpha)));
  }
  void toi_event(const Contact& contact, float alpha) {
    impacts.append(nb::make_tuple("event", pair(contact), trig::bits(alpha)));
  }
  void toi_missed(const Contact& contact) {
    impacts.append(nb::make_tuple("not_touching", pair(contact)));
  }
  void toi_solve(const World& world, const Workspace& work, const Island& found, float h) {
    const nb::tuple both = members(world, work, found);
    impacts.append(nb::make_tuple("solve", trig::bits(h), both[0], both[1]));
  }
};

// A single world, for looking at every detail of it.
class Simulation {
 public:
  Simulation(const Scenes& scenes, int32_t scene, In<double, nb::shape<-1, 3>> balls)
      : scenes_(scenes.data()), world_(new World), work_(new Workspace) {
    view_ = scene_at(scenes.packed(), scene);
    build_world(view_, *world_);
    add_balls(*world_, balls_from(balls));
  }

  Simulation(const Simulation& other)
      : scenes_(other.scenes_),
        world_(new World(*other.world_)),
        work_(new Workspace),
        view_(other.view_),
        progress_(other.progress_) {}

  const World& world() const { return *world_; }
  Progress progress() const { return progress_; }
  nb::tuple progress_pair() const { return nb::make_tuple(progress_.step, progress_.held); }

  void step_once(bool shortcuts) {
    NoObserver observer;
    step(*world_, *work_, shortcuts, observer);
    advance_progress();
  }

  nb::tuple step_recorded(bool shortcuts) {
    Recorder recorder;
    step(*world_, *work_, shortcuts, recorder);
    advance_progress();
    return nb::make_tuple(recorder.islands, recorder.impacts);
  }

  bool holds_goal() const { return goal_holds(*world_, view_.goal); }
  bool sleeps() const { return all_asleep(*world_); }

  // [bodies, 10] in metres: origin, angle, velocity, spin, sleep time, centre of mass, awake.
  nb::object bodies() const {
    std::vector<float> rows;
    for (int i = 0; i < world_->body_count; ++i) {
      const Body& b = world_->bodies[i];
      rows.insert(rows.end(), {b.pose.p.x, b.pose.p.y, b.sweep.a, b.v.x, b.v.y, b.w, b.sleep_time,
                               b.sweep.c.x, b.sweep.c.y, b.awake ? 1.0f : 0.0f});
    }
    return owned(std::move(rows), {static_cast<size_t>(world_->body_count), 10});
  }

  // [bodies, 6]: local centre, mass, inverse mass, inertia about the centre, its inverse.
  nb::object masses() const {
    std::vector<float> rows;
    for (int i = 0; i < world_->body_count; ++i) {
      const Body& b = world_->bodies[i];
      const Mass m = b.dynamic ? body_mass(*world_, b) : Mass{0.0f, {0.0f, 0.0f}, 0.0f};
      rows.insert(rows.end(), {b.sweep.local_centre.x, b.sweep.local_centre.y, m.mass, b.inv_mass,
                               m.inertia, b.inv_inertia});
    }
    return owned(std::move(rows), {static_cast<size_t>(world_->body_count), 6});
  }

  // [fixtures, 9]: radius, mass, centre of mass, inertia about the origin, fat box.
  nb::object fixtures() const {
    std::vector<float> rows;
    for (int i = 0; i < world_->fixture_count; ++i) {
      const Shape& s = world_->shapes[i];
      const Mass m = mass_of(s, kDensity);
      const Box& box = world_->boxes[i];
      rows.insert(rows.end(), {s.radius, m.mass, m.centre.x, m.centre.y, m.inertia, box.lower.x,
                               box.lower.y, box.upper.x, box.upper.y});
    }
    return owned(std::move(rows), {static_cast<size_t>(world_->fixture_count), 9});
  }

  // [vertices, 4] of one fixture: vertex and normal.
  nb::object polygon(int fixture) const {
    require(fixture >= 0 && fixture < world_->fixture_count, "fixture out of range");
    const Shape& s = world_->shapes[fixture];
    std::vector<float> rows;
    for (int i = 0; i < s.count; ++i) {
      rows.insert(rows.end(), {s.vertices[i].x, s.vertices[i].y, s.normals[i].x, s.normals[i].y});
    }
    return owned(std::move(rows), {static_cast<size_t>(s.count), 4});
  }

  // Contacts newest first: ([n, 7] fixtures, touching, type, points, ids; [n, 12] local
  // point and normal, then place and impulses of each point).
  nb::tuple contacts() const {
    std::vector<int32_t> ints;
    std::vector<float> floats;
    const size_t n = static_cast<size_t>(world_->contact_count);
    for (int i = world_->contact_count - 1; i >= 0; --i) {
      const Contact& c = world_->contacts[i];
      const Manifold& m = c.manifold;
      ints.insert(ints.end(),
                  {c.fixture_a, c.fixture_b, c.touching, static_cast<int32_t>(m.type), m.count,
                   static_cast<int32_t>(m.points[0].id), static_cast<int32_t>(m.points[1].id)});
      floats.insert(floats.end(),
                    {m.local_point.x, m.local_point.y, m.local_normal.x, m.local_normal.y});
      for (const ManifoldPoint& p : m.points) {
        floats.insert(floats.end(), {p.local.x, p.local.y, p.normal_impulse, p.tangent_impulse});
      }
    }
    return nb::make_tuple(owned(std::move(ints), {n, 7}), owned(std::move(floats), {n, 12}));
  }

 private:
  void advance_progress() {
    require(!world_->out_of_contacts, "out of contacts");
    ++progress_.step;
    progress_.held = goal_holds(*world_, view_.goal) ? progress_.held + 1 : 0;
  }

  std::shared_ptr<const SceneData> scenes_;  // what the view points into
  std::unique_ptr<World> world_;
  std::unique_ptr<Workspace> work_;
  SceneView view_{};
  Progress progress_{0, 0};
};

template <class T, int... kShape>
struct OutputArray {
  using type = Out<T, nb::shape<(kShape > 0 ? kShape : -1)...>>;
};
// Contact events are rows of eight 4-byte words.
template <int... kShape>
struct OutputArray<ContactEvent, kShape...> {
  static constexpr int kWords = 8;
  static_assert(sizeof(ContactEvent) == kWords * sizeof(int32_t));
  using type = Out<int32_t, nb::shape<(kShape > 0 ? kShape : -1)..., kWords>>;
};

// The caller's arrays for the results of a batch, by their names.
struct OutputArrays {
#define TOPPLE_ARRAY(type_, name, ...) Maybe<OutputArray<type_, __VA_ARGS__>::type> name;
  TOPPLE_OUTPUTS(TOPPLE_ARRAY)
#undef TOPPLE_ARRAY

  OutputArrays(const nb::kwargs& arrays, size_t attempts) {
    size_t known = 0;
#define TOPPLE_READ(type_, name, ...)                                                 \
  name = named_array<OutputArray<type_, __VA_ARGS__>::type>(arrays, #name);           \
  require(!name || name->shape(0) == attempts, #name ": not a row for each attempt"); \
  known += arrays.contains(#name);
    TOPPLE_OUTPUTS(TOPPLE_READ)
#undef TOPPLE_READ
    require(arrays.size() == known, "there are outputs that batches do not have");
    require(outcome && steps, "outcome and steps are always written");
    require(!contacts || contact_count, "contacts need contact_count");
  }

  // Where to write, checked against what will be written.
  Outputs outputs(size_t balls_needed, size_t frames_needed, size_t objects_needed,
                  size_t bodies_needed) const {
    const auto agree = [](std::initializer_list<size_t> lengths, size_t needed, const char* what) {
      size_t common = 0;  // of those that are there
      for (const size_t length : lengths) {
        if (length == kAbsent) continue;
        require(length >= needed && (common == 0 || length == common), what);
        common = length;
      }
      return common;
    };
    agree({axis(balls, 1)}, balls_needed, "balls: wrong shape");
    require(!balls || balls->shape(1) == balls_needed, "balls: wrong shape");
    Outputs out = {};
    out.frames = static_cast<int32_t>(agree({axis(images, 1), axis(objects, 1), axis(states, 1)},
                                            frames_needed, "frames: wrong shape"));
    out.max_objects =
        static_cast<int32_t>(agree({axis(objects, 2)}, objects_needed, "objects: wrong shape"));
    // One row length serves both, so they have to agree.
    out.max_bodies = static_cast<int32_t>(
        agree({axis(states, 2), axis(final_state, 1)}, bodies_needed, "states: wrong shape"));
    out.contact_capacity = contacts ? static_cast<int64_t>(contacts->shape(1)) : 0;
#define TOPPLE_DATA(type_, name, ...) \
  out.name = name ? reinterpret_cast<type_*>(name->data()) : nullptr;
    TOPPLE_OUTPUTS(TOPPLE_DATA)
#undef TOPPLE_DATA
    return out;
  }

 private:
  static constexpr size_t kAbsent = static_cast<size_t>(-1);

  template <class Array>
  static size_t axis(const Maybe<Array>& array, size_t number) {
    return array ? array->shape(number) : kAbsent;
  }
};

// Edits as rows of six 4-byte words.
using Edits = In<int32_t, nb::shape<-1, 6>>;
static_assert(sizeof(Edit) == 6 * sizeof(int32_t));

Branches branches_from(const Simulation& origin, const PackedScenes& scenes,
                       const Int32s& scene_index, const Int32s& edit_start, const Edits& edits) {
  const size_t n = scene_index.shape(0);
  require(edit_start.shape(0) == n + 1 && edit_start(0) == 0 &&
              static_cast<size_t>(edit_start(n)) == edits.shape(0),
          "edit_start: wrong offsets");
  const Edit* list = reinterpret_cast<const Edit*>(edits.data());
  for (size_t i = 0; i < n; ++i) {
    require(edit_start(i) <= edit_start(i + 1), "edit_start: wrong offsets");
    const int bodies = scene_at(scenes, scene_index(i)).body_count;
    require(bodies >= origin.world().body_count, "a branch cannot have fewer bodies");
    for (int32_t k = edit_start(i); k < edit_start(i + 1); ++k) {
      require(list[k].body >= 0 && list[k].body < bodies, "an edit names no body");
      require(list[k].kind >= EditKind::kRemove && list[k].kind <= EditKind::kImpulse,
              "an edit has no kind");
    }
  }
  return {&origin.world(), origin.progress(), edit_start.data(), list};
}

// Makes attempts, or runs the edited copies of one world where there is an origin.
void simulate(const Scenes& scenes, Int32s scene_index, Actions actions, const Rules& rules,
              int32_t threads, Maybe<Out<int64_t, nb::ndim<1>>> progress,
              const ImaginedPhysics* physics, const Simulation* origin, Maybe<Int32s> edit_start,
              Maybe<Edits> edits, const nb::kwargs& arrays) {
  const size_t n = scene_index.shape(0);
  const PackedScenes packed = scenes.packed();
  require_actions(actions, n);
  require(threads >= 1, "at least one thread is needed");
  require(!progress || progress->shape(0) == 1, "progress: wrong shape");
  const OutputArrays outputs(arrays, n);

  const int balls = static_cast<int>(actions.shape(1) / 3);
  int max_objects = 0;
  int max_bodies = 0;
  int32_t checked = -1;
  for (size_t i = 0; i < n; ++i) {
    if (scene_index(i) == checked) continue;
    checked = scene_index(i);
    const SceneView view = scene_at(packed, checked);
    max_bodies = std::max(max_bodies, view.body_count + balls);
    if (outputs.objects) max_objects = std::max(max_objects, object_count(view, balls));
  }
  Job job = {};
  job.scenes = packed;
  job.attempt_count = static_cast<int64_t>(n);
  job.scene_index = scene_index.data();
  job.actions = actions.data();
  job.ball_count = balls;
  job.rules = rules;
  const int frames = rules.stride > 0 ? (rules.max_steps - 1) / rules.stride + 1 : 0;
  job.out = outputs.outputs(static_cast<size_t>(balls), static_cast<size_t>(frames),
                            static_cast<size_t>(max_objects), static_cast<size_t>(max_bodies));
  Branches branches = {};
  // Other threads may step the origin as soon as the lock is released.
  std::unique_ptr<const Simulation> start;
  if (origin) {
    require(edit_start && edits && balls == 0 && !rules.stable && !physics,
            "branches take edits, not actions");
    start = std::make_unique<Simulation>(*origin);
    branches = branches_from(*start, packed, scene_index, *edit_start, *edits);
  }
  constexpr int64_t kBrief = 20000;  // steps that are over before anybody can interrupt
  Control control;
  run_threads(threads, job.attempt_count * rules.max_steps <= kBrief, control,
              data_or_null(progress), [&] {
                if (physics) {
                  imagine_on(job, *physics, control);
                } else {
                  work_on(job, origin ? &branches : nullptr, control);
                }
              });
}

Rules rules_from(int32_t max_steps, int32_t stride, bool stable, bool shortcuts) {
  require(max_steps >= 1 && stride >= 0, "a count is out of range");
  return {max_steps, stride, stable, shortcuts};
}

void check_physics(const ImaginedPhysics& physics) {
  const float numbers[] = {physics.time_step, physics.gravity, physics.friction,
                           physics.restitution, physics.noise};
  require(std::all_of(std::begin(numbers), std::end(numbers),
                      [](float number) { return std::isfinite(number); }) &&
              physics.time_step > 0.0f && physics.friction >= 0.0f && physics.restitution >= 0.0f &&
              physics.noise >= 0.0f && physics.velocity_passes >= 1 && physics.position_passes >= 1,
          "physics out of range");
}

void rotations(In<float, nb::ndim<1>> angles, Out<float, nb::ndim<1>> sine,
               Out<float, nb::ndim<1>> cosine) {
  const size_t n = angles.shape(0);
  require(sine.shape(0) == n && cosine.shape(0) == n, "outputs must have a place per angle");
  for (size_t i = 0; i < n; ++i) {
    require(abs(angles(i)) < kMaxAngle, "angle out of range");
    const Rot q = rotation(angles(i));
    sine(i) = q.s;
    cosine(i) = q.c;
  }
}

void bind_enums(nb::module_& m) {
  nb::enum_<Outcome>(m, "Outcome", nb::is_arithmetic())
      .value("NOT_SOLVED", Outcome::kNotSolved)
      .value("INVALID", Outcome::kInvalid)
      .value("SOLVED", Outcome::kSolved)
      .value("UNSTABLY_SOLVED", Outcome::kUnstablySolved)
      .value("STABLY_SOLVED", Outcome::kStablySolved)
      .value("OUT_OF_CONTACTS", Outcome::kOutOfContacts);
  nb::enum_<EditKind>(m, "EditKind", nb::is_arithmetic())
      .value("REMOVE", EditKind::kRemove)
      .value("MOVE", EditKind::kMove)
      .value("SET_VELOCITY", EditKind::kSetVelocity)
      .value("IMPULSE", EditKind::kImpulse);
  nb::enum_<Color>(m, "Color", nb::is_arithmetic())
      .value("WHITE", Color::kWhite)
      .value("RED", Color::kRed)
      .value("GREEN", Color::kGreen)
      .value("BLUE", Color::kBlue)
      .value("PURPLE", Color::kPurple)
      .value("GRAY", Color::kGray)
      .value("BLACK", Color::kBlack);
  nb::enum_<Kind>(m, "Kind", nb::is_arithmetic())
      .value("UNDEFINED", Kind::kUndefined)
      .value("BALL", Kind::kBall)
      .value("BAR", Kind::kBar)
      .value("JAR", Kind::kJar)
      .value("STANDING_STICKS", Kind::kStandingSticks);
}

void bind_constants(nb::module_& m) {
  m.attr("MAX_BODIES") = kMaxBodies - kMaxBalls;
  m.attr("MAX_FIXTURES") = kMaxFixtures - kMaxBalls;
  m.attr("MAX_CONTACTS") = kMaxContacts;
  m.attr("MAX_VERTICES") = kMaxVertices;
  m.attr("MAX_BALLS") = kMaxBalls;
  m.attr("MAX_COORDINATE") = kMaxCoordinate;
  m.attr("MAX_MOTION") = kMaxMotion;
  m.attr("MAX_ANGLE") = kMaxAngle;
  m.attr("MIN_RADIUS") = kLeastRadius;
  m.attr("SCENE_SIZE") = kSceneSize;
  m.attr("PIXELS_PER_METRE") = kPixelsPerMetre;
  m.attr("FEATURE_SIZE") = kFeatureSize;
  m.attr("STATE_SIZE") = kStateSize;
  nb::list arrays, outputs;
#define TOPPLE_NAME(type, name, ...) arrays.append(#name);
  TOPPLE_SCENE_ARRAYS(TOPPLE_NAME)
#undef TOPPLE_NAME
#define TOPPLE_NAME(type, name, ...) outputs.append(#name);
  TOPPLE_OUTPUTS(TOPPLE_NAME)
#undef TOPPLE_NAME
  m.attr("SCENE_ARRAYS") = nb::tuple(arrays);
  m.attr("OUTPUTS") = nb::tuple(outputs);
}

}  // namespace
}  // namespace phyre
}  // namespace topple

void topple::bind_phyre(nb::module_& m) {
  using namespace topple::phyre;
  using namespace nb::literals;
  bind_enums(m);
  bind_constants(m);
  nb::class_<Scenes>(m, "Scenes")
      .def("__init__", [](Scenes* self, const nb::kwargs& arrays) { new (self) Scenes(arrays); })
      .def("fault", &Scenes::fault);
  nb::class_<Rules>(m, "Rules")
      .def(
          "__init__",
          [](Rules* self, int32_t max_steps, int32_t stride, bool stable, bool shortcuts) {
            new (self) Rules(rules_from(max_steps, stride, stable, shortcuts));
          },
          nb::kw_only(), "max_steps"_a, "stride"_a, "stable"_a, "shortcuts"_a);
  nb::class_<ImaginedPhysics>(m, "Physics")
      .def(
          "__init__",
          [](ImaginedPhysics* self, float time_step, float gravity, float friction,
             float restitution, float noise, uint32_t seed, int32_t velocity_passes,
             int32_t position_passes, bool continuous) {
            const ImaginedPhysics physics = {time_step,       gravity,         friction,
                                             restitution,     noise,           seed,
                                             velocity_passes, position_passes, continuous};
            check_physics(physics);
            new (self) ImaginedPhysics(physics);
          },
          nb::kw_only(), "time_step"_a, "gravity"_a, "friction"_a, "restitution"_a, "noise"_a,
          "seed"_a, "velocity_passes"_a, "position_passes"_a, "continuous"_a);
  // Outputs are written in place: a converted copy would be lost.
  m.def("simulate", &simulate, "scenes"_a, "scene_index"_a, "actions"_a, "rules"_a, nb::kw_only(),
        "threads"_a, "progress"_a.none().noconvert() = nb::none(), "physics"_a.none() = nb::none(),
        "origin"_a.none() = nb::none(), "edit_start"_a.none() = nb::none(),
        "edits"_a.none() = nb::none(), "outputs"_a);
  m.def("map_actions", &map_actions, "scenes"_a, "scene_index"_a, "actions"_a,
        "valid"_a.noconvert(), "balls"_a.noconvert());
  m.def("valid_actions", &valid_actions, "scenes"_a, "first"_a, "actions"_a, "valid"_a.noconvert());
  m.def("place_bodies", &place_bodies, "fixture_start"_a, "vertex_start"_a, "radius"_a,
        "vertices"_a, "body_start"_a, "outline"_a, "pose"_a, "dynamic"_a, nb::kw_only(), "limit"_a,
        "statics_overlap"_a, "threads"_a, "chosen"_a.noconvert());
  m.def("observe", &observe, "scenes"_a, "scene_index"_a, "balls"_a, "images"_a.none().noconvert(),
        "objects"_a.none().noconvert());
  m.def("rotations", &rotations, "angles"_a, "sine"_a.noconvert(), "cosine"_a.noconvert());
  nb::class_<Simulation>(m, "Simulation")
      .def(nb::init<const Scenes&, int32_t, In<double, nb::shape<-1, 3>>>(), "scenes"_a, "scene"_a,
           "balls"_a)
      .def(
          "copy", [](const Simulation& self) { return new Simulation(self); },
          nb::rv_policy::take_ownership)
      .def("progress", &Simulation::progress_pair)
      .def("step", &Simulation::step_once, "shortcuts"_a)
      .def("step_recorded", &Simulation::step_recorded, "shortcuts"_a)
      .def("holds_goal", &Simulation::holds_goal)
      .def("sleeps", &Simulation::sleeps)
      .def("bodies", &Simulation::bodies)
      .def("masses", &Simulation::masses)
      .def("fixtures", &Simulation::fixtures)
      .def("polygon", &Simulation::polygon, "fixture"_a)
      .def("contacts", &Simulation::contacts);
}
