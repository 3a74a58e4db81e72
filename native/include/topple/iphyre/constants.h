// Constants of the physics that no game changes.
#pragma once

#include "topple/common/platform.h"

namespace topple {
namespace iphyre {

// A single-precision literal that became a double.
constexpr double kTenth = 0x1.99999ap-4;

constexpr int kIterations = 10;          // of the solver in a step
constexpr double kSlop = kTenth;         // px that contacts may overlap
constexpr int kPersistence = 3;          // steps after which a lost contact is forgotten
constexpr double kFat = kTenth;          // of a body's size, and seconds of its motion
constexpr double kTiny = 0x1p-1022;      // keeps a division by a length from failing
constexpr uint64_t kHash = 3344921057u;  // mixes the numbers of shapes
constexpr int kSearchRounds = 30;        // of the closest points of two capsules

}  // namespace iphyre
}  // namespace topple
