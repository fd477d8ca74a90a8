import type { JsonObject, JsonValue } from '@colophon/json';
import {
  CLAIM_ARC_NUMBERS,
  DEFAULT_CLAIM_ARC,
  FULCIO_ARC,
  FULCIO_EXTENSION_TEMPLATES,
  fulcioExtensionTexts,
  UNKNOWN,
} from '@colophon/records';
import {
  type CertificateFields,
  claimsUnder,
  fulcioExtension,
  subjectAlternativeNames,
} from '@colophon/sigstore/certificate';

/** A place in a certificate that says something else than the ledger's row. */
export type ClaimDifference = {
  /** OID of the extension, or `not_before`. */
  readonly field: string;
  /** The claims that it carries. */
  readonly claims: readonly string[];
  /** What it would say of the token in the ledger; absent where it would not be there. */
  readonly expected?: string;
  /** What it says; absent where it is not there. */
  readonly found?: string;
};

const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
/** What stands for a value that is no text. */
const UNREADABLE = '(no text)';
/** The extensions that Fulcio writes beside the mapping. */
const ISSUER_NUMBERS = [1, 8];
const SUBJECT_NUMBER = 24;

/**
 * Where a certificate says something else than the payload of a token: in its name, in Fulcio's extensions, in the claims
 * under `claimArc` or the placeholder. A Fulcio extension that is not there says nothing; of an arc every claim counts where
 * one is there, since an authority writes all of them.
 */
export function claimDifferences(
  certificate: CertificateFields,
  payload: JsonObject,
  claimArc: string,
): readonly ClaimDifference[] {
  const arcs = [...new Set([claimArc, DEFAULT_CLAIM_ARC])];
  return [
    ...differences(SUBJECT_ALTERNATIVE_NAME, ['sub'], textOf(payload['sub']), nameIn(certificate)),
    ...fulcioDifferences(certificate, payload),
    ...arcs.flatMap((arc) => arcDifferences(certificate, payload, arc)),
  ];
}

function fulcioDifferences(certificate: CertificateFields, payload: JsonObject): readonly ClaimDifference[] {
  const expected = new Map<number, string | undefined>([
    ...ISSUER_NUMBERS.map((number): [number, string | undefined] => [number, textOf(payload['iss'])]),
    ...fulcioExtensionTexts(payload),
    [SUBJECT_NUMBER, textOf(payload['sub'])],
  ]);
  return [...expected].flatMap(([number, text]) => {
    const found = orUnreadable(() => fulcioExtension(certificate, number));
    if (found === undefined) return [];
    return differences(`${FULCIO_ARC}.${number}`, claimsIn(number), text, found);
  });
}

function arcDifferences(certificate: CertificateFields, payload: JsonObject, arc: string): readonly ClaimDifference[] {
  const found = orUnreadable(() => claimsUnder(certificate, arc));
  if (found === undefined) return [];
  if (found === UNREADABLE) return [{ field: arc, claims: Object.keys(CLAIM_ARC_NUMBERS), found }];
  return Object.entries(CLAIM_ARC_NUMBERS).flatMap(([claim, number]) =>
    differences(`${arc}.${number}`, [claim], knownText(payload[claim]), found.get(claim)),
  );
}

function differences(
  field: string,
  claims: readonly string[],
  expected: string | undefined,
  found: string | undefined,
): readonly ClaimDifference[] {
  if (expected === found) return [];
  return [
    { field, claims, ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) },
  ];
}

function claimsIn(number: number): readonly string[] {
  if (ISSUER_NUMBERS.includes(number)) return ['iss'];
  if (number === SUBJECT_NUMBER) return ['sub'];
  // The issuer's address before the others has extensions of its own.
  return [...(FULCIO_EXTENSION_TEMPLATES[number] ?? '').matchAll(/\{(?!iss\})(\w+)\}/g)].map(
    ([, claim]) => claim as string,
  );
}

function nameIn(certificate: CertificateFields): string | undefined {
  const names = orUnreadable(() => subjectAlternativeNames(certificate).map(({ name }) => name));
  return typeof names === 'string' ? names : names?.join(', ') || undefined;
}

/** As a certificate carries it: numbers as decimal text, the one audience of a list. `unknown` is no value. */
function knownText(value: JsonValue | undefined): string | undefined {
  const text = textOf(value);
  return text === UNKNOWN || text === '' ? undefined : text;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (Array.isArray(value) && value.length === 1) return textOf(value[0]);
  if (value === undefined || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function orUnreadable<T>(read: () => T): T | typeof UNREADABLE {
  try {
    return read();
  } catch {
    return UNREADABLE;
  }
}
