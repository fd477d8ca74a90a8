import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { JsonValue } from '@colophon/json';
import { CLAIM_ARC_NUMBERS, DEFAULT_CLAIM_ARC, FULCIO_ARC, FULCIO_EXTENSION_TEMPLATES } from '@colophon/records';
import { createTrustedRoot, keylessImageSigner, loadTrustedRoot } from '@colophon/sigstore';
import {
  authorityExtensions,
  type CertificateFields,
  certificateOf,
  type Extension,
  type KeyPair,
  keyIdentifier,
  spkiOf,
  tbsOf,
  toPem,
} from './certificate-writer.ts';
import { bits, element, octets, oid, sequence, utf8 } from './der-writer.ts';
import { RekorLog } from './rekor-log.ts';
import { readTimestampQuery, type TimestampOptions, timestampOf } from './timestamp-writer.ts';

export const FULCIO_URL = 'http://localhost:7080';
export const REKOR_URL = 'http://localhost:7080';
const TIMESTAMP_PATH = '/api/v1/timestamp';
export const TSA_URL = `http://localhost:7080${TIMESTAMP_PATH}`;
export const ISSUER = 'http://localhost:7080';

export const newKeys = (): KeyPair => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Claims of a token that has everything. */
export const CLAIMS = {
  iss: ISSUER,
  sub: 'agent:code-writer',
  aud: 'sigstore',
  jti: 'run-1',
  agent_name: 'code-writer',
  agent_version: '1.2.3',
  model_id: 'claude-x',
  model_provider: 'anthropic',
  policy_pack_hash: `sha256:${'a'.repeat(64)}`,
  prompt_hash: `sha256:${'b'.repeat(64)}`,
  human_reviewer: 'ann@example.com',
  review_timestamp: '2026-11-20T10:00:00Z',
  repo: 'acme/shop',
  repo_uri: 'https://github.com/acme/shop',
  commit_sha: 'c'.repeat(40),
  claim_sources: 'agent_name=caller-token;repo=declared',
  trigger: 'pull_request',
} as const;
export type Claims = Partial<Record<keyof typeof CLAIM_ARC_NUMBERS, string>>;

/** What a test may have the authority do wrong, or otherwise. */
export type LeafOptions = {
  readonly claims?: Claims;
  readonly mappings?: 'both' | 'fulcio' | 'own';
  readonly sans?: readonly Uint8Array[];
  readonly usages?: readonly string[];
  readonly keyUsage?: number;
  readonly extra?: readonly Extension[];
  readonly without?: readonly string[];
  /** Take the places of those with the same identifier. */
  readonly replace?: readonly Extension[];
  readonly sctBy?: 'nobody' | 'stranger';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly issuer?: { readonly keys: KeyPair; readonly name: string };
};

export const uriName = (text: string) => element(0x86, Buffer.from(text));
export const emailName = (text: string) => element(0x81, Buffer.from(text));
export const otherName = (text: string, id = `${FULCIO_ARC}.7`) => element(0xa0, oid(id), element(0xa0, utf8(text)));

/** A whole Sigstore in memory: authority with intermediate, CT log, Rekor v1 and v2, timestamps. Real cryptography. */
export class LocalSigstore {
  now = new Date('2026-11-21T10:00:00Z');
  readonly root = newKeys();
  readonly intermediate = newKeys();
  readonly ct = newKeys();
  readonly tsaRoot = newKeys();
  readonly tsa = newKeys();
  readonly log = new RekorLog(newKeys(), 'localhost');
  /** What a key proves to the authority. */
  challengeClaim: 'sub' | 'email' = 'sub';
  /** Calls by path, in order. */
  readonly requests: { method: string; path: string; body: string }[] = [];
  rootCertificate = this.#authority('root', this.root, 'root', this.root);
  intermediateCertificate = this.#authority('intermediate', this.intermediate, 'root', this.root);
  readonly tsaRootCertificate = this.#authority('tsa-root', this.tsaRoot, 'tsa-root', this.tsaRoot);
  readonly tsaCertificate = certificateOf(
    tbsOf({
      subject: 'tsa',
      issuer: 'tsa-root',
      publicKey: this.tsa.publicKey,
      ...this.#years(),
      serial: 99,
      extensions: [
        { oid: '2.5.29.37', critical: true, value: sequence(oid('1.3.6.1.5.5.7.3.8')) },
        { oid: '2.5.29.35', value: sequence(element(0x80, keyIdentifier(this.tsaRoot.publicKey))) },
      ],
    }),
    this.tsaRoot.privateKey,
  );

