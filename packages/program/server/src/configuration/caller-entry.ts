import {
  type Caller,
  type CallerCondition,
  type CallerKind,
  type CallerTokenRule,
  type ConfirmedClaim,
  FORGE_CLAIMS,
  forgeOf,
} from '@colophon/issuance';
import { isServiceAddress } from './address-rule.ts';
import type { CallerIssuer, CallerKeys } from './configuration.ts';
import type { IssueNotes } from './configuration-issue.ts';
import type { ConfigurationFile } from './configuration-schema.ts';

type Entry = NonNullable<ConfigurationFile['callers']>[number];
type Oidc = NonNullable<Entry['oidc']>;
type Path = readonly (string | number)[];

/** Seconds since `iat` after which a caller's token is no credential any more, where its entry says nothing. */
export const DEFAULT_MAX_AGE_SECONDS = 3_600;

const SPIFFE_TRUST_DOMAIN = /^spiffe:\/\/[a-z0-9._-]{1,255}$/;

/** For each kind: of every group one condition stands there. */
const PINS: Readonly<Record<CallerKind, readonly (readonly string[])[]>> = {
  // An owner alone lets whoever can push a branch anywhere speak as the agent; a repository alone, whoever can push there.
  github: [['job_workflow_ref'], ['repository_id', 'repository_owner_id', 'enterprise_id']],
  gitlab: [
    ['ci_config_ref_uri', 'ref_protected'],
    ['project_id', 'namespace_id'],
  ],
  kubernetes: [['sub', '/kubernetes.io/serviceaccount/uid']],
  spiffe: [['sub']],
  oidc: [],
};

/** Reads one entry of `callers`; what is wrong with it is noted. `resolve` makes a path of the file an absolute one. */
export function readCaller(
  entry: Entry,
  path: Path,
  { issuer, notes, resolve }: { readonly issuer: string; readonly notes: IssueNotes; resolve(path: string): string },
): { readonly caller: Caller; readonly tokenIssuer: CallerIssuer | undefined } {
  const { name, kind, oidc, apiKey = false, may } = entry;
  if ((kind === undefined) !== (oidc === undefined)) {
    notes.note(path, 'configuration.caller_invalid', 'kind and oidc stand together', 'kind: github … with oidc: { … }');
  }
  if (oidc === undefined && !apiKey) {
    notes.note(path, 'configuration.caller_invalid', 'the caller has no credential', 'kind with oidc, or apiKey: true');
  }
  if (oidc === undefined || kind === undefined) return { caller: { name, apiKey, may }, tokenIssuer: undefined };
  const at = [...path, 'oidc'];
  const isSpiffe = kind === 'spiffe';
  const isFine = isSpiffe ? SPIFFE_TRUST_DOMAIN.test(oidc.issuer) : isServiceAddress(oidc.issuer);
  if (!isFine) {
    const expected = isSpiffe
      ? 'spiffe://<trust domain>'
      : 'an https address without query and fragment, as its tokens have it';
    notes.note([...at, 'issuer'], 'configuration.caller_issuer_invalid', 'no issuer of such tokens', expected);
  } else if (sameAddress(oidc.issuer, issuer)) {
    notes.note([...at, 'issuer'], 'configuration.caller_issuer_invalid', 'this issuer cannot be a caller of itself');
  }
  const forge = forgeOf(oidc.issuer);
  if (forge !== undefined && forge !== kind) {
    const message = `tokens of this issuer are held against the rules for ${forge}`;
    notes.note([...path, 'kind'], 'configuration.caller_invalid', message, forge);
  }
  if (oidc.audience !== issuer) {
    const message = 'the audience is not this issuer: a token for another service would count here';
    notes.note([...at, 'audience'], 'configuration.caller_audience', message, issuer);
  }
  const where = readConditions(oidc, kind, at, notes);
  const confirms = readConfirms(oidc, kind, at, notes);
  const token: CallerTokenRule = {
    kind,
    issuer: oidc.issuer,
    where,
    singleUse: oidc.singleUse ?? kind === 'github',
    confirms,
  };
  return {
    caller: { name, token, apiKey, may },
    tokenIssuer: {
      issuer: oidc.issuer,
      kind: isSpiffe ? 'spiffe' : 'oidc',
      maxAgeSeconds: oidc.maxAgeSeconds ?? DEFAULT_MAX_AGE_SECONDS,
      keys: readKeys(oidc, isSpiffe, [...at, 'keys'], notes, resolve),
    },
  };
}

