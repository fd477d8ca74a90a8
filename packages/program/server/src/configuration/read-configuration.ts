import { createHash } from 'node:crypto';
import { resolve as resolvePath } from 'node:path';
import { type Caller, compileCallers, compileRegistry } from '@colophon/issuance';
import { parseSha256 } from '@colophon/notation';
import { readPolicyFile } from '@colophon/policy-file';
import { isWithin } from '../pinned-history/within-folder.ts';
import { hasLoopbackHost, isListenAddress, isLoopbackAddress, isNetwork, isServiceAddress } from './address-rule.ts';
import { readCaller } from './caller-entry.ts';
import type {
  CallerIssuer,
  ClientConfiguration,
  Configuration,
  ConfigurationData,
  FixedConfiguration,
  FurtherIssuer,
  ListenRule,
  ReviewLogin,
} from './configuration.ts';
import { type ConfigurationIssue, type IssueNotes, notesOf } from './configuration-issue.ts';
import { CONFIGURATION_SCHEMA, type ConfigurationFile, type Role } from './configuration-schema.ts';
import { readNamespace } from './namespace-entry.ts';
import { readReference } from './secret-reference.ts';
import { noteScopes, readTrust } from './trust-entry.ts';
import { readWitnesses } from './witness-entry.ts';

/** Characters of a configuration file: 10,000 callers and agents are 4 MiB. */
export const MAX_CONFIGURATION_LENGTH = 16 * 1024 * 1024;

export const DEFAULT_LIFETIME_SECONDS = 600;
export const DEFAULT_KEY_CACHE_SECONDS = 300;
const DEFAULT_REQUESTS_PER_SECOND = 20;

/** Roles that serve programs of this machine only: nothing in them asks who it is. */
const LOOPBACK_ROLES: readonly Role[] = ['authority', 'evidence', 'registry'];

/** A configuration, or everything that is wrong with its file. */
export type ParsedConfiguration<Value = Configuration> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ConfigurationIssue[] };

/**
 * Reads the text of a configuration file: YAML as data only, closed keys. Every problem is reported at once, with line
 * and column. Nothing but the text is read: whether files that it names are there is found out by who opens them.
 * @param folder that relative paths in the file begin at
 */
export function parseConfiguration(text: string, place: { readonly folder: string }): ParsedConfiguration {
  const read = readConfiguration(text, place);
  return read.ok ? { ok: true, value: compileConfiguration(read.value) } : read;
}

/** Makes of a file's data what requests are held against. */
export function compileConfiguration({ fixed, registered, ...plain }: ConfigurationData): Configuration {
  const { agents } = registered;
  const callers = compileCallers(plain.callerList);
  return { fixed, live: { ...plain, callers, agents, registry: compileRegistry(registered) } };
}

/** As parseConfiguration; what it answers is plain data. */
export function readConfiguration(
  text: string,
  { folder }: { readonly folder: string },
): ParsedConfiguration<ConfigurationData> {
  const document = readPolicyFile(text, CONFIGURATION_SCHEMA, { mostCharacters: MAX_CONFIGURATION_LENGTH });
  if ('issues' in document) return { ok: false, issues: document.issues };
  const file = document.data as ConfigurationFile;
  const notes = notesOf(document);
  const resolve = (path: string) => resolvePath(folder, path);
  const fixed = readFixed(file, notes, resolve);
  const callers: Caller[] = [];
  const callerIssuers = new Map<string, CallerIssuer>();
  (file.callers ?? []).forEach((entry, index) => {
    const { caller, tokenIssuer } = readCaller(entry, ['callers', index], { issuer: file.issuer, notes, resolve });
    callers.push(caller);
    if (tokenIssuer !== undefined) addIssuer(callerIssuers, tokenIssuer, ['callers', index, 'oidc'], notes);
  });
  const witnesses = readWitnesses(file, notes, resolve);
  noteRepeated(file, notes);
  noteUnknownNames(file, fixed.tokens.audiences, notes);
  if (notes.issues.length > 0) return { ok: false, issues: notes.issues.slice(0, MOST_ISSUES) };
  const policyPacks = file.policyPacks?.map(({ name, hash }) => ({ name, hash: parseSha256(hash) ?? hash }));
  return {
    ok: true,
    value: {
      fixed,
      hash: `sha256:${createHash('sha256').update(text).digest('hex')}`,
      callerList: callers,
      callerIssuers: [...callerIssuers.values()],
      witnesses,
      registered: { agents: file.agents, models: file.models, policyPacks },
      requiredClaims: file.claims?.required ?? [],
      requiredSources: file.claims?.sources ?? {},
    },
  };
}

