import { type Issue, isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';

/** Bytes of a review: an object of etcd's largest size twice, old and new, with what surrounds them. */
export const MOST_REVIEW_BYTES = 8 * 1024 * 1024;
const DEEPEST = 128;
const LONGEST_NAME = 512;

/** What an API server asks about one object. */
export type AdmissionRequest = {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subResource: string;
  /** As the API server names it; empty where the object gets its name later, or has none. */
  readonly name: string;
  /** Empty for an object without a namespace. */
  readonly namespace: string;
  readonly operation: string;
  /** Who asks for it; empty where the API server does not say. */
  readonly user: string;
  readonly object: JsonValue | undefined;
  readonly oldObject: JsonValue | undefined;
  readonly dryRun: boolean;
};

/** A request, or why there is none. `uid` is that of a review that is malformed only further in. */
export type ParsedReview =
  | { readonly ok: true; readonly value: AdmissionRequest }
  | { readonly ok: false; readonly found: string; readonly uid?: string };

/**
 * Reads an AdmissionReview v1. Members that it does not name are left alone: the API grows. A member twice is no review:
 * two readers would take different ones. Never throws.
 * @see Kubernetes API, admission.k8s.io/v1
 */
export function parseAdmissionReview(bytes: Uint8Array): ParsedReview {
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_REVIEW_BYTES, maxDepth: DEEPEST });
  if (!parsed.ok && !isLargeNumberAlone(parsed.issues)) {
    return { ok: false, found: parsed.issues.map(({ message }) => message)[0] ?? 'no JSON' };
  }
  const review: JsonValue = parsed.ok ? parsed.value : JSON.parse(new TextDecoder().decode(bytes));
  if (!isJsonObject(review)) return { ok: false, found: 'no object' };
  if (review['apiVersion'] !== 'admission.k8s.io/v1') return { ok: false, found: 'apiVersion' };
  if (review['kind'] !== 'AdmissionReview') return { ok: false, found: 'kind' };
  const request = own(review, 'request');
  if (!isJsonObject(request)) return { ok: false, found: 'request' };
  const uid = textIn(request, 'uid');
  if (uid === undefined || uid === '') return { ok: false, found: 'request.uid' };
  const kind = own(request, 'kind');
  const fields = {
    subResource: textIn(request, 'subResource'),
    name: textIn(request, 'name'),
    namespace: textIn(request, 'namespace'),
    operation: textIn(request, 'operation'),
  };
  const malformed = Object.entries(fields).find(([, value]) => value === undefined);
  if (malformed !== undefined) return { ok: false, found: `request.${malformed[0]}`, uid };
  const { subResource = '', name = '', namespace = '', operation = '' } = fields;
  const [group, version, kindName] = ['group', 'version', 'kind'].map((key) =>
    isJsonObject(kind) ? textIn(kind, key) : undefined,
  );
  if (group === undefined || !version || !kindName) return { ok: false, found: 'request.kind', uid };
  const dryRun = own(request, 'dryRun') ?? false;
  if (typeof dryRun !== 'boolean') return { ok: false, found: 'request.dryRun', uid };
  const user = own(request, 'userInfo');
  return {
    ok: true,
    value: {
      uid,
      kind: { group, version, kind: kindName },
      subResource,
      name,
      namespace,
      operation,
      user: (isJsonObject(user) ? textIn(user, 'username') : undefined) ?? '',
      object: presentIn(request, 'object'),
      oldObject: presentIn(request, 'oldObject'),
      dryRun,
    },
  };
}

/** As many issues as the parser notes. */
const MOST_ISSUES = 20;

/** Kubernetes has integers of 64 bits, as in a grace period without end, and none of them says anything about an image. */
function isLargeNumberAlone(issues: readonly Issue[]): boolean {
  return issues.length < MOST_ISSUES && issues.every(({ code }) => code === 'json.number_range');
}

/** Empty where it is absent or null, undefined where it is no short text. */
function textIn(object: JsonObject, member: string): string | undefined {
  const value = own(object, member) ?? '';
  return typeof value === 'string' && value.length <= LONGEST_NAME ? value : undefined;
}

function presentIn(object: JsonObject, member: string): JsonValue | undefined {
  return own(object, member) ?? undefined;
}

function own(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}
