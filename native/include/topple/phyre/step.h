// One step of the world.
#pragma once

#include "topple/phyre/continuous.h"
#include "topple/phyre/physics.h"

namespace topple::phyre {

// Watches nothing; tests pass one that records islands and impacts.
struct NoObserver {
  TOPPLE_FN void island(const World&, const Workspace&, const Island&) {}
  TOPPLE_FN void toi_evaluated(const Contact&, float, const Impact&, float) {}
  TOPPLE_FN void toi_event(const Contact&, float) {}
  TOPPLE_FN void toi_missed(const Contact&) {}
  TOPPLE_FN void toi_solve(const World&, const Workspace&, const Island&, float) {}
};

// Shortcuts leave out work that cannot change a bit; without them every pass and every
// search is carried out, which is what tests compare with.
template <class Physics, class Observer>
TOPPLE_FN void step(const Physics& physics, World& world, Workspace& work, bool shortcuts,
                    Observer& observer) {
  if (world.fixtures_added) {
    find_new_contacts(world, work.pair_keys);
    world.fixtures_added = false;
  }
  collide(world);
  solve_islands(physics, world, work, shortcuts, observer);
  if (physics.continuous) solve_continuous(physics, world, work, shortcuts, observer);
}

template <class Observer>
TOPPLE_FN void step(World& world, Workspace& work, bool shortcuts, Observer& observer) {
  step(ExactPhysics{}, world, work, shortcuts, observer);
}

TOPPLE_FN void step(World& world, Workspace& work) {
  NoObserver observer;
  step(world, work, true, observer);
}

}  // namespace topple::phyre
