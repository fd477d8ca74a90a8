import { parseCompactJws } from '@colophon/encoding';
import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { parseClaimSources, parsePurpose, SOURCED_CLAIMS } from '@colophon/records';
import { type Inspection, InspectionError } from './inspection.ts';

/** Whether a text has the form of a signed JWT. */
export function looksLikeToken(text: string): boolean {
  const parsed = parseCompactJws(text, text.length);
  return parsed.ok || parsed.problem !== 'segments';
}

/** Decodes a token. Its signature is left out, so that what is shown cannot be used. @throws InspectionError */
export function inspectToken(text: string): Inspection {
  const parsed = parseCompactJws(text, text.length);
  if (!parsed.ok) {
    // What no verifier reads is not shown as if one did.
    const message = `it has the form of a token, but its ${parsed.problem} is no base64url`;
    throw new InspectionError('inspect.malformed', message);
  }
  const { header, payload } = parsed.value;
  const claims = decode(payload);
  const expiry = timeOf(claims['exp']);
  const until = expiry === undefined ? 'and it never expires' : `until ${expiry}`;
  const subject = typeof claims['sub'] === 'string' ? claims['sub'] : 'its subject';
  return {
    kind: 'identity-token',
    verified: false,
    notes: [
      `THIS IS A CREDENTIAL: anyone who holds the token can sign as ${subject}, ${until}. Do not paste it anywhere.`,
    ],
    content: {
      header: decode(header),
      claims,
      ...purposeOfClaims(claims),
      basis: basisOfClaims(claims),
      times: timesOf(claims),
    },
  };
}

/** What the token is for, where it says so. */
function purposeOfClaims({ claim_sources: sources }: JsonObject): JsonObject {
  const purpose = typeof sources === 'string' ? parsePurpose(sources) : undefined;
  return purpose === undefined ? {} : { purpose };
}

/** What each claim rests on by the token's own words; the issuer is who signed it. */
function basisOfClaims(claims: JsonObject): JsonObject {
  const { claim_sources, iss } = claims;
  const sources = parseClaimSources(typeof claim_sources === 'string' ? claim_sources : '');
  const stated = SOURCED_CLAIMS.filter((claim) => typeof claims[claim] === 'string');
  const signer = typeof iss === 'string' ? { signer: iss } : {};
  return Object.fromEntries(
    stated.map((claim) => [`claims.${claim}`, { source: sources[claim] ?? 'declared', ...signer }]),
  );
}

function timesOf(claims: JsonObject): JsonObject {
  const names = ['iat', 'nbf', 'exp'].filter((name) => timeOf(claims[name]) !== undefined);
  return Object.fromEntries(names.map((name) => [name, timeOf(claims[name]) as string]));
}

function timeOf(seconds: JsonValue | undefined): string | undefined {
  if (typeof seconds !== 'number') return undefined;
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

function decode(bytes: Uint8Array): JsonObject {
  const parsed = parseStrictJson(bytes, { maxBytes: 64 * 1024 });
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new InspectionError('inspect.malformed', 'it has the form of a token, but a part of it is no JSON object');
}
