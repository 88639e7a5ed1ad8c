// Puts the command together: dist/cli/main.js and a few files in dist/cli/parts instead of more than a hundred modules, most
// of which `manikin fd` would read one after the other before it does anything. The modules stay in dist for everybody else.
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const parts = `${dist}cli/parts`;

/** What a module finds beside itself (workers, kernels.bin) is still there. */
const keepAddresses = {
  name: 'addresses of modules',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null;
    return code.replaceAll('import.meta.url', `new URL('../../${id.slice(dist.length)}', import.meta.url).href`);
  },
};

rmSync(parts, { recursive: true, force: true });
const bundle = await rolldown({
  // Threads of sweeps share the files of the command.
  input: { main: `${dist}cli/start.js`, 'run-thread': `${dist}cli/sweep/run-thread.js` },
  platform: 'node',
  // Other packages stay where they are installed.
  external: (id) => !/^[./#]/.test(id) && id !== 'commander',
  plugins: [keepAddresses],
});
await bundle.write({
  dir: parts,
  format: 'es',
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
});
await bundle.close();
writeFileSync(`${dist}cli/main.js`, "#!/usr/bin/env node\nimport './parts/main.js';\n");
