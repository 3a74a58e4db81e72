// Attempts in a space of Chipmunk, whose library pymunk brings. Nothing of it is linked: its
// functions are called by the addresses that Python hands over, after it has compared their types,
// so that a whole attempt runs without Python, and beside other threads.
#include <algorithm>

#include "arrays.h"

namespace topple {

void bind_chipmunk(nb::module_& m);

namespace phyre {
namespace {

// What Chipmunk's functions take and return.
struct Vector {
  double x, y;
};

struct ContactPoints {
  int count;
  Vector normal;
  struct {
    Vector on_a, on_b;
    double distance;
  } points[2];
};

#define TOPPLE_CHIPMUNK(X)                                             \
  X(cpSpaceStep, void, (void* space, double dt))                       \
  X(cpBodyIsSleeping, unsigned char, (void* body))                     \
  X(cpShapesCollide, ContactPoints, (void* a, void* b))                \
  X(cpArbiterGetBodies, void, (void* arbiter, void** a, void** b))     \
  X(cpArbiterGetPointA, Vector, (void* arbiter, int index))            \
  X(cpArbiterGetNormal, Vector, (void* arbiter))                       \
  X(cpBodyGetVelocityAtWorldPoint, Vector, (void* body, Vector point)) \
  X(cpArbiterSetRestitution, void, (void* arbiter, double restitution))

// Chipmunk's functions, whose addresses Python gives by their names, and what they are told.
struct Library {
#define TOPPLE_MEMBER(name, result, arguments) result(*name) arguments;
  TOPPLE_CHIPMUNK(TOPPLE_MEMBER)
#undef TOPPLE_MEMBER
  double bounce_speed;

