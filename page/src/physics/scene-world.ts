// Loaded when a scene file is: it brings the readers of all kinds of files along.

export { sceneWorld } from 'manikin/scenes';
