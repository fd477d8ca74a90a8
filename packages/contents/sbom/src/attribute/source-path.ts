import { propertiesOf } from '../attribution/component-properties.ts';
import type { Component } from '../document/bom.ts';
import { repositoryPath } from './repository-path.ts';

/** A place in the repository that a component says it is: a file, or a folder with all that is in it. */
export type SourcePath = {
  readonly path: string;
  /** `own`: it is its source. `seen`: a scanner saw it there, which is also said of lockfiles and of files that use it. */
  readonly kind: 'own' | 'seen';
};

const VENDORED_REF = 'vendored:';
/** Folders of a workspace, or below `node_modules`, by the generators of npm documents. */
const PACKAGE_FOLDER = 'cdx:npm:package:path';
const SEEN_IN = /^(?:syft:location:[0-9]+:path|aquasecurity:trivy:FilePath)$/;
/** Evidence of an import: `src/index.js#12`. */
const LINES = /#[0-9]+(?:-[0-9]+)?$/;

/** Files that name components and are the source of none. */
const MANIFESTS = new Set(
  (
    'package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock go.mod ' +
    'go.sum go.work cargo.toml cargo.lock gemfile gemfile.lock pyproject.toml poetry.lock uv.lock pdm.lock pipfile ' +
    'pipfile.lock setup.py setup.cfg composer.json composer.lock pom.xml build.gradle build.gradle.kts gradle.lockfile ' +
    'packages.config packages.lock.json project.assets.json pubspec.yaml pubspec.lock mix.exs mix.lock podfile.lock ' +
    'package.resolved conan.lock conanfile.txt'
  ).split(' '),
);
const REQUIREMENTS = /^requirements[^/]*\.(?:txt|in)$/;

/**
 * Where the source of a component lies in the repository, as far as it says so. What a scanner merely saw counts for a
 * package from a registry only where the path names the package (`vendor/left-pad/index.js`): such components are found
 * in lockfiles and in files that import them, and are not written there.
 * @param root what the scanner put before its paths
 */
export function sourcePaths(component: Component, root?: string): readonly SourcePath[] {
  const ref = component['bom-ref'];
  const own: string[] = [];
  const seen: string[] = [];
  if (typeof ref === 'string' && ref.startsWith(VENDORED_REF)) own.push(ref.slice(VENDORED_REF.length));
  if (component.type === 'file' && typeof component.name === 'string') own.push(component.name);
  for (const property of propertiesOf(component)) {
    const { name, value } = property ?? {};
    if (typeof name !== 'string' || typeof value !== 'string') continue;
    if (name === PACKAGE_FOLDER) own.push(value);
    else if (SEEN_IN.test(name)) seen.push(value);
  }
  const occurrences: unknown = component.evidence?.occurrences;
  for (const occurrence of Array.isArray(occurrences) ? occurrences : []) {
    if (typeof occurrence?.location === 'string') seen.push(occurrence.location.replace(LINES, ''));
  }
  const inside = (texts: readonly string[]) => texts.flatMap((text) => repositoryPath(text, root) ?? []);
  return [
    ...inside(own).map((path) => ({ path, kind: 'own' }) as const),
    ...inside(seen)
      .filter((path) => !isManifest(path) && (component.purl === undefined || namesPackage(path, component)))
      .map((path) => ({ path, kind: 'seen' }) as const),
  ];
}

function isManifest(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return MANIFESTS.has(name) || REQUIREMENTS.test(name);
}

/** Whether a folder or file on the path is called like the package: `left-pad`, `left-pad@1.3.0`, `left-pad.js`. */
function namesPackage(path: string, { name }: Component): boolean {
  if (typeof name !== 'string') return false;
  // Of `@scope/name` and `example.com/module` the last part is the folder.
  const wanted = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  return path
    .toLowerCase()
    .split('/')
    .some((part) => part === wanted || part.startsWith(`${wanted}@`) || part.startsWith(`${wanted}.`));
}