  Library(const nb::dict& addresses, double least_speed) : bounce_speed(least_speed) {
#define TOPPLE_READ(name, result, arguments) \
  name = reinterpret_cast<result(*) arguments>(nb::cast<uintptr_t>(addresses[#name]));
    TOPPLE_CHIPMUNK(TOPPLE_READ)
#undef TOPPLE_READ
  }

  // Lets slow bodies meet without a bounce, as in PHYRE; Chipmunk itself knows no threshold.
  static void soften(void* arbiter, void*, void* data) {
    const Library& lib = *static_cast<const Library*>(data);
    void *a, *b;
    lib.cpArbiterGetBodies(arbiter, &a, &b);
    const Vector point = lib.cpArbiterGetPointA(arbiter, 0);
    const Vector normal = lib.cpArbiterGetNormal(arbiter);
    const Vector va = lib.cpBodyGetVelocityAtWorldPoint(a, point);
    const Vector vb = lib.cpBodyGetVelocityAtWorldPoint(b, point);
    const double speed = (va.x - vb.x) * normal.x + (va.y - vb.y) * normal.y;
    if (speed < lib.bounce_speed) lib.cpArbiterSetRestitution(arbiter, 0.0);
  }
};

using Rows = Out<double, nb::ndim<2>>;
using Progress =
    Out<int64_t, nb::shape<4>>;  // steps made, steps of this touch, of the longest, looks

// How attempts are made in a space.
struct Pace {
  int64_t max_steps, stride;  // a stride of steps between two looks
  double dt, damping;         // what is left of a spin after a stride
};

// When the goal's bodies touch: if their centres are nearer to each other than the reach, and that
// of the first one which moves is within bounds; if shapes are given, a pair of these has to touch.
struct Goal {
  const double* centres[2];
  int mover;
  double reach;
  double bounds[4];  // left, low, right, high
  std::vector<std::pair<void*, void*>> shapes;
  int64_t hold_steps;

  bool touches(const Library& lib) const {
    const double dx = centres[0][0] - centres[1][0];
    const double dy = centres[0][1] - centres[1][1];
    const double x = centres[mover][0];
    const double y = centres[mover][1];
    const bool within = bounds[0] < x && x < bounds[2] && bounds[1] < y && y < bounds[3];
    if (!within || !(dx * dx + dy * dy < reach * reach)) return false;
    return shapes.empty() || std::any_of(shapes.begin(), shapes.end(), [&](const auto& pair) {
             return lib.cpShapesCollide(pair.first, pair.second).count > 0;
           });
  }
};

// A space, its moving bodies, each in a row of numbers, and its goal.
class Space {
 public:
  // Columns: where the centre lies, what moves (the spin last), and what is recorded of the goal's
  // bodies. Those that stay have no row, -1, but a place.
  Space(const Library& lib, uintptr_t space, Rows rows, int64_t centre,
        In<int64_t, nb::shape<3>> motion, In<int64_t, nb::shape<2>> seen,
        In<int64_t, nb::shape<2>> goal_rows, In<double, nb::shape<2, 2>> places, double reach,
        In<double, nb::shape<4>> bounds, In<uint64_t, nb::shape<-1, 2>> shapes, int64_t hold_steps)
      : lib_(lib), space_(reinterpret_cast<void*>(space)), rows_(rows) {
    const auto width = static_cast<int64_t>(rows.shape(1));
    require(centre >= 0 && centre + 2 <= width, "the centre lies outside the rows");
    for (int k = 0; k < 3; ++k) {
      motion_[k] = motion(k);
      require(motion_[k] >= 0 && motion_[k] < width, "motion lies outside the rows");
    }
    seen_[0] = seen(0);
    seen_[1] = seen(1);
    require(seen_[0] >= 0 && seen_[0] <= seen_[1] && seen_[1] <= width,
            "what is seen lies outside");
    goal_.mover = goal_rows(0) < 0;
    for (int k = 0; k < 2; ++k) {
      places_[k] = {places(k, 0), places(k, 1)};
      require(goal_rows(k) < static_cast<int64_t>(rows.shape(0)), "a goal body has no such row");
      if (goal_rows(k) >= 0) recorded_.push_back(row(goal_rows(k)));
      goal_.centres[k] = goal_rows(k) < 0 ? &places_[k].x : row(goal_rows(k)) + centre;
    }
    require(!recorded_.empty(), "no goal body moves");
    goal_.reach = reach;
    std::copy_n(bounds.data(), 4, goal_.bounds);
    for (size_t i = 0; i < shapes.shape(0); ++i) {
      goal_.shapes.emplace_back(reinterpret_cast<void*>(shapes(i, 0)),
                                reinterpret_cast<void*>(shapes(i, 1)));
    }
    goal_.hold_steps = hold_steps;
  }
  Space(const Space&) = delete;

  // Goes on with an attempt for so many looks at most; tells whether it is over. A look writes what
  // is seen into the path. Of noise there is a factor for all motion of each body at each look.
  bool advance(Progress progress, Out<double, nb::ndim<3>> path,
               Maybe<In<double, nb::ndim<3>>> noise, int64_t looks, const Pace& pace) {
    int64_t& done = progress(0);
    int64_t& look = progress(3);
    require(done >= 0 && look >= 0, "an attempt begins with zeros");
    require(path.shape(1) == recorded_.size() &&
                static_cast<int64_t>(path.shape(2)) == seen_[1] - seen_[0],
            "the path has another shape than what is seen");
    require(!noise || (noise->shape(1) == rows_.shape(0) && noise->shape(2) == 3),
            "the noise has another shape than what moves");
    const nb::gil_scoped_release release;
    for (; looks > 0 && done < pace.max_steps; --looks) {
      if (look >= static_cast<int64_t>(path.shape(0)) ||
          (noise && look >= static_cast<int64_t>(noise->shape(0)))) {
        return true;
      }
      for (int64_t k = 0; k < pace.stride; ++k) lib_.cpSpaceStep(space_, pace.dt);
      done += pace.stride;
      disturb(pace.damping, noise ? noise->data() + look * 3 * rows_.shape(0) : nullptr);
      record(path.data() + look * path.shape(1) * path.shape(2));
      ++look;
      if (is_over(progress, pace)) return true;
    }
    return done >= pace.max_steps;
  }

 private:
  double* row(int64_t i) const { return rows_.data() + i * static_cast<int64_t>(rows_.shape(1)); }

  void disturb(double damping, const double* noise) {
    for (size_t i = 0; i < rows_.shape(0); ++i) {
      double* body = row(static_cast<int64_t>(i));
      body[motion_[2]] *= damping;
      if (!noise) continue;
      for (int k = 0; k < 3; ++k) body[motion_[k]] *= noise[3 * i + k];
    }
  }

  void record(double* out) const {
    for (const double* body : recorded_) out = std::copy(body + seen_[0], body + seen_[1], out);
  }

  bool is_over(Progress& progress, const Pace& pace) const {
    int64_t& done = progress(0);
    int64_t& held = progress(1);
    int64_t& longest = progress(2);
    held = goal_.touches(lib_) ? held + pace.stride : 0;
    longest = std::max(longest, held);
    if (longest >= goal_.hold_steps) return true;
    if (!all_sleep()) return false;
    // Nothing will move again, so a touch lasts.
    const int64_t missing = goal_.hold_steps - held;
    if (held > 0 && done + missing <= pace.max_steps) {
      longest = goal_.hold_steps;
      done += missing;
    } else {
      if (held > 0) longest = std::max(longest, pace.max_steps - done + held);
      done = pace.max_steps;
    }
    return true;
  }

  bool all_sleep() const {
    for (size_t i = 0; i < rows_.shape(0); ++i) {
      if (!lib_.cpBodyIsSleeping(row(static_cast<int64_t>(i)))) return false;
    }
    return true;
  }

  const Library& lib_;
  void* space_;
  Rows rows_;
  int64_t motion_[3];
  int64_t seen_[2];
  Vector places_[2];
  std::vector<const double*> recorded_;
  Goal goal_;
};

}  // namespace
}  // namespace phyre
}  // namespace topple

void topple::bind_chipmunk(nb::module_& m) {
  using namespace topple::phyre;
  using namespace nb::literals;
  nb::class_<Library>(m, "ChipmunkLibrary")
      .def(nb::init<const nb::dict&, double>(), "addresses"_a, "bounce_speed"_a)
      .def_prop_ro("soften",
                   [](const Library&) { return reinterpret_cast<uintptr_t>(&Library::soften); })
      .def_prop_ro("data", [](const Library& self) { return reinterpret_cast<uintptr_t>(&self); });
  nb::class_<Pace>(m, "ChipmunkPace")
      .def(
          "__init__",
          [](Pace* self, int64_t max_steps, int64_t stride, double dt, double damping) {
            require(stride > 0, "stride must be at least 1");
            new (self) Pace{max_steps, stride, dt, damping};
          },
          nb::kw_only(), "max_steps"_a, "stride"_a, "dt"_a, "damping"_a);
  // The library and the rows outlive the space.
  nb::class_<Space>(m, "ChipmunkSpace")
      .def(nb::init<const Library&, uintptr_t, Rows, int64_t, In<int64_t, nb::shape<3>>,
                    In<int64_t, nb::shape<2>>, In<int64_t, nb::shape<2>>,
                    In<double, nb::shape<2, 2>>, double, In<double, nb::shape<4>>,
                    In<uint64_t, nb::shape<-1, 2>>, int64_t>(),
           nb::keep_alive<1, 2>(), "library"_a, "space"_a, "rows"_a.noconvert(), nb::kw_only(),
           "centre"_a, "motion"_a, "seen"_a, "goal_rows"_a, "places"_a, "reach"_a, "bounds"_a,
           "shapes"_a, "hold_steps"_a)
      .def("advance", &Space::advance, "progress"_a.noconvert(), "path"_a.noconvert(),
           "noise"_a.none(), "looks"_a, "pace"_a);
}
