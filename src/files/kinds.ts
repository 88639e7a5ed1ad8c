// What kind of file it is: said by the end of its name.

/** Extensions of the files that `readModel` reads. */
export const MODEL_FILES = ['.urdf', '.xml', '.sdf', '.json', '.bvh', '.osim', '.xacro'] as const;
/** Extensions of the files that `readMotion` reads. */
export const MOTION_FILES = ['.bvh', '.mot', '.sto'] as const;

/** The name without the folders before it. */
export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** The end of a name from its last dot on, in lower case; empty where there is none, as for ".urdf" itself. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot).toLowerCase();
}

/** The name without folders and without its end. */
export function stemOf(path: string): string {
  const name = baseName(path);
  return name.slice(0, name.length - extensionOf(path).length);
}
