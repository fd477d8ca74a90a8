import { createHash, createPublicKey, X509Certificate } from 'node:crypto';
import { findPemBlocks, formatPem, parsePem } from '@colophon/encoding';
import { isJsonObject, parseStrictJson } from '@colophon/json';
import { askPeer, NoAnswer, oneLine, type PeerAnswer, shownAddress, underBase } from '@colophon/peer';
import { SetupError } from '../setup-error/setup-error.ts';
import type { SetupIssue, SetupIssueCode } from '../setup-error/setup-issue.ts';

/** Where a company's services are. */
export type ServiceAddresses = {
  readonly issuerUrl: string;
  readonly fulcioUrl: string;
  readonly rekorUrl: string;
  /** Where RFC 3161 queries are sent, as signing configs name it. */
  readonly timestampUrl?: string | undefined;
  /** Of the CT log of the authority; it has none where absent. */
  readonly ctUrl?: string | undefined;
};

/** PEM of what the services do not publish, or of what somebody would rather give than fetch. */
export type GivenKeys = {
  readonly fulcioChain?: string | undefined;
  readonly rekorKey?: string | undefined;
  readonly timestampChain?: string | undefined;
  readonly ctKey?: string | undefined;
};

/** A key or chain that was fetched, and how to tell it from another: SHA-256 of its DER, of a chain's last certificate. */
export type FetchedKey = { readonly what: string; readonly from: string; readonly sha256: string };

/** What a trusted root is made of. PEM; a chain begins with the certificate that signs, and ends with the root. */
export type ServiceKeys = {
  readonly fulcioChain: string;
  readonly rekorKey: string;
  readonly rekorMajorVersion: 1 | 2;
  readonly timestampChain?: string | undefined;
  readonly ctKey?: string | undefined;
  readonly fetched: readonly FetchedKey[];
};

type Options = { readonly fetch?: typeof globalThis.fetch | undefined };
type Note = (code: SetupIssueCode, message: string, details?: Pick<SetupIssue, 'expected' | 'found'>) => undefined;

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

/**
 * Fetches what the services publish of their keys: Fulcio its chain, Rekor v1 its key, Sigstore's timestamp authority
 * its chain. Rekor v2 and CT logs publish none: theirs are given. Nobody vouches for what is fetched, so it is named by
 * its digest for somebody to compare.
 * @throws SetupError `setup.service_unreachable`, `setup.incomplete`, with everything that is missing
 */
export async function gatherKeys(
  addresses: ServiceAddresses,
  given: GivenKeys,
  options: Options = {},
): Promise<ServiceKeys> {
  const issues: SetupIssue[] = [];
  const note: Note = (code, message, details = {}) => {
    issues.push({ code, message, ...details });
    return undefined;
  };
  const fetched: FetchedKey[] = [];
  const [fulcioChain, log, timestampChain] = await Promise.all([
    given.fulcioChain ?? fetchFulcioChain(addresses.fulcioUrl, { note, fetched, ...options }),
    findLog(addresses.rekorUrl, given.rekorKey, { note, fetched, ...options }),
    given.timestampChain ?? fetchTimestampChain(addresses.timestampUrl, { note, fetched, ...options }),
  ]);
  if (log?.version === 2 && addresses.timestampUrl === undefined) {
    const expected = '--timestamp-server-url URL';
    note('setup.timestamps_needed', 'a log of Rekor v2 tells no time: name a timestamp authority', { expected });
  }
  if (addresses.ctUrl !== undefined && given.ctKey === undefined) {
    note('setup.key_unpublished', `the CT log ${shownAddress(addresses.ctUrl)} publishes no key`, {
      expected: '--ct-log-key FILE',
    });
  }
  noteUnreadable({ ...given, fulcioChain, timestampChain, rekorKey: log?.key }, note);
  if (fulcioChain === undefined || log?.key === undefined || issues.length > 0) throw incomplete(issues);
  const { key: rekorKey, version: rekorMajorVersion } = log;
  return { fulcioChain, rekorKey, rekorMajorVersion, timestampChain, ctKey: given.ctKey, fetched };
}

function incomplete(issues: readonly SetupIssue[]): SetupError {
  const isSilent = issues.every(({ code }) => code === 'setup.unreachable');
  return isSilent
    ? new SetupError('setup.service_unreachable', 'services do not answer', { issues })
    : new SetupError('setup.incomplete', 'not all that a trusted root needs is there', { issues });
}

type Asking = Options & { readonly note: Note; readonly fetched: FetchedKey[] };

async function fetchFulcioChain(fulcioUrl: string, asking: Asking): Promise<string | undefined> {
  const url = underBase(fulcioUrl, '/api/v2/trustBundle');
  const answer = await get(url, asking);
  if (answer === undefined) return undefined;
  const parsed = parseStrictJson(answer.body, { maxBytes: MOST_BYTES, maxDepth: 16 });
  const chains = parsed.ok && isJsonObject(parsed.value) ? parsed.value['chains'] : undefined;
  const [chain] = Array.isArray(chains) ? chains : [];
  const certificates = isJsonObject(chain ?? null) ? (chain as { certificates?: unknown }).certificates : undefined;
  const text = Array.isArray(certificates) ? certificates.map((one) => `${String(one).trim()}\n`).join('') : '';
  const pem = rememberChain('Fulcio’s root', url, text, asking);
  if (pem !== undefined) return pem;
  const expected = 'the address of a Fulcio, or --fulcio-chain FILE';
  return asking.note('setup.not_this_service', `${shownAddress(url)} gives no chain of certificates`, { expected });
}

