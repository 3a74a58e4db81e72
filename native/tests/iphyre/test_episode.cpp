#include <cmath>
#include <thread>

#include "check.h"
#include "iphyre/fixture.h"
#include "iphyre/vector.h"

using topple::Control;
using namespace topple::iphyre;

namespace {

constexpr int kScenes = 8;
constexpr int kEpisodes = 240;
constexpr int kWidth = 12;
constexpr Exit kBelow = {600.0, -INFINITY, INFINITY};

struct Outputs {
  std::vector<uint8_t> solved = std::vector<uint8_t>(kEpisodes);
  std::vector<int32_t> ticks = std::vector<int32_t>(kEpisodes);
  std::vector<int32_t> removed = std::vector<int32_t>(kEpisodes);
  std::vector<double> final_state = std::vector<double>(kEpisodes * kWidth * kStateSize);

  bool operator==(const Outputs& other) const {
    return solved == other.solved && ticks == other.ticks && removed == other.removed &&
           std::memcmp(final_state.data(), other.final_state.data(),
                       final_state.size() * sizeof(double)) == 0;
  }
};

struct Work {
  SceneBuilder built;
  std::vector<int32_t> scene_index, removals, limits;
  std::vector<int64_t> builds;

  Job job(Outputs& out) const {
    Job job = {};
    job.scenes = built.scenes(0.1);
    job.episode_count = kEpisodes;
    job.scene_index = scene_index.data();
    job.removals = removals.data();
    job.removal_width = kWidth;
    job.builds = builds.data();
    job.limits = limits.data();
    job.out = kBelow;
    job.stride = 1;
    job.max_bodies = kWidth;
    job.solved = out.solved.data();
    job.ticks = out.ticks.data();
    job.removed = out.removed.data();
    job.final_state = out.final_state.data();
    return job;
  }
};

Work make_work() {
  Random random(41);
  Work work;
  work.built = random_scenes(random, kScenes);
  for (int i = 0; i < kEpisodes; ++i) {
    work.scene_index.push_back(random.below(kScenes));
    work.builds.push_back(1 + random.below(2));
    work.limits.push_back(100 + random.below(50));
    const SceneView view = work.built.scenes().view(work.scene_index.back());
    for (int body = 0; body < kWidth; ++body) {
      const bool goes = body < view.body_count && !view.is_ball[body] && random.coin();
      // Few ticks to choose from, so that plans begin alike.
      work.removals.push_back(goes ? 20 * random.below(6) : kNever);
    }
  }
  return work;
}

Outputs run(const Work& work, int threads, bool sorted) {
  Outputs out;
  Job job = work.job(out);
  const std::vector<int64_t> order = sharing_order(job);
  if (sorted) job.order = order.data();
  Control control;
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back([&] { work_on(job, control); });
  for (std::thread& thread : pool) thread.join();
  CHECK_EQUAL(control.done.load(), kEpisodes);
  return out;
}

// Every tick played, nothing shared, and without leaving out steps at rest.
Outputs played_out(const Work& work) {
  Outputs out;
  const Job job = work.job(out);
  static World world;
  for (int i = 0; i < kEpisodes; ++i) {
    const SceneView scene = job.scenes.view(job.scene_index[i]);
    build_world(world, scene, job.scenes.physics, job.builds[i]);
    const Removals removals = sort_removals(job.removals + i * kWidth, scene.body_count);
    int next = 0;
    bool solved = false;
    int tick = 0;
    for (; tick < job.limits[i] && !solved; ++tick) {
      for (; next < removals.count && removals.list[next].tick == tick; ++next) {
        remove_body(world, removals.list[next].body);
      }
      world.steady = false;
      step(world, job.scenes.physics.dt, job.scenes.physics.bias);
      solved = all_out(world, scene, kBelow);
    }
    out.solved[static_cast<size_t>(i)] = solved;
    out.ticks[static_cast<size_t>(i)] = tick;
    out.removed[static_cast<size_t>(i)] = next;
    write_state(out.final_state.data() + i * kWidth * kStateSize, world);
  }
  return out;
}

}  // namespace

TEST(what_is_left_out_changes_nothing) {
  const Work work = make_work();
  const Outputs whole = played_out(work);
  CHECK(run(work, 1, false) == whole);
  CHECK(run(work, 1, true) == whole);
}

TEST(results_do_not_depend_on_threads) {
  const Work work = make_work();
  const Outputs alone = run(work, 1, true);
  for (const int threads : {2, 3, 7}) CHECK(run(work, threads, true) == alone);
}

TEST(copies_go_on_alike) {
  Random random(43);
  const SceneBuilder built = random_scenes(random, 20);
  const PackedScenes scenes = built.scenes();
  static World world, twin;
  for (int n = 0; n < scenes.scene_count; ++n) {
    build_world(world, scenes.view(n), scenes.physics, 1);
    for (int i = 0; i < 100; ++i) step(world, scenes.physics.dt, scenes.physics.bias);
    copy_world(twin, world);
    for (World* each : {&world, &twin}) {
      remove_body(*each, 0);
      for (int i = 0; i < 100; ++i) step(*each, scenes.physics.dt, scenes.physics.bias);
    }
    for (int i = 0; i < world.body_count; ++i) {
      CHECK(same(world.bodies[i].p, twin.bodies[i].p) && same(world.bodies[i].v, twin.bodies[i].v));
    }
  }
}

