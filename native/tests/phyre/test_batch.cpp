#include <thread>

#include "check.h"
#include "phyre/batch.h"
#include "phyre/random_scenes.h"

using topple::Control;
using namespace topple::phyre;

namespace {

constexpr int kScenes = 12;
constexpr int kAttempts = 96;
constexpr int kFrames = 4;
constexpr int kBodies = 16;

struct Results {
  std::vector<int8_t> status = std::vector<int8_t>(kAttempts);
  std::vector<int32_t> steps = std::vector<int32_t>(kAttempts);
  std::vector<int32_t> frame_count = std::vector<int32_t>(kAttempts);
  std::vector<float> states = std::vector<float>(kAttempts * kFrames * kBodies * kStateSize);
  std::vector<float> final_state = std::vector<float>(kAttempts * kBodies * kStateSize);

  bool operator==(const Results& other) const {
    return status == other.status && steps == other.steps && frame_count == other.frame_count &&
           states == other.states && final_state == other.final_state;
  }
};

struct Work {
  Packed packed;
  std::vector<int32_t> scene_index;
  std::vector<double> actions;

  Job job(Results& out) const {
    Job job = {};
    job.scenes = packed.scenes();
    job.attempt_count = kAttempts;
    job.scene_index = scene_index.data();
    job.actions = actions.data();
    job.ball_count = 1;
    job.rules = {200, 60, false, true};
    job.out.frames = kFrames;
    job.out.max_bodies = kBodies;
    job.out.outcome = out.status.data();
    job.out.steps = out.steps.data();
    job.out.frame_count = out.frame_count.data();
    job.out.states = out.states.data();
    job.out.final_state = out.final_state.data();
    return job;
  }
};

Work make_work() {
  Random random(151);
  Work work;
  work.packed = random_scenes(random, kScenes);
  for (int i = 0; i < kAttempts; ++i) {
    work.scene_index.push_back(random.below(kScenes));
    for (int k = 0; k < 3; ++k) work.actions.push_back(random.unit());
  }
  return work;
}

Results run(const Work& work, int threads) {
  Results out;
  const Job job = work.job(out);
  Control control;
  std::vector<std::thread> pool;
  for (int i = 0; i < threads; ++i) pool.emplace_back([&] { work_on(job, nullptr, control); });
  for (std::thread& thread : pool) thread.join();
  CHECK_EQUAL(control.done.load(), kAttempts);
  CHECK(!control.failed);
  return out;
}

}  // namespace

TEST(results_do_not_depend_on_the_number_of_threads) {
  const Work work = make_work();
  const Results alone = run(work, 1);
  for (const int threads : {2, 3, 4, 9}) CHECK(run(work, threads) == alone);
}

TEST(results_do_not_depend_on_the_order) {
  const Work work = make_work();
  Work backwards = work;
  for (size_t i = 0; i < kAttempts; ++i) {
    const size_t j = kAttempts - 1 - i;
    backwards.scene_index[i] = work.scene_index[j];
    for (size_t k = 0; k < 3; ++k) backwards.actions[3 * i + k] = work.actions[3 * j + k];
  }
  const Results forth = run(work, 2);
  const Results back = run(backwards, 2);
  const size_t row = kBodies * kStateSize;
  for (size_t i = 0; i < kAttempts; ++i) {
    const size_t j = kAttempts - 1 - i;
    CHECK_EQUAL(forth.status[i], back.status[j]);
    CHECK_EQUAL(forth.steps[i], back.steps[j]);
    CHECK(std::memcmp(&forth.final_state[i * row], &back.final_state[j * row],
                      row * sizeof(float)) == 0);
  }
}

TEST(a_cancelled_batch_stops) {
  const Work work = make_work();
  Results out;
  const Job job = work.job(out);
  Control control;
  control.cancelled = true;
  work_on(job, nullptr, control);
  CHECK_EQUAL(control.done.load(), 0);
}

TEST(views_see_their_own_scene) {
  const Work work = make_work();
  const PackedScenes scenes = work.packed.scenes();
  for (int i = 0; i < kScenes; ++i) {
    const SceneView view = scenes.view(i);
    CHECK_EQUAL(view.body_count, work.packed.body_start[i + 1] - work.packed.body_start[i]);
    CHECK_EQUAL(view.goal.first, 4);
    CHECK_EQUAL(view.color[4], 2);
    CHECK(view.is_circle(view.fixture_start[4]));
    CHECK_EQUAL(view.pixel_pose(0).p.x, 128.0);
  }
}
