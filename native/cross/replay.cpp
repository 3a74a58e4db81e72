// Replays attempts that another build has made, and counts what differs: `replay FILE`.
#include <cstdio>
#include <cstring>
#include <vector>

#include "phyre/batch.h"

namespace {

// The next array of a file: its length in bytes, then its content.
template <class T>
std::vector<T> next(std::FILE* file) {
  int64_t bytes = 0;
  if (std::fread(&bytes, sizeof bytes, 1, file) != 1) return {};
  std::vector<T> values(static_cast<size_t>(bytes) / sizeof(T));
  if (std::fread(values.data(), sizeof(T), values.size(), file) != values.size()) return {};
  return values;
}

template <class T>
long differing(const std::vector<T>& ours, const std::vector<T>& theirs) {
  long count = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    count += std::memcmp(&ours[i], &theirs[i], sizeof(T)) != 0;
  }
  return count;
}

}  // namespace

int main(int, char** words) {
  std::FILE* file = std::fopen(words[1], "rb");
  if (!file) return 2;
  topple::phyre::SceneData scenes;
#define TOPPLE_READ(type, name, rows, more, columns) scenes.name = next<type>(file);
  TOPPLE_SCENE_ARRAYS(TOPPLE_READ)
#undef TOPPLE_READ
  const auto scene_index = next<int32_t>(file);
  const auto actions = next<double>(file);
  const auto rules = next<int32_t>(file);  // limit of steps, balls, bodies of a state
  const auto outcome = next<int8_t>(file);
  const auto steps = next<int32_t>(file);
  const auto state = next<float>(file);
  std::fclose(file);
  if (outcome.empty() || outcome.size() != scene_index.size() || state.empty()) return 2;

  std::vector<int8_t> our_outcome(outcome.size());
  std::vector<int32_t> our_steps(steps.size());
  std::vector<float> our_state(state.size());
  topple::phyre::Job job = {};
  job.scenes = scenes.scenes();
  job.attempt_count = static_cast<int64_t>(scene_index.size());
  job.scene_index = scene_index.data();
  job.actions = actions.data();
  job.ball_count = rules[1];
  job.rules = {rules[0], 0, false, true};
  job.out.outcome = our_outcome.data();
  job.out.steps = our_steps.data();
  job.out.max_bodies = rules[2];
  job.out.final_state = our_state.data();
  topple::Control control;
  topple::phyre::work_on(job, nullptr, control);

  const long outcomes = differing(our_outcome, outcome);
  const long lengths = differing(our_steps, steps);
  const long words_of_state = differing(our_state, state);
  std::printf("%zu attempts: %ld outcomes, %ld steps and %ld of %zu numbers of states differ\n",
              outcome.size(), outcomes, lengths, words_of_state, state.size());
  return outcomes + lengths + words_of_state == 0 ? 0 : 1;
}
