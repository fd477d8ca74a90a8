import { exactPointer } from '@colophon/json';
import { isSha256, parseSeconds } from '@colophon/notation';
import { BASIS_SOURCES, parseBasis } from '@colophon/records';
import {
  AI_EXTENSION,
  AI_FIELDS,
  AI_PREFIX,
  AUTONOMOUS_AGENT,
  BASIS_PROPERTY,
  BUNDLE_PROPERTY,
  FIELD_BASIS_PREFIX,
  VALUE_PROPERTY,
  VENDOR_FIELDS,
  type VendorName,
} from '../attribution/attribution-names.ts';
import type { Component } from '../document/bom.ts';
import type { Finding } from '../validate/bom-issue.ts';
import { isObject, isText, listIn, objectIn } from './wild-value.ts';

/** A value, and where it stands. */
type Stated = { readonly value: unknown; readonly path: string };
type Form = { readonly expected: string; isMet(value: string): boolean };

const VENDOR_NAMES = Object.keys(VENDOR_FIELDS) as VendorName[];
/** The names by which a component says that an agent wrote it; the others say where vendored code comes from. */
const AGENT_NAMES: readonly VendorName[] = ['authored-by', 'agent-id', 'agent-model'];

const TEXT: Form = { expected: 'text that is not blank', isMet: isText };
const DIGEST: Form = {
  expected: 'sha256: and 64 hex digits in lower case',
  isMet: isSha256,
};
const TIME: Form = {
  expected: 'a time such as 2026-01-31T12:00:00Z (ISO 8601)',
  isMet: (value) => instantOf(value) !== undefined,
};

const AI_FORMS: { readonly [field in (typeof AI_FIELDS)[number]]: Form } = {
  agent: TEXT,
  model: TEXT,
  model_version: TEXT,
  prompt: DIGEST,
  generated_at: TIME,
  reviewed_by: TEXT,
  reviewed_at: TIME,
};

const VENDOR_FORMS: { readonly [name in VendorName]: Form } = {
  'authored-by': { expected: AUTONOMOUS_AGENT, isMet: (value) => value === AUTONOMOUS_AGENT },
  'agent-id': TEXT,
  'agent-model': TEXT,
  'source-package': { expected: '<package>@<version>', isMet: (value) => /^\S*[^\s@]@[^\s@]+$/.test(value) },
  'source-similarity': {
    expected: 'a decimal number between 0 and 1, e.g. 0.87',
    isMet: (value) => /^(?:0|0?\.[0-9]+|0\.[0-9]+|1|1\.0+)$/.test(value),
  },
  'vendoring-method': { expected: 'inline-rewrite', isMet: (value) => value === 'inline-rewrite' },
};

/** What a mark rests on by its own words: evidence that it names, somebody's word, or nothing that it says. */
type Support = 'evidence' | 'word' | undefined;

const FIELD_BASIS: Form = {
  expected: `a source, and who signed it: ${BASIS_SOURCES.join(', ')}`,
  isMet: (value) => parseBasis(value) !== undefined,
};

const BASIS: Form = {
  expected: 'verified or declared',
  isMet: (value) => value === 'verified' || value === 'declared',
};

/**
 * Faults in what a component says about the agent that wrote it: a variant that is there in part, or a value that does
 * not have its form. `model_version` may be left out where the mark says its basis, and the review where it names the
 * evidence that it was made from.
 * @param namespace of the properties of variant B
 * @see contract §2.5
 */
export function* attributionFindings(component: Component, path: string, namespace: string): Generator<Finding> {
  const properties = listIn(component.properties);
  const hasExtension = Object.hasOwn(component, AI_EXTENSION);
  // Nearly no component of nearly every document says anything of the kind.
  if (!hasExtension && !properties.some(saysAttribution)) return;
  const { stated, repeated } = statedIn(properties, path);

  const basis = stated.get(BASIS_PROPERTY);
  if (basis !== undefined) yield* formFault(basis, 'colophon:ai:basis', BASIS);
  const bundle = stated.get(BUNDLE_PROPERTY);
  if (bundle !== undefined) yield* formFault(bundle, BUNDLE_PROPERTY, DIGEST);
  for (const [name, one] of stated) if (name.startsWith(FIELD_BASIS_PREFIX)) yield* formFault(one, name, FIELD_BASIS);
  if (basis?.value === 'verified' && bundle === undefined) {
    yield missing(path, BUNDLE_PROPERTY, 'a mark that claims to be verified names the bundle that supports it');
  }

  const support = bundle !== undefined || basis?.value === 'verified' ? 'evidence' : basis && 'word';
  if (hasExtension) yield* extensionFindings(component[AI_EXTENSION], `${path}/${AI_EXTENSION}`, support);
  const value = stated.get(VALUE_PROPERTY);
  if (value !== undefined)
    yield invalid(value.path, VALUE_PROPERTY, `${AI_PREFIX} and a field: ${AI_FIELDS.join(', ')}`);
  const standard = fieldsOf(stated, AI_PREFIX, AI_FIELDS);
  // A basis is said of variant B too, so it alone is no variant A.
  if (standard.size > 0) yield* variantAFindings(standard, path, AI_PREFIX, support);

  for (const prefix of namespacesOf(stated, namespace)) {
    yield* variantBFindings(fieldsOf(stated, `${prefix}:`, VENDOR_NAMES), path, prefix, basis !== undefined);
  }
  for (const { name, at } of repeated) {
    yield {
      path: at,
      code: 'sbom.ai_field_repeated',
      severity: 'error',
      message: `The property ${name} stands here with another value than before.`,
      expected: 'one value',
    };
  }
}

