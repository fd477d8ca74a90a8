import { createHash } from 'node:crypto';
import type { JsonValue } from '@colophon/json';
import { createDiscoveredKeys, type KeySource } from '@colophon/oidc';
import { type Database, UsedTokenStore } from '@colophon/store';
import type { FastifyInstance } from 'fastify';
import { hasCaCertificates, openCaCertificates } from '../ca/ca-certificates.ts';
import { CertificateAuthority, type IssuedCertificate, type KeyProof } from '../ca/certificate-authority.ts';
import { registerCtApi } from '../ct-api/ct-api.ts';
import { CertificateLog } from '../ct-log/certificate-log.ts';
import { CertificateTree } from '../ct-log/certificate-tree.ts';
import { type FulcioIssuer, registerFulcioApi } from '../fulcio-api/fulcio-api.ts';
import { KnownAuthorities } from '../log-entry/known-authorities.ts';
import { readProposedEntry } from '../log-entry/proposed-entry.ts';
import { CERTIFICATE_LOG, openLogKey, requireFrozenKey, requireOrigin, TRANSPARENCY_LOG } from '../log-key/log-key.ts';
import { type ReadBody, readOnTheSpot } from '../rekor-api/body-readers.ts';
import { registerRekorApi } from '../rekor-api/rekor-api.ts';
import { StoredTokenLedger } from '../token-ledger/stored-token-ledger.ts';
import type { TokenLedger } from '../token-ledger/token-ledger.ts';
import type { LogEntry } from '../transparency-log/log-tree.ts';
import { TransparencyLog } from '../transparency-log/transparency-log.ts';

/** Who identity tokens must be meant for, as everywhere in Sigstore. */
export const DEFAULT_AUDIENCE = 'sigstore';

export type AuthorityOptions = {
  readonly db: Database;
  /** Keys are kept in `keys/` of this folder, certificates in `ca/`; made at the first start. */
  readonly dataDir: string;
  readonly clock: { now(): Date };
  /** Where the authority is served, and the issuer that it belongs to; its host names the log in checkpoints. */
  readonly baseUrl: string;
  /** Issuers whose tokens buy certificates: exact strings. Reserved names are for the one at `baseUrl`. */
  readonly trustedIssuers: readonly string[];
  /** Of these, those whose tokens name a person by a verified e-mail address; the others are named by `sub`, a URI. */
  readonly emailIssuers?: readonly string[] | undefined;
  readonly audience?: string;
  /**
   * Keys that need not be fetched, asked before discovery. Those of the issuer at `baseUrl` are then not fetched at all: a
   * key that this does not know is none of its keys, or was revoked.
   */
  readonly keySource?: KeySource;
  /** What the issuer at `baseUrl` has issued. Default: what its ledger in `db` says, so nothing where there is none. */
  readonly tokenLedger?: TokenLedger | undefined;
  /** The arc of the claims in certificates; the placeholder. */
  readonly claimArc?: string | undefined;
  /** What the logs took the place of; absent where they are the first ones of the folder. */
  readonly logs?: RestoredLogs | undefined;
  /** Refuse a token's second exchange. Fulcio does not; default false. */
  readonly singleUseTokens?: boolean;
  /** Roots of others: their certificates are taken by the certificate log, and found by name in the transparency log. DER. */
  readonly ctExtraRoots?: readonly Uint8Array[];
  /** Reads bodies that may be large, in another process say. Default: on the spot. */
  readonly readBody?: ReadBody;
  readonly fetch?: typeof fetch;
};

