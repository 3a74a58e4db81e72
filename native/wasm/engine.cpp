// Both engines as a WebAssembly module: functions of C, pointers into its memory, no state but what
// a caller holds. `describe` names the arrays, so that nobody has to list them a second time.
#include <cstdlib>
#include <vector>

#include "iphyre/batch.h"
#include "phyre/batch.h"
#include "phyre/faults.h"
#include "topple/iphyre/strategy.h"

// Under this name, the module's user finds a function.
#define TOPPLE_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace {

using namespace topple;

static_assert(sizeof(void*) == sizeof(int32_t), "pointers are written as words of 32 bits");
static_assert(sizeof(phyre::PackedScenes) == sizeof(int32_t) + sizeof(phyre::SceneArrays));

// What describe() returns: JSON, put together by the compiler.
constexpr char kDescription[] = "{\"phyre\":{\"scene\":["
#define TOPPLE_ROW(type, name, rows, more, columns) \
  "[\"" #name "\",\"" #type "\",\"" #rows "\"," #more "," #columns "],"
    TOPPLE_SCENE_ARRAYS(TOPPLE_ROW)
#undef TOPPLE_ROW
        "null],\"outputs\":["
#define TOPPLE_NAME(type, name, ...) "[\"" #name "\",\"" #type "\"],"
    TOPPLE_OUTPUTS(TOPPLE_NAME)
#undef TOPPLE_NAME
        "null]}}";

// A game with an episode of it; the arrays of its scene are its own.
struct Game {
  std::vector<double> doubles[6];
  std::vector<uint8_t> bytes[2];
  std::vector<int32_t> joined;
  iphyre::SceneView view{};
  iphyre::Physics physics{};
  iphyre::Exit out{};
  iphyre::Episode episode{};
};

}  // namespace

TOPPLE_EXPORT(const char*, describe)() { return kDescription; }
TOPPLE_EXPORT(void*, allocate)(size_t bytes) { return std::malloc(bytes); }
TOPPLE_EXPORT(void, release)(void* memory) { std::free(memory); }

// Writes the body that breaks a rule of scenes, -1 if it is the scene as a whole; returns the rule
// as a sentence, or null if the scene can be simulated.
TOPPLE_EXPORT(const char*, phyre_fault)(const phyre::PackedScenes* scenes, int32_t* body) {
  const phyre::SceneCheck check = phyre::check_scene(scenes->view(0));
  if (check.fault == phyre::SceneFault::kNone) return nullptr;
  static std::string sentence;
  sentence = phyre::rule(check.fault);
  *body = check.body;
  return sentence.c_str();
}

// Whether an action is valid, and its balls as the simulation sees them, zeros if it is not.
TOPPLE_EXPORT(int32_t, phyre_validate)(const phyre::PackedScenes* scenes, int32_t scene,
                                       const double* action, int32_t ball_count, double* out) {
  phyre::Balls balls = {};
  const bool valid =
      phyre::map_action(action, ball_count, balls) && !phyre::occluded(scenes->view(scene), balls);
  phyre::detail::write_balls(out, balls, valid ? ball_count : 0, ball_count);
  return valid;
}

// Makes attempts; outputs are the pointers of phyre::Outputs, null for what is not wanted.
TOPPLE_EXPORT(int32_t, phyre_simulate)(const phyre::PackedScenes* scenes, int32_t attempts,
                                       const int32_t* scene_index, const double* actions,
                                       int32_t ball_count, int32_t max_steps, int32_t stride,
                                       int32_t stable, void* const* outputs, int32_t frames,
                                       int32_t max_objects, int32_t max_bodies) {
  phyre::Job job = {};
  job.scenes = *scenes;
  job.attempt_count = attempts;
  job.scene_index = scene_index;
  job.actions = actions;
  job.ball_count = ball_count;
  job.rules = {max_steps, stride, stable != 0, true};
#define TOPPLE_POINTER(type, name, ...) \
  job.out.name = static_cast<decltype(job.out.name)>(*outputs++);
  TOPPLE_OUTPUTS(TOPPLE_POINTER)
#undef TOPPLE_POINTER
  job.out.frames = frames;
  job.out.max_objects = max_objects;
  job.out.max_bodies = max_bodies;
  Control control;
  phyre::work_on(job, nullptr, control);
  return !control.failed;
}

// The picture and the features of a scene before the first step.
TOPPLE_EXPORT(void, phyre_observe)(const phyre::PackedScenes* scenes, int32_t scene,
                                   const double* placed, int32_t ball_count, uint8_t* image,
                                   float* objects) {
  phyre::Balls balls = {};
  balls.count = ball_count;
  for (int32_t i = 0; i < ball_count; ++i, placed += 3) {
    balls.list[i] = {placed[0], placed[1], placed[2]};
  }
  const phyre::SceneView view = scenes->view(scene);
  phyre::write_image(image, view, nullptr, balls);
  phyre::write_objects(objects, view, nullptr, balls);
}

