import { createHash } from 'node:crypto';
import { dirname, resolve as resolvePath } from 'node:path';
import { type NegativesSource, type Policy, parsePolicy, secondsOf } from '@colophon/admission';
import { systemReason } from '@colophon/durable-file';
import { policyFilesAt } from '@colophon/gate';
import { readPolicyFile } from '@colophon/policy-file';
import { DEFAULT_PREDICATE_BASE, type Namespace, PLACEHOLDER_NAMESPACE } from '@colophon/records/namespace';
import { loadTrustedRoots, type TrustMaterial } from '@colophon/sigstore';
import type { WebhookRules } from '@colophon/webhook';
import { isListenAddress, isLoopbackAddress } from '../configuration/address-rule.ts';
import type { SecretReference, TrustedRootFile } from '../configuration/configuration.ts';
import { ConfigurationRefused, textOf } from '../configuration/configuration-file.ts';
import { type IssueNotes, notesOf } from '../configuration/configuration-issue.ts';
import { readNamespace } from '../configuration/namespace-entry.ts';
import { readReference } from '../configuration/secret-reference.ts';
import { noteScopes, readTrust } from '../configuration/trust-entry.ts';
import type { TlsAddress } from '../start/tls-listener.ts';
import { readConfiguredTrust } from '../trust-files/configured-trust.ts';
import { readFiles } from '../watched-file/watched-files.ts';
import { ADMISSION_SCHEMA, type AdmissionFile } from './admission-schema.ts';
import { clusterNamespacesOf } from './cluster-host.ts';

/** Namespaces without which no cluster starts: they are never looked at, whatever the file says. */
export const SYSTEM_NAMESPACES: readonly string[] = ['kube-system', 'kube-node-lease'];

/** For an answer where the file does not say. */
const DEFAULT_TIMEOUT_SECONDS = 2;
const DEFAULT_DRAIN_SECONDS = 5;

/** What takes effect when the webhook is started, and not while it runs. */
export type FixedAdmission = {
  readonly listen: TlsAddress;
  readonly operations?: { readonly address: string; readonly port: number };
  readonly dataDir?: string;
  readonly registryCredentials?: SecretReference;
  readonly pullSecretNamespaces: readonly string[];
  /** Whether events are posted and Pods that run are looked at. */
  readonly tellsCluster: boolean;
  /** Address of the API server; undefined for that of the Pod's own cluster. */
  readonly clusterUrl?: string;
  readonly decisionLogFile?: string;
  readonly timeoutMs: number;
  /** Until a Service sends nothing more to a replica that ends. */
  readonly drainMs: number;
};

/** What an admission webhook's configuration file says, with the policies and roots that it names. */
export type AdmissionConfiguration = {
  readonly fixed: FixedAdmission;
  readonly rules: WebhookRules;
  /** Changes with all that `rules.trust` was made from, and with nothing else. */
  readonly trustFingerprint: string;
  /** Every file and folder that it was read from. */
  readonly paths: readonly string[];
  /** Of these, as they were when they were read; undefined where it tells nothing. */
  readonly stamp: string | undefined;
};

/** How often everything is read again that somebody exchanges meanwhile. */
const MOST_TRIES = 5;

/**
 * Reads the configuration file of an admission webhook, its policies and its roots, as they are at one moment. One of them
 * that cannot be used is a problem of the whole.
 * @throws ConfigurationRefused with every problem of the first file that has some; ServerError `server.trust_unusable`
 */
export function loadAdmission(file: string, ownNamespace?: string): AdmissionConfiguration {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const named = readNamed(file, ownNamespace);
    const read = readAll(named);
    if (read !== undefined) return compiled(named, read);
  }
  throw new ConfigurationRefused(file, 'was changed again and again while it was read');
}

/** What a configuration file says itself, and which files it names. */
type NamedFiles = {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly written: AdmissionFile;
  readonly fixed: FixedAdmission;
  readonly namespace: Partial<Namespace>;
  readonly excluded: ReadonlySet<string>;
  readonly defaultNegatives: NegativesSource | undefined;
  readonly roots: readonly TrustedRootFile[];
  /** Policy files, and folders of such. */
  readonly policyPlaces: readonly string[];
  readonly policyFiles: readonly string[];
};