/** Rekor v1 gives its key; v2 has no such path, and takes entries at another. */
async function findLog(
  rekorUrl: string,
  given: string | undefined,
  asking: Asking,
): Promise<{ readonly version: 1 | 2; readonly key: string | undefined } | undefined> {
  const url = underBase(rekorUrl, '/api/v1/log/publicKey');
  const answer = await get(url, asking, [404, 405]);
  if (answer === undefined) return undefined;
  if (answer.isOk) {
    const key = given ?? rememberKey('Rekor’s key', url, Buffer.from(answer.body).toString('latin1'), asking);
    if (key !== undefined) return { version: 1, key };
    const expected = 'the address of a Rekor, or --rekor-key FILE';
    return asking.note('setup.not_this_service', `${shownAddress(url)} gives something else than one key`, {
      expected,
    });
  }
  const entries = underBase(rekorUrl, '/api/v2/log/entries');
  const body = new TextEncoder().encode('{}');
  const refused = await get(entries, asking, [400], { method: 'POST', body });
  if (refused === undefined) return undefined;
  if (given === undefined) {
    const message = `${shownAddress(rekorUrl)} is a Rekor v2, and publishes no key`;
    asking.note('setup.key_unpublished', message, { expected: '--rekor-key FILE' });
  }
  return { version: 2, key: given };
}

async function fetchTimestampChain(timestampUrl: string | undefined, asking: Asking): Promise<string | undefined> {
  if (timestampUrl === undefined) return undefined;
  const path = new URL(timestampUrl).pathname.replace(/\/$/, '');
  const url = underBase(timestampUrl, path === '' ? '/api/v1/timestamp/certchain' : '/certchain');
  const answer = await get(url, asking, [400, 404, 405, 415]);
  if (answer === undefined) return undefined;
  const text = Buffer.from(answer.body).toString('latin1');
  const pem = answer.isOk ? rememberChain('the timestamp authority’s root', url, text, asking) : undefined;
  if (pem !== undefined) return pem;
  const message = `the timestamp authority ${shownAddress(timestampUrl)} publishes no certificates`;
  return asking.note('setup.key_unpublished', message, { expected: '--timestamp-chain FILE' });
}

async function get(
  url: string,
  { fetch, note }: Asking,
  accepted: readonly number[] = [],
  question: { readonly method?: string; readonly body?: Uint8Array } = {},
): Promise<PeerAnswer | undefined> {
  let answer: PeerAnswer;
  try {
    const headers = question.body === undefined ? {} : { 'content-type': 'application/json' };
    answer = await askPeer(url, { ...question, headers }, { fetch, timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES });
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return note('setup.unreachable', `${shownAddress(url)} does not answer: ${error.message}`);
  }
  if (answer.isOk || accepted.includes(answer.status)) return answer;
  if (answer.status >= 500) return note('setup.unreachable', `${shownAddress(url)} answers ${answer.status}`);
  return note('setup.not_this_service', `${shownAddress(url)} answers ${answer.status}`, {
    expected: 'the address of that service',
  });
}

/**
 * The certificates of a chain that was fetched, and nothing of what stands around them. All of them come to be trusted and
 * the digest of the last one is shown, so each must be issued by the next one, and the last one by itself.
 */
function rememberChain(what: string, from: string, text: string, asking: Asking): string | undefined {
  const chain = readChain(text);
  if (chain === undefined || !chain.every((one, index) => isIssuedBy(one, chain[index + 1] ?? one))) return undefined;
  remember(what, from, chain.at(-1)!.raw, asking);
  return chain.map(({ raw }) => formatPem('CERTIFICATE', raw)).join('');
}

/** The one key in an answer that is nothing else: of several, another one might be trusted than the one that is shown. */
function rememberKey(what: string, from: string, text: string, asking: Asking): string | undefined {
  const [key, ...others] = parsePem(text) ?? [];
  if (key === undefined || others.length > 0 || !isPublicKey(text)) return undefined;
  remember(what, from, key.der, asking);
  return text;
}

function remember(what: string, from: string, der: Uint8Array, { fetched }: Asking): void {
  fetched.push({ what, from: shownAddress(from), sha256: createHash('sha256').update(der).digest('hex') });
}

function isIssuedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  return one.checkIssued(issuer) && one.verify(issuer.publicKey);
}

function noteUnreadable({ fulcioChain, timestampChain, rekorKey, ctKey }: GivenKeys, note: Note): void {
  for (const [what, pem] of [
    ['Fulcio’s chain', fulcioChain],
    ['the timestamp authority’s chain', timestampChain],
  ] as const) {
    if (pem === undefined || readChain(pem) !== undefined) continue;
    note('setup.key_unreadable', `${what} holds no certificates`, {
      expected: 'PEM: the certificate that signs first, the root last',
    });
  }
  for (const [what, pem] of [
    ['Rekor’s key', rekorKey],
    ['the CT log’s key', ctKey],
  ] as const) {
    if (pem === undefined || isPublicKey(pem)) continue;
    note('setup.key_unreadable', `${what} cannot be read`, {
      expected: 'PEM of a public key',
      found: oneLine(pem.slice(0, 30)),
    });
  }
}

/** The certificates of a chain in PEM; undefined where there is none, or one that cannot be read. */
export function readChain(pem: string): readonly [X509Certificate, ...X509Certificate[]] | undefined {
  try {
    const [first, ...others] = (findPemBlocks(pem, ['CERTIFICATE']) ?? []).map(({ der }) => new X509Certificate(der));
    return first === undefined ? undefined : [first, ...others];
  } catch {
    return undefined;
  }
}

function isPublicKey(pem: string): boolean {
  try {
    // A private key would be taken too, and would lie in a file for others.
    return /-----BEGIN PUBLIC KEY-----/.test(pem) && createPublicKey(pem).type === 'public';
  } catch {
    return false;
  }
}
