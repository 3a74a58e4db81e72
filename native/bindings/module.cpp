// The Python face of the engine: arrays in, arrays out. Defaults, messages and units are
// the business of the Python side.
#include <algorithm>
#include <cmath>
#include <memory>

#include "arrays.h"
#include "phyre/batch.h"
#include "thread_pool.h"
#include "topple/phyre/free_space.h"

namespace topple {

void bind_iphyre(nb::module_& m);  // iphyre.cpp

namespace {

// Packed scenes, kept alive with their arrays and checked so that nothing built from them
// can read out of bounds.
class Scenes {
 public:
  Scenes(In<int32_t, nb::ndim<1>> body_start, In<int32_t, nb::ndim<1>> fixture_start,
         In<int32_t, nb::ndim<1>> vertex_start, In<int32_t, nb::shape<-1, 3>> goals,
         In<uint8_t, nb::ndim<1>> dynamic, In<uint8_t, nb::ndim<1>> color,
         In<uint8_t, nb::ndim<1>> kind, In<float, nb::ndim<1>> diameter,
         In<double, nb::ndim<1>> feature_offset, In<double, nb::shape<-1, 3>> pose_px,
         In<float, nb::shape<-1, 3>> pose_m, In<float, nb::shape<-1, 3>> velocity,
         In<double, nb::ndim<1>> radius_px, In<float, nb::ndim<1>> radius_m,
         In<double, nb::shape<-1, 2>> vertices_px, In<float, nb::shape<-1, 2>> vertices_m)
      : owners_{nb::cast(body_start), nb::cast(fixture_start), nb::cast(vertex_start),
                nb::cast(goals),      nb::cast(dynamic),       nb::cast(color),
                nb::cast(kind),       nb::cast(diameter),      nb::cast(feature_offset),
                nb::cast(pose_px),    nb::cast(pose_m),        nb::cast(velocity),
                nb::cast(radius_px),  nb::cast(radius_m),      nb::cast(vertices_px),
                nb::cast(vertices_m)} {
    const size_t bodies = dynamic.shape(0);
    const size_t fixtures = radius_px.shape(0);
    check_offsets(body_start, bodies);
    check_offsets(fixture_start, fixtures);
    check_offsets(vertex_start, vertices_px.shape(0));
    require(fixture_start.shape(0) == bodies + 1 && vertex_start.shape(0) == fixtures + 1 &&
                goals.shape(0) + 1 == body_start.shape(0) && color.shape(0) == bodies &&
                kind.shape(0) == bodies && diameter.shape(0) == bodies &&
                feature_offset.shape(0) == bodies && pose_px.shape(0) == bodies &&
                pose_m.shape(0) == bodies && velocity.shape(0) == bodies &&
                radius_m.shape(0) == fixtures && vertices_m.shape(0) == vertices_px.shape(0),
            "packed scene arrays disagree in length");
    packed_ = packed_scenes(body_start, goals, fixture_start, vertex_start, dynamic, color, kind,
                            diameter, feature_offset, pose_px, pose_m, velocity, radius_px,
                            radius_m, vertices_px, vertices_m);
    for (int32_t i = 0; i < packed_.scene_count && fault_.fault == SceneFault::kNone; ++i) {
      fault_ = check_scene(packed_.view(i));
      faulty_scene_ = i;
    }
  }

  // The first fault as (scene, body, code), or None.
  nb::object fault() const {
    if (fault_.fault == SceneFault::kNone) return nb::none();
    return nb::make_tuple(faulty_scene_, fault_.body, static_cast<int>(fault_.fault));
  }

  const PackedScenes& packed() const {
    require(fault_.fault == SceneFault::kNone, "these scenes have a fault");
    return packed_;
  }

  void require_scene(int32_t index) const {
    require(index >= 0 && index < packed_.scene_count, "scene index out of range");
  }

