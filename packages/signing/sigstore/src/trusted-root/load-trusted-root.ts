import { X509Certificate } from 'node:crypto';
import { type JsonValue, parseStrictJson } from '@colophon/json';
import { isIssuerPattern } from '@colophon/notation';
import { LOCAL_ORGANIZATION, type Namespace, PLACEHOLDER_NAMESPACE } from '@colophon/records';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { type TrustMaterial as LibraryMaterial, toTrustMaterial } from '@sigstore/verify';
import { findShapeProblem } from '../bundle/message-shape.ts';
import { libraryCertificate } from '../certificate/library-certificate.ts';
import { compileIssuerScope } from './issuer-scope.ts';
import type { PinnedRoot, TrustMaterial } from './trust-material.ts';
import { TrustedRootError } from './trusted-root-error.ts';
import { TRUSTED_ROOT } from './trusted-root-shape.ts';

/** Media types of a trusted root that we read. */
export const TRUSTED_ROOT_MEDIA_TYPES: readonly string[] = [
  'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
  'application/vnd.dev.sigstore.trustedroot.v0.1+json',
  'application/vnd.dev.sigstore.trustedroot+json;version=0.2',
  'application/vnd.dev.sigstore.trustedroot.v0.2+json',
];

type CertAuthority = LibraryMaterial['certificateAuthorities'][number];

/** Bytes; public instances' roots have some 10 KiB. */
const LIMITS = { maxBytes: 4 * 1024 * 1024, maxDepth: 32 };

/** A trusted root that somebody pins. */
export type TrustedRootSource = {
  /** How people call it, where they have to tell it from others; shown with what was verified. */
  readonly name?: string | undefined;
  /** `trusted_root.json`. */
  readonly json: Uint8Array | string;
  /**
   * Certificates count without a timestamp of a CT log, as with cosign's `--insecure-ignore-sct`; says nothing of a root
   * that names CT logs.
   */
  readonly insecureIgnoreSct?: boolean | undefined;
  /**
   * The issuers whose certificates count under it: exact, or with `*` for one label of the host or one segment of the path.
   * Absent of a root that certifies whom no other names.
   */
  readonly issuers?: readonly string[] | undefined;
};

/**
 * Reads `trusted_root.json`, as cosign, sigstore-js and TUF repositories have it. A member that nobody knows, a value
 * of another type and a log that does not say from when on it is trusted are refused, each by its place.
 * @param namespace the names under which claims and statements count as ours, beside the placeholders.
 * @throws TrustedRootError `trusted_root.malformed`, `trusted_root.unsupported_media_type`, `trusted_root.empty`
 * (no certificate authority and no log)
 */
export function loadTrustedRoot(
  json: Uint8Array | string,
  namespace: Namespace = PLACEHOLDER_NAMESPACE,
): TrustMaterial {
  return loadTrustedRoots([{ json }], namespace);
}

/**
 * Pins several roots beside each other: a signature has to hold under one of them as a whole, and under one that is for
 * its issuer.
 * @param namespace as of loadTrustedRoot
 * @throws as loadTrustedRoot
 * @throws TrustedRootError `trusted_root.issuers_invalid`; `trusted_root.issuers_missing` where several roots say of no
 * issuer that it is theirs; `trusted_root.local_issuer_repeated` for two embedded authorities of one issuer
 * @throws TypeError for no root
 */
export function loadTrustedRoots(
  sources: readonly TrustedRootSource[],
  namespace: Namespace = PLACEHOLDER_NAMESPACE,
): TrustMaterial {
  const [first, ...others] = sources.map(readRoot);
  if (first === undefined) throw new TypeError('no trusted root');
  assertScoped(sources);
  assertOneOfEachIssuer([first, ...others]);
  const roots = [first.root, ...others.map(({ root }) => root)] as const;
  return { roots, logs: roots.flatMap(({ logs }) => logs), namespace };
}

/** Whom two of them certify, nobody has said. */
function assertScoped(sources: readonly TrustedRootSource[]): void {
  const open = sources.flatMap((source, index) => (source.issuers === undefined ? [nameOf(source, index)] : []));
  if (open.length < 2) return;
  throw new TrustedRootError(
    'trusted_root.issuers_missing',
    'several trusted roots do not say for which issuers they are',
    {
      expected: 'trust: { roots: [{ file: …, issuers: [https://…] }, …] }, of all but one',
      found: `no issuers: ${open.join(', ')}`,
    },
  );
}