function* extensionFindings(extension: unknown, path: string, support: Support): Generator<Finding> {
  if (!isObject(extension)) {
    yield invalid(path, AI_EXTENSION, 'an object');
    return;
  }
  const fields = new Map<string, Stated>();
  for (const [name, value] of Object.entries(extension)) {
    const at = path + exactPointer([name]);
    if ((AI_FIELDS as readonly string[]).includes(name)) fields.set(name, { value, path: at });
    else {
      yield {
        path: at,
        code: 'sbom.ai_field_unknown',
        severity: 'warning',
        message: 'The contract knows no field of this name.',
        expected: AI_FIELDS.join(', '),
      };
    }
  }
  yield* variantAFindings(fields, path, '', support);
}

function* variantAFindings(
  fields: ReadonlyMap<string, Stated>,
  path: string,
  prefix: string,
  support: Support,
): Generator<Finding> {
  for (const field of AI_FIELDS) {
    const stated = fields.get(field);
    if (stated !== undefined && isOpenPrompt(field, stated.value)) yield openPrompt(stated.path, `${prefix}${field}`);
    else if (stated !== undefined) yield* formFault(stated, `${prefix}${field}`, AI_FORMS[field]);
    else if (support === undefined) yield missing(path, `${prefix}${field}`);
    else if (isReview(field) && support === 'evidence') yield notReviewed(path, `${prefix}${field}`);
    else if (field !== 'model_version') yield missing(path, `${prefix}${field}`);
  }
  // What rests on evidence was generated at the latest when the log took it, perhaps after its review.
  if (support === 'evidence') return;
  const generated = instantOf(fields.get('generated_at')?.value);
  const reviewed = instantOf(fields.get('reviewed_at')?.value);
  if (generated !== undefined && reviewed !== undefined && reviewed < generated) {
    yield {
      path: fields.get('reviewed_at')?.path ?? path,
      code: 'sbom.ai_review_early',
      severity: 'error',
      message: 'It was reviewed before it was generated.',
      expected: `not before ${String(fields.get('generated_at')?.value)}`,
    };
  }
}

function* variantBFindings(
  fields: ReadonlyMap<string, Stated>,
  path: string,
  namespace: string,
  hasBasis: boolean,
): Generator<Finding> {
  const isByAgent = AGENT_NAMES.some((name) => fields.has(name));
  const isSourceStated = VENDOR_NAMES.some((name) => !AGENT_NAMES.includes(name) && fields.has(name));
  // Evidence of a run says who wrote the code, and not what it derives from, if it derives from anything.
  const isSourceOpen = hasBasis && !isSourceStated;
  if (isSourceOpen) yield sourceMissing(path, 'The mark does not say which source the code derives from.');
  for (const name of VENDOR_NAMES) {
    const stated = fields.get(name);
    const isOfAgent = AGENT_NAMES.includes(name);
    if (stated !== undefined) yield* formFault(stated, `${namespace}:${name}`, VENDOR_FORMS[name]);
    else if (isByAgent && (isOfAgent || !isSourceOpen)) yield missing(path, `${namespace}:${name}`);
    // What a person vendored has a source and no agent: no attribution, and so no fault in one.
    else if (!isByAgent && !isOfAgent) {
      const message = `The source of vendored code is stated without ${namespace}:${name}.`;
      yield { ...sourceMissing(path, message), expected: VENDOR_FORMS[name].expected };
    }
  }
}

function sourceMissing(path: string, message: string): Finding {
  return { path, code: 'sbom.vendored_source_missing', severity: 'warning', message };
}

