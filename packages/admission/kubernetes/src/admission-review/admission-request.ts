import { type Issue, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { parseApiJson } from '../api-json/api-json.ts';
import { beginningUid } from './beginning-uid.ts';
import { type ReviewIssueCode, reviewIssue } from './review-issue.ts';

/** Group and version of the reviews that are read and answered. */
export const REVIEW_API_VERSION = 'admission.k8s.io/v1';
export const REVIEW_KIND = 'AdmissionReview';

/**
 * Bytes: the API server takes requests of 3 MiB, writes a character such as `<` as six bytes, and sends the object twice
 * where it changes: 36 MiB, and the rest of the review.
 */
export const MAX_REVIEW_BYTES = 40 * 1024 * 1024;

/**
 * Values of JSON, for who reads reviews in bounded memory: as many as two objects have that are as large as etcd takes them,
 * 1.5 MiB, and hold nothing but empty texts.
 */
export const MAX_REVIEW_VALUES = 1_000_000;

/** As deep as the parser goes. Who sends an object may name field managers of fields as deep as they like. */
const MAX_REVIEW_DEPTH = 512;

export type GroupVersionKind = { readonly group: string; readonly version: string; readonly kind: string };
export type GroupVersionResource = { readonly group: string; readonly version: string; readonly resource: string };

/**
 * What the API server asks about one request, under the names of its API. No text has a control character. Texts that
 * the API server leaves empty (`name` before one is generated) are absent here.
 */
export type AdmissionRequest = {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** `CREATE`, `UPDATE`, `DELETE` or `CONNECT`; another one is not refused here. */
  readonly operation: string;
  readonly userInfo: { readonly username?: string };
  readonly object?: JsonObject;
  readonly oldObject?: JsonObject;
  readonly dryRun: boolean;
};

/** A request, or every issue at once. What begins as a review has its `uid`, so that it can be answered. */
export type ParsedReview =
  | { readonly ok: true; readonly value: AdmissionRequest }
  | { readonly ok: false; readonly issues: readonly Issue[]; readonly uid?: string };

/** Characters (UTF-16 code units). */
const LONGEST = { uid: 128, name: 253, user: 1024 } as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is they that are looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Reads the body of a request to an admission webhook. Integers of 64 bits are read as the nearest double. Texts of the
 * object may have NUL characters; those of the request itself have none.
 * @returns the request, or every issue at once: those of strict JSON (`json.*`), else `admission_review.*`
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#request
 */
export function parseAdmissionReview(
  bytes: Uint8Array,
  { maxBytes = MAX_REVIEW_BYTES }: { readonly maxBytes?: number } = {},
): ParsedReview {
  const parsed = parseApiJson(bytes, { maxBytes, maxDepth: MAX_REVIEW_DEPTH });
  return parsed.ok ? readAdmissionReview(parsed.value) : { ...parsed, ...given('uid', beginningUid(bytes)) };
}

/** The same of a document that is parsed already. Members that it does not know are allowed: the API grows. */
export function readAdmissionReview(review: unknown): ParsedReview {
  if (!isJsonObject(review)) return { ok: false, issues: [reviewIssue([], 'admission_review.not_object')] };
  const issues: Issue[] = [];
  const said: ReadonlyArray<readonly [string, string]> = [
    ['apiVersion', REVIEW_API_VERSION],
    ['kind', REVIEW_KIND],
  ];
  for (const [name, expected] of said) {
    if (review[name] !== expected) issues.push(reviewIssue([name], 'admission_review.version_unsupported', expected));
  }
  const isOfAnotherVersion = issues.length > 0;
  const fields = new FieldReader(review, [], issues).object('request');
  if (fields === undefined) return { ok: false, issues };

  const kind = fields.object('kind');
  const resource = fields.object('resource');
  const user = fields.object('userInfo', 'optional');
  const request = {
    uid: fields.text('uid', LONGEST.uid),
    kind: kind && { ...versionIn(kind), kind: kind.text('kind', LONGEST.name) },
    resource: resource && { ...versionIn(resource), resource: resource.text('resource', LONGEST.name) },
    ...given('subResource', fields.optionalText('subResource', LONGEST.name)),
    ...given('name', fields.optionalText('name', LONGEST.name)),
    ...given('namespace', fields.optionalText('namespace', LONGEST.name)),
    operation: fields.text('operation', LONGEST.name),
    userInfo: { ...given('username', user?.optionalText('username', LONGEST.user)) },
    ...given('object', fields.object('object', 'optional')?.members),
    ...given('oldObject', fields.object('oldObject', 'optional')?.members),
    dryRun: fields.flag('dryRun'),
  };
  // Nothing is undefined where nothing was wrong.
  if (issues.length === 0) return { ok: true, value: request as AdmissionRequest };
  return { ok: false, issues, ...(isOfAnotherVersion ? {} : given('uid', request.uid)) };
}

function versionIn(fields: FieldReader) {
  return { group: fields.text('group', LONGEST.name, 'may be empty'), version: fields.text('version', LONGEST.name) };
}

function given<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return (value === undefined ? {} : { [name]: value }) as { [name in Name]?: Value };
}

/** Reads the members of one object; what is wrong with one is noted, and the member then undefined. */
class FieldReader {
  readonly members: JsonObject;
  private readonly path: readonly string[];
  private readonly issues: Issue[];

  constructor(members: JsonObject, path: readonly string[], issues: Issue[]) {
    this.members = members;
    this.path = path;
    this.issues = issues;
  }

  object(name: string, presence: 'required' | 'optional' = 'required'): FieldReader | undefined {
    const value = this.members[name];
    if (isJsonObject(value)) return new FieldReader(value, [...this.path, name], this.issues);
    if (!isAbsent(value)) this.note(name, 'admission_review.field_type', 'an object');
    else if (presence === 'required') this.note(name, 'admission_review.field_missing', 'an object');
    return undefined;
  }

  text(name: string, longest: number, emptiness?: 'may be empty'): string | undefined {
    const value = this.members[name];
    if (isAbsent(value)) return this.note(name, 'admission_review.field_missing', 'a text');
    if (value === '' && emptiness === undefined) return this.note(name, 'admission_review.field_empty');
    return this.checked(name, value, longest);
  }

  optionalText(name: string, longest: number): string | undefined {
    const value = this.members[name];
    return isAbsent(value) || value === '' ? undefined : this.checked(name, value, longest);
  }

  flag(name: string): boolean | undefined {
    const value = this.members[name];
    if (isAbsent(value)) return false;
    return typeof value === 'boolean' ? value : this.note(name, 'admission_review.field_type', 'true or false');
  }

  private checked(name: string, value: JsonValue, longest: number): string | undefined {
    if (typeof value !== 'string') return this.note(name, 'admission_review.field_type', 'a text');
    if (value.length > longest)
      return this.note(name, 'admission_review.field_too_long', `at most ${longest} characters`);
    return CONTROL.test(value) ? this.note(name, 'admission_review.field_invalid') : value;
  }

  private note(name: string, code: ReviewIssueCode, expected?: string): undefined {
    this.issues.push(reviewIssue([...this.path, name], code, expected));
  }
}

function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}
