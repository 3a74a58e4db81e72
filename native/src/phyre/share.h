// Sharing the attempts of a job among threads.
#pragma once

#include <memory>
#include <new>

#include "control.h"
#include "phyre/scratch.h"

namespace topple::phyre {

// Takes attempts off the job until none is left, each by make(i, scene, scratch, sink).
template <class Make>
void make_attempts(const Job& job, Control& control, const Make& make) {
  const std::unique_ptr<Scratch> scratch(new (std::nothrow) Scratch);
  if (!scratch) {
    control.failed = true;
    return;
  }
  scratch->scene = -1;
  take_turns(control, job.attempt_count, [&](int64_t i) {
    Sink sink = job.sink(i);
    const SceneView scene = job.scenes.view(job.scene_index[i]);
    job.report(i, make(i, scene, *scratch, sink), sink);
  });
  finish_copies();
}

}  // namespace topple::phyre
