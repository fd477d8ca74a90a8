// Refuses a package outside of its house, and an import that goes sideways or up, that is not declared in the package's own
// package.json, or that brings the test kit into shipped code. TypeScript's project references do not enforce this.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DEV_ONLY, mayImport, PLACES } from './layers.ts';
import { packageFolders } from './packages.ts';

// Statements and calls that name a module; the word `from` in a text or between two texts is none.
const MODULE = `['"]([@\\w./:-]+)['"]`;
const IMPORT = new RegExp(
  `^\\s*(?:import|export)\\b[^;'"\`]*?\\bfrom\\s*${MODULE}|^\\s*import\\s*${MODULE}|\\bimport\\(\\s*${MODULE}`,
  'gm',
);

function sourceFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'node_modules' ? [] : sourceFiles(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

/** Every broken rule under `root/packages`, one sentence each. */
export function layerProblems(root: string): string[] {
  const problems: string[] = [];
  for (const [name, path] of packageFolders(root)) {
    const folder = join(root, path);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const declared = new Set(Object.keys(manifest.dependencies ?? {}));
    const declaresTypesOf = (dependency: string) => `@types/${dependency}` in (manifest.devDependencies ?? {});
    const place = PLACES.get(name);
    const house = DEV_ONLY.includes(name) ? 'testing' : place?.house;
    if (house === undefined) {
      problems.push(`${path} stands in no house: add it to tools/layers.ts`);
      continue;
    }
    if (!path.startsWith(`packages/${house}/`)) problems.push(`${path} belongs below packages/${house}`);
    for (const file of sourceFiles(folder)) {
      const isTest = file.endsWith('.test.ts') || file.includes('/test/');
      for (const [statement, ...found] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
        const specifier = found.find((one) => one !== undefined);
        if (specifier === undefined || specifier.startsWith('node:')) continue;
        if (specifier.startsWith('.')) {
          const target = join(file, '..', specifier);
          // The version stands in the repository's own manifest.
          const isInside = target.startsWith(join(folder, '/')) || target === join(root, 'package.json');
          if (!isInside && !isTest) problems.push(`${file}: ${specifier} leads out of the package`);
          continue;
        }
        const isOwn = specifier.startsWith('@colophon/');
        const dependency = specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/');
        if (!isOwn) {
          const isTypes = /^\s*import type\b/.test(statement) && declaresTypesOf(dependency);
          if (!isTest && !declared.has(dependency) && !isTypes)
            problems.push(`${file}: ${dependency} is not declared in package.json`);
          continue;
        }
        const target = dependency.slice('@colophon/'.length);
        if (target === name) continue;
        if (DEV_ONLY.includes(target)) {
          if (!isTest && !DEV_ONLY.includes(name)) problems.push(`${file}: shipped code imports ${dependency}`);
          continue;
        }
        if (isTest || place === undefined) continue;
        if (!declared.has(dependency)) problems.push(`${file}: ${dependency} is not declared in package.json`);
        const other = PLACES.get(target);
        if (other === undefined || !mayImport(place, other))
          problems.push(`${file}: ${name} in ${house} may not import ${dependency}`);
      }
    }
  }
  return problems;
}

if (import.meta.main) {
  const problems = layerProblems(join(import.meta.dirname, '..'));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