/** Where a certificate log that was frozen is served, under the address of the authority: its key tells it from others. */
export function frozenCtPath(spki: Uint8Array): string {
  return `/frozen/${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
}

/** Logs that took the place of others. */
export type RestoredLogs = {
  /** In `keys/`. */
  readonly logKeyFile: string;
  /** In `keys/`. */
  readonly ctKeyFile: string;
  /** From when on their keys count. */
  readonly validFrom: Date;
  /** What the first entry of the transparency log says of the ones before. */
  readonly statement: string;
  /** The ones before of which something is left, the oldest first. */
  readonly frozen: readonly FrozenLogs[];
  readonly ended: EndedLogs;
};

/** Logs that were frozen, in a database of their own. */
export type FrozenLogs = {
  readonly db: Database;
  /** SubjectPublicKeyInfo, DER. */
  readonly logKey: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly ctKey: Uint8Array;
  /** What the first entry of the transparency log says of the ones before it. */
  readonly statement?: string | undefined;
};

/** The keys of logs that ended: what they signed before still counts. */
export type EndedLogs = { readonly transparency: readonly EndedLog[]; readonly certificate: readonly EndedLog[] };

export type EndedLog = {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
  /** Absent where it is that of the authority. */
  readonly validFrom?: Date | undefined;
  readonly validUntil: Date;
};

/** What a verifier must know to trust what this authority makes. */
export type AuthorityTrust = {
  /** PEM, the intermediate first, then the root. */
  readonly caCertificates: readonly string[];
  /** SubjectPublicKeyInfo, DER; ECDSA on P-256. */
  readonly ctPublicKey: Uint8Array;
  /** SubjectPublicKeyInfo, DER; ECDSA on P-256. */
  readonly rekorPublicKey: Uint8Array;
  readonly baseUrl: string;
  readonly rekorBaseUrl: string;
  /** First line of every checkpoint of the transparency log. */
  readonly rekorOrigin: string;
  /** From when on all of it is valid. */
  readonly validFrom: Date;
  /** From when on the keys of the logs are, where these took the place of others. */
  readonly logsValidFrom?: Date | undefined;
  readonly endedLogs?: EndedLogs | undefined;
};

export type Authority = {
  readonly trust: AuthorityTrust;
  /** Mounts the APIs of Fulcio, of a certificate log (`<ctPrefix>/ct/v1/…`) and of Rekor v1. */
  register(app: FastifyInstance, options?: { readonly ctPrefix?: string }): void;
  /** What POST /api/v2/signingCert does. @throws AuthorityError */
  issueCertificate(token: string, proof: KeyProof): Promise<IssuedCertificate>;
  /** What POST /api/v1/log/entries does. @throws AuthorityError */
  addLogEntry(proposed: JsonValue): Promise<LogEntry>;
  /** The parts, for callers in the same process. */
  readonly ca: CertificateAuthority;
  readonly certificateLog: CertificateLog;
  readonly transparencyLog: TransparencyLog;
};

/**
 * Opens the embedded authority on its data folder: a keyless CA, the certificate log that its certificates are in, and
 * a transparency log. Real cryptography, durable, and named "local" in its certificates: nobody else has reason to
 * trust it. A restart continues the same logs with the same keys. The database stays the caller's to close.
 *
 * @throws AuthorityError `authority.ca_certificate_mismatch`, `authority.log_key_mismatch`; StoreError where the logs on disk are not whole;
 *   TypeError for options that make no sense
 */
export async function createAuthority(options: AuthorityOptions): Promise<Authority> {
  const { db, dataDir, clock, baseUrl, trustedIssuers, audience = DEFAULT_AUDIENCE } = options;
  if (!URL.canParse(baseUrl) || trustedIssuers.some((issuer) => !URL.canParse(issuer))) {
    throw new TypeError('baseUrl and trustedIssuers are addresses');
  }
  // Before the CA: that there are CA certificates then means that the logs had their keys.
  const isUsed = hasCaCertificates(dataDir);
  const { logs } = options;
  const ctKey = await openLogKey({ db, dataDir, log: CERTIFICATE_LOG, keyFile: logs?.ctKeyFile, isUsed });
  const logKey = await openLogKey({ db, dataDir, log: TRANSPARENCY_LOG, keyFile: logs?.logKeyFile, isUsed });
  for (const one of logs?.frozen ?? []) {
    requireFrozenKey(one.db, TRANSPARENCY_LOG, one.logKey);
    requireFrozenKey(one.db, CERTIFICATE_LOG, one.ctKey);
  }
  const certificates = openCaCertificates(dataDir, clock);
  const certificateLog = new CertificateLog({ db, key: ctKey, clock });
  const roots = [certificates.root.der, ...(options.ctExtraRoots ?? [])];
  const transparencyLog = new TransparencyLog({
    db,
    key: logKey,
    clock,
    hostname: new URL(baseUrl).hostname,
    // Clients log the signer's certificate alone.
    authorities: new KnownAuthorities([certificates.intermediate.der, ...roots]),
    statement: logs?.statement,
    frozen: logs?.frozen.map((one) => ({ db: one.db, spki: one.logKey, statement: one.statement })),
  });
  await transparencyLog.indexNames();
  requireOrigin(db, transparencyLog.origin);
  const discovered = createDiscoveredKeys({ fetch: options.fetch ?? fetch, clock });
  const given = options.keySource;
  const keys: KeySource = {
    async findKey(issuer, kid) {
      const key = await given?.findKey(issuer, kid);
      // A key set that was fetched would keep a key that was revoked since.
      if (key !== undefined || (given !== undefined && issuer === baseUrl)) return key;
      return discovered.findKey(issuer, kid);
    },
  };
  const describeIssuer = (issuer: string): FulcioIssuer => {
    if (issuer === baseUrl) return { issuer, type: 'ci-provider' };
    return { issuer, type: options.emailIssuers?.includes(issuer) ? 'email' : 'uri' };
  };
  const ca = new CertificateAuthority({
    certificates,
    log: certificateLog,
    trust: { issuers: trustedIssuers, ownIssuer: baseUrl, emailIssuers: options.emailIssuers, audience, keys },
    ledger: options.tokenLedger ?? new StoredTokenLedger(db),
    clock,
    usedTokens: options.singleUseTokens ? new UsedTokenStore(db) : undefined,
    claimArc: options.claimArc,
  });
  return {
    trust: {
      caCertificates: certificates.chainPem,
      ctPublicKey: ctKey.spki,
      rekorPublicKey: logKey.spki,
      baseUrl,
      rekorBaseUrl: baseUrl,
      rekorOrigin: transparencyLog.origin,
      validFrom: certificates.validFrom,
      ...(logs === undefined ? {} : { logsValidFrom: logs.validFrom, endedLogs: logs.ended }),
    },
    register(app, { ctPrefix = '' } = {}) {
      registerFulcioApi(app, { ca, issuers: trustedIssuers.map(describeIssuer), audience });
      registerCtApi(app, { log: certificateLog, roots, prefix: ctPrefix });
      for (const { db: frozen, ctKey } of logs?.frozen ?? []) {
        registerCtApi(app, { log: new CertificateTree(frozen), roots, prefix: ctPrefix + frozenCtPath(ctKey) });
      }
      registerRekorApi(app, transparencyLog, options.readBody ?? readOnTheSpot);
    },
    issueCertificate: (token, proof) => ca.issueCertificate(token, proof),
    addLogEntry: async (proposed) => transparencyLog.addLogEntry(readProposedEntry(proposed)),
    ca,
    certificateLog,
    transparencyLog,
  };
}
