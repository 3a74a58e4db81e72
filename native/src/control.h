// Sharing a batch among threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace topple {

// Progress and cancellation, shared with whoever waits.
struct Control {
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> failed{false};  // out of memory for a thread's world
  // Asked between two chunks whether to cancel, where nobody waits in another thread.
  bool (*interrupted)() = nullptr;
};

// Small enough to share the work evenly, large enough to rarely meet at the counter.
constexpr int64_t kChunk = 8;

// Does work(i) for numbers below count that no other thread has taken, until none is left.
template <class Work>
void take_turns(Control& control, int64_t count, const Work& work) {
  while (!control.cancelled) {
    if (control.interrupted && control.interrupted()) control.cancelled = true;
    const int64_t begin = control.next.fetch_add(kChunk);
    if (begin >= count) return;
    const int64_t end = std::min(begin + kChunk, count);
    for (int64_t i = begin; i < end && !control.cancelled; ++i) {
      work(i);
      control.done.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace topple
