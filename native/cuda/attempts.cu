// The engine on a GPU: one lane per attempt, each with a world of its own in local memory,
// which the hardware lays out so that neighbouring lanes read neighbouring words.
//
// Compiled with TOPPLE_IMAGINED, scenes have physics of their own, as somebody imagines them.
#include "topple/phyre/job.h"

using namespace topple::phyre;

namespace {

__device__ inline int64_t lane() { return blockIdx.x * int64_t{blockDim.x} + threadIdx.x; }
__device__ inline int64_t lanes() { return gridDim.x * int64_t{blockDim.x}; }

// Reads a job from a list of words: numbers, and addresses of arrays on the device.
struct Words {
  const int64_t* next;

  __device__ inline int64_t number() { return *next++; }
  __device__ inline int32_t count() { return static_cast<int32_t>(*next++); }
  template <class T>
  __device__ inline T* array() {
    return reinterpret_cast<T*>(*next++);
  }
};

__device__ inline PackedScenes read_scenes(Words& words) {
  PackedScenes scenes = {};
  scenes.scene_count = words.count();
#define TOPPLE_READ(type, name, rows, more, columns) scenes.arrays.name = words.array<const type>();
  TOPPLE_SCENE_ARRAYS(TOPPLE_READ)
#undef TOPPLE_READ
  return scenes;
}

__device__ inline Job read_job(const int64_t* list) {
  Words words = {list};
  Job job = {};
  job.scenes = read_scenes(words);
  job.attempt_count = words.number();
  job.scene_index = words.array<const int32_t>();
  job.actions = words.array<const double>();
  job.ball_count = words.count();
  job.rules.max_steps = words.count();
  job.rules.stride = words.count();
  job.rules.stable = words.number() != 0;
  job.rules.shortcuts = words.number() != 0;
#define TOPPLE_READ(type, name, ...) job.out.name = words.array<type>();
  TOPPLE_OUTPUTS(TOPPLE_READ)
#undef TOPPLE_READ
  job.out.frames = words.count();
  job.out.max_objects = words.count();
  job.out.max_bodies = words.count();
  job.out.contact_capacity = words.number();
  return job;
}

#ifdef TOPPLE_IMAGINED
using ScenePhysics = ImaginedPhysics;
__device__ inline ImaginedPhysics physics_of(const ImaginedPhysics* list, int32_t scene) {
  return list[scene];
}
#else
using ScenePhysics = void;  // there is no list
__device__ inline ExactPhysics physics_of(const void*, int32_t) { return {}; }
#endif

}  // namespace

// Tells the size of a world, which the host allocates.
extern "C" __global__ void describe(int64_t* world_bytes) {
  if (lane() == 0) *world_bytes = sizeof(World);
}

// Builds the world of each listed scene before its first step; of the words it reads the scenes'.
extern "C" __global__ void build(const int64_t* words, const int32_t* scenes, int64_t count,
                                 World* fresh) {
  Words list = {words};
  const PackedScenes packed = read_scenes(list);
  for (int64_t i = lane(); i < count; i += lanes()) {
    build_world(packed.view(scenes[i]), fresh[scenes[i]]);
  }
}

// Tells which actions fit their scenes; much cheaper than an attempt.
extern "C" __global__ void check(const int64_t* words, uint8_t* valid) {
  const Job job = read_job(words);
  for (int64_t i = lane(); i < job.attempt_count; i += lanes()) {
    Balls balls = {};
    const SceneView scene = job.scenes.view(job.scene_index[i]);
    valid[i] = map_action(job.action(i), job.ball_count, balls) && !occluded(scene, balls);
  }
}

// Makes attempts in a given order. Lanes take one after the other off a shared counter, so
// that none waits for the longest attempt of all.
extern "C" __global__ void __launch_bounds__(64)
    attempts(const int64_t* words, const int64_t* order, int64_t count, const World* fresh,
             const ScenePhysics* physics, unsigned long long* next) {
  const Job job = read_job(words);
  World world;
  Workspace work;
  for (;;) {
    const int64_t place = static_cast<int64_t>(atomicAdd(next, 1ull));
    if (place >= count) return;
    const int64_t i = order[place];
    const int32_t scene = job.scene_index[i];
    Sink sink = job.sink(i);
    const AttemptResult result =
        attempt(physics_of(physics, scene), fresh[scene], world, work, job.scenes.view(scene),
                job.action(i), job.ball_count, job.rules, sink);
    job.report(i, result, sink);
  }
}
