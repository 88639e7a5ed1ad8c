/** A module of Node's own, without an import, so that its user loads in a page. Undefined there, and before Node 20.16. */
export function builtinModule(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.(name);
}