function readNamed(file: string, ownNamespace: string | undefined): NamedFiles {
  const bytes = readTogether([file]).contents[0]!;
  const document = readPolicyFile(textOf(file, bytes), ADMISSION_SCHEMA);
  if ('issues' in document) throw new ConfigurationRefused(file, 'is no configuration', document.issues);
  const written = document.data as AdmissionFile;
  const notes = notesOf(document);
  const folder = dirname(resolvePath(file));
  const resolve = (path: string) => resolvePath(folder, path);
  const fixed = readFixed(written, notes, resolve);
  const namespace = readNamespace(written, notes);
  const { roots = [] } = readTrust(written.trust, notes, resolve);
  noteScopes(roots, notes);
  const excluded = new Set([
    ...written.namespaces.exclude,
    ...SYSTEM_NAMESPACES,
    ...(ownNamespace ? [ownNamespace] : []),
  ]);
  const defaultNegatives = readNegatives(written.negatives);
  noteDependency(defaultNegatives?.from, ['negatives', 'from'], excluded, notes);
  if (notes.issues.length > 0) throw new ConfigurationRefused(file, 'is no configuration', notes.issues);
  const policyPlaces = written.policies.map(resolve);
  const policyFiles = policyPlaces.flatMap(policiesAt);
  if (policyFiles.length === 0) {
    throw new ConfigurationRefused(
      file,
      `names no policy: there is no .yaml or .yml file in ${written.policies.join(', ')}`,
    );
  }
  return {
    file,
    bytes,
    written,
    fixed,
    namespace,
    excluded,
    defaultNegatives,
    roots,
    policyPlaces,
    policyFiles,
  };
}

type ReadFiles = {
  readonly paths: readonly string[];
  readonly stamp: string | undefined;
  readonly contents: ReadonlyMap<string, Uint8Array>;
};

/** All files at one moment; undefined where at that moment the configuration says something else, or names others. */
function readAll({ file, bytes, roots, policyPlaces, policyFiles }: NamedFiles): ReadFiles | undefined {
  const names = [...new Set([file, ...policyFiles, ...roots.map((root) => root.file)])];
  const { contents, stamp } = readTogether(names, policyPlaces);
  const isSame = Buffer.compare(contents[0]!, bytes) === 0;
  if (!isSame || policyPlaces.flatMap(policiesAt).join('\n') !== policyFiles.join('\n')) return undefined;
  return {
    paths: [...names, ...policyPlaces],
    stamp,
    contents: new Map(names.map((name, index) => [name, contents[index]!])),
  };
}

function compiled(
  { file, written, fixed, namespace, excluded, defaultNegatives, roots, policyFiles }: NamedFiles,
  { paths, stamp, contents }: ReadFiles,
): AdmissionConfiguration {
  const hash = createHash('sha256');
  const read = (path: string): Uint8Array => {
    const bytes = contents.get(path)!;
    hash.update(`${path} ${bytes.length}\n`).update(bytes);
    return bytes;
  };
  read(file);
  const policies = policyFiles.map((path) => policyIn(path, read(path), namespace, excluded));
  const { trust, trustFingerprint } = trustOf(roots, namespace, read);
  const rules = {
    policies,
    trust,
    mode: written.mode,
    excludedNamespaces: excluded,
    ...(defaultNegatives === undefined ? {} : { defaultNegatives }),
    fingerprint: hash.digest('hex'),
  };
  return { fixed, rules, trustFingerprint, paths, stamp };
}

