import { type Library, SOURCE_SCOPE } from './libraries.ts';
import type { Published } from './names.ts';

/**
 * Where nothing of Node is used, its dependencies set the limit. Node 22.12 is also the first that lets CommonJS
 * `require` a module without a flag.
 */
export const NODE_OF_PURE_PACKAGES = '^22.12.0 || >=24.10.0';

/** What the declarations of the others name. Any later ones do, and two copies in one program contradict each other. */
const NODE_TYPES = { '@types/node': '>=24' } as const;

/** The package.json with which a library is published. */
export function publishedManifest(
  { name, manifest, entries, isPure }: Library,
  { scope, version }: Published,
  repository: unknown,
) {
  const exports = Object.entries(entries).map(([entry, source]) => {
    const module = source.replace(/^\.\/src\//, './lib/').replace(/\.ts$/, '');
    return [entry, { types: `${module}.d.ts`, default: `${module}.js` }] as const;
  });
  const dependencies = {
    ...Object.fromEntries(
      Object.entries(manifest.dependencies ?? {}).map(([dependency, wanted]) =>
        dependency.startsWith(`${SOURCE_SCOPE}/`)
          ? [`${scope}${dependency.slice(SOURCE_SCOPE.length)}`, version]
          : [dependency, wanted],
      ),
    ),
    ...(isPure ? {} : NODE_TYPES),
  };
  return {
    name: `${scope}/${name}`,
    version,
    description: manifest.description,
    license: manifest.license,
    ...(repository === undefined ? {} : { repository }),
    type: 'module',
    // No module does anything but declare; a bundler may leave out each one of which nothing is used.
    sideEffects: false,
    engines: { node: isPure ? NODE_OF_PURE_PACKAGES : manifest.engines.node },
    exports: Object.fromEntries(exports),
    files: ['lib', 'src'],
    ...(Object.keys(dependencies).length === 0 ? {} : { dependencies }),
  };
}