/** A client of the services needs no more of the file than what it goes by. */
const CLIENT_SCHEMA = { ...CONFIGURATION_SCHEMA, required: [] } as const;

/**
 * What the text of a configuration file says to a client: issuer, names, trust. The file may be the issuer's own, or
 * have no more than these; whatever else stands there has to be of its form.
 */
export function readClientConfiguration(
  text: string,
  { folder }: { readonly folder: string },
): ParsedConfiguration<ClientConfiguration> {
  const document = readPolicyFile(text, CLIENT_SCHEMA, { mostCharacters: MAX_CONFIGURATION_LENGTH });
  if ('issues' in document) return { ok: false, issues: document.issues };
  const { issuer, trust, reviews, policies, ...file } = document.data as Partial<ConfigurationFile>;
  const notes = notesOf(document);
  if (issuer !== undefined) noteIssuer(issuer, notes);
  noteLogin(reviews?.login, issuer, notes);
  const value = {
    ...(issuer === undefined ? {} : { issuer }),
    namespace: readNamespace(file, notes),
    trust: readTrust(trust ?? {}, notes, (path) => resolvePath(folder, path)),
    ...(reviews?.login === undefined ? {} : { reviewLogin: reviews.login }),
    ...(policies === undefined ? {} : { policyFiles: policies.map((path) => resolvePath(folder, path)) }),
  };
  return notes.issues.length > 0 ? { ok: false, issues: notes.issues } : { ok: true, value };
}

/** Whether the host of an address is this machine. */
function isOfThisMachine(address: string): boolean {
  return URL.canParse(address) && hasLoopbackHost(new URL(address));
}

/** A file must not buy an answer larger than itself. */
const MOST_ISSUES = 50;

function readFixed(file: ConfigurationFile, notes: IssueNotes, resolve: (path: string) => string): FixedConfiguration {
  const { issuer, tokens = {}, limits = {}, operations, roles = ['issuer'] } = file;
  noteIssuer(issuer, notes);
  const login = file.reviews?.login;
  if (!roles.includes('issuer')) notes.note(['roles'], 'configuration.role_refused', 'issuer is missing', 'issuer');
  const listen = readListen(file, notes, resolve);
  // A proxy on this machine brings others here, and certificates and log entries name the address that they lie at.
  const isLocal = listen.isLoopback && listen.trustedProxies === undefined && isOfThisMachine(issuer);
  roles.forEach((role, index) => {
    if (isLocal || !LOOPBACK_ROLES.includes(role)) return;
    const message = `${role} asks nobody who it is, and serves programs of this machine only`;
    const expected = 'listen: { address: localhost } without trustedProxies, and an issuer of this machine';
    notes.note(['roles', index], 'configuration.role_refused', message, expected);
  });
  const trust = readTrust(file.trust ?? {}, notes, resolve);
  noteScopes(trust.roots ?? [], notes, roles.includes('authority') ? resolve(file.data) : undefined);
  if (roles.includes('evidence') && !roles.includes('authority') && (!trust.roots || !trust.signingConfigFile)) {
    const message = 'evidence keeps what the embedded authority certified, or what trusted roots vouch for';
    notes.note(['roles'], 'configuration.role_refused', message, 'authority, or trust: { roots, signingConfig }');
  }
  noteLogin(login, issuer, notes);
  const furtherIssuers = readFurtherIssuers(file, roles, notes);
  if (operations !== undefined && !isListenAddress(operations.address)) noteAddress(['operations', 'address'], notes);
  const namespace = readNamespace(file, notes);
  if (file.pins !== undefined && isWithin(resolve(file.pins), resolve(file.data))) {
    notes.note(['pins'], 'configuration.pins_in_data', 'pins lies in data', 'a folder outside of data');
  }
  const key = tokens.key && readReference(tokens.key, ['tokens', 'key'], notes, resolve);
  if (key && 'env' in key) {
    const message = 'the next key is written beside this one, so it is in a file';
    notes.note(['tokens', 'key'], 'configuration.reference_invalid', message, 'file:PATH');
  }
  const requestsPerSecond = limits.requestsPerSecond ?? DEFAULT_REQUESTS_PER_SECOND;
  return {
    issuer,
    listen,
    ...(operations === undefined ? {} : { operations }),
    dataDir: resolve(file.data),
    ...(file.pins === undefined ? {} : { pinsFolder: resolve(file.pins) }),
    roles,
    ...(furtherIssuers === undefined ? {} : { furtherIssuers }),
    tokens: {
      ...(tokens.algorithm === undefined ? {} : { algorithm: tokens.algorithm }),
      lifetimeSeconds: tokens.lifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS,
      audiences: tokens.audiences ?? ['sigstore'],
      ...(key && 'file' in key ? { keyFile: key.file } : {}),
      keyCacheSeconds: tokens.keyCacheSeconds ?? DEFAULT_KEY_CACHE_SECONDS,
    },
    namespace,
    ...(file.trust === undefined ? {} : { trust }),
    limits: {
      requestsPerSecond,
      burst: limits.burst ?? 10 * requestsPerSecond,
      // A witness's receipt is part of a request.
      bodyBytes: limits.bodyBytes ?? 64 * 1024,
      headerSeconds: limits.headerSeconds ?? 10,
      requestSeconds: limits.requestSeconds ?? 15,
      apiKeyDays: limits.apiKeyDays ?? 90,
    },
    ...(login === undefined ? {} : { reviews: { login } }),
  };
}

