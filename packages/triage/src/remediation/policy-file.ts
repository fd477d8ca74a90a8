import { type Issue, isJsonObject, jsonPointer, type ParseResult } from '@colophon/records';
import { RE2JS } from 're2js';
import { isAlias, LineCounter, parseAllDocuments, visit } from 'yaml';
import type { SpeakerRule } from '../vex/match/speaker-rules.ts';
import { DEFAULT_REMEDIATION_POLICY, REQUIRED_FROM, type RemediationPolicy } from './remediation-policy.ts';

/** What can be wrong with a policy file of remediation; the same words as for other policy files. */
export const REMEDIATION_POLICY_CODES = [
  'policy.too_large',
  'policy.syntax',
  'policy.duplicate_key',
  'policy.alias',
  'policy.several_documents',
  'policy.unknown_key',
  'policy.field_missing',
  'policy.wrong_type',
  'policy.value',
  'policy.pattern_invalid',
] as const;
type PolicyCode = (typeof REMEDIATION_POLICY_CODES)[number];

/** Longest policy file, in UTF-16 units. */
export const MAX_REMEDIATION_POLICY_LENGTH = 64 * 1024;
const MAX_PATTERN_LENGTH = 1024;
const MOST_ISSUES = 50;

/**
 * Reads a policy file: YAML as data only, version 1, closed keys. What it leaves out is as in
 * `DEFAULT_REMEDIATION_POLICY`. Every problem is reported at once. Never throws.
 * @param name what the policy is called where it does not name itself, e.g. its file
 */
export function parseRemediationPolicy(
  text: string,
  { name }: { readonly name: string },
): ParseResult<RemediationPolicy> {
  if (text.length > MAX_REMEDIATION_POLICY_LENGTH) {
    const expected = `at most ${MAX_REMEDIATION_POLICY_LENGTH} characters`;
    return {
      ok: false,
      issues: [{ path: '', code: 'policy.too_large', message: 'the file is larger than a policy can be', expected }],
    };
  }
  try {
    const read = readYaml(text);
    return read.ok ? new PolicyReader().read(read.value, name) : read;
  } catch {
    // Nesting without end runs the parser out of stack.
    return { ok: false, issues: [{ path: '', code: 'policy.syntax', message: 'the file cannot be read as YAML' }] };
  }
}

function readYaml(text: string): ParseResult<unknown> {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
    merge: false,
  });
  const [document, another] = 'empty' in documents ? [] : documents;
  const issues: Issue[] = [];
  const note = (code: PolicyCode, message: string, offset: number) => {
    const { line, col } = lines.linePos(offset);
    issues.push({ path: '', code, message: `${message} (line ${line}:${col})` });
  };
  if (document === undefined)
    return { ok: false, issues: [{ path: '', code: 'policy.syntax', message: 'the file is empty' }] };
  if (another !== undefined) note('policy.several_documents', 'one file holds one policy', another.range[0]);
  for (const { code, message, pos } of [...document.errors, ...document.warnings]) {
    note(code === 'DUPLICATE_KEY' ? 'policy.duplicate_key' : 'policy.syntax', message.split('\n')[0] ?? '', pos[0]);
  }
  visit(document, (_key, node) => {
    if (isAlias(node)) note('policy.alias', 'aliases are not read: write the value again', node.range?.[0] ?? 0);
  });
  return issues.length > 0 ? { ok: false, issues: issues.slice(0, MOST_ISSUES) } : { ok: true, value: document.toJS() };
}

type Path = readonly (string | number)[];

/** Takes the members of a policy one by one, and notes what is not as it has to be. */
class PolicyReader {
  readonly #issues: Issue[] = [];

  read(data: unknown, file: string): ParseResult<RemediationPolicy> {
    const root = this.#members(data, [], ['version', 'name', 'owner', 'tracking_id', 'vex']);
    if (root.get('version') === undefined) this.#note(['version'], 'policy.field_missing', 'is missing', '1');
    else if (root.get('version') !== 1) this.#note(['version'], 'policy.value', 'not a version that is known', '1');
    const name = this.#text(root.get('name'), ['name']) ?? file;
    const owner = this.#members(root.get('owner'), ['owner'], ['required', 'domains']);
    const domains = this.#texts(owner.get('domains'), ['owner', 'domains'])?.map((domain) => domain.toLowerCase());
    const tracking = this.#members(root.get('tracking_id'), ['tracking_id'], ['required', 'pattern']);
    const pattern = this.#text(tracking.get('pattern'), ['tracking_id', 'pattern']);
    const matches = pattern === undefined ? () => true : this.#pattern(pattern, ['tracking_id', 'pattern']);
    const vex = this.#members(root.get('vex'), ['vex'], ['authors']);
    const authors = this.#authors(vex.get('authors'), ['vex', 'authors']);
    const value: RemediationPolicy = {
      name,
      owner: { required: this.#required(owner.get('required'), ['owner', 'required']), ...(domains && { domains }) },
      trackingId: {
        required: this.#required(tracking.get('required'), ['tracking_id', 'required']),
        ...(pattern !== undefined && { pattern }),
        matches,
      },
      ...(authors && { authors }),
    };
    return this.#issues.length > 0 ? { ok: false, issues: this.#issues.slice(0, MOST_ISSUES) } : { ok: true, value };
  }

  #note(path: Path, code: PolicyCode, message: string, expected?: string): undefined {
    this.#issues.push({ path: jsonPointer(path), code, message, ...(expected !== undefined && { expected }) });
  }

