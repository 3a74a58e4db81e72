// Replays attempts and plans that another build has made, and counts what differs: `replay FILE`.
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "iphyre/batch.h"
#include "phyre/batch.h"

#if defined(__x86_64__)
// The runtime library of Zig does not know what the processor can do. With zeros, the engines take
// the path of a processor that can do nothing more than the least, whose bits are the same.
extern "C" {
struct {
  unsigned vendor, type, subtype, features[1];
} __cpu_model __attribute__((weak));
__attribute__((weak)) int __cpu_indicator_init() { return 0; }
}
#endif

namespace {

using namespace topple;

// The next array of a file: its length in bytes, then its content.
template <class T>
std::vector<T> next(std::FILE* file) {
  int64_t bytes = 0;
  if (std::fread(&bytes, sizeof bytes, 1, file) != 1) return {};
  std::vector<T> values(static_cast<size_t>(bytes) / sizeof(T));
  if (std::fread(values.data(), sizeof(T), values.size(), file) != values.size()) return {};
  return values;
}

// Arrays of results: what they are here, to compare with what they were there.
template <class T>
struct Results {
  std::vector<T> theirs, ours;

  explicit Results(std::FILE* file) : theirs(next<T>(file)), ours(theirs.size()) {}

  long differing() const {
    long count = 0;
    for (size_t i = 0; i < theirs.size(); ++i) {
      count += std::memcmp(&ours[i], &theirs[i], sizeof(T)) != 0;
    }
    return count;
  }
};

// Returns how much differs, or -1 if the file is not complete.
long report(const char* what, size_t count, long outcomes, long lengths, long words, size_t all) {
  std::printf("%zu %s: %ld outcomes, %ld lengths and %ld of %zu numbers of states differ\n", count,
              what, outcomes, lengths, words, all);
  return count == 0 || all == 0 ? -1 : outcomes + lengths + words;
}

long replay_attempts(std::FILE* file) {
  phyre::SceneData scenes;
#define TOPPLE_READ(type, name, rows, more, columns) scenes.name = next<type>(file);
  TOPPLE_SCENE_ARRAYS(TOPPLE_READ)
#undef TOPPLE_READ
  const auto scene_index = next<int32_t>(file);
  const auto actions = next<double>(file);
  const auto rules = next<int32_t>(file);  // limit of steps, balls, bodies of a state
  Results<int8_t> outcome(file);
  Results<int32_t> steps(file);
  Results<float> state(file);
  if (outcome.theirs.size() != scene_index.size() || rules.size() != 3) return -1;
  phyre::Job job = {};
  job.scenes = scenes.scenes();
  job.attempt_count = static_cast<int64_t>(scene_index.size());
  job.scene_index = scene_index.data();
  job.actions = actions.data();
  job.ball_count = rules[1];
  job.rules = {rules[0], 0, false, true};
  job.out.outcome = outcome.ours.data();
  job.out.steps = steps.ours.data();
  job.out.max_bodies = rules[2];
  job.out.final_state = state.ours.data();
  Control control;
  phyre::work_on(job, nullptr, control);
  return report("attempts", scene_index.size(), outcome.differing(), steps.differing(),
                state.differing(), state.theirs.size());
}

long replay_plans(std::FILE* file) {
  iphyre::Job job = {};
  const auto body_start = next<int32_t>(file), joint_start = next<int32_t>(file);
  job.scenes.body_start = body_start.data();
  job.scenes.joint_start = joint_start.data();
  job.scenes.scene_count = static_cast<int32_t>(body_start.size()) - 1;
  std::vector<std::vector<double>> doubles;
  std::vector<std::vector<uint8_t>> bytes;
  std::vector<int32_t> joined;
  const auto read = [&](const char*, auto*& array, int) {
    using T = std::remove_const_t<std::remove_pointer_t<std::decay_t<decltype(array)>>>;
    std::vector<T> values = next<T>(file);
    array = values.data();  // which stays where it is when the vector moves
    if constexpr (std::is_same_v<T, double>) doubles.push_back(std::move(values));
    if constexpr (std::is_same_v<T, uint8_t>) bytes.push_back(std::move(values));
    if constexpr (std::is_same_v<T, int32_t>) joined = std::move(values);
  };
  iphyre::visit_body_arrays(job.scenes.arrays, read);
  iphyre::visit_joint_arrays(job.scenes.arrays, read);
  const auto physics = next<double>(file);  // gravity, bounce, friction, dt, bias; then the exit
  const auto scene_index = next<int32_t>(file);
  const auto removals = next<int32_t>(file);
  const auto builds = next<int64_t>(file);
  const auto limits = next<int32_t>(file);
  Results<uint8_t> solved(file);
  Results<int32_t> ticks(file);
  Results<double> state(file);
  const size_t count = scene_index.size();
  if (physics.size() != 8 || count == 0 || solved.theirs.size() != count) return -1;
  job.scenes.physics = {physics[0], {physics[1], physics[2]}, physics[3], physics[4]};
  job.out = {physics[5], physics[6], physics[7]};
  job.episode_count = static_cast<int64_t>(count);
  job.scene_index = scene_index.data();
  job.removals = removals.data();
  job.removal_width = static_cast<int32_t>(removals.size() / count);
  job.builds = builds.data();
  job.limits = limits.data();
  job.solved = solved.ours.data();
  job.ticks = ticks.ours.data();
  std::vector<int32_t> removed(count);
  job.removed = removed.data();
  job.stride = 1;
  job.max_bodies = job.removal_width;
  job.final_state = state.ours.data();
  Control control;
  iphyre::work_on(job, control);
  return report("plans", count, solved.differing(), ticks.differing(), state.differing(),
                state.theirs.size());
}

}  // namespace

int main(int count, char** words) {
  std::FILE* file = count == 2 ? std::fopen(words[1], "rb") : nullptr;
  if (!file) return 2;
  const long tiers[] = {replay_attempts(file), replay_attempts(file)};
  const long plans = replay_plans(file);
  std::fclose(file);
  if (tiers[0] < 0 || tiers[1] < 0 || plans < 0) return 2;
  return tiers[0] + tiers[1] + plans == 0 ? 0 : 1;
}