/** Tokens of this issuer carry no address: it would be asked for what it does not give. */
function noteLogin(login: ReviewLogin | undefined, issuer: string | undefined, notes: IssueNotes): void {
  if (login === undefined || (isServiceAddress(login.issuer) && login.issuer !== issuer)) return;
  const expected = 'the https address of an OpenID Connect provider, exactly as the iss of its tokens';
  const path = ['reviews', 'login', 'issuer'];
  notes.note(path, 'configuration.issuer_invalid', 'no address of another issuer', expected);
}

function noteIssuer(issuer: string, notes: IssueNotes): void {
  if (isServiceAddress(issuer)) return;
  const expected = 'an https address, as a URL parser writes it, without query and fragment; http on loopback only';
  notes.note(['issuer'], 'configuration.issuer_invalid', 'no address of an issuer', expected);
}

function readFurtherIssuers(
  { issuer: own, authority }: ConfigurationFile,
  roles: readonly Role[],
  notes: IssueNotes,
): readonly FurtherIssuer[] | undefined {
  if (authority === undefined) return undefined;
  if (!roles.includes('authority')) {
    notes.note(['authority'], 'configuration.role_refused', 'no authority is served', 'authority among the roles');
  }
  const seen = new Set([withoutSlash(own)]);
  (authority.issuers ?? []).forEach(({ issuer }, index) => {
    const place = ['authority', 'issuers', index, 'issuer'];
    if (!isServiceAddress(issuer)) {
      const expected = 'an https address, exactly as its tokens have it; http on loopback only';
      notes.note(place, 'configuration.issuer_invalid', 'no address of an issuer', expected);
    }
    // An address that differs by its last slash is another iss, and nobody sees the difference.
    if (seen.has(withoutSlash(issuer))) {
      notes.note(
        place,
        'configuration.name_repeated',
        'this issuer is there already',
        'each issuer once, and not this one',
      );
    }
    seen.add(withoutSlash(issuer));
  });
  return authority.issuers;
}

function withoutSlash(address: string): string {
  return address.replace(/\/+$/, '');
}

