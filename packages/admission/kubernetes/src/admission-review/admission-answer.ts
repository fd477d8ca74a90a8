import { encodeBase64 } from '@colophon/encoding';
import type { Issue } from '@colophon/json';
import type { PatchOperation } from '../pin/image-patch.ts';
import { REVIEW_API_VERSION, REVIEW_KIND } from './admission-request.ts';
import { shownText } from './shown-text.ts';

/**
 * Characters of a warning, and the warnings of an answer. The API server cuts each warning to 256 characters once all
 * warnings of a request have more than 4,096, and every webhook of the request shares these.
 * @see WithWarningRecorder of k8s.io/apiserver
 */
const LONGEST_WARNING = 256;
const MOST_WARNINGS = 8;

/** Characters. */
const LONGEST_MESSAGE = 4_096;

/** What an answer may carry beside the decision. */
export type AnswerNotes = {
  /** Shown to who sent the request, e.g. by kubectl. */
  readonly warnings?: readonly string[];
};

/** An AdmissionReview with an answer, under the names of the API. */
export type AdmissionAnswer = {
  readonly apiVersion: typeof REVIEW_API_VERSION;
  readonly kind: typeof REVIEW_KIND;
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: 403; readonly reason: 'Forbidden'; readonly message: string };
    /** RFC 6902, as base64. */
    readonly patch?: string;
    readonly patchType?: 'JSONPatch';
    readonly warnings?: readonly string[];
  };
};

/**
 * Admits the object, changed by `patch` where there is one: only a mutating webhook may send it. An empty patch is left
 * out, since the API server refuses a patch type without a patch.
 */
export function allowedAnswer(
  uid: string,
  { patch = [], ...notes }: AnswerNotes & { readonly patch?: readonly PatchOperation[] } = {},
): AdmissionAnswer {
  const text = new TextEncoder().encode(JSON.stringify(patch));
  return answer(uid, true, notes, patch.length === 0 ? {} : { patch: encodeBase64(text), patchType: 'JSONPatch' });
}

/**
 * Refuses the object. The message is what kubectl shows: the lines, each made printable, so that no text from outside makes
 * another one; at most 4,096 characters.
 */
export function refusedAnswer(uid: string, lines: readonly string[], notes: AnswerNotes = {}): AdmissionAnswer {
  const text = lines.map((line) => shownText(line, LONGEST_MESSAGE)).join('\n');
  const status = { code: 403, reason: 'Forbidden', message: shownText(text, LONGEST_MESSAGE, '\n') } as const;
  return answer(uid, false, notes, { status });
}

/** What a request that could not be read is answered with, at HTTP status 400: there is no uid to answer to. */
export type UnreadableAnswer = {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly status: 'Failure';
  readonly code: 400;
  readonly reason: 'BadRequest';
  readonly message: string;
};

/** The API server's own form of an error, so that it shows the issues; its failure policy decides about the object. */
export function unreadableAnswer(issues: readonly Issue[]): UnreadableAnswer {
  const faults = issues.map(
    ({ path, code, message }) => `${path === '' ? 'the document' : path}: ${message} (${code})`,
  );
  const message = shownText(`the AdmissionReview cannot be read: ${faults.join('; ')}`, LONGEST_MESSAGE);
  return { apiVersion: 'v1', kind: 'Status', status: 'Failure', code: 400, reason: 'BadRequest', message };
}

function answer(
  uid: string,
  allowed: boolean,
  { warnings = [] }: AnswerNotes,
  rest: Pick<AdmissionAnswer['response'], 'patch' | 'patchType' | 'status'>,
): AdmissionAnswer {
  return {
    apiVersion: REVIEW_API_VERSION,
    kind: REVIEW_KIND,
    response: {
      uid,
      allowed,
      ...rest,
      ...(warnings.length > 0 && { warnings: shownWarnings(warnings) }),
    },
  };
}

/** Each once, as the API server shows them; where they are too many, the last says how many more there are. */
function shownWarnings(warnings: readonly string[]): readonly string[] {
  const shown = [...new Set(warnings.map((text) => shownText(text, LONGEST_WARNING)))];
  if (shown.length <= MOST_WARNINGS) return shown;
  return [...shown.slice(0, MOST_WARNINGS - 1), `${shown.length - MOST_WARNINGS + 1} more warnings`];
}