 private:
  std::vector<nb::object> owners_;
  PackedScenes packed_{};
  SceneCheck fault_{SceneFault::kNone, -1};
  int32_t faulty_scene_ = -1;
};

void require_actions(const In<double, nb::ndim<2>>& actions, size_t count) {
  require(actions.shape(0) == count, "as many actions as scene indices are needed");
  require(actions.shape(1) % 3 == 0 && actions.shape(1) <= 3 * kMaxBalls,
          "an action has 0, 3 or 6 numbers");
}

void run_job(const Job& job, const Branches* branches, int threads, Control& control,
             int64_t* progress) {
  constexpr int64_t kBrief = 20000;  // steps that are over before anybody can interrupt
  run_crew(threads, job.attempt_count * job.rules.max_steps <= kBrief, control, progress,
           [&] { work_on(job, branches, control); });
}

using Actions = In<double, nb::ndim<2>>;

// Whether each action is valid, without simulating it; balls as the simulation sees them.
void map_actions(const Scenes& scenes, Int32s scene_index, Actions actions,
                 Out<uint8_t, nb::ndim<1>> valid, Out<double, nb::shape<-1, -1, 3>> out) {
  const size_t n = scene_index.shape(0);
  require_actions(actions, n);
  const int ball_count = static_cast<int>(actions.shape(1) / 3);
  require(
      valid.shape(0) == n && out.shape(0) == n && out.shape(1) == static_cast<size_t>(ball_count),
      "outputs must have a place per action");
  for (size_t i = 0; i < n; ++i) {
    scenes.require_scene(scene_index(i));
    Balls balls = {};
    valid(i) = map_action(actions.data() + i * actions.shape(1), ball_count, balls) &&
               !occluded(scenes.packed().view(scene_index(i)), balls);
    for (size_t k = 0; k < static_cast<size_t>(ball_count); ++k) {
      const Ball ball = valid(i) ? balls.list[k] : Ball{0.0, 0.0, 0.0};
      out(i, k, 0) = ball.x;
      out(i, k, 1) = ball.y;
      out(i, k, 2) = ball.radius;
    }
  }
}

// Whether each action is valid on each scene from the first one on: for long lists of actions.
void valid_actions(const Scenes& scenes, int32_t first, Actions actions,
                   Out<uint8_t, nb::ndim<2>> valid) {
  const size_t count = actions.shape(0);
  require_actions(actions, count);
  require(valid.shape(1) == count, "the output must have a place per action");
  if (valid.shape(0) == 0) return;
  const int32_t scene_count = static_cast<int32_t>(valid.shape(0));
  scenes.require_scene(first);
  scenes.require_scene(first + scene_count - 1);
  const PackedScenes& packed = scenes.packed();
  const nb::gil_scoped_release release;
  const int ball_count = static_cast<int>(actions.shape(1) / 3);
  std::vector<Balls> balls(count);
  std::vector<uint8_t> fits(count);
  for (size_t i = 0; i < count; ++i) {
    fits[i] = map_action(actions.data() + i * actions.shape(1), ball_count, balls[i]);
  }
  const auto space = std::make_unique<FreeSpace>();
  for (int32_t row = 0; row < scene_count; ++row) {
    find_free_space(packed.view(first + row), *space);
    uint8_t* out = valid.data() + static_cast<size_t>(row) * count;
    for (size_t i = 0; i < count; ++i) out[i] = fits[i] && is_free(*space, balls[i]);
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
  const Balls placed = balls_from(balls);
  require((!images || images->shape(0) == n) && (!objects || objects->shape(0) == n),
          "outputs must have a place per scene");
  for (size_t i = 0; i < n; ++i) {
    scenes.require_scene(scene_index(i));
    const SceneView view = scenes.packed().view(scene_index(i));
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
      : world_(new World), work_(new Workspace) {
    scenes.require_scene(scene);
    view_ = scenes.packed().view(scene);
    build_world(view_, *world_);
    add_balls(*world_, balls_from(balls));
  }

  Simulation(const Simulation& other)
      : world_(new World(*other.world_)),
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

  std::unique_ptr<World> world_;
  std::unique_ptr<Workspace> work_;
  SceneView view_{};
  Progress progress_{0, 0};
};

using Images = Out<uint8_t, nb::shape<-1, -1, kSceneSize, kSceneSize>>;
using Objects = Out<float, nb::shape<-1, -1, -1, kFeatureSize>>;
using States = Out<float, nb::shape<-1, -1, -1, kStateSize>>;
using FinalState = Out<float, nb::shape<-1, -1, kStateSize>>;
using Contacts = Out<int32_t, nb::shape<-1, -1, 8>>;
static_assert(sizeof(ContactEvent) == 8 * sizeof(int32_t));

// Edits as rows of six 4-byte words.
using Edits = In<int32_t, nb::shape<-1, 6>>;
static_assert(sizeof(Edit) == 6 * sizeof(int32_t));

Branches branches_from(const Simulation& origin, const Scenes& scenes, const Int32s& scene_index,
                       const Int32s& edit_start, const Edits& edits) {
  const size_t n = scene_index.shape(0);
  require(edit_start.shape(0) == n + 1 && edit_start(0) == 0 &&
              static_cast<size_t>(edit_start(n)) == edits.shape(0),
          "edit_start: wrong offsets");
  const Edit* list = reinterpret_cast<const Edit*>(edits.data());
  for (size_t i = 0; i < n; ++i) {
    require(edit_start(i) <= edit_start(i + 1), "edit_start: wrong offsets");
    scenes.require_scene(scene_index(i));
    const int bodies = scenes.packed().view(scene_index(i)).body_count;
    require(bodies >= origin.world().body_count, "a branch cannot have fewer bodies");
    for (int32_t k = edit_start(i); k < edit_start(i + 1); ++k) {
      require(list[k].body >= 0 && list[k].body < bodies, "an edit names no body");
      require(list[k].kind >= EditKind::kRemove && list[k].kind <= EditKind::kImpulse,
              "an edit has no kind");
    }
  }
  return {&origin.world(), origin.progress(), edit_start.data(), list};
}

void simulate(const Scenes& scenes, Int32s scene_index, Actions actions, int32_t max_steps,
              int32_t stride, bool stable, bool shortcuts, int32_t threads,
              Out<int8_t, nb::ndim<1>> status, Out<int32_t, nb::ndim<1>> steps,
              Maybe<Images> images, Maybe<Objects> objects, Maybe<States> states,
              Maybe<FinalState> final_state, Maybe<Out<int32_t, nb::ndim<1>>> frame_count,
              Maybe<Contacts> contacts, Maybe<Out<int64_t, nb::ndim<1>>> contact_count,
              Maybe<Out<int64_t, nb::ndim<1>>> progress, const Simulation* origin,
              Maybe<Int32s> edit_start, Maybe<Edits> edits) {
  const size_t n = scene_index.shape(0);
  const PackedScenes& packed = scenes.packed();
  require_actions(actions, n);
  require(max_steps >= 1 && stride >= 0 && threads >= 1, "a count is out of range");
  require(status.shape(0) == n && steps.shape(0) == n, "outputs must have a place per attempt");

  const size_t frames = stride > 0 ? static_cast<size_t>((max_steps - 1) / stride + 1) : 0;
  const int balls = static_cast<int>(actions.shape(1) / 3);
  int max_objects = 0;
  int max_bodies = 0;
  int32_t checked = -1;
  for (size_t i = 0; i < n; ++i) {
    scenes.require_scene(scene_index(i));
    if (scene_index(i) == checked) continue;
    checked = scene_index(i);
    const SceneView view = packed.view(checked);
    max_bodies = std::max(max_bodies, view.body_count + balls);
    if (objects) max_objects = std::max(max_objects, object_count(view, balls));
  }
  const auto fits = [&](const auto& array) { return array.shape(0) == n; };
  const auto framed = [&](const auto& array) { return fits(array) && array.shape(1) >= frames; };
  require(!images || framed(*images), "images: wrong shape");
  require(!objects || (framed(*objects) && objects->shape(2) >= static_cast<size_t>(max_objects)),
          "objects: wrong shape");
  require(!states || (framed(*states) && states->shape(2) >= static_cast<size_t>(max_bodies)),
          "states: wrong shape");
  require(!final_state ||
              (fits(*final_state) && final_state->shape(1) >= static_cast<size_t>(max_bodies)),
          "final_state: wrong shape");
  require(!frame_count || fits(*frame_count), "frame_count: wrong shape");
  require(!contacts || (fits(*contacts) && contact_count && fits(*contact_count)),
          "contacts: wrong shape");
  require(!progress || progress->shape(0) == 1, "progress: wrong shape");
  // One row length serves states and final_state, so they have to agree.
  const size_t state_rows = states ? states->shape(2) : final_state ? final_state->shape(1) : 0;
  require(!states || !final_state || states->shape(2) == final_state->shape(1),
          "states and final_state differ in bodies");
  const size_t frame_rows = images    ? images->shape(1)
                            : objects ? objects->shape(1)
                            : states  ? states->shape(1)
                                      : frames;
  require(
      (!objects || objects->shape(1) == frame_rows) && (!states || states->shape(1) == frame_rows),
      "observations differ in frames");

  Job job = {};
  job.scenes = packed;
  job.attempt_count = static_cast<int64_t>(n);
  job.scene_index = scene_index.data();
  job.actions = actions.data();
  job.ball_count = balls;
  job.rules = {max_steps, stride, stable, shortcuts};
  job.status = status.data();
  job.steps = steps.data();
  job.frames = static_cast<int32_t>(frame_rows);
  job.max_objects = objects ? static_cast<int32_t>(objects->shape(2)) : 0;
  job.max_bodies = static_cast<int32_t>(state_rows);
  job.images = data_or_null(images);
  job.objects = data_or_null(objects);
  job.states = data_or_null(states);
  job.final_state = data_or_null(final_state);
  job.frame_count = data_or_null(frame_count);
  job.contact_room = contacts ? static_cast<int64_t>(contacts->shape(1)) : 0;
  job.contacts = contacts ? reinterpret_cast<ContactEvent*>(contacts->data()) : nullptr;
  job.contact_count = data_or_null(contact_count);
  Branches branches = {};
  if (origin) {
    require(edit_start && edits && balls == 0 && !stable, "branches take edits, not actions");
    branches = branches_from(*origin, scenes, scene_index, *edit_start, *edits);
  }
  Control control;
  run_job(job, origin ? &branches : nullptr, threads, control, data_or_null(progress));
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

}  // namespace
}  // namespace topple

NB_MODULE(_native, m) {
  using namespace topple;
  using namespace nb::literals;
  m.doc() = "Topple's native engine.";
  m.attr("MAX_BODIES") = kMaxBodies - kMaxBalls;
  m.attr("MAX_FIXTURES") = kMaxFixtures - kMaxBalls;
  m.attr("MAX_CONTACTS") = kMaxContacts;
  m.attr("MAX_VERTICES") = kMaxVertices;
  m.attr("MAX_BALLS") = kMaxBalls;
  m.attr("MAX_COORDINATE") = kMaxCoordinate;
  m.attr("MAX_ANGLE") = kMaxAngle;
  m.attr("MIN_RADIUS") = kLeastRadius;
  nb::class_<Scenes>(m, "Scenes")
      .def(nb::init<In<int32_t, nb::ndim<1>>, In<int32_t, nb::ndim<1>>, In<int32_t, nb::ndim<1>>,
                    In<int32_t, nb::shape<-1, 3>>, In<uint8_t, nb::ndim<1>>,
                    In<uint8_t, nb::ndim<1>>, In<uint8_t, nb::ndim<1>>, In<float, nb::ndim<1>>,
                    In<double, nb::ndim<1>>, In<double, nb::shape<-1, 3>>,
                    In<float, nb::shape<-1, 3>>, In<float, nb::shape<-1, 3>>,
                    In<double, nb::ndim<1>>, In<float, nb::ndim<1>>, In<double, nb::shape<-1, 2>>,
                    In<float, nb::shape<-1, 2>>>(),
           "body_start"_a, "fixture_start"_a, "vertex_start"_a, "goals"_a, "dynamic"_a, "color"_a,
           "kind"_a, "diameter"_a, "feature_offset"_a, "pose_px"_a, "pose_m"_a, "velocity"_a,
           "radius_px"_a, "radius_m"_a, "vertices_px"_a, "vertices_m"_a)
      .def("fault", &Scenes::fault);
  // Outputs are written in place: a converted copy would be lost.
  m.def("simulate", &simulate, "scenes"_a, "scene_index"_a, "actions"_a, "max_steps"_a, "stride"_a,
        "stable"_a, "shortcuts"_a, "threads"_a, "status"_a.noconvert(), "steps"_a.noconvert(),
        "images"_a.none().noconvert(), "objects"_a.none().noconvert(),
        "states"_a.none().noconvert(), "final_state"_a.none().noconvert(),
        "frame_count"_a.none().noconvert(), "contacts"_a.none().noconvert(),
        "contact_count"_a.none().noconvert(), "progress"_a.none().noconvert(), "origin"_a.none(),
        "edit_start"_a.none(), "edits"_a.none());
  m.def("map_actions", &map_actions, "scenes"_a, "scene_index"_a, "actions"_a,
        "valid"_a.noconvert(), "balls"_a.noconvert());
  m.def("valid_actions", &valid_actions, "scenes"_a, "first"_a, "actions"_a, "valid"_a.noconvert());
  m.def("observe", &observe, "scenes"_a, "scene_index"_a, "balls"_a, "images"_a.none().noconvert(),
        "objects"_a.none().noconvert());
  m.def("rotations", &rotations, "angles"_a, "sine"_a.noconvert(), "cosine"_a.noconvert());
  nb::class_<Simulation>(m, "Simulation")
      .def(nb::init<const Scenes&, int32_t, In<double, nb::shape<-1, 3>>>(), "scenes"_a, "scene"_a,
           "balls"_a, nb::keep_alive<1, 2>())
      .def(
          "copy", [](const Simulation& self) { return new Simulation(self); },
          nb::rv_policy::take_ownership, nb::keep_alive<0, 1>())
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
  nb::module_ iphyre = m.def_submodule("iphyre", "The I-PHYRE engine.");
  bind_iphyre(iphyre);
}