TEST(a_full_world_keeps_within_its_room) {
  SceneBuilder built;
  // All bodies in one heap, so that every pair touches.
  for (int i = 0; i < kMaxBodies; ++i) built.add_ball(300 + i, 100 + 2 * i, 60);
  for (int i = 0; i < kMaxJoints; ++i) built.join(i % kMaxBodies, (i + 1) % kMaxBodies, i % 2 == 0);
  built.finish_scene();
  const PackedScenes scenes = built.scenes();
  static World world;
  build_world(world, scenes.view(0), scenes.physics, 3);
  for (int i = 0; i < 50; ++i) {
    step(world, scenes.physics.dt, scenes.physics.bias);
    CHECK(world.arbiter_count <= kMaxArbiters && world.active_count <= world.arbiter_count);
  }
  for (int i = 0; i < kMaxBodies; ++i) remove_body(world, i);
  CHECK_EQUAL(world.arbiter_count, 0);
  CHECK_EQUAL(world.joint_count, 0);
  step(world, scenes.physics.dt, scenes.physics.bias);
}

TEST(slots_play_like_plans) {
  SceneBuilder built;
  built.add_block(200, 400, 300, 400);
  built.add_ball(250, 340);
  built.finish_scene();
  const int32_t blocks[kMaxBlocks] = {0, -1, -1, -1, -1, -1};
  Environment environment = {};
  environment.scenes = built.scenes(0.1);
  environment.rules = {kBelow, 10, 15, true, true, true, -1.0, -10.0, 1000.0};
  environment.strategy = Strategy::kInAdvance;
  environment.builds = 1;
  environment.blocks = blocks;
  Vector vector(environment, 3);
  const float times[3 * kMaxBlocks] = {0.0f, 0, 0, 0, 0, 0, 0.1f, 0, 0, 0, 0, 0, 1.0f};
  const int32_t restart[3] = {-1, -1, -1};
  std::vector<float> observations(3 * 120);
  double rewards[3];
  bool terminated[3], truncated[3];
  const StepArrays arrays = {nullptr, times,      restart,  observations.data(),
                             rewards, terminated, truncated};
  for (int slot = 0; slot < 3; ++slot) vector.step(slot, arrays);
  CHECK(terminated[1] && !terminated[0] && !terminated[2] && truncated[0] && truncated[2]);
  CHECK(rewards[0] == -15.0 && rewards[1] > 980.0);
  CHECK_EQUAL(vector.slot(1).episode.removed.list[0].tick, 15);
  for (const float seen : observations) CHECK(seen >= 0.0f && seen <= 1.0f);
}

TEST(slots_step_alike_in_any_number_of_threads) {
  Random random(47);
  const SceneBuilder built = random_scenes(random, kScenes);
  std::vector<int32_t> blocks(kScenes * kMaxBlocks, -1);
  for (int n = 0; n < kScenes; ++n) blocks[static_cast<size_t>(n * kMaxBlocks)] = 0;
  Environment environment = {};
  environment.scenes = built.scenes(0.1);
  environment.rules = {kBelow, 10, 15, true, true, true, -1.0, -10.0, 1000.0};
  environment.strategy = Strategy::kOnTheFly;
  environment.builds = 1;
  environment.blocks = blocks.data();
  constexpr int kSlots = 40, kSteps = 30;
  const size_t size = static_cast<size_t>(kSlots * environment.observation_size());
  std::vector<int64_t> choices(kSlots);
  std::vector<int32_t> games(kSlots), none(kSlots, -1);
  for (int slot = 0; slot < kSlots; ++slot) {
    choices[static_cast<size_t>(slot)] = random.below(2);
    games[static_cast<size_t>(slot)] = random.below(kScenes);
  }
  const auto observed = [&](int threads) {
    Vector vector(environment, kSlots);
    std::vector<float> observations(size);
    std::vector<double> rewards(kSlots);
    std::vector<uint8_t> terminated(kSlots), truncated(kSlots);
    StepArrays arrays = {choices.data(),
                         nullptr,
                         games.data(),
                         observations.data(),
                         rewards.data(),
                         reinterpret_cast<bool*>(terminated.data()),
                         reinterpret_cast<bool*>(truncated.data())};
    for (int n = 0; n < kSteps; ++n) {
      Control control;
      std::vector<std::thread> pool;
      for (int i = 0; i < threads; ++i) {
        pool.emplace_back(
            [&] { take_turns(control, kSlots, [&](int64_t slot) { vector.step(slot, arrays); }); });
      }
      for (std::thread& thread : pool) thread.join();
      arrays.restart = none.data();
    }
    return observations;
  };
  const std::vector<float> alone = observed(1);
  for (const int threads : {2, 5}) CHECK(observed(threads) == alone);
}
