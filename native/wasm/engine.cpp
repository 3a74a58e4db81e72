// Both engines as a WebAssembly module: functions of C with addresses in its memory, which its user
// hands out. It needs neither a C library nor anything else of its host.
#include "iphyre/job.h"
#include "phyre/faults.h"
#include "phyre/scratch.h"
#include "topple/iphyre/strategy.h"

// Under its name, the module's user finds a function.
#define TOPPLE_EXPORT(type, name) extern "C" __attribute__((export_name(#name))) type name

namespace {

using namespace topple;

static_assert(sizeof(void*) == sizeof(int32_t), "addresses are written as words of 32 bits");
static_assert(sizeof(phyre::PackedScenes) == sizeof(int32_t) + sizeof(phyre::SceneArrays));

// The names and types of the arrays in JSON, put together by the compiler.
constexpr char kDescription[] = "{\"scene\":{"
#define TOPPLE_NAME(type, name, ...) "\"" #name "\":\"" #type "\","
    TOPPLE_SCENE_ARRAYS(TOPPLE_NAME) "\"\":\"\"},\"outputs\":{" TOPPLE_OUTPUTS(TOPPLE_NAME)
#undef TOPPLE_NAME
        "\"\":\"\"}}";

phyre::Scratch scratch;
iphyre::Workspace workspace;

// A game with an episode of it; the arrays of its scene are its own.
struct Game {
  iphyre::SceneView view;
  iphyre::Physics physics;
  iphyre::Exit out;
  iphyre::Episode episode;
  alignas(double) uint8_t arrays[4096];
};
// What a body and a joint take in all arrays, those of bytes filled up to words.
static_assert(iphyre::kMaxBodies * 11 * sizeof(double) + iphyre::kMaxJoints * 5 * sizeof(double) <=
              sizeof(Game::arrays));

}  // namespace

TOPPLE_EXPORT(const char*, describe)() { return kDescription; }

// The rule that a scene breaks, or null if it can be simulated; body: which one it was found at, -1
// for the scene as a whole.
TOPPLE_EXPORT(int32_t, phyre_fault)(const phyre::PackedScenes* scenes, int32_t* body,
                                    phyre::Rule* rule) {
  const phyre::SceneCheck check = phyre::check_scene(scenes->view(0));
  *body = check.body;
  *rule = phyre::broken_rule(check.fault);
  return check.fault != phyre::SceneFault::kNone;
}

// Whether an action is valid, and its balls as the simulation sees them, zeros if it is not.
TOPPLE_EXPORT(int32_t, phyre_validate)(const phyre::PackedScenes* scenes, const double* action,
                                       int32_t ball_count, double* out) {
  phyre::Balls balls = {};
  const bool valid =
      phyre::map_action(action, ball_count, balls) && !phyre::occluded(scenes->view(0), balls);
  phyre::detail::write_balls(out, balls, valid ? ball_count : 0, ball_count);
  return valid;
}

// Makes attempts on scenes; outputs: the addresses of phyre::Outputs, null for what is not wanted.
TOPPLE_EXPORT(void, phyre_simulate)(const phyre::PackedScenes* scenes, int32_t attempts,
                                    const int32_t* scene_index, const double* actions,
                                    int32_t ball_count, int32_t max_steps, int32_t stride,
                                    int32_t stable, void* const* outputs, int32_t frames,
                                    int32_t max_objects, int32_t max_bodies,
                                    int32_t contact_capacity) {
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
  job.out.contact_capacity = contact_capacity;
  scratch.scene = -1;
  for (int32_t i = 0; i < attempts; ++i) {
    phyre::Sink sink = job.sink(i);
    const phyre::SceneView scene = scenes->view(scene_index[i]);
    const phyre::AttemptResult result =
        phyre::from_scene(phyre::ExactPhysics{}, job, i, scene, scratch, sink);
    job.report(i, result, sink);
  }
}

// The picture and the features of a scene before the first step.
TOPPLE_EXPORT(void, phyre_observe)(const phyre::PackedScenes* scenes, const double* placed,
                                   int32_t ball_count, uint8_t* image, float* objects) {
  phyre::Balls balls = {};
  balls.count = ball_count;
  for (int32_t i = 0; i < ball_count; ++i, placed += 3) {
    balls.list[i] = {placed[0], placed[1], placed[2]};
  }
  const phyre::SceneView view = scenes->view(0);
  phyre::write_image(image, view, nullptr, balls);
  phyre::write_objects(objects, view, nullptr, balls);
}

TOPPLE_EXPORT(int32_t, iphyre_size)() { return sizeof(Game); }

// Fills the memory of a game from the arrays of iphyre::SceneView, first those of its bodies, then
// those of its joints; physics: gravity, bounce, friction, dt, bias; out: the line and the two
// sides of the exit. Returns whether so many fit.
TOPPLE_EXPORT(int32_t, iphyre_init)(Game* game, const void* const* arrays, int32_t bodies,
                                    int32_t joints, const double* physics, const double* out) {
  if (bodies > iphyre::kMaxBodies || joints > iphyre::kMaxJoints) return 0;
  uint8_t* place = game->arrays;
  const auto copy = [&](int32_t rows) {
    return [&, rows](const char*, auto*& array, int columns) {
      const auto bytes = sizeof(*array) * static_cast<uint32_t>(rows * columns);
      __builtin_memcpy(place, *arrays++, bytes);
      array = reinterpret_cast<decltype(+array)>(place);
      place += (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    };
  };
  iphyre::visit_body_arrays(game->view, copy(bodies));
  iphyre::visit_joint_arrays(game->view, copy(joints));
  game->view.body_count = bodies;
  game->view.joint_count = joints;
  game->physics = {physics[0], {physics[1], physics[2]}, physics[3], physics[4]};
  game->out = {out[0], out[1], out[2]};
  return 1;
}

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
TOPPLE_EXPORT(void, iphyre_simulate)(const Game* game, int32_t plans, const int32_t* removals,
                                     int32_t builds, int32_t limit, uint8_t* solved, int32_t* ticks,
                                     int32_t* removed, int32_t stride, int32_t frames,
                                     double* states, int32_t* frame_count, double* final_state) {
  const int32_t bodies = game->view.body_count;
  const int32_t scene_index = 0, body_start[] = {0, bodies};
  const int32_t joint_start[] = {0, game->view.joint_count};
  const int64_t wide_builds = builds;
  workspace.prefix.forget();
  for (int32_t i = 0; i < plans; ++i) {
    iphyre::Job job = {};  // of one episode, since an array of builds would need memory
    job.scenes = {1, body_start, joint_start, game->view, game->physics};
    job.episode_count = 1;
    job.scene_index = &scene_index;
    job.removals = removals + i * bodies;
    job.removal_width = bodies;
    job.builds = &wide_builds;
    job.limits = &limit;
    job.out = game->out;
    job.solved = solved + i;
    job.ticks = ticks + i;
    job.removed = removed + i;
    job.stride = stride;
    job.frames = frames;
    job.max_bodies = bodies;
    if (states) job.states = states + i * frames * bodies * iphyre::kStateSize;
    if (frame_count) job.frame_count = frame_count + i;
    if (final_state) job.final_state = final_state + i * bodies * iphyre::kStateSize;
    iphyre::play_episode(job, 0, workspace);
  }
}