function readListen(
  { issuer, listen: { address, port, tls, trustedProxies, drainSeconds = 0 }, callers = [] }: ConfigurationFile,
  notes: IssueNotes,
  resolve: (path: string) => string,
): ListenRule {
  if (!isListenAddress(address)) noteAddress(['listen', 'address'], notes);
  const isLoopback = isLoopbackAddress(address);
  (trustedProxies ?? []).forEach((network, index) => {
    if (!isNetwork(network)) noteAddress(['listen', 'trustedProxies', index], notes);
    else if (/\/0+$/.test(network)) {
      const message = 'everybody would be a proxy, and could say who asks';
      notes.note(['listen', 'trustedProxies', index], 'configuration.exposed', message, 'the addresses of the proxies');
    }
  });
  if (tls !== undefined && trustedProxies !== undefined) {
    notes.note(['listen'], 'configuration.exposed', 'TLS ends in one place', 'tls, or trustedProxies');
  }
  if (isListenAddress(address) && !isLoopback && tls === undefined && trustedProxies === undefined) {
    const message = 'tokens would cross the network in plain text';
    notes.note(['listen'], 'configuration.exposed', message, 'tls: { certificate, key }, or trustedProxies: [ … ]');
  }
  // Something stands before an issuer that has an address of others, whether it is named here or not.
  const isReachable = !isLoopback || trustedProxies !== undefined || !isOfThisMachine(issuer);
  if (isReachable && callers.length === 0) {
    const message = 'whoever can reach this address could speak for every agent';
    notes.note(['callers'], 'configuration.exposed', message, 'callers: [ { name, … } ]');
  }
  return {
    address,
    port,
    isLoopback,
    ...(tls === undefined
      ? {}
      : {
          tls: {
            certificateFile: resolve(tls.certificate),
            key: readReference(tls.key, ['listen', 'tls', 'key'], notes, resolve) ?? { env: '' },
          },
        }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
    drainSeconds,
  };
}

function noteAddress(path: readonly (string | number)[], notes: IssueNotes): void {
  const expected = path.includes('trustedProxies') ? 'e.g. 10.0.0.0/8' : 'an IP address, or localhost';
  notes.note(path, 'configuration.address_invalid', 'no address', expected);
}

/** Entries of one issuer are held against the same keys. */
function addIssuer(
  issuers: Map<string, CallerIssuer>,
  added: CallerIssuer,
  path: readonly (string | number)[],
  notes: IssueNotes,
): void {
  const known = issuers.get(added.issuer);
  if (known === undefined) issuers.set(added.issuer, added);
  else if (JSON.stringify(known) !== JSON.stringify(added)) {
    const message = 'another caller of this issuer has other keys, another kind or another maxAgeSeconds';
    notes.note(path, 'configuration.caller_keys', message, 'the same in each entry of one issuer');
  }
}

/** Names and identifiers that two entries have. */
function noteRepeated({ callers, agents, policyPacks }: ConfigurationFile, notes: IssueNotes): void {
  const seen = new Set<string>();
  const once = (list: string, index: number, field: string, value: string | undefined, key = value) => {
    if (value === undefined) return;
    const taken = `${list} ${field} ${key}`;
    if (seen.has(taken))
      notes.note([list, index, field], 'configuration.name_repeated', 'another entry has it already');
    seen.add(taken);
  };
  callers?.forEach(({ name }, index) => {
    once('callers', index, 'name', name);
  });
  agents?.forEach(({ name, id }, index) => {
    once('agents', index, 'name', name, name.toLowerCase());
    once('agents', index, 'id', id);
  });
  policyPacks?.forEach(({ name, hash }, index) => {
    once('policyPacks', index, 'name', name);
    once('policyPacks', index, 'hash', hash, parseSha256(hash));
  });
}

/** A right to what is not in the registries was mistyped, or would be for whoever gets that name later. */
function noteUnknownNames(
  { callers = [], agents, policyPacks = [] }: ConfigurationFile,
  audiences: readonly string[],
  notes: IssueNotes,
): void {
  const known = {
    agents: agents && new Set(agents.map(({ name }) => name)),
    policyPacks: new Set(policyPacks.map(({ name }) => name)),
    audiences: new Set(audiences),
  };
  callers.forEach(({ may }, index) => {
    for (const right of ['agents', 'policyPacks', 'audiences'] as const) {
      may[right]?.forEach((name, at) => {
        if (name.includes('*') || known[right]?.has(name) !== false) return;
        const where = right === 'audiences' ? 'tokens.audiences' : right;
        notes.note(['callers', index, 'may', right, at], 'configuration.name_unknown', `${where} has no such name`);
      });
    }
  });
}

/** What a file says of its data folder, whatever else is wrong with it; undefined where it is not to be found. */
export function dataFolderIn(text: string): string | undefined {
  const parts = /^data:[ \t]+(?:"([^"\n]+)"|([^\s"'#{[][^\n#]*))/m.exec(text);
  return parts?.[1] ?? parts?.[2]?.trim();
}