function readFixed(file: AdmissionFile, notes: IssueNotes, resolve: (path: string) => string): FixedAdmission {
  const { listen, operations, data, registryCredentials, pullSecrets, cluster, decisionLog, timeoutSeconds } = file;
  for (const [name, place] of Object.entries({ listen, ...(operations === undefined ? {} : { operations }) })) {
    if (!isListenAddress(place.address)) notes.note([name, 'address'], 'configuration.address_invalid', 'no address');
  }
  if (!isLoopbackAddress(listen.address) && listen.tls === undefined && isListenAddress(listen.address)) {
    const message = 'an API server calls no webhook without TLS';
    notes.note(['listen'], 'configuration.exposed', message, 'tls: { certificate, key }');
  }
  if (listen.clientCertificates !== undefined && listen.tls === undefined) {
    const message = 'without TLS nobody shows a certificate';
    notes.note(['listen', 'clientCertificates'], 'configuration.exposed', message, 'tls: { certificate, key }');
  }
  const key = listen.tls && readReference(listen.tls.key, ['listen', 'tls', 'key'], notes, resolve);
  const credentials =
    registryCredentials && readReference(registryCredentials, ['registryCredentials'], notes, resolve);
  return {
    listen: {
      address: listen.address,
      port: listen.port,
      ...(listen.tls === undefined || key === undefined
        ? {}
        : {
            tls: {
              certificateFile: resolve(listen.tls.certificate),
              key,
              ...(listen.clientCertificates === undefined
                ? {}
                : { clientAuthorityFile: resolve(listen.clientCertificates) }),
            },
          }),
    },
    ...(operations === undefined ? {} : { operations }),
    ...(data === undefined ? {} : { dataDir: resolve(data) }),
    ...(credentials === undefined || credentials === '' ? {} : { registryCredentials: credentials }),
    pullSecretNamespaces: pullSecrets?.namespaces ?? [],
    tellsCluster: cluster !== undefined,
    ...(cluster?.server === undefined ? {} : { clusterUrl: cluster.server }),
    ...(decisionLog === undefined ? {} : { decisionLogFile: resolve(decisionLog) }),
    timeoutMs: (timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    drainMs: (listen.drainSeconds ?? DEFAULT_DRAIN_SECONDS) * 1000,
  };
}

function readNegatives(written: AdmissionFile['negatives']): NegativesSource | undefined {
  if (written === undefined) return undefined;
  const { from, signer, maxAge } = written;
  return { from, signer, maxAgeSeconds: secondsOf(maxAge ?? '15m') };
}

/** A cold cluster would wait for itself: nothing that the webhook asks may need the webhook to start. */
function noteDependency(
  address: string | undefined,
  path: readonly string[],
  excluded: ReadonlySet<string>,
  notes: IssueNotes,
): void {
  for (const namespace of clusterNamespacesOf(address === undefined ? [] : [new URL(address).hostname])) {
    if (excluded.has(namespace)) continue;
    notes.note(
      path,
      'configuration.dependency_not_excluded',
      dependencyMessage(namespace),
      `namespaces: { exclude: [${namespace}] }`,
    );
  }
}

function dependencyMessage(namespace: string): string {
  return `the webhook asks what runs in namespace ${namespace}, whose Pods would wait for the webhook`;
}

function policiesAt(path: string): string[] {
  try {
    return policyFilesAt(path);
  } catch (error) {
    throw new ConfigurationRefused(path, `cannot be read: ${systemReason(error)}`);
  }
}

function policyIn(
  path: string,
  bytes: Uint8Array,
  namespace: Partial<Namespace>,
  excluded: ReadonlySet<string>,
): Policy {
  const { predicateBase = DEFAULT_PREDICATE_BASE } = namespace;
  const parsed = parsePolicy(textOf(path, bytes), { name: path, predicateBase });
  if (!parsed.ok) throw new ConfigurationRefused(path, 'is no policy', parsed.issues);
  const policy = parsed.value;
  const { negatives, images } = policy;
  const registries = images.flatMap(({ text }) => text.split('/')[0] ?? []);
  const hosts = [...registries, ...(typeof negatives === 'object' ? [new URL(negatives.from).hostname] : [])];
  const missing = clusterNamespacesOf(hosts).filter((name) => !excluded.has(name));
  if (missing.length > 0) {
    const issues = missing.map((name) => ({
      path: '',
      code: 'configuration.dependency_not_excluded',
      message: dependencyMessage(name),
      expected: `namespaces: { exclude: [${name}] }`,
    }));
    throw new ConfigurationRefused(path, 'cannot be used in this cluster', issues);
  }
  return policy;
}

function trustOf(
  roots: readonly TrustedRootFile[],
  namespace: Partial<Namespace>,
  read: (path: string) => Uint8Array,
): { readonly trust: TrustMaterial; readonly trustFingerprint: string } {
  const bytes = new Map(roots.map(({ file }) => [file, read(file)]));
  const { roots: sources } = readConfiguredTrust({ roots }, new Date(), (file) => bytes.get(file) ?? read(file));
  const names = { ...PLACEHOLDER_NAMESPACE, ...namespace };
  const hash = createHash('sha256').update(JSON.stringify(names));
  for (const { name, json, insecureIgnoreSct, issuers } of sources) {
    hash.update(JSON.stringify([name, insecureIgnoreSct, issuers ?? null, json.length])).update(json);
  }
  return { trust: loadTrustedRoots(sources, names), trustFingerprint: hash.digest('hex') };
}

/** @throws ConfigurationRefused for the first file that cannot be read */
function readTogether(paths: readonly string[], beside: readonly string[] = []) {
  try {
    return readFiles(paths, beside);
  } catch (error) {
    const place = (error as NodeJS.ErrnoException).path ?? paths[0]!;
    throw new ConfigurationRefused(place, `cannot be read: ${systemReason(error)}`);
  }
}
