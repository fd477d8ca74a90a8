import { parsePackageUrl } from '@colophon/notation';
import { SPEC_TECHNIQUE, STANDARD_TECHNIQUE, TECHNIQUE_PROPERTY } from '../attribution/attribution-names.ts';
import { propertyOf } from '../attribution/component-properties.ts';
import type { Component, SpecVersion } from '../document/bom.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isText, listIn, objectIn, quoted } from './wild-value.ts';

const VENDORED_REF = 'vendored:';
const VENDORED_VERSION = '0.0.0-vendored';
const VENDORED_NAME = '-vendored';

/**
 * What a vendored component says otherwise than the conventions do. A component is taken for one when its bom-ref, its
 * version, its name or a source package says so.
 * @param namespace of the properties of variant B
 * @see contract §2.5
 */
export function* vendoredFindings(
  component: Component,
  path: string,
  namespace: string,
  specVersion: SpecVersion,
): Generator<Finding> {
  const ref: unknown = component['bom-ref'];
  const { name, version, scope } = component as { readonly [name: string]: unknown };
  const isRef = typeof ref === 'string' && ref.startsWith(VENDORED_REF);
  const isName = typeof name === 'string' && name.endsWith(VENDORED_NAME);
  const source = propertyOf(component, `${namespace}:source-package`);
  if (!isRef && version !== VENDORED_VERSION && source === undefined && !isName) return;
  // A published package may be called so; without any other sign it is none of ours.
  if (!isRef && version !== VENDORED_VERSION && source === undefined && isText(component.purl)) return;

  if (!isRef || !isPathInside(ref.slice(VENDORED_REF.length))) {
    yield finding(
      path,
      'bom-ref',
      'sbom.vendored_ref',
      'A vendored component is referred to by its path.',
      'vendored:<path inside the repository>',
      ref,
    );
  }
  const wanted = source === undefined ? undefined : `${nameIn(source)}${VENDORED_NAME}`;
  // A utility may have a name of its own; one that ends alike names the package that it comes from.
  if (!isText(name) || (isName && wanted !== undefined && name !== wanted && `${component.group}/${name}` !== wanted)) {
    yield finding(
      path,
      'name',
      'sbom.vendored_name',
      'A vendored component is named after its source package, or as a utility of its own.',
      wanted,
      name,
    );
  }
  if (version !== VENDORED_VERSION) {
    yield finding(
      path,
      'version',
      'sbom.vendored_version',
      'A vendored component has the version of vendored code.',
      VENDORED_VERSION,
      version,
    );
  }
  if (scope !== 'required') {
    yield finding(path, 'scope', 'sbom.vendored_scope', 'A vendored component is required.', 'required', scope);
  }
  yield* licenceFindings(component, path, specVersion);
  if (specVersion >= '1.5' && !hasSimilarityEvidence(component)) {
    yield finding(
      path,
      'evidence',
      'sbom.vendored_evidence',
      'A vendored component says how alike the source is, by its syntax tree.',
      `a method ${STANDARD_TECHNIQUE} and the property ${TECHNIQUE_PROPERTY}=${SPEC_TECHNIQUE}`,
      component.evidence,
    );
  }
}

function* licenceFindings(component: Component, path: string, specVersion: SpecVersion): Generator<Finding> {
  const choices = listIn(component.licenses).map(objectIn);
  if (choices.length === 0) {
    yield finding(
      path,
      'licenses',
      'sbom.vendored_licence',
      "A vendored component has its source package's licence.",
      'a licence',
      component.licenses,
    );
    return;
  }
  // There was no acknowledgement before 1.6.
  if (specVersion < '1.6') return;
  for (const [index, choice] of choices.entries()) {
    const said = objectIn(choice['license'])['acknowledgement'] ?? choice['acknowledgement'];
    if (said === 'declared') continue;
    yield finding(
      `${path}/licenses`,
      String(index),
      'sbom.vendored_licence',
      "The source package's licence is acknowledged as declared.",
      'acknowledgement: declared',
      choice,
    );
  }
}

/** The contract's technique itself, or the official one with the property that says it is meant. */
function hasSimilarityEvidence(component: Component): boolean {
  const identity = objectIn(component.evidence)['identity'];
  const isMeant = propertyOf(component, TECHNIQUE_PROPERTY) === SPEC_TECHNIQUE;
  return (Array.isArray(identity) ? identity : [identity])
    .flatMap((one) => listIn(objectIn(one)['methods']))
    .map((method) => objectIn(method)['technique'])
    .some((technique) => technique === SPEC_TECHNIQUE || (technique === STANDARD_TECHNIQUE && isMeant));
}

/** `lodash` of `lodash@4.17.21`; a purl's name too. */
function nameIn(source: string): string {
  const purl = parsePackageUrl(source);
  if (purl !== undefined) return [...purl.namespace, purl.name].join('/');
  const at = source.lastIndexOf('@');
  return at > 0 ? source.slice(0, at) : source;
}

function isPathInside(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\\') && !path.split('/').includes('..');
}

/** A warning at a member, or at the component where the member is missing. */
function finding(
  path: string,
  member: string,
  code: string,
  message: string,
  expected: string | undefined,
  found: unknown,
): Finding {
  return {
    path: found === undefined ? path : `${path}/${member}`,
    code,
    severity: 'warning',
    message: typeof found === 'string' ? `${message} Here stands ${quoted(found)}.` : message,
    ...(expected === undefined ? {} : { expected }),
  };
}
