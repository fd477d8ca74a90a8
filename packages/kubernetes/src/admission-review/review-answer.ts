import { encodeBase64 } from '@colophon/encoding';

/** Characters of one warning and of all of them that an API server hands on (Kubernetes, "Response" of webhooks). */
const LONGEST_WARNING = 256;
const LONGEST_WARNINGS = 4096;
/** Characters of a message that a person reads in a terminal. */
const LONGEST_MESSAGE = 4096;

/** One step of a JSON Patch (RFC 6902). */
export type PatchStep = { readonly op: 'test' | 'replace'; readonly path: string; readonly value: string };

/** What the webhook says of one request. */
export type ReviewAnswer = {
  readonly uid: string;
  readonly allowed: boolean;
  /** For the user of the API, where it is refused. */
  readonly message?: string;
  readonly warnings?: readonly string[];
  readonly patch?: readonly PatchStep[];
};

/**
 * Writes the AdmissionReview that answers a request. Text from outside is made printable and cut to what an API server
 * hands on.
 * @see Kubernetes API, admission.k8s.io/v1
 */
export function formatReviewAnswer({ uid, allowed, message, warnings = [], patch = [] }: ReviewAnswer): string {
  const said = withinLimit(warnings);
  const response = {
    uid,
    allowed,
    ...(allowed
      ? {}
      : { status: { code: 403, reason: 'Forbidden', message: printable(message ?? '', LONGEST_MESSAGE) } }),
    ...(said.length === 0 ? {} : { warnings: said }),
    ...(!allowed || patch.length === 0
      ? {}
      : { patchType: 'JSONPatch', patch: encodeBase64(new TextEncoder().encode(JSON.stringify(patch))) }),
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
}

function withinLimit(warnings: readonly string[]): string[] {
  const said: string[] = [];
  let length = 0;
  for (const warning of new Set(warnings)) {
    const text = printable(warning, LONGEST_WARNING);
    length += text.length;
    if (length > LONGEST_WARNINGS) break;
    said.push(text);
  }
  return said;
}

/** ASCII of one line or several; what is none is escaped. */
function printable(text: string, most: number): string {
  const escaped = text.replace(
    /[^\x20-\x7e\n]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped.length > most ? `${escaped.slice(0, most - 3)}...` : escaped;
}
