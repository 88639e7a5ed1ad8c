// manikin/world: mechanisms that touch each other, the ground and obstacles.

export { ball, box, capsule, cylinder, type FreeBodyOptions } from './bodies.js';
export type { Checkpoint, MemberCheckpoint, PairCheckpoint } from './checkpoint.js';
export type { ContactReport, ContactSide, Overlap, TouchEvent } from './contact-report.js';
export type { IslandReport } from './island-solve.js';
export type { Member } from './member.js';
export type { Command, Motor, PositionCommand } from './motors.js';
export type { ImuReading, SolvedStep } from './sensors.js';
export type { Sleep, SleepOptions } from './sleep.js';
export { type AddOptions, type StepReport, World, type WorldOptions } from './world.js';
export type { PairFriction } from './world-shape.js';
