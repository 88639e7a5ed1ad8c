// All commands: what the help says of each, and where it is. A command is loaded when it is called; the help of all of
// them loads none.

import type { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** Adds arguments, options and the action to a command that has its name and description. */
export type Configure = (command: Command, terminal: Terminal) => void;

export interface CommandEntry {
  readonly name: string;
  /** As the help shows them. */
  readonly arguments: string;
  readonly description: string;
  readonly load: () => Promise<Configure>;
}

export interface CommandGroup {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly CommandEntry[];
}

export const COMMANDS: readonly (CommandEntry | CommandGroup)[] = [
  {
    name: 'info',
    arguments: '<model>',
    description: 'what a model consists of',
    load: async () => (await import('./commands/info.js')).configureInfo,
  },
  {
    name: 'describe',
    arguments: '<model>',
    description: 'write a model and its state in the JSON description format',
    load: async () => (await import('./commands/describe.js')).configureDescribe,
  },
  {
    name: 'fd',
    arguments: '<model>',
    description: 'forward dynamics: joint accelerations under joint forces',
    load: async () => (await import('./commands/dynamics.js')).configureForward,
  },
  {
    name: 'id',
    arguments: '<model>',
    description: 'inverse dynamics: joint forces for joint accelerations',
    load: async () => (await import('./commands/dynamics.js')).configureInverse,
  },
  {
    name: 'mass-matrix',
    arguments: '<model>',
    description: 'the mass matrix at a state, by any of seven algorithms; counted, on a simulated array, on threads',
    load: async () => (await import('./commands/mass-matrix.js')).configureMassMatrix,
  },
  {
    name: 'energy',
    arguments: '<model>',
    description: 'energy, mass, centre of mass and momentum at a state',
    load: async () => (await import('./commands/energy.js')).configureEnergy,
  },
  {
    name: 'frames',
    arguments: '<model>',
    description: 'where bodies and named frames are and how they move; Jacobians',
    load: async () => (await import('./commands/frames.js')).configureFrames,
  },
  {
    name: 'derivatives',
    arguments: '<model>',
    description: 'how joint forces and accelerations change with positions, velocities and forces',
    load: async () => (await import('./commands/derivatives.js')).configureDerivatives,
  },
  {
    name: 'ik',
    arguments: '<model>',
    description: 'inverse kinematics: positions of the joints that bring a frame to a pose',
    load: async () => (await import('./commands/ik.js')).configureIk,
  },
  {
    name: 'simulate',
    arguments: '<scene>',
    description: 'let a scene or a mechanism move: contacts, motors, events; recorded, stopped and resumed',
    load: async () => (await import('./commands/simulate.js')).configureSimulate,
  },
  {
    name: 'sweep',
    arguments: '<sweep>',
    description:
      'thousands of simulations or inverse dynamics, over parameters, seeds and files; resumed where it stopped',
    load: async () => (await import('./commands/sweep.js')).configureSweep,
  },
  {
    name: 'worker',
    arguments: '',
    description: 'make the runs of sweeps that stand in a queue (sweep --queue), on as many machines as one likes',
    load: async () => (await import('./commands/worker.js')).configureWorker,
  },
  {
    name: 'inverse',
    arguments: '<motion>',
    description: 'inverse dynamics of a captured motion: joint forces, and the force of the ground, over time',
    load: async () => (await import('./commands/inverse.js')).configureInverseMotion,
  },
  {
    name: 'reroot',
    arguments: '<model>',
    description: 'the same mechanism in the same state, hanging from the ground by another body (paper 001)',
    load: async () => (await import('./commands/reroot.js')).configureReroot,
  },
  {
    name: 'walk',
    arguments: '',
    description: 'a passive walker on a slope (paper 001): its gait, its stability, its road to chaos',
    load: async () => (await import('./commands/walk.js')).configureWalk,
  },
  {
    name: 'schedule',
    arguments: '<model>',
    description: 'the best order of assembly for a number of processors (paper 002)',
    load: async () => (await import('./commands/schedule.js')).configureSchedule,
  },
  {
    name: 'view',
    arguments: '[what]',
    description: 'the page: see a model, a scene or a recording move, and touch it',
    load: async () => (await import('./commands/view.js')).configureView,
  },
  {
    name: 'calibrate',
    arguments: '',
    description: 'measure what an instruction and a word between threads take on this machine, and keep it',
    load: async () => (await import('#bench/commands/calibrate.js')).configure,
  },
  {
    name: 'reproduce',
    arguments: '<paper>',
    description: "a paper's figures beside ours",
    load: async () => (await import('#bench/commands/reproduce.js')).configure,
  },
  {
    name: 'bench',
    description: 'measure this engine on this machine',
    commands: [
      {
        name: 'fd',
        arguments: '<model...>',
        description: "forward dynamics by every variant, side by side; MuJoCo's too where @mujoco/mujoco is installed",
        load: async () => (await import('#bench/commands/fd.js')).configure,
      },
      {
        name: 'functions',
        arguments: '<model...>',
        description: 'every function through the front door: dynamics, mass matrix, poses, Jacobians, energy',
        load: async () => (await import('#bench/commands/functions.js')).configure,
      },
      {
        name: 'parallel',
        arguments: '[model...]',
        description: 'forward dynamics of one mechanism on several threads against the fastest code for one',
        load: async () => (await import('#bench/commands/parallel.js')).configure,
      },
      {
        name: 'simulation',
        arguments: '<model...>',
        description: 'a step of a simulation beside one call of its forward dynamics, by engine and integrator',
        load: async () => (await import('#bench/commands/simulation.js')).configure,
      },
      {
        name: 'contact',
        arguments: '[scene...]',
        description: "a step of worlds in contact; MuJoCo's beside it where @mujoco/mujoco is installed",
        load: async () => (await import('#bench/commands/contact.js')).configure,
      },
      {
        name: 'gpu',
        arguments: '<model...>',
        description: 'states per second on the GPU by batch size, and the time of one large mechanism',
        load: async () => (await import('#bench/commands/gpu.js')).configure,
      },
    ],
  },
  {
    name: 'completion',
    arguments: '<shell>',
    description: 'a script that completes commands and options in bash, zsh or fish',
    load: async () => (await import('./commands/completion.js')).configureCompletion,
  },
  {
    name: 'models',
    arguments: '',
    description: 'the built-in mechanisms, and the scenes for simulate',
    load: async () => (await import('./commands/models.js')).configureModels,
  },
];
