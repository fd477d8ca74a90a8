import {
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonPointer,
  type ParseResult,
  parseStrictJson,
} from '@colophon/json';
import { RESERVED_CLAIMS } from '../claim/claim.ts';
import { type OptionalClaim, optionalClaims, TOKEN_PURPOSES, type TokenPurpose } from '../claim/claim-table.ts';
import { type RequestField, requestForm } from './request-field.ts';
import { REQUEST_ISSUES, type RequestIssueCode } from './request-issue.ts';

/** A request for the token that signs an artifact (contract §2.2, and the claims of §2.1 that §2.2 leaves open). */
export type ArtifactTokenRequest = {
  readonly purpose: 'artifact';
  readonly agent_name: string;
  readonly agent_version: string;
  readonly model_id: string;
  /** `sha256:<lower-case hex>`, however it was sent; so is policy_pack_hash. */
  readonly prompt_hash: string;
  readonly policy_pack_hash: string;
  readonly human_reviewer: string;
} & OptionalFields<'artifact'>;

/**
 * A request for the token that signs a commit. The commit has no id yet, so its tree is named; nobody reviewed it yet
 * either, so a reviewer may be.
 */
export type CommitTokenRequest = {
  readonly purpose: 'commit';
  readonly agent_name: string;
  readonly agent_version: string;
  readonly model_id: string;
  readonly prompt_hash: string;
  readonly policy_pack_hash: string;
  readonly tree_sha: string;
} & OptionalFields<'commit'>;

/** A reviewer's request for a token of their own, with which they sign an agent-review. */
export type ReviewTokenRequest = {
  readonly purpose: 'review';
  readonly human_reviewer: string;
} & OptionalFields<'review'>;

type OptionalFields<Purpose extends TokenPurpose> = {
  readonly audience?: string;
  /** RFC 7638 thumbprint of the one key that the token may have certified, under its name of RFC 9449 §10. */
  readonly dpop_jkt?: string;
  /** A witness's signed receipt of the run, a DSSE envelope; nothing of it is verified here. Never of a review. */
  readonly receipt?: JsonObject;
} & { readonly [claim in OptionalClaim<Purpose>]?: string };

export type TokenRequest = ArtifactTokenRequest | CommitTokenRequest | ReviewTokenRequest;

/** Which fields a request of each purpose must and may have, in the order in which issues are reported. */
export const REQUEST_SHAPES: Readonly<
  Record<TokenPurpose, { readonly required: readonly RequestField[]; readonly optional: readonly RequestField[] }>
> = {
  artifact: {
    required: ['agent_name', 'agent_version', 'model_id', 'prompt_hash', 'policy_pack_hash', 'human_reviewer'],
    optional: [...optionalClaims('artifact'), 'audience', 'dpop_jkt'],
  },
  commit: {
    required: ['agent_name', 'agent_version', 'model_id', 'prompt_hash', 'policy_pack_hash', 'tree_sha'],
    optional: [...optionalClaims('commit'), 'audience', 'dpop_jkt'],
  },
  review: {
    required: ['human_reviewer'],
    optional: [...optionalClaims('review'), 'audience', 'dpop_jkt'],
  },
};

/** The one member of a request that is no text. */
const RECEIPT = 'receipt';

/** A hostile request must not buy an answer larger than itself. */
const MOST_NAMED_FIELDS = 20;

/** Bytes of a request; what an issuer takes is for its operator to say, and less. */
const MOST_BYTES = 1024 * 1024;

const RESERVED: ReadonlySet<string> = new Set(RESERVED_CLAIMS);

/**
 * Reads the JSON body of a token request. The six fields of contract §2.2 are enough; `purpose` is `artifact` where it
 * is absent. Hashes may come bare or prefixed and leave prefixed, times leave normalised; nothing else is changed.
 * What is not part of the request is refused, a claim that only the issuer sets by a code of its own.
 *
 * @returns the request, or every issue at once: reserved and unknown names first, then the fields in contract order.
 *   No issue repeats a value.
 */
