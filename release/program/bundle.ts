import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { build } from 'esbuild';
import { ROOT } from '../names.ts';

/** Where the npm program has OpenPGP.js, which stays a file of its own: its licence, the LGPL, lets users replace it. */
export const OPENPGP_FILE = 'openpgp.mjs';

/** Resolves the import of OpenPGP.js to a file that is not bundled. */
const apartOpenpgp: Plugin = {
  name: 'openpgp-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^openpgp$/ }, () => ({ path: `./${OPENPGP_FILE}`, external: true }));
  },
};

/**
 * A package that is loaded when it is needed has the exports that Node.js gives it: of one in CommonJS the bundler would
 * know `default` alone.
 */
const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^.]/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' && !isBuiltin(path) && !path.startsWith('@colophon/')
        ? { path, namespace: 'lazy-package', pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'lazy-package' }, async ({ path, pluginData: resolveDir }) => {
      const resolved = await resolve(path, { kind: 'import-statement', resolveDir });
      const loaded = await import(pathToFileURL(resolved.path).href);
      const names = Object.keys(loaded).filter((name) => name !== 'module.exports');
      return { contents: `export { ${names.join(', ')} } from ${JSON.stringify(path)};`, resolveDir };
    });
  },
};

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24.15',
  // Names stay, so that a stack trace can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  // What is bundled has its licence texts in one file.
  legalComments: 'none',
  // What packages look for and do without: PostgreSQL's native client, and what CycloneDX's library would read XML with
  // and validate with, which it is never asked to.
  external: ['pg-native', 'ajv-formats-draft2019', 'libxmljs2', 'xmlbuilder2'],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The program as ECMAScript modules, one for each part that is loaded on its own. */
export async function bundleModules(outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: {
      main: 'release/program/entry/modules.ts',
      'aside-process': 'packages/server/src/aside/aside-process.ts',
    },
    outdir,
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
    plugins: [apartOpenpgp, lazyPackages],
    // What packages in CommonJS expect to have.
    banner: {
      js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url),__dirname=import.meta.dirname;",
    },
  });
  return metafile;
}
