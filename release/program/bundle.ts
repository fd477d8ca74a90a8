import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';
import { build } from 'esbuild';
import { ROOT } from '../names.ts';
import { LICENCE_TEXTS_ASSET, OPENPGP_ASSET } from './assets.ts';

/** Where the npm program has OpenPGP.js, which stays a file of its own: its licence, the LGPL, lets users replace it. */
export const OPENPGP_FILE = 'openpgp.mjs';

/** Resolves the import of OpenPGP.js to a file that is not bundled. */
const apartOpenpgp: Plugin = {
  name: 'openpgp-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^openpgp$/ }, () => ({ path: `./${OPENPGP_FILE}`, external: true }));
  },
};

/** In the executable OpenPGP.js is a file among those that it carries, compiled when it is needed. */
const carriedOpenpgp: Plugin = {
  name: 'openpgp-carried',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^openpgp$/ }, () => ({ path: 'openpgp', namespace: 'carried-openpgp' }));
    onLoad({ filter: /./, namespace: 'carried-openpgp' }, async () => {
      const names = Object.keys(await import('openpgp')).join(', ');
      const contents = `
        import { compileFunction } from 'node:vm';
        import { readAsset } from '@colophon/assets';
        const text = new TextDecoder().decode(readAsset(${JSON.stringify(OPENPGP_ASSET)}));
        const module = { exports: {} };
        compileFunction(text, ['module', 'exports', 'require', '__filename'])(module, module.exports, require, __filename);
        export const { ${names} } = module.exports;`;
      return { contents, resolveDir: `${ROOT}/packages/program/server` };
    });
  },
};

const carriedLicenceTexts: Plugin = {
  name: 'licence-texts-carried',
  setup({ onLoad }) {
    onLoad({ filter: /\/spdx-full\.json$/ }, () => ({
      contents: `
        import { readAsset } from '@colophon/assets';
        export default JSON.parse(new TextDecoder().decode(readAsset(${JSON.stringify(LICENCE_TEXTS_ASSET)})));`,
      resolveDir: `${ROOT}/packages/program/server`,
    }));
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
      kind === 'dynamic-import' && path !== 'openpgp' && !isBuiltin(path) && !path.startsWith('@colophon/')
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

/**
 * What packages in CommonJS expect to have. Their `require` finds built-in modules alone, as the one of an executable
 * does: what lies in a `node_modules` above the program was put there by whoever writes to that folder.
 */
const BANNER = `import{createRequire as requireOfNode,isBuiltin as isOfNode}from'node:module';
const __dirname=import.meta.dirname,require=(load=>{
const known=name=>{if(isOfNode(name))return name;throw Object.assign(new Error('Cannot find module '+name),{code:'MODULE_NOT_FOUND'})};
return Object.assign(name=>load(known(name)),{resolve:known});
})(requireOfNode(import.meta.url));`;

/** Gives that `require` to packages that make one of their own. */
const builtinRequire: Plugin = {
  name: 'builtin-require',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:node:)?module$/ }, ({ importer }) =>
      importer.includes('/node_modules/') ? { path: `${ROOT}/release/program/entry/builtin-require.ts` } : undefined,
    );
  },
};

/**
 * What packages look for and do without: PostgreSQL's native client, and what CycloneDX's library would read XML with
 * and validate with, which it is never asked to.
 */
export const EXTERNAL_PACKAGES: readonly string[] = ['pg-native', 'ajv-formats-draft2019', 'libxmljs2', 'xmlbuilder2'];

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
  external: [...EXTERNAL_PACKAGES],
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The program as one script in CommonJS, for an executable: it can load no second file, and V8's code cache is for these. */
export async function bundleOne(outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: ['release/program/entry/executable.ts'],
    outfile,
    format: 'cjs',
    // The whole text is in memory before anything of it runs: a quarter less of it.
    minifyIdentifiers: true,
    keepNames: true,
    plugins: [builtinRequire, carriedOpenpgp, carriedLicenceTexts, lazyPackages],
    // It is its own module file.
    define: {
      'import.meta.url': 'selfUrl',
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    banner: { js: "const selfUrl=require('node:url').pathToFileURL(process.execPath).href;" },
    // Nothing is looked up beside it.
    logOverride: { 'empty-import-meta': 'silent' },
  });
  return metafile;
}

/**
 * The program as ECMAScript modules, one for each part that is loaded on its own.
 * @param outdir without it nothing is written
 */
export async function bundleModules(outdir?: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    entryPoints: {
      main: 'release/program/entry/modules.ts',
      'aside-process': 'packages/program/server/src/aside/aside-process.ts',
    },
    outdir: outdir ?? '.',
    write: outdir !== undefined,
    format: 'esm',
    splitting: true,
    chunkNames: 'part-[hash]',
    plugins: [builtinRequire, apartOpenpgp, lazyPackages],
    banner: { js: BANNER },
  });
  return metafile;
}
