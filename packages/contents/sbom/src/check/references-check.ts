import { exactPointer } from '@colophon/json';
import type { Bom } from '../document/bom.ts';
import { walkComponents } from '../document/walk-components.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isObject, listIn, objectIn, quoted } from './wild-value.ts';

/** A reference into another document (BOM-Link), which is not ours to follow. */
const ELSEWHERE = 'urn:cdx:';
const DEPENDENCIES = '/dependencies';

/** bom-refs that are there twice, and references to none. */
export function* referenceFindings(bom: Bom): Generator<Finding> {
  const known = new Set<string>();
  const names: (string | number)[] = [];
  const repeated: { readonly ref: string; readonly path: string }[] = [];
  visitBomRefs(bom, names, (ref) => {
    if (known.has(ref)) repeated.push({ ref, path: `${exactPointer(names)}/bom-ref` });
    known.add(ref);
  });
  for (const { ref, path } of repeated) {
    yield {
      path,
      code: 'sbom.bom_ref_duplicate',
      severity: 'warning',
      message: `The bom-ref ${quoted(ref)} is there already.`,
      expected: 'a bom-ref of its own',
    };
  }
  const dependants = new Set<string>();
  for (const reference of references(bom)) {
    const { ref, list, name } = reference;
    if (typeof ref !== 'string' || ref.startsWith(ELSEWHERE)) continue;
    if (!known.has(ref)) {
      yield {
        path: placeOf(reference),
        code: 'sbom.ref_unknown',
        severity: 'warning',
        message: `Nothing here has the bom-ref ${quoted(ref)}.`,
        expected: 'the bom-ref of something in this document',
      };
    }
    if (list !== DEPENDENCIES || name !== 'ref') continue;
    if (dependants.has(ref)) {
      yield {
        path: placeOf(reference),
        code: 'sbom.dependency_repeated',
        severity: 'warning',
        message: `The dependencies of ${quoted(ref)} are stated more than once.`,
        expected: 'one entry for each bom-ref',
      };
    }
    dependants.add(ref);
  }
}

/** A reference and the parts of its path, which is written out only when somebody asks for it. */
type Reference = {
  readonly ref: unknown;
  readonly list: string;
  readonly index: number;
  readonly name: string;
  readonly at?: number;
};

function placeOf({ list, index, name, at }: Reference): string {
  return at === undefined ? `${list}/${index}/${name}` : `${list}/${index}/${name}/${at}`;
}

/** Calls back with every bom-ref of a document, whatever carries it; `names` is the way there, and changes. */
function visitBomRefs(value: object, names: (string | number)[], visit: (ref: string) => void): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (typeof item !== 'object' || item === null) continue;
      names.push(index);
      visitBomRefs(item, names, visit);
      names.pop();
    }
    return;
  }
  for (const name of Object.keys(value)) {
    const inner = (value as { readonly [name: string]: unknown })[name];
    if (typeof inner === 'object' && inner !== null) {
      names.push(name);
      visitBomRefs(inner, names, visit);
      names.pop();
    } else if (name === 'bom-ref' && typeof inner === 'string') visit(inner);
  }
}

/** Everything that refers to a bom-ref, where the contract and scanners rely on it. */
function* references(bom: Bom): Generator<Reference> {
  yield* referencesIn(bom.dependencies, DEPENDENCIES, ['ref'], ['dependsOn', 'provides']);
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
  value: unknown,
  list: string,
  single: readonly string[],
  several: readonly string[],
): Generator<Reference> {
  for (const [index, entry] of listIn(value).entries()) {
    if (!isObject(entry)) continue;
    for (const name of single) {
      if (entry[name] !== undefined) yield { ref: entry[name], list, index, name };
    }
    for (const name of several) {
      const refs = listIn(entry[name]);
      for (let at = 0; at < refs.length; at += 1) yield { ref: refs[at], list, index, name, at };
    }
  }
}
