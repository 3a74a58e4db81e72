// Imagined attempts, apart from the exact engine: see CMakeLists.txt.
#include "phyre/batch.h"
#include "phyre/share.h"

namespace topple::phyre {

void imagine_on(const Job& job, const ImaginedPhysics& physics, Control& control) noexcept {
  make_attempts(job, control, [&](int64_t i, const SceneView& scene, Scratch& scratch, Sink& sink) {
    return from_scene(physics, job, i, scene, scratch, sink);
  });
}

}  // namespace topple::phyre
