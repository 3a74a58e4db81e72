// Other ways to lay the same work out on a GPU, measured beside the one in use.
//
// TEAM lanes share a world. All of them carry out the same step on the same memory, except
// that each takes its part of the contacts when these are brought up to date.
#ifndef TEAM
#define TEAM 1
#endif

#if TEAM > 1
#define collide collide_alone
#include "topple/phyre/world.h"
#undef collide

namespace topple::phyre {

__device__ inline unsigned team_mask() {
  const unsigned first = (threadIdx.x & 31u) / TEAM * TEAM;
  return (TEAM == 32 ? ~0u : (1u << (TEAM & 31)) - 1u) << first;
}

// Updating a contact may wake bodies, and so concern those after it: a world in which some
// contacts rest is left to one lane's order, which all lanes follow.
__device__ __noinline__ void collide(World& world) {
  bool all_active = true;
  for (int i = 0; i < world.contact_count; ++i) {
    const Contact& contact = world.contacts[i];
    all_active &=
        is_active(world.bodies[contact.body_a]) || is_active(world.bodies[contact.body_b]);
  }
  __syncwarp(team_mask());
  if (!all_active) {
    collide_alone(world);
    __syncwarp(team_mask());
    return;
  }
  const auto apart = [&](const Contact& contact) {
    return !overlap(world.boxes[contact.fixture_a], world.boxes[contact.fixture_b]);
  };
  for (int i = world.contact_count - 1 - static_cast<int>(threadIdx.x % TEAM); i >= 0; i -= TEAM) {
    if (!apart(world.contacts[i])) update_contact(world.contacts[i], world.shapes, world.bodies);
  }
  __syncwarp(team_mask());
  for (int i = world.contact_count - 1; i >= 0; --i) {
    if (apart(world.contacts[i])) detail::remove_contact(world, i);
  }
  __syncwarp(team_mask());
}

}  // namespace topple::phyre
#endif

#include "attempts.cu"

namespace {

__device__ inline void make(const Job& job, int64_t i, const World* fresh, World& world,
                            Workspace& work) {
  const int32_t scene = job.scene_index[i];
  Sink sink = job.sink(i);
  const AttemptResult result = attempt(fresh[scene], world, work, job.scenes.view(scene),
                                       job.action(i), job.ball_count, job.rules, sink);
  job.report(i, result, sink);
}

}  // namespace

struct Place {
  World world;
  Workspace work;
};

extern "C" __global__ void place_bytes(int64_t* bytes) {
  if (lane() == 0) *bytes = sizeof(Place);
}

#if TEAM > 1
// A world in global memory for every TEAM lanes.
extern "C" __global__ void __launch_bounds__(64)
    layout(const int64_t* words, const int64_t* order, int64_t count, const World* fresh,
           unsigned long long* next, Place* places) {
  const Job job = read_job(words);
  Place& own = places[lane() / TEAM];
  const unsigned mask = team_mask();
  for (;;) {
    unsigned long long place = 0;
    if (threadIdx.x % TEAM == 0) place = atomicAdd(next, 1ull);
    place = __shfl_sync(mask, place, 0, TEAM);
    if (static_cast<int64_t>(place) >= count) return;
    make(job, order[place], fresh, own.world, own.work);
    __syncwarp(mask);
  }
}
#elif defined(SPREAD)
// A world in local memory for every SPREAD-th lane; the others have left.
extern "C" __global__ void __launch_bounds__(64)
    layout(const int64_t* words, const int64_t* order, int64_t count, const World* fresh,
           unsigned long long* next, Place*) {
  if (threadIdx.x % SPREAD != 0) return;
  const Job job = read_job(words);
  Place own;
  for (;;) {
    const int64_t place = static_cast<int64_t>(atomicAdd(next, 1ull));
    if (place >= count) return;
    make(job, order[place], fresh, own.world, own.work);
  }
}
#else
// A world in global memory for every lane.
extern "C" __global__ void __launch_bounds__(64)
    layout(const int64_t* words, const int64_t* order, int64_t count, const World* fresh,
           unsigned long long* next, Place* places) {
  const Job job = read_job(words);
  for (;;) {
    const int64_t place = static_cast<int64_t>(atomicAdd(next, 1ull));
    if (place >= count) return;
    make(job, order[place], fresh, places[lane()].world, places[lane()].work);
  }
}
#endif
