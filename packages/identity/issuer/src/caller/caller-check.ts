import { type CallerCredential, decideCaller, type KnownCaller } from '@colophon/issuance';
import { type CallerToken, CLOCK_SKEW_SECONDS, TokenRefused, verifyCallerToken } from '@colophon/oidc';
import type { CallerStore, TokenUse } from '@colophon/store';
import { isApiKey } from '../api-key/api-key.ts';
import { checkApiKey } from '../api-key/api-key-check.ts';
import type { CallerErrorCode } from '../caller-error/caller-error.ts';
import type { IssuingRules } from './issuing-rules.ts';
import { oneCredential, type Presented } from './presented-credential.ts';
import { RefusedCredential } from './refused-credential.ts';

/** Who asks, what its credential proved, and what the ledger is to keep of it. */
export type ProvenCaller = {
  readonly caller: KnownCaller;
  readonly evidence: Extract<ReturnType<typeof decideCaller>, { ok: true }>['evidence'];
  readonly trigger: string | undefined;
  /** Which credential it was, for the ledger: nothing that could be used again. */
  readonly credential: Readonly<Record<string, string>>;
  /** Where the token counts once. */
  readonly use: TokenUse | undefined;
  /** Of an API key. */
  readonly keyId: string | undefined;
};

/** Who was revoked, and which API keys there are. */
export type CallerRecords = Pick<CallerStore, 'findKey' | 'isRevoked'>;

/**
 * Says who sends a request: the one policy for every way in which a token is asked for.
 * @param now seconds since the epoch
 * @throws RefusedCredential
 */
export async function checkCaller(
  presented: Presented,
  rules: IssuingRules,
  records: CallerRecords,
  now: number,
): Promise<ProvenCaller> {
  const text = oneCredential(presented);
  const kind = isApiKey(text) ? 'api-key' : 'token';
  try {
    if (kind === 'api-key') return provenByKey(text, rules, records, now);
    return await provenByToken(text, rules, records, now);
  } catch (error) {
    if (error instanceof RefusedCredential) error.kind = kind;
    throw error;
  }
}

function provenByKey(text: string, rules: IssuingRules, records: CallerRecords, now: number): ProvenCaller {
  const key = checkApiKey(text, records, now);
  if (!key.ok) throw new RefusedCredential(key.code, KEY_MESSAGES[key.code]);
  const { caller, keyId } = key;
  const decided = decide(rules, { kind: 'api-key', caller });
  return { ...decided, credential: { kind: 'api-key', key_id: keyId }, use: undefined, keyId };
}

async function provenByToken(
  text: string,
  rules: IssuingRules,
  records: CallerRecords,
  now: number,
): Promise<ProvenCaller> {
  const token = await verifyCallerToken(text, rules.trustedIssuers, now).catch(asRefusedCredential);
  const decided = decide(rules, { kind: 'token', issuer: token.issuer, claims: token.payload });
  const { caller } = decided;
  if (records.isRevoked(caller.name)) {
    throw new RefusedCredential('caller.revoked', 'this caller was revoked', { caller: caller.name });
  }
  return {
    ...decided,
    credential: credentialOf(token),
    use: caller.token?.singleUse
      ? { tokenKey: token.useKey, now, forgetAt: token.expiresAt + FORGET_LATER_SECONDS }
      : undefined,
    keyId: undefined,
  };
}

/**
 * How long after its `exp` a token is remembered: for the skew of clocks, and for a request that was let in before and
 * waited for keys. What the configuration says of its age may be another thing by then.
 */
const FORGET_LATER_SECONDS = CLOCK_SKEW_SECONDS + 60;

function decide(rules: IssuingRules, credential: CallerCredential) {
  const decision = decideCaller(credential, rules.callers);
  if (!decision.ok) throw new RefusedCredential(decision.code, decision.message);
  const { caller, evidence, trigger } = decision;
  return { caller, evidence, trigger };
}

/** A token by its own identifier, or by the hash of what its signature covers. */
function credentialOf({ issuer, jti, useKey }: CallerToken): Readonly<Record<string, string>> {
  if (jti !== undefined && jti.length <= LONGEST_JTI) return { kind: 'token', issuer, jti };
  return { kind: 'token', issuer, token_hash: Buffer.from(useKey).toString('hex') };
}

const LONGEST_JTI = 256;

function asRefusedCredential(error: unknown): never {
  if (!(error instanceof TokenRefused)) throw error;
  throw new RefusedCredential(`caller.${error.fault}` as CallerErrorCode, error.message, { cause: error.cause });
}

const KEY_MESSAGES = {
  'caller.api_key_malformed': 'this is no API key: it was cut or mistyped',
  'caller.api_key_unknown': 'there is no such API key',
  'caller.api_key_expired': 'this API key has expired',
  'caller.api_key_revoked': 'this API key was revoked',
  'caller.revoked': 'this caller was revoked',
} as const;
