// Batches: many attempts on all cores, in caller-owned arrays.
#pragma once

#include <atomic>
#include <cstdint>

#include "topple/edits.h"
#include "topple/job.h"

namespace topple {

// Worlds that all start as one, each changed by edits of its own.
struct Branches {
  const World* origin;
  Progress progress;
  const int32_t* edit_start;  // [attempts + 1]
  const Edit* edits;
};

// Progress and cancellation, shared with whoever waits.
struct Control {
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};
  std::atomic<bool> cancelled{false};
  std::atomic<bool> failed{false};  // out of memory for a thread's world
};

// Takes attempts off the job until none is left; any number of threads may run it. Attempts
// start from their scenes, or from branches unless that is null.
void work_on(const Job& job, const Branches* branches, Control& control) noexcept;

}  // namespace topple