/** What one of two authorities says of the issuer, the other could say of the same address: they are of two folders. */
function assertOneOfEachIssuer(read: readonly ReadRoot[]): void {
  const seen = new Map<string, { readonly authority: string; readonly name: string }>();
  read.forEach(({ root, embedded }, index) => {
    const name = nameOf(root, index);
    for (const { issuer, authority } of embedded) {
      const other = seen.get(issuer);
      if (other === undefined || other.authority === authority) {
        seen.set(issuer, { authority, name });
        continue;
      }
      const message = `two embedded authorities have the same issuer ${issuer}`;
      throw new TrustedRootError('trusted_root.local_issuer_repeated', message, {
        expected: 'the root of one of them; colophon up --data NEW-FOLDER --port 0 gives another its own issuer',
        found: `${other.name}, ${name}`,
      });
    }
  });
}

function nameOf({ name }: { readonly name?: string | undefined }, index: number): string {
  return name ?? `root ${index + 1}`;
}

/** The certificate of an embedded authority in a root, and the issuer that it is for. */
type Embedded = { readonly issuer: string; readonly authority: string };
type ReadRoot = { readonly root: PinnedRoot; readonly embedded: readonly Embedded[] };

function readRoot({ name, json, insecureIgnoreSct = false, issuers }: TrustedRootSource): ReadRoot {
  if (issuers !== undefined) assertIssuers(issuers);
  const parsed = parseStrictJson(typeof json === 'string' ? Buffer.from(json) : json, LIMITS);
  if (!parsed.ok) {
    throw new TrustedRootError('trusted_root.malformed', parsed.issues.map(({ message }) => message).join('; '));
  }
  const { mediaType } = (parsed.value ?? {}) as { mediaType?: JsonValue };
  if (typeof mediaType !== 'string' || !TRUSTED_ROOT_MEDIA_TYPES.includes(mediaType)) {
    throw new TrustedRootError('trusted_root.unsupported_media_type', 'not a trusted root of a known media type');
  }
  const problem = findShapeProblem(parsed.value, TRUSTED_ROOT);
  if (problem !== undefined) {
    const { path, expected, found } = problem;
    const message = `the trusted root has an unexpected value at ${path}`;
    throw new TrustedRootError('trusted_root.malformed', message, { path, expected, found });
  }
  const { embedded, ...material } = materialOf(parsed.value);
  if (material.logs.length === 0 && material.authorityCertificates.length === 0) {
    throw new TrustedRootError('trusted_root.empty', 'the trusted root names no certificate authority and no log');
  }
  const scope = issuers && compileIssuerScope(issuers);
  const demandsSct = material.library.ctlogs.length > 0 || !insecureIgnoreSct;
  return { root: { ...material, name, scope, demandsSct }, embedded };
}

function assertIssuers(issuers: readonly string[]): void {
  const wrong = issuers.find((issuer) => !isIssuerPattern(issuer));
  if (issuers.length > 0 && wrong === undefined) return;
  throw new TrustedRootError('trusted_root.issuers_invalid', 'the issuers of a trusted root cannot be read', {
    expected: 'the iss of tokens, or https://*.acme.example/* with * for one label or segment',
    found: wrong ?? 'none',
  });
}

function materialOf(
  value: JsonValue,
): Pick<PinnedRoot, 'library' | 'logs' | 'authorityCertificates'> & Pick<ReadRoot, 'embedded'> {
  try {
    const root = TrustedRoot.fromJSON(value);
    const material = toTrustMaterial(root);
    const library = {
      ...material,
      certificateAuthorities: material.certificateAuthorities.map(keepBytes),
      timestampAuthorities: material.timestampAuthorities.map(keepBytes),
    };
    return {
      library,
      logs: library.tlogs.map(({ baseURL, logID, publicKey, validFor }) => ({
        baseUrl: baseURL,
        logId: assertLogId(logID),
        publicKey,
        validFrom: validFor.start,
        validUntil: validFor.end,
      })),
      authorityCertificates: root.certificateAuthorities.flatMap(({ certChain }) =>
        (certChain?.certificates ?? []).map(({ rawBytes }) => rawBytes),
      ),
      embedded: root.certificateAuthorities.flatMap(({ uri, certChain }) =>
        (certChain?.certificates ?? [])
          .slice(0, 1)
          .filter(({ rawBytes }) => isEmbedded(rawBytes))
          .map(({ rawBytes }) => ({ issuer: uri, authority: rawBytes.toString('base64') })),
      ),
    };
  } catch (error) {
    throw new TrustedRootError('trusted_root.malformed', 'a key or certificate in the trusted root cannot be read', {
      cause: error,
    });
  }
}

/** An embedded authority says in each of its certificates that it is one. */
function isEmbedded(der: Buffer): boolean {
  return new X509Certificate(der).issuer.split('\n').includes(`O=${LOCAL_ORGANIZATION}`);
}

function keepBytes(authority: CertAuthority): CertAuthority {
  return { ...authority, certChain: authority.certChain.map(({ root }) => libraryCertificate(root.toDER())) };
}

function assertLogId(logId: Uint8Array): Uint8Array {
  if (logId.length < 4) throw new TypeError('a log without an id');
  return logId;
}
