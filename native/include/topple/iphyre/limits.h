// Fixed capacities. Scenes are checked against them when they are packed.
#pragma once

#include "topple/common/platform.h"

namespace topple {
namespace iphyre {

constexpr int kMaxBodies = 20;  // of a world, those that edits add included; games have 12
constexpr int kMaxJoints = 24;
// Every pair of bodies may touch at once.
constexpr int kMaxArbiters = kMaxBodies * (kMaxBodies - 1) / 2;
constexpr int kMaxNodes = 2 * kMaxBodies;  // of the two trees together

}  // namespace iphyre
}  // namespace topple
