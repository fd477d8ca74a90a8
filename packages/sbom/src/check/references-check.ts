import type { Bom } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isObject, listIn, objectIn, quoted } from './wild-value.ts';

/** A reference into another document (BOM-Link), which is not ours to follow. */
const ELSEWHERE = 'urn:cdx:';

/** bom-refs that are there twice, and references to none. */
export function* referenceFindings(bom: Bom): Generator<Finding> {
  const known = new Set<string>();
  for (const { ref, path } of bomRefs(bom, [])) {
    if (!known.has(ref)) known.add(ref);
    else {
      yield {
        path: path(),
        code: 'sbom.bom_ref_duplicate',
        severity: 'warning',
        message: `The bom-ref ${quoted(ref)} is there already.`,
        expected: 'a bom-ref of its own',
      };
    }
  }
  const dependants = new Set<string>();
  for (const { ref, path } of references(bom)) {
    if (typeof ref !== 'string' || ref.startsWith(ELSEWHERE)) continue;
    if (!known.has(ref)) {
      yield {
        path,
        code: 'sbom.ref_unknown',
        severity: 'warning',
        message: `Nothing here has the bom-ref ${quoted(ref)}.`,
        expected: 'the bom-ref of something in this document',
      };
    }
    if (!DEPENDANT.test(path)) continue;
    if (dependants.has(ref)) {
      yield {
        path,
        code: 'sbom.dependency_repeated',
        severity: 'warning',
        message: `The dependencies of ${quoted(ref)} are stated more than once.`,
        expected: 'one entry for each bom-ref',
      };
    }
    dependants.add(ref);
  }
}

const DEPENDANT = /^\/dependencies\/[0-9]+\/ref$/;

/** Every bom-ref of a document, whatever carries it; `names` is the way there, and changes while it is walked. */
function* bomRefs(value: unknown, names: (string | number)[]): Generator<{ readonly ref: string; path(): string }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (typeof item !== 'object' || item === null) continue;
      names.push(index);
      yield* bomRefs(item, names);
      names.pop();
    }
  } else if (isObject(value)) {
    const ref = value['bom-ref'];
    if (typeof ref === 'string') yield { ref, path: () => `${pointerOf(names)}/bom-ref` };
    for (const name of Object.keys(value)) {
      const inner = value[name];
      if (typeof inner !== 'object' || inner === null) continue;
      names.push(name);
      yield* bomRefs(inner, names);
      names.pop();
    }
  }
}

/** Everything that refers to a bom-ref, where the contract and scanners rely on it. */
function* references(bom: Bom): Generator<{ readonly ref: unknown; readonly path: string }> {
  yield* referencesIn(bom.dependencies, '/dependencies', ['ref'], ['dependsOn', 'provides']);
  yield* referencesIn(bom['compositions'], '/compositions', [], ['assemblies', 'dependencies', 'vulnerabilities']);
  yield* referencesIn(bom['annotations'], '/annotations', [], ['subjects']);
  yield* referencesIn(bom['citations'], '/citations', ['attributedTo', 'process'], []);
  for (const [index, vulnerability] of listIn(bom['vulnerabilities']).entries()) {
    yield* referencesIn(objectIn(vulnerability)['affects'], `/vulnerabilities/${index}/affects`, ['ref'], []);
  }
  for (const { component, path } of walkComponents(bom)) {
    const identity = objectIn(component.evidence)['identity'];
    if (Array.isArray(identity)) yield* referencesIn(identity, `${path}/evidence/identity`, [], ['tools']);
  }
}

function* referencesIn(
  list: unknown,
  path: string,
  single: readonly string[],
  several: readonly string[],
): Generator<{ readonly ref: unknown; readonly path: string }> {
  for (const [index, entry] of listIn(list).entries()) {
    if (!isObject(entry)) continue;
    for (const name of single) {
      if (entry[name] !== undefined) yield { ref: entry[name], path: `${path}/${index}/${name}` };
    }
    for (const name of several) {
      for (const [at, ref] of listIn(entry[name]).entries()) yield { ref, path: `${path}/${index}/${name}/${at}` };
    }
  }
}

function pointerOf(names: readonly (string | number)[]): string {
  return names.map((name) => `/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
