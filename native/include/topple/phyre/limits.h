// Fixed capacities. Scenes are checked against them when they are packed; a build
// for a device with little memory may set its own.
#pragma once

#ifndef TOPPLE_MAX_BODIES
#define TOPPLE_MAX_BODIES 128
#endif
#ifndef TOPPLE_MAX_FIXTURES
#define TOPPLE_MAX_FIXTURES 192
#endif
#ifndef TOPPLE_MAX_CONTACTS
#define TOPPLE_MAX_CONTACTS 512
#endif

namespace topple::phyre {

constexpr int kMaxVertices = 8;                    // of a polygon
constexpr int kMaxBodies = TOPPLE_MAX_BODIES;      // of a world, balls of the player included
constexpr int kMaxFixtures = TOPPLE_MAX_FIXTURES;  // shapes of a world
constexpr int kMaxContacts = TOPPLE_MAX_CONTACTS;  // pairs with overlapping fat boxes at one time
constexpr int kMaxBalls = 2;                       // of an action

}  // namespace topple::phyre
