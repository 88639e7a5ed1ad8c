// Where the mesh files of a model are. Paths come from strangers: none may lead out of the folders that the user named.

export type MeshPath =
  | { readonly kind: 'resolved'; readonly path: string }
  /** A package that the user gave no folder for; the path stays as it is written. */
  | { readonly kind: 'symbolic'; readonly path: string; readonly package: string }
  /** `expected` goes after the word "expected". */
  | { readonly kind: 'refused'; readonly expected: string };

/**
 * `package://name/rest` becomes the folder of that package with the rest; `package:///rest` belongs to the package of
 * the empty name. A relative path stays relative to the file that names it, and an absolute one must be inside the
 * folder of a package. Everything else is refused.
 */
export function resolveMeshPath(written: string, packages: ReadonlyMap<string, string>): MeshPath {
  const refused = (expected: string): MeshPath => ({ kind: 'refused', expected });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to keep out
  if (/[\\\u0000-\u001f\u007f]/.test(written)) return refused('a path without backslashes and control characters');
  if (/%(2e|2f|5c|00)/i.test(written)) return refused('a path without encoded dots and slashes');
  const inPackage = /^package:\/\/([^/]*)\/(.*)$/.exec(written);
  if (inPackage !== null) return inFolder(packages.get(inPackage[1]), inPackage[2], inPackage[1]);
  for (const folder of packages.values())
    if (folder !== '' && written.startsWith(withSlash(folder)))
      return inFolder(folder, written.slice(withSlash(folder).length));
  if (written.startsWith('/')) return refused('a path relative to the file or within the folder of a package');
  if (/^[a-z][a-z0-9+.-]*:/i.test(written)) return refused('a relative path or package://name/path');
  return inFolder('', written);
}

/** The folder '' is that of the file; a package whose folder is not known stays a name. */
function inFolder(folder: string | undefined, path: string, packageName = ''): MeshPath {
  const inside = normalised(path);
  if (inside === undefined || packageName === '.' || packageName === '..')
    return { kind: 'refused', expected: 'a path that does not leave its folder by ".."' };
  if (inside === '') return { kind: 'refused', expected: 'the path of a mesh' };
  if (folder === undefined)
    return { kind: 'symbolic', path: `package://${packageName}/${inside}`, package: packageName };
  return { kind: 'resolved', path: folder === '' ? inside : withSlash(folder) + inside };
}

function withSlash(folder: string): string {
  return folder.endsWith('/') ? folder : `${folder}/`;
}

/** The path without `.` and `..`, or undefined where it leads out of the folder it starts in. */
function normalised(path: string): string | undefined {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.join('/');
}
