// Tolerances and settings of the physics, in metres, kilograms, seconds and radians.
// The expressions are evaluated in float32 on purpose: their bits matter.
#pragma once

namespace topple::phyre {

constexpr float kEpsilon = 1.1920928955078125e-7f;  // 2^-23
constexpr float kMaxFloat = 3.402823466e+38f;
constexpr float kPi = 3.14159265359f;

// Shapes and contacts.
constexpr float kLinearSlop = 0.005f;              // overlap that is left alone
constexpr float kPolygonRadius = 2 * kLinearSlop;  // skin around polygons
constexpr float kBoxMargin = 0.1f;                 // by which fat boxes exceed tight ones
constexpr float kBoxLookahead = 2.0f;              // steps of motion a fat box covers

// Solver.
constexpr int kVelocityPasses = 15;
constexpr int kPositionPasses = 20;
constexpr float kRestitutionSpeed = 1.0f;  // slower approaches do not bounce
constexpr float kMaxCorrection = 0.2f;     // of a position in one pass
constexpr float kBaumgarte = 0.2f;
constexpr float kToiBaumgarte = 0.75f;
constexpr float kMaxCondition = 1000.0f;  // of the two-point block
constexpr float kMaxTranslation = 2.0f;   // in one step
constexpr float kMaxRotation = 0.5f * kPi;

// Sleep.
constexpr float kTimeToSleep = 0.5f;
constexpr float kLinearSleepTolerance = 0.01f;
constexpr float kAngularSleepTolerance = 2.0f / 180.0f * kPi;

// Time of impact.
constexpr int kMaxToiEvents = 8;     // of one contact in one step
constexpr int kMaxToiContacts = 32;  // solved together in one event
constexpr int kMaxToiBodies = 64;
constexpr int kMaxToiRounds = 20;
constexpr int kMaxRootSteps = 50;
constexpr int kMaxGjkRounds = 20;

// PHYRE's world.
constexpr float kTimeStep = 1.0f / 60.0f;
constexpr float kGravityY = -9.8f;
constexpr float kDensity = 0.25f;
constexpr float kFriction = 0.5f;
constexpr float kRestitution = 0.2f;
constexpr float kAngularDamping = 0.01f;
constexpr float kPixelsPerMetre = 6.0f;

}  // namespace topple::phyre
