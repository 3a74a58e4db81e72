// Batches of I-PHYRE: many plans, or edited copies of one world, in caller-owned arrays.
#pragma once

#include <vector>

#include "control.h"
#include "iphyre/job.h"

namespace topple {
namespace iphyre {

// The order in which episodes share the most: by scene, then by their removals.
std::vector<int64_t> sharing_order(const Job& job);

// Takes episodes off the job until none is left; any number of threads may run it.
void work_on(const Job& job, Control& control) noexcept;

}  // namespace iphyre
}  // namespace topple