  trustedRootJson() {
    return createTrustedRoot({
      certificateChain: toPem(this.intermediateCertificate) + toPem(this.rootCertificate),
      fulcioUrl: FULCIO_URL,
      ctPublicKey: spkiOf(this.ct.publicKey),
      ctUrl: FULCIO_URL,
      rekorPublicKey: spkiOf(this.log.keys.publicKey),
      rekorUrl: REKOR_URL,
      validFrom: new Date('2026-01-01T00:00:00Z'),
      timestampAuthority: {
        url: TSA_URL,
        certificateChain: toPem(this.tsaCertificate) + toPem(this.tsaRootCertificate),
      },
    });
  }

  get trust() {
    return loadTrustedRoot(JSON.stringify(this.trustedRootJson()));
  }

  token(claims: Claims = CLAIMS): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'RS256', kid: 'k' })}.${part({ exp: 2000000000, ...claims })}.${'c2ln'.repeat(20)}`;
  }

  /** Signs images by a token of these claims. */
  imageSigner(claims: Claims = CLAIMS) {
    const identityToken = async () => this.token(claims);
    return keylessImageSigner({ fulcioUrl: FULCIO_URL, rekorUrl: REKOR_URL, fetch: this.fetch, identityToken });
  }

  /** A leaf for `publicKey`, as Fulcio and our own authority write it. */
  issue(publicKey: KeyPair['publicKey'], options: LeafOptions = {}): Buffer {
    const claims = options.claims ?? CLAIMS;
    const issuer = options.issuer ?? { keys: this.intermediate, name: 'intermediate' };
    const fields: CertificateFields = {
      subject: '',
      issuer: issuer.name,
      publicKey,
      notBefore: options.notBefore ?? this.now,
      notAfter: options.notAfter ?? new Date(this.now.getTime() + 600_000),
      serial: 4711,
      extensions: [
        { oid: '2.5.29.15', critical: true, value: bits(Buffer.of(options.keyUsage ?? 0x80), 7) },
        { oid: '2.5.29.37', value: sequence(...(options.usages ?? ['1.3.6.1.5.5.7.3.3']).map(oid)) },
        { oid: '2.5.29.35', value: sequence(element(0x80, keyIdentifier(issuer.keys.publicKey))) },
        {
          oid: '2.5.29.17',
          critical: true,
          value: sequence(...(options.sans ?? [uriName(claims.sub ?? 'agent:code-writer')])),
        },
        ...claimExtensions(claims, options.mappings ?? 'both'),
        ...(options.extra ?? []),
      ]
        .filter(({ oid: id }) => !options.without?.includes(id))
        .filter(({ oid: id }) => !options.replace?.some((other) => other.oid === id))
        .concat(options.replace ?? []),
    };
    if (options.sctBy === 'nobody') return certificateOf(tbsOf(fields), issuer.keys.privateKey);
    const sct = this.#sct(tbsOf(fields), issuer.keys, options.sctBy === 'stranger' ? newKeys() : this.ct);
    const extensions = [...fields.extensions, { oid: '1.3.6.1.4.1.11129.2.4.2', value: octets(sct) }];
    return certificateOf(tbsOf({ ...fields, extensions }), issuer.keys.privateKey);
  }

  timestamp(signature: Uint8Array, time = this.now, status = 0): Buffer {
    const digest = createHash('sha256').update(signature).digest();
    return timestampOf(digest, time, this.#timestampSigner, { status });
  }

  /** The answer to a query as it came in base64, with what a test has the authority do otherwise. */
  answerTimestampQuery(query: string, changes: TimestampOptions & { digest?: Uint8Array } = {}): Buffer {
    const { digest, ...asked } = readTimestampQuery(Buffer.from(query, 'base64'));
    return timestampOf(changes.digest ?? digest, this.now, this.#timestampSigner, { ...asked, ...changes });
  }

  get #timestampSigner() {
    return { key: this.tsa.privateKey, issuer: 'tsa-root', serial: 99 };
  }

  /** fetch for the clients under test. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    const headers = new Headers(init?.headers);
    const isTimestampQuery = headers.get('content-type') === 'application/timestamp-query';
    const body = init?.body ? Buffer.from(init.body as string).toString(isTimestampQuery ? 'base64' : 'utf8') : '';
    const method = init?.method ?? 'GET';
    this.requests.push({ method, path: url.pathname, body });
    // As timestamp-server answers whoever does not want what it makes.
    const wantsReply = headers.get('accept') === 'application/timestamp-reply';
    if (url.pathname === TIMESTAMP_PATH && !(isTimestampQuery && wantsReply)) return new Response('', { status: 500 });
    return this.answer(method, url, body);
  };

  /** Replaced by tests that have a peer misbehave. A timestamp query comes in base64. */
  answer(method: string, url: URL, body: string): Response {
    const path = url.pathname;
    if (path === '/api/v2/signingCert') return this.#signingCert(JSON.parse(body));
    if (path === '/api/v1/log/entries' && method === 'POST') {
      const index = this.log.append(this.logBodyOf(JSON.parse(body)), this.now.getTime() / 1000);
      return Response.json(this.log.entryAt(index), { status: 201 });
    }
    if (path === '/api/v2/log/entries')
      return Response.json(this.logInV2(JSON.parse(body).hashedRekordRequestV002), { status: 201 });
    if (path === TIMESTAMP_PATH) return new Response(new Uint8Array(this.answerTimestampQuery(body)), { status: 201 });
    if (path === '/api/v1/log/entries') return this.#entry(Number(url.searchParams.get('logIndex')));
    if (path === '/api/v1/index/retrieve') return Response.json(this.#search(JSON.parse(body).hash));
    const uuid = /^\/api\/v1\/log\/entries\/([0-9a-f]+)$/.exec(path)?.[1];
    if (uuid) return this.#entry([...Array(this.log.size).keys()].findIndex((i) => uuid.endsWith(this.log.uuidAt(i))));
    return Response.json({ code: 404, message: 'not found' }, { status: 404 });
  }

  /** Rekor v1's canonical body for a proposed entry. */
  logBodyOf(proposed: { kind: string; spec: Record<string, never> }): JsonValue {
    if (proposed.kind !== 'dsse') return proposed as unknown as JsonValue;
    const { envelope, verifiers } = (
      proposed.spec as unknown as { proposedContent: { envelope: string; verifiers: string[] } }
    ).proposedContent;
    const { payload, signatures } = JSON.parse(envelope) as { payload: string; signatures: { sig: string }[] };
    const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    return {
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        envelopeHash: { algorithm: 'sha256', value: sha256(Buffer.from(envelope)) },
        payloadHash: { algorithm: 'sha256', value: sha256(Buffer.from(payload, 'base64')) },
        signatures: [{ signature: signatures[0]?.sig as string, verifier: verifiers[0] as string }],
      },
    };
  }

  #signingCert(request: {
    credentials: { oidcIdentityToken: string };
    publicKeyRequest: { publicKey: { content: string }; proofOfPossession: string };
  }): Response {
    const { credentials, publicKeyRequest } = request;
    const claims = JSON.parse(
      Buffer.from(credentials.oidcIdentityToken.split('.')[1] as string, 'base64url').toString(),
    ) as Claims & { readonly email?: string };
    const publicKey = createPublicKey(publicKeyRequest.publicKey.content);
    const proof = Buffer.from(publicKeyRequest.proofOfPossession, 'base64');
    if (!verify('sha256', Buffer.from(claims[this.challengeClaim] as string), publicKey, proof)) {
      return Response.json({ code: 3, message: 'the proof of possession does not verify' }, { status: 400 });
    }
    const { exp, ...rest } = claims;
    const certificates = [this.issue(publicKey, { claims: rest }), this.intermediateCertificate, this.rootCertificate];
    return Response.json({
      signedCertificateEmbeddedSct: { chain: { certificates: certificates.map((der) => toPem(der)) } },
    });
  }

  /** An entry of Rekor v2, as its answer and as bundles have it. */
  logInV2({ digest, signature }: { readonly digest: string; readonly signature: JsonValue }) {
    const algorithm = JSON.stringify(signature).includes('PKIX_ED25519_PH') ? 'SHA2_512' : 'SHA2_256';
    const body: JsonValue = {
      apiVersion: '0.0.2',
      kind: 'hashedrekord',
      spec: { hashedRekordV002: { data: { algorithm, digest }, signature } },
    };
    const index = this.log.append(body, 0);
    const { inclusionProof } = Object.values(this.log.entryAt(index))[0]!.verification;
    return {
      logIndex: `${index}`,
      logId: { keyId: this.log.logId.toString('base64') },
      kindVersion: { kind: 'hashedrekord', version: '0.0.2' },
      inclusionProof: {
        logIndex: `${index}`,
        rootHash: Buffer.from(inclusionProof.rootHash, 'hex').toString('base64'),
        treeSize: `${inclusionProof.treeSize}`,
        hashes: inclusionProof.hashes.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
        checkpoint: { envelope: inclusionProof.checkpoint },
      },
      canonicalizedBody: this.log.bodyAt(index).toString('base64'),
    };
  }

  #entry(index: number): Response {
    if (!(index >= 0 && index < this.log.size)) {
      return Response.json({ code: 404, message: 'entry not found' }, { status: 404 });
    }
    return Response.json(this.log.entryAt(index));
  }

  #search(hash: string): string[] {
    const digest = hash.replace(/^sha256:/, '');
    return [...Array(this.log.size).keys()]
      .filter((index) => this.log.bodyAt(index).includes(digest))
      .map((index) => this.log.uuidAt(index));
  }

  #sct(tbs: Buffer, issuer: KeyPair, ct: KeyPair): Buffer {
    const logId = createHash('sha256').update(spkiOf(ct.publicKey)).digest();
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(this.now.getTime()));
    const issuerHash = createHash('sha256').update(spkiOf(issuer.publicKey)).digest();
    const uint24 = Buffer.of(tbs.length >> 16, (tbs.length >> 8) & 0xff, tbs.length & 0xff);
    // RFC 6962 §3.2: version, kind, time, precert entry, its issuer and body, no extensions.
    const signed = Buffer.concat([Buffer.of(0, 0), time, Buffer.of(0, 1), issuerHash, uint24, tbs, Buffer.of(0, 0)]);
    const signature = sign('sha256', signed, ct.privateKey);
    const sct = Buffer.concat([
      Buffer.of(0),
      logId,
      time,
      Buffer.of(0, 0, 4, 3, signature.length >> 8, signature.length & 0xff),
      signature,
    ]);
    const uint16 = (n: number) => Buffer.of(n >> 8, n & 0xff);
    return Buffer.concat([uint16(sct.length + 2), uint16(sct.length), sct]);
  }

  /** Has the authorities be valid at other times. */
  certifyAnew(root: readonly [string, string], intermediate: readonly [string, string]): this {
    const years = ([from, to]: readonly [string, string]) => ({ notBefore: new Date(from), notAfter: new Date(to) });
    this.rootCertificate = this.#authority('root', this.root, 'root', this.root, years(root));
    const keys = this.intermediate;
    this.intermediateCertificate = this.#authority('intermediate', keys, 'root', this.root, years(intermediate));
    return this;
  }

  #years() {
    return { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2036-01-01T00:00:00Z') };
  }

  #authority(subject: string, keys: KeyPair, issuer: string, issuerKeys: KeyPair, years = this.#years()): Buffer {
    const extensions = [
      ...authorityExtensions(keys.publicKey),
      { oid: '2.5.29.35', value: sequence(element(0x80, keyIdentifier(issuerKeys.publicKey))) },
    ];
    return certificateOf(
      tbsOf({ subject, issuer, publicKey: keys.publicKey, ...years, extensions }),
      issuerKeys.privateKey,
    );
  }
}

/** The extensions that carry claims, by Fulcio's mapping, by our own arc, or both. */
export function claimExtensions(claims: Claims, mappings: 'both' | 'fulcio' | 'own'): Extension[] {
  const own = Object.entries(CLAIM_ARC_NUMBERS).flatMap(([claim, number]) => {
    const value = claims[claim as keyof Claims];
    return value === undefined ? [] : [{ oid: `${DEFAULT_CLAIM_ARC}.${number}`, value: utf8(`${value}`) }];
  });
  const render = (template: string) =>
    template.replace(
      /\{(\w+)\}/g,
      (_, claim: keyof Claims) => `${claims[claim] ?? (claim === 'key_thumbprint' ? 'none' : 'unknown')}`,
    );
  const fulcio = Object.entries(FULCIO_EXTENSION_TEMPLATES).map(([number, template]) => ({
    oid: `${FULCIO_ARC}.${number}`,
    value: Number(number) <= 6 ? Buffer.from(render(template)) : utf8(render(template)),
  }));
  const issuer = claims.iss ?? ISSUER;
  return [
    { oid: `${FULCIO_ARC}.1`, value: Buffer.from(issuer) },
    { oid: `${FULCIO_ARC}.8`, value: utf8(issuer) },
    ...(mappings === 'own' ? [] : fulcio),
    ...(mappings === 'fulcio' ? [] : own),
  ];
}
