// Batches: many attempts on all cores, in caller-owned arrays.
#pragma once

#include "control.h"
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

// Takes attempts off the job until none is left; any number of threads may run it. Attempts
// start from their scenes, or from branches unless that is null.
void work_on(const Job& job, const Branches* branches, Control& control) noexcept;

}  // namespace topple
