#include "iphyre/batch.h"

#include <algorithm>
#include <memory>
#include <new>

namespace topple {
namespace iphyre {

std::vector<int64_t> sharing_order(const Job& job) {
  const size_t count = static_cast<size_t>(job.episode_count);
  std::vector<Removals> sorted(count);
  size_t width = 1;
  for (size_t i = 0; i < count; ++i) {
    const int64_t n = static_cast<int64_t>(i);
    const int bodies = job.scenes.view(job.scene_index[n]).body_count;
    sorted[i] = sort_removals(job.removals + n * job.removal_width, bodies);
    width = std::max(width, static_cast<size_t>(sorted[i].count));
  }
  // The keys of all removals, filled up with the end.
  std::vector<int64_t> keys(count * width);
  for (size_t i = 0; i < count; ++i) {
    const int64_t end = removal_key(job.limits[i], 0);
    for (size_t k = 0; k < width; ++k) {
      const bool some = k < static_cast<size_t>(sorted[i].count);
      const int64_t key = some ? removal_key(sorted[i].list[k].tick, sorted[i].list[k].body) : end;
      keys[i * width + k] = std::min(key, end);
    }
  }
  std::vector<int64_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (job.scene_index[a] != job.scene_index[b]) return job.scene_index[a] < job.scene_index[b];
    if (job.builds[a] != job.builds[b]) return job.builds[a] < job.builds[b];
    const auto at = [&](int64_t i) { return keys.begin() + i * static_cast<int64_t>(width); };
    const auto end = static_cast<int64_t>(width);
    const auto [left, right] = std::mismatch(at(a), at(a) + end, at(b));
    return left == at(a) + end ? a < b : *left < *right;
  });
  return order;
}

void work_on(const Job& job, Control& control) noexcept {
  const std::unique_ptr<Workspace> workspace(new (std::nothrow) Workspace);
  if (!workspace) {
    control.failed = true;
    return;
  }
  take_turns(control, job.episode_count, [&](int64_t turn) {
    play_episode(job, job.order ? job.order[turn] : turn, *workspace);
  });
}

}  // namespace iphyre
}  // namespace topple
