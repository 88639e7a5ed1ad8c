// Scene files: read and checked as far as they can be without the models they name; written.

import { ImportLog, quoted } from '../formats/import-log.js';
import { parseJson } from '../formats/json-reader.js';
import { formatJson } from '../formats/json-writer.js';
import { type Mat3, rotationDefect } from '../spatial/matrix3.js';
import { pathOf, SchemaCheck } from './check-schema.js';
import type { Scene, SceneControl, SceneEvent, SceneObstacle } from './scene.js';
import { SCENE_SCHEMA } from './schema.js';

/** Most steps of a scene. */
export const MAX_STEPS = 1e9;
/** Seconds, where a scene does not say. */
export const DEFAULT_STEP = 2e-3;
export const DEFAULT_DURATION = 5;

/**
 * Reads a scene file, or data that came from one. An ImportError lists every mistake with its place. Names of models, joints and
 * bodies are looked up when the scene is made: `sceneWorld`.
 */
export function parseScene(source: string | object, options: { readonly file?: string } = {}): Scene {
  const log = new ImportLog(options.file);
  const data = typeof source === 'string' ? parseJson(source, log) : structuredClone(source);
  const check = new SchemaCheck(SCENE_SCHEMA, log);
  check.check(data);
  log.throwIfBroken();
  const scene = data as Scene;
  checkMeaning(scene, check);
  log.throwIfBroken();
  return scene;
}

/** Whether a JSON text is a scene: it has mechanisms; a description has bodies. Nothing is parsed for it. */
export function isScene(text: string): boolean {
  return /"mechanisms"\s*:/.test(text);
}

/** The text of a scene file. */
export function formatScene(scene: Scene): string {
  return `${formatJson(scene)}\n`;
}

/** What a schema cannot say. */
function checkMeaning(scene: Scene, check: SchemaCheck): void {
  const { mechanisms, ground, obstacles = [], events = [], connect = [] } = scene;
  const { step = DEFAULT_STEP, duration = DEFAULT_DURATION } = scene;
  if (duration / step > MAX_STEPS)
    check.error('duration', `These are ${Math.ceil(duration / step)} steps; take a shorter time or a longer step.`);
  const names = new Map<string, string>();
  const unique = (name: string | undefined, path: string): void => {
    if (name === undefined) return;
    const other = names.get(name);
    if (other !== undefined) check.error(path, `The name ${quoted(name)} is that of ${other} already.`);
    names.set(name, path.replace(/\.name$/, ''));
  };
  if (ground !== undefined && ground !== false) names.set('ground', 'ground');
  mechanisms.forEach(({ name, turned, control, state, keyframe, model }, k) => {
    const path = `mechanisms[${k}]`;
    unique(name, `${path}.name`);
    if (turned !== undefined && !(Math.abs(Math.hypot(...turned) - 1) < 1e-3))
      check.error(`${path}.turned`, `Expected a unit quaternion, got one of length ${Math.hypot(...turned)}.`);
    if (state !== undefined && keyframe !== undefined) check.error(path, 'Give a state or a keyframe, not both.');
    if (typeof model === 'object' && 'mass' in model && 'density' in model)
      check.error(`${path}.model`, 'Give a mass or a density, not both.');
    checkControl(control, pathOf(path, 'control'), check);
  });
  if (typeof ground === 'object' && ground.plane !== undefined && Math.hypot(...ground.plane.slice(0, 3)) < 1e-9)
    check.error('ground.plane', 'The first three numbers are the normal of the plane; they must not all be zero.');
  obstacles.forEach((obstacle, k) => {
    unique(obstacle.name, `obstacles[${k}].name`);
    checkObstacle(obstacle, `obstacles[${k}]`, check);
  });
  connect.forEach(({ name }, k) => {
    unique(name, `connect[${k}].name`);
  });
  events.forEach((event, k) => {
    checkEvent(event, `events[${k}]`, check);
    if (event.at > duration)
      check.error(`events[${k}].at`, `It would happen at ${event.at} s, after the end of the scene at ${duration} s.`);
  });
}

function checkObstacle({ E, shape }: SceneObstacle, path: string, check: SchemaCheck): void {
  if (E !== undefined && !(rotationDefect(E as unknown as Mat3) < 1e-6))
    check.error(`${path}.E`, 'Expected a rotation matrix: nine numbers, row by row.');
  if (shape.kind === 'hull' && shape.points.length % 3 !== 0)
    check.error(`${path}.shape.points`, `Expected three numbers for each point, got ${shape.points.length} in all.`);
  if (shape.kind === 'heights' && shape.heights.length !== shape.rows * shape.columns)
    check.error(
      `${path}.shape.heights`,
      `Expected rows times columns, ${shape.rows * shape.columns} numbers, got ${shape.heights.length}.`,
    );
}

function checkEvent(event: SceneEvent, path: string, check: SchemaCheck): void {
  if ('control' in event && event.control !== null) checkControl(event.control, `${path}.control`, check);
}

function checkControl(
  control: SceneControl | readonly SceneControl[] | undefined,
  path: string,
  check: SchemaCheck,
): void {
  if (control === undefined) return;
  if (isList(control)) {
    control.forEach((one, k) => {
      checkControl(one, `${path}[${k}]`, check);
    });
    return;
  }
  if (control.kind === 'position' && control.target !== undefined && control.keyframe !== undefined)
    check.error(path, 'Give a target or a keyframe, not both.');
  if (control.kind === 'actuators' && control.controls !== undefined && control.keyframe !== undefined)
    check.error(path, 'Give controls or a keyframe, not both.');
  if (control.kind !== 'trajectory') return;
  const { times, joints } = control;
  const late = times.findIndex((time, k) => k > 0 && !(time > times[k - 1]));
  if (late >= 0)
    check.error(`${path}.times[${late}]`, `Times must rise, but ${times[late]} follows ${times[late - 1]}.`);
  for (const [name, positions] of Object.entries(joints))
    if (positions.length !== times.length)
      check.error(
        pathOf(`${path}.joints`, name),
        `Expected a position for each of the ${times.length} times, got ${positions.length}.`,
      );
}

/** Array.isArray does not tell a readonly list from the rest. */
export function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