/** The first value of every property that matters here, and properties that say two things. */
function statedIn(properties: readonly unknown[], path: string) {
  const stated = new Map<string, Stated>();
  const repeated: { readonly name: string; readonly at: string }[] = [];
  for (const [index, property] of properties.entries()) {
    const { name, value } = objectIn(property);
    if (typeof name !== 'string' || !isOfAttribution(name)) continue;
    const at = `${path}/properties/${index}/value`;
    const before = stated.get(name);
    if (before === undefined) stated.set(name, { value, path: at });
    else if (before.value !== value) repeated.push({ name, at });
  }
  return { stated, repeated };
}

function saysAttribution(property: unknown): boolean {
  const { name } = (property ?? {}) as { readonly name?: unknown };
  return typeof name === 'string' && isOfAttribution(name);
}

function isOfAttribution(name: string): boolean {
  if (name.startsWith(AI_PREFIX)) return true;
  const colon = name.lastIndexOf(':');
  return colon > 0 && Object.hasOwn(VENDOR_FIELDS, name.slice(colon + 1));
}

function fieldsOf(
  stated: ReadonlyMap<string, Stated>,
  prefix: string,
  names: readonly string[],
): ReadonlyMap<string, Stated> {
  const fields = new Map<string, Stated>();
  for (const name of names) {
    const found = stated.get(`${prefix}${name}`);
    if (found !== undefined) fields.set(name, found);
  }
  return fields;
}

/**
 * The namespaces in which a component speaks variant B: the one that was asked for, and any other that says
 * `autonomous_agent` or has at least three of the names, since somebody else may have a name of their own that ends
 * alike.
 */
function namespacesOf(stated: ReadonlyMap<string, Stated>, namespace: string): readonly string[] {
  const names = new Map<string, number>();
  for (const [name, { value }] of stated) {
    const colon = name.lastIndexOf(':');
    const prefix = name.slice(0, colon);
    // What is said of a mark, and what its fields rest on, is no vendor's namespace.
    if (`${prefix}:` === AI_PREFIX || `${prefix}:` === FIELD_BASIS_PREFIX) continue;
    const weight = prefix === namespace || (name.endsWith(':authored-by') && value === AUTONOMOUS_AGENT) ? 3 : 1;
    names.set(prefix, (names.get(prefix) ?? 0) + weight);
  }
  return [...names].filter(([, weight]) => weight >= 3).map(([name]) => name);
}

function* formFault({ value, path }: Stated, name: string, { expected, isMet }: Form): Generator<Finding> {
  if (typeof value !== 'string' || !isMet(value)) yield invalid(path, name, expected);
}

function missing(path: string, name: string, why = 'an attribution must be complete'): Finding {
  return {
    path,
    code: 'sbom.ai_field_missing',
    severity: 'error',
    message: `The AI attribution lacks ${name}: ${why}.`,
    expected: name,
  };
}

/** The contract does not say that a prompt is its hash (§2.5); whoever states it whole is told, and not refused. */
function isOpenPrompt(field: string, value: unknown): boolean {
  return field === 'prompt' && isText(value) && !value.startsWith('sha256:');
}

function openPrompt(path: string, name: string): Finding {
  return {
    path,
    code: 'sbom.ai_prompt_open',
    severity: 'warning',
    message: `The AI attribution's ${name} is the prompt itself, for everybody to read, and not its hash.`,
    expected: DIGEST.expected,
  };
}

function isReview(field: string): boolean {
  return field === 'reviewed_by' || field === 'reviewed_at';
}

/** Evidence of a run that nobody reviewed, or that does not say when, is whole: the mark says what is so, and nothing in its place. */
function notReviewed(path: string, name: string): Finding {
  const why = 'the evidence that it was made from does not say it';
  return { ...missing(path, name, why), code: 'sbom.ai_not_reviewed', severity: 'warning' };
}

function invalid(path: string, name: string, expected: string): Finding {
  // The value is not repeated: who writes a prompt in place of its hash should not find it in a log.
  return {
    path,
    code: 'sbom.ai_field_invalid',
    severity: 'error',
    message: `The AI attribution's ${name} does not have the form that it needs.`,
    expected,
  };
}

/** Seconds of a time of ISO 8601, with their fraction, for comparing; undefined for what is none. */
function instantOf(value: unknown): number | undefined {
  return typeof value === 'string' && /^.{10}T.{8}(?:\.[0-9]{1,9})?(?:Z|[+-].{5})$/.test(value)
    ? parseSeconds(value)
    : undefined;
}
