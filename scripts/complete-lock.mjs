// Adds the platform packages that a registry does not serve to package-lock.json: "npm ci" refuses a lock file that leaves
// optional dependencies out, even those of other platforms. Run it after every change of dependencies:
//   npm install ... && node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32'];

/** Where a package of that name runs, as its own package.json says; here its name must do. */
function platform(name) {
  const words = name.split('/').pop().split('-');
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  return cpu.length === 0 ? undefined : { cpu, ...(os.length > 0 && { os }) };
}

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`;
    if (at in lock.packages || `${path}/${at}` in lock.packages) continue;
    const where = platform(name);
    if (where === undefined || !/^\d+\.\d+\.\d+/.test(version)) {
      console.error(`cannot tell where ${name}@${version} runs; left out`);
      continue;
    }
    lock.packages[at] = { version, ...where, ...(entry.dev && { dev: true }), optional: true };
    added++;
  }
}
const [root, ...rest] = Object.keys(lock.packages);
lock.packages = Object.fromEntries([root, ...rest.sort()].map((key) => [key, lock.packages[key]]));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.error(`${added} packages added to package-lock.json`);