export function parseTokenRequest(bytes: Uint8Array): ParseResult<TokenRequest> {
  const parsed = parseStrictJson(bytes, { maxBytes: MOST_BYTES });
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) return { ok: false, issues: [issue('', 'request.not_object')] };
  return readTokenRequest(parsed.value);
}

/** The same of members that came in another form than JSON, e.g. as form parameters. */
export function readTokenRequest(sent: JsonObject): ParseResult<TokenRequest> {
  const asked = readPurpose(sent);
  const purpose = asked ?? 'artifact';
  const { required, optional } = REQUEST_SHAPES[purpose];
  const issues = strangersAmong(sent, [...required, ...optional, ...(purpose === 'review' ? [] : [RECEIPT])]);
  if (asked === undefined)
    issues.push(issue('/purpose', whyRefused(sent.purpose!), '"artifact", "commit" or "review"'));
  const request: Record<string, string> = { purpose };
  for (const field of required) {
    if (Object.hasOwn(sent, field)) readField(field, sent[field]!, request, issues);
    else issues.push(issue(`/${field}`, 'request.field_missing', requestForm(field).expected));
  }
  for (const field of optional) {
    if (Object.hasOwn(sent, field)) readField(field, sent[field]!, request, issues);
  }
  const receipt = purpose === 'review' ? undefined : readReceiptIn(sent, issues);
  if (issues.length > 0) return { ok: false, issues };
  return { ok: true, value: (receipt === undefined ? request : { ...request, receipt }) as TokenRequest };
}

/** An object; as a form parameter, which is text, JSON. */
function readReceiptIn(sent: JsonObject, issues: Issue[]): JsonObject | undefined {
  if (!Object.hasOwn(sent, RECEIPT)) return undefined;
  const value = sent[RECEIPT]!;
  const parsed =
    typeof value === 'string' ? parseStrictJson(new TextEncoder().encode(value), { maxBytes: MOST_BYTES }) : undefined;
  const envelope = parsed?.ok ? parsed.value : value;
  if (isJsonObject(envelope)) return envelope;
  const code = typeof value === 'string' ? 'request.field_invalid' : whyRefused(value);
  issues.push(issue(`/${RECEIPT}`, code, "a witness's receipt: a DSSE envelope"));
  return undefined;
}

function readPurpose(sent: JsonObject): TokenPurpose | undefined {
  if (!Object.hasOwn(sent, 'purpose')) return 'artifact';
  return TOKEN_PURPOSES.find((purpose) => purpose === sent.purpose);
}

function strangersAmong(sent: JsonObject, fields: readonly string[]): Issue[] {
  const issues: Issue[] = [];
  for (const name of Object.keys(sent)) {
    if (name === 'purpose' || fields.includes(name)) continue;
    issues.push(issue(jsonPointer([name]), RESERVED.has(name) ? 'request.claim_reserved' : 'request.field_unknown'));
    if (issues.length === MOST_NAMED_FIELDS) break;
  }
  return issues;
}

function readField(field: RequestField, sent: JsonValue, request: Record<string, string>, issues: Issue[]): void {
  const { read, expected } = requestForm(field);
  const value = typeof sent === 'string' ? read(sent) : undefined;
  if (value !== undefined) request[field] = value;
  else issues.push(issue(`/${field}`, whyRefused(sent), expected));
}

function whyRefused(sent: JsonValue): RequestIssueCode {
  if (sent === null) return 'request.field_null';
  if (typeof sent !== 'string') return 'request.field_type';
  return sent.trim() === '' ? 'request.field_empty' : 'request.field_invalid';
}

function issue(path: string, code: RequestIssueCode, expected?: string): Issue {
  return { path, code, ...REQUEST_ISSUES[code], ...(expected && { expected }) };
}