function readConditions(oidc: Oidc, kind: CallerKind, at: Path, notes: IssueNotes): readonly CallerCondition[] {
  const conditions = Object.entries(oidc.where).map(([name, values]) => ({ name, values: [values].flat() }));
  for (const group of PINS[kind]) {
    if (conditions.some(({ name, values }) => group.includes(name) && isPin(name, values))) continue;
    const message = `tokens of ${kind} that meet these conditions are not one agent's alone`;
    notes.note([...at, 'where'], 'configuration.caller_unpinned', message, `a condition on ${group.join(' or ')}`);
  }
  return conditions.map(({ name, values }) => ({ path: readClaimPath(name, [...at, 'where', name], notes), values }));
}

/** Whoever can push at all can push to a branch that is not protected. */
function isPin(name: string, values: readonly string[]): boolean {
  return name !== 'ref_protected' || values.every((value) => value === 'true');
}

/** A claim by its name, or by a JSON Pointer (RFC 6901). */
function readClaimPath(name: string, at: Path, notes: IssueNotes): readonly string[] {
  if (!name.startsWith('/')) return [name];
  if (/~(?![01])/.test(name)) {
    notes.note(at, 'policy.value', 'no JSON Pointer', 'e.g. /kubernetes.io/serviceaccount/uid');
  }
  return name
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function readConfirms(oidc: Oidc, kind: CallerKind, at: Path, notes: IssueNotes): CallerTokenRule['confirms'] {
  const isForge = kind === 'github' || kind === 'gitlab';
  if (oidc.confirms !== undefined && !isForge) {
    notes.note(
      [...at, 'confirms'],
      'configuration.caller_invalid',
      `tokens of ${kind} have no claims of a known meaning`,
    );
  }
  if (oidc.claims !== undefined && kind !== 'oidc') {
    const message = `what the claims of ${kind} mean is known, and not to be said here`;
    notes.note([...at, 'claims'], 'configuration.caller_invalid', message, isForge ? 'confirms' : undefined);
  }
  if (kind === 'oidc') {
    requireVerifiedAddress(oidc, at, notes);
    return Object.fromEntries(
      Object.entries(oidc.claims ?? {}).map(([claim, name]) => [
        claim,
        readClaimPath(name, [...at, 'claims', claim], notes),
      ]),
    );
  }
  if (oidc.confirms === undefined) return FORGE_CLAIMS[kind];
  const named = oidc.confirms as readonly ConfirmedClaim[];
  return Object.fromEntries(named.map((claim) => [claim, FORGE_CLAIMS[kind][claim]]));
}

/** An address that its owner never proved is nobody's name. */
function requireVerifiedAddress({ claims, where }: Oidc, at: Path, notes: IssueNotes): void {
  const name = claims?.human_reviewer;
  const isEmail = name === 'email' || name === '/email';
  if (!isEmail || String(where['email_verified'] ?? where['/email_verified']) === 'true') return;
  const message = 'an e-mail address counts only where the issuer has verified it';
  notes.note(
    [...at, 'claims', 'human_reviewer'],
    'configuration.caller_unpinned',
    message,
    'where: { email_verified: "true" }',
  );
}

function readKeys(
  { keys }: Oidc,
  isSpiffe: boolean,
  at: Path,
  notes: IssueNotes,
  resolve: (path: string) => string,
): CallerKeys {
  const refuse = (message: string, expected?: string): CallerKeys => {
    notes.note(at, 'configuration.caller_keys', message, expected);
    return { from: 'discovery' };
  };
  const { url, ca, bearer, file } = keys ?? {};
  const caFile = ca === undefined ? {} : { caFile: resolve(ca) };
  if (url !== undefined && file !== undefined) return refuse('keys come from one place', 'url, or file');
  if (url === undefined && bearer !== undefined) return refuse('bearer belongs to url');
  if (file !== undefined) return ca === undefined ? { from: 'file', file: resolve(file) } : refuse('ca belongs to url');
  if (url === undefined) {
    return isSpiffe
      ? refuse('a trust domain has no discovery', 'keys: { file: bundle.json }, or { url: … }')
      : { from: 'discovery', ...caFile };
  }
  if (!isServiceAddress(url)) return refuse('no address of a key set', 'https://…');
  if (bearer !== undefined && !bearer.startsWith('file:')) return refuse('bearer is a secret in a file', 'file:PATH');
  const bearerFile = bearer === undefined ? {} : { bearerFile: resolve(bearer.slice('file:'.length)) };
  return { from: 'url', url, ...caFile, ...bearerFile };
}

function sameAddress(one: string, other: string): boolean {
  const plain = (text: string) => (URL.canParse(text) ? new URL(text).href.replace(/\/$/, '').toLowerCase() : text);
  return plain(one) === plain(other);
}