  #members(value: unknown, path: Path, known: readonly string[]): ReadonlyMap<string, unknown> {
    if (value === undefined) return new Map();
    if (!isJsonObject(value)) {
      this.#note(path, 'policy.wrong_type', 'a value of another type', 'a map');
      return new Map();
    }
    for (const key of Object.keys(value)) {
      if (!known.includes(key))
        this.#note([...path, key], 'policy.unknown_key', 'a key that is not known', known.join(', '));
    }
    return new Map(Object.entries(value));
  }

  #text(value: unknown, path: Path): string | undefined {
    if (value === undefined) return undefined;
    if (typeof value !== 'string') return this.#note(path, 'policy.wrong_type', 'a value of another type', 'text');
    return value.trim() === '' ? this.#note(path, 'policy.value', 'an empty text', 'text') : value;
  }

  #texts(value: unknown, path: Path): readonly string[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.#note(path, 'policy.wrong_type', 'a value of another type', 'a list');
    // A list that lets nobody through was not meant.
    if (value.length === 0) return this.#note(path, 'policy.value', 'an empty list', 'at least 1 item');
    return value.flatMap((item, index) => this.#text(item ?? '', [...path, index]) ?? []);
  }

  #required(value: unknown, path: Path): RemediationPolicy['owner']['required'] {
    const found = REQUIRED_FROM.find((one) => one === value);
    if (found === undefined && value !== undefined) {
      this.#note(path, 'policy.value', 'not one of the allowed values', REQUIRED_FROM.join(', '));
    }
    return found ?? DEFAULT_REMEDIATION_POLICY.owner.required;
  }

  /** RE2, and the whole text: a person's pattern never runs in the engine's own expressions. */
  #pattern(pattern: string, path: Path): (text: string) => boolean {
    try {
      if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`longer than ${MAX_PATTERN_LENGTH} characters`);
      // Alone first: `a)(b` is no pattern, yet it would become one between our parentheses.
      RE2JS.compile(pattern);
      const compiled = RE2JS.compile(`^(?:${pattern})$`);
      return (text) => compiled.matches(text);
    } catch (error) {
      this.#note(path, 'policy.pattern_invalid', error instanceof Error ? error.message : 'not a pattern', 'RE2');
      return () => false;
    }
  }

  #authors(value: unknown, path: Path): readonly SpeakerRule[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.#note(path, 'policy.wrong_type', 'a value of another type', 'a list');
    if (value.length === 0) return this.#note(path, 'policy.value', 'an empty list', 'at least 1 item');
    return value.map((rule, index) => {
      const at = [...path, index];
      const members = this.#members(rule ?? null, at, ['products', 'signers']);
      const signers = this.#signers(members.get('signers'), [...at, 'signers']);
      return { products: this.#texts(members.get('products'), [...at, 'products']) ?? ['*'], authors: signers ?? [] };
    });
  }

  /** A certificate's subject, with its issuer or by whomever it was certified, or the fingerprint of an OpenPGP key. */
  #signers(value: unknown, path: Path): readonly string[] | undefined {
    if (value === undefined) return this.#note(path, 'policy.field_missing', 'is missing', 'a list');
    if (!Array.isArray(value)) return this.#texts(value, path);
    const plain = value.map((signer, index) => {
      if (!isJsonObject(signer)) return signer;
      const at = [...path, index];
      const members = this.#members(signer, at, ['subject', 'issuer']);
      for (const key of ['subject', 'issuer']) {
        if (!members.has(key)) this.#note([...at, key], 'policy.field_missing', 'is missing', 'text');
      }
      const subject = this.#text(members.get('subject'), [...at, 'subject']);
      return signerName(subject ?? '?', this.#text(members.get('issuer'), [...at, 'issuer']));
    });
    const names = this.#texts(plain, path);
    if (names?.includes('*')) {
      const expected = 'certificate subjects or OpenPGP fingerprints';
      this.#note(path, 'policy.value', 'everybody may speak for it', expected);
    }
    return names?.map((name) => (FINGERPRINT.test(name) ? name.toLowerCase() : name));
  }
}

const FINGERPRINT = /^(?:[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$/;

const BY_ISSUER = ' certified by ';

/** What a policy calls whoever signed with a certificate; without an issuer it is that subject of any issuer. */
function signerName(subject: string, issuer?: string): string {
  return issuer === undefined ? subject : `${subject}${BY_ISSUER}${issuer}`;
}

/** Every name under which a policy may know the holder of a certificate: the subject alone, and with its issuer. */
export function signerNames({ subject, issuer }: { readonly subject: string; readonly issuer: string }): string[] {
  // A subject that reads like one with its issuer would pass for somebody whom that issuer certified.
  return [...(subject.includes(BY_ISSUER) ? [] : [subject]), signerName(subject, issuer)];
}
