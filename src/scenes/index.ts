// manikin/scenes: worlds from scene files, and the scenes that come with the package.

export { type AddedModel, addModel } from './add-model.js';
export { BUNDLED_SCENES, type BundledScene, bundledScene } from './bundled.js';
export { Environment, environment } from './environment.js';
export type { EnvironmentOptions } from './environment-copies.js';
export type { EnvironmentTask } from './environment-task.js';
export { fitStart } from './fit-start.js';
export { type SceneOptions, sceneWorld } from './make-scene.js';
export { ParallelEnvironment, type ParallelEnvironmentOptions, parallelEnvironment } from './parallel-environment.js';
export { formatScene, isScene, parseScene } from './parse-scene.js';
export { type RunFigures, RunSummary } from './run-summary.js';
export type {
  Scene,
  SceneBody,
  SceneConnection,
  SceneControl,
  SceneEvent,
  SceneFilter,
  SceneGains,
  SceneGeometry,
  SceneGround,
  SceneMechanism,
  SceneObstacle,
  ScenePose,
  ScenePush,
  SceneSurface,
} from './scene.js';
export type { SceneCheckpoint, SceneWorld } from './scene-world.js';
export { type JsonSchema, SCENE_SCHEMA } from './schema.js';