// A game from the arrays of iphyre::SceneView, first those of its bodies and then those of its
// joints; physics: gravity, bounce, friction, dt, bias; out: the line and the two sides of the
// exit.
TOPPLE_EXPORT(Game*, iphyre_new)(const void* const* arrays, int32_t bodies, int32_t joints,
                                 const double* physics, const double* out) {
  if (bodies > iphyre::kMaxBodies || joints > iphyre::kMaxJoints) return nullptr;
  Game* game = new Game;
  game->view.body_count = bodies;
  game->view.joint_count = joints;
  auto* doubles = game->doubles;
  auto* bytes = game->bytes;
  const auto copy = [&](int32_t rows) {
    return [&, rows](const char*, auto*& array, int columns) {
      using T = std::remove_const_t<std::remove_pointer_t<std::decay_t<decltype(array)>>>;
      const T* first = static_cast<const T*>(*arrays++);
      std::vector<T>* kept = nullptr;
      if constexpr (sizeof(T) == sizeof(double)) kept = doubles++;
      if constexpr (sizeof(T) == sizeof(uint8_t)) kept = bytes++;
      if constexpr (sizeof(T) == sizeof(int32_t)) kept = &game->joined;
      kept->assign(first, first + rows * columns);
      array = kept->data();
    };
  };
  iphyre::visit_body_arrays(game->view, copy(bodies));
  iphyre::visit_joint_arrays(game->view, copy(joints));
  game->physics = {physics[0], {physics[1], physics[2]}, physics[3], physics[4]};
  game->out = {out[0], out[1], out[2]};
  return game;
}

TOPPLE_EXPORT(void, iphyre_free)(Game* game) { delete game; }

TOPPLE_EXPORT(void, iphyre_reset)(Game* game, int32_t builds) {
  iphyre::build_world(game->episode.world, game->view, game->physics, builds);
  iphyre::start_episode(game->episode);
}

// Plays up to a tick, or until every ball is out; returns the ticks played.
TOPPLE_EXPORT(int32_t, iphyre_advance)(Game* game, int32_t until) {
  iphyre::advance(game->episode, game->view, game->physics, &game->out, until);
  return game->episode.tick;
}

TOPPLE_EXPORT(int32_t, iphyre_solved)(const Game* game) { return game->episode.solved; }

TOPPLE_EXPORT(int32_t, iphyre_remove)(Game* game, int32_t body) {
  return iphyre::remove_now(game->episode, body);
}

// The bodies that are there, a bit each.
TOPPLE_EXPORT(uint32_t, iphyre_present)(const Game* game) { return game->episode.world.present; }

// The joints of the scene that still hold, a bit each.
TOPPLE_EXPORT(uint32_t, iphyre_holds)(const Game* game) {
  uint32_t holds = 0;
  const iphyre::World& world = game->episode.world;
  for (int i = 0; i < world.joint_count; ++i) holds |= 1u << world.joints[i].number;
  return holds;
}

// [bodies, 6] x, y, angle and their velocities.
TOPPLE_EXPORT(void, iphyre_state)(const Game* game, double* rows) {
  iphyre::write_state(rows, game->episode.world);
}

// The symbolic observation of a strategy; blocks: [6] the removable bodies, then -1. Returns its
// length.
TOPPLE_EXPORT(int32_t, iphyre_observe)(const Game* game, const int32_t* blocks, int32_t on_the_fly,
                                       float* seen) {
  iphyre::see_all(seen, game->episode.world, blocks);
  return iphyre::kTableSize +
         iphyre::see_candidates(seen + iphyre::kTableSize, game->view, blocks, on_the_fly != 0);
}

// Plays plans, [plans, bodies] ticks; states and final_state may be null, see iphyre::Job.
TOPPLE_EXPORT(int32_t, iphyre_simulate)(const Game* game, int32_t plans, const int32_t* removals,
                                        int32_t builds, int32_t limit, uint8_t* solved,
                                        int32_t* ticks, int32_t* removed, int32_t stride,
                                        int32_t frames, double* states, int32_t* frame_count,
                                        double* final_state) {
  const size_t count = static_cast<size_t>(plans);
  const std::vector<int32_t> scene_index(count), limits(count, limit);
  const std::vector<int64_t> all_builds(count, builds);
  const int32_t body_start[] = {0, game->view.body_count};
  const int32_t joint_start[] = {0, game->view.joint_count};
  iphyre::Job job = {};
  job.scenes = {1, body_start, joint_start, game->view, game->physics};
  job.episode_count = plans;
  job.scene_index = scene_index.data();
  job.removals = removals;
  job.removal_width = game->view.body_count;
  job.builds = all_builds.data();
  job.limits = limits.data();
  job.out = game->out;
  job.solved = solved;
  job.ticks = ticks;
  job.removed = removed;
  job.stride = stride;
  job.frames = frames;
  job.max_bodies = game->view.body_count;
  job.states = states;
  job.frame_count = frame_count;
  job.final_state = final_state;
  const std::vector<int64_t> order = states ? std::vector<int64_t>() : iphyre::sharing_order(job);
  if (!states) job.order = order.data();
  Control control;
  iphyre::work_on(job, control);
  return !control.failed;
}
