import type { Statement } from '@colophon/records';
import { type Lacking, LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import {
  CLAIMS,
  FULCIO_URL,
  ISSUER,
  LocalSigstore,
  REKOR_URL,
  TSA_URL,
} from '@colophon/testkit/local-sigstore/local-sigstore';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIdentityPolicy } from '../identity-policy/identity-policy.ts';
import { digestOf, RegistryClient, type ResolvedImage } from '../registry/registry-client.ts';
import { signStatement } from '../sign/sign.ts';
import { attachBundle, attachOlderLayer } from './attach.ts';
import { OLDER_ANNOTATIONS, olderTag, referrersTag, SIGN_PREDICATE_TYPE, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { collectImageSignatures, MAX_IMAGE_SIGNATURES } from './collect.ts';
import { parseOciDocument } from './oci-manifest.ts';
import { attestImage, type ImageSignatureFormat, keylessImageSigner, signImage } from './sign-image.ts';
import { createSimpleSigning } from './simple-signing.ts';
import { assessImage, verifyImage } from './verify-image.ts';

const TYPE = 'https://colophon.example/predicates/agent-review/v1';
const PREDICATE = { human_reviewer: 'ann@example.com', review_timestamp: '2026-11-20T10:00:00Z' };
const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });

let sigstore: LocalSigstore;
let registry: LocalRegistry;
let image: ResolvedImage;
let tokens: number;

async function open(lacking: Lacking = {}) {
  registry = await LocalRegistry.open(lacking);
  image = await registry.pushImage();
}
const signer = (options: Parameters<typeof signing>[0] = {}) => keylessImageSigner(signing(options));
function signing(options: { rekorMajorVersion?: 1 | 2; sub?: string } = {}) {
  const { rekorMajorVersion = 1, sub = CLAIMS.sub } = options;
  return {
    fulcioUrl: FULCIO_URL,
    rekorUrl: REKOR_URL,
    rekorMajorVersion,
    ...(rekorMajorVersion === 2 ? { tsaUrl: TSA_URL } : {}),
    fetch: sigstore.fetch,
    identityToken: async () => {
      tokens += 1;
      return sigstore.token({ ...CLAIMS, sub, agent_name: sub.slice('agent:'.length) });
    },
  };
}
const now = () => new Date('2026-11-21T10:00:00.123Z');
const sign = (format?: ImageSignatureFormat, options = {}) =>
  signImage({ client: registry.client(), image, signer: signer(options), format, now });
const attest = (format?: ImageSignatureFormat, predicate: unknown = PREDICATE, predicateType = TYPE) =>
  attestImage({
    client: registry.client(),
    image,
    signer: signer(),
    attestation: { predicateType, predicate },
    format,
    now,
  });
const verify = (rest: { predicateType?: string; policy?: typeof policy; image?: ResolvedImage } = {}) =>
  verifyImage({ client: registry.client(), image, trust: sigstore.trust, policy, ...rest });
const codesOf = (list: readonly { code: string }[]) => list.map(({ code }) => code);
const layersUnder = async (kind: 'sig' | 'att') => {
  const manifest = await registry.client().getManifest(image, olderTag(image.digest, kind));
  return manifest === undefined ? [] : parseOciDocument(manifest.bytes)!.layers;
};

beforeEach(async () => {
  sigstore = new LocalSigstore();
  tokens = 0;
  await open();
});
afterEach(() => registry.close());

describe('signing an image', () => {
  it('writes bundle and older format on a log with promises, by one token and certificate, and both verify', async () => {
    const { formats, signatures } = await sign();
    expect([formats, signatures.length, tokens, sigstore.log.size]).toEqual([['bundle', 'older'], 2, 1, 2]);
    const { verified, rejected } = await verify();
    expect(rejected).toEqual([]);
    expect(verified.map(({ format }) => format).sort()).toEqual(['bundle', 'older-signature']);
    for (const signature of verified) {
      expect(signature.artifact_digest).toBe(image.digest);
      expect(signature.certificate_identity.subject).toBe('agent:code-writer');
      expect(signature.statement).toBeUndefined();
      expect(signature.checks.length).toBeGreaterThan(5);
    }
  });

  it('writes the bundle as a referrer as cosign does', async () => {
    await sign('bundle');
    const [page] = (await registry.client().getReferrers(image, image.digest, { maxPages: 1 }))!.pages;
    const [descriptor] = parseOciDocument(page!)!.manifests;
    expect(descriptor).toMatchObject({
      artifactType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      annotations: {
        'dev.sigstore.bundle.content': 'dsse-envelope',
        'dev.sigstore.bundle.predicateType': SIGN_PREDICATE_TYPE,
        'org.opencontainers.image.created': '2026-11-21T10:00:00Z',
      },
    });
    const manifest = JSON.parse(
      Buffer.from((await registry.client().getManifest(image, descriptor!.digest))!.bytes).toString(),
    );
    expect(manifest).toMatchObject({
      config: { mediaType: 'application/vnd.oci.empty.v1+json', size: 2 },
      layers: [{ mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json' }],
      subject: { mediaType: image.mediaType, size: image.size, digest: image.digest },
    });
    expect(await layersUnder('sig')).toEqual([]);
  });

  it('writes the older format as cosign does', async () => {
    await sign('older');
    const [layer] = await layersUnder('sig');
    expect(layer!.mediaType).toBe(SIMPLE_SIGNING_TYPE);
    expect(Object.keys(layer!.annotations!).sort()).toEqual(
      [OLDER_ANNOTATIONS.signature, OLDER_ANNOTATIONS.certificate, OLDER_ANNOTATIONS.rekorBundle].sort(),
    );
    const payload = JSON.parse(Buffer.from(await registry.client().getBlob(image, layer!.digest, 10_000)).toString());
    expect(payload).toEqual({
      critical: {
        identity: { 'docker-reference': 'localhost:7080/demo/app' },
        image: { 'docker-manifest-digest': image.digest },
        type: 'cosign container image signature',
      },
      optional: null,
    });
    const log = JSON.parse(layer!.annotations![OLDER_ANNOTATIONS.rekorBundle]!);
    expect(Object.keys(log)).toEqual(['SignedEntryTimestamp', 'Payload']);
    expect(Object.keys(log.Payload)).toEqual(['body', 'integratedTime', 'logIndex', 'logID']);
    expect((await verify()).verified.length).toBe(1);
  });

  it('writes the bundle alone on a log of version 2, and refuses the older format there', async () => {
    const { formats } = await sign('auto', { rekorMajorVersion: 2 });
    expect(formats).toEqual(['bundle']);
    expect((await verify()).verified.length).toBe(1);
    await expect(sign('older', { rekorMajorVersion: 2 })).rejects.toMatchObject({ code: 'image.promise_missing' });
  });

  it('attaches nothing when the second of two signatures cannot be made', async () => {
    const broken = { ...signer(), signPayload: async () => Promise.reject(new Error('no token')) };
    await expect(signImage({ client: registry.client(), image, signer: broken, now })).rejects.toThrow('no token');
    await expect(verify()).rejects.toMatchObject({ code: 'image.no_signatures' });
  });

  it('keeps the signatures that were there before', async () => {
    await sign();
    await sign('auto', { sub: 'agent:code-fixer' });
    const { verified } = await verify();
    expect(verified.map(({ certificate_identity: identity }) => identity.subject).sort()).toEqual([
      'agent:code-fixer',
      'agent:code-fixer',
      'agent:code-writer',
      'agent:code-writer',
    ]);
  });
});

describe('attesting an image', () => {
  it('carries one envelope in both formats: one token, one log entry, one attestation', async () => {
    const { formats, statement } = await attest();
    expect([formats, tokens, sigstore.log.size]).toEqual([['bundle', 'older'], 1, 1]);
    expect(statement!._type).toBe('https://in-toto.io/Statement/v1');
    const { verified, rejected } = await verify({ predicateType: TYPE });
    expect([verified.map(({ format }) => format), rejected]).toEqual([['bundle'], []]);
    expect(verified[0]!.statement!.predicate).toEqual(PREDICATE);
  });

  it.each(['bundle', 'older'] as const)('verifies in the %s format alone', async (format) => {
    await attest(format);
    expect((await verify({ predicateType: TYPE })).verified.length).toBe(1);
  });

  it('refuses a statement about something else', async () => {
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: 'a'.repeat(64) } }],
      predicateType: TYPE,
      predicate: {},
    } as Statement;
    await expect(
      attestImage({ client: registry.client(), image, signer: signer(), attestation: { statement } }),
    ).rejects.toMatchObject({ code: 'image.statement_about_other' });
    expect(tokens).toBe(0);
  });
});

describe('verifying an image', () => {
  it('finds no signature where there is none', async () => {
    await expect(verify()).rejects.toMatchObject({ code: 'image.no_signatures', kind: 'nothing' });
    await expect(verify({ predicateType: TYPE })).rejects.toMatchObject({
      code: 'image.no_attestations',
      kind: 'nothing',
    });
    const nothing = await assessImage({ client: registry.client(), image, trust: sigstore.trust, policy });
    expect([nothing.verified, nothing.rejected]).toEqual([[], []]);
  });

  it('does not take an attestation for a signature, nor a signature for an attestation', async () => {
    await attest();
    const asSignature = await verify().catch((error) => error);
    expect(asSignature.code).toBe('image.no_signatures');
    expect(new Set(codesOf(asSignature.rejected))).toEqual(new Set(['image.not_a_signature']));
    await registry.close();
    await open();
    await sign();
    for (const predicateType of [TYPE, SIGN_PREDICATE_TYPE]) {
      await expect(verify({ predicateType })).rejects.toMatchObject({ code: 'image.no_attestations' });
    }
  });

  it('does not take an attestation of another type', async () => {
    await attest('bundle', PREDICATE, 'https://colophon.example/predicates/agent-run/v1');
    const error = await verify({ predicateType: TYPE }).catch((caught) => caught);
    expect([error.code, codesOf(error.rejected)]).toEqual([
      'image.no_attestations',
      ['statement.predicate_type_mismatch'],
    ]);
  });

  it('refuses whoever the policy does not name', async () => {
    await sign();
    const other = createIdentityPolicy({ issuer: ISSUER, subject: 'agent:code-fixer' });
    const error = await verify({ policy: other }).catch((caught) => caught);
    expect([error.code, error.kind]).toEqual(['image.no_valid_signatures', 'mismatch']);
    expect(codesOf(error.rejected)).toEqual(['identity.subject_mismatch', 'identity.subject_mismatch']);
  });

  it('refuses trust material of somebody else', async () => {
    await sign();
    await attest();
    const { trust } = new LocalSigstore();
    const { verified, rejected } = await assessImage({ client: registry.client(), image, trust, policy });
    expect([verified, rejected.length]).toEqual([[], 4]);
  });

  it('lets a predicate be held against its type', async () => {
    await attest('bundle', { human_reviewer: '' });
    const parse = () => ({
      ok: false as const,
      issues: [{ path: '/human_reviewer', code: 'agent_review.field_empty', message: '' }],
    });
    const error = await verifyImage({
      client: registry.client(),
      image,
      trust: sigstore.trust,
      policy,
      predicateType: TYPE,
      predicateParsers: { [TYPE]: parse },
    }).catch((caught) => caught);
    expect([error.code, codesOf(error.rejected)]).toEqual(['image.no_valid_attestations', ['image.predicate_invalid']]);
  });

  it.each([[null], [[]], ['text'], [7]])('refuses the predicate %j', async (predicate) => {
    const statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ digest: { sha256: image.digest.slice(7) } }],
      predicateType: TYPE,
      predicate,
    } as Statement;
    const { bundle } = await signer().signStatement(statement);
    await attachBundle(registry.client(), image, { bundle, predicateType: TYPE, now: now() });
    const error = await verify({ predicateType: TYPE }).catch((caught) => caught);
    expect([error.code, codesOf(error.rejected)]).toEqual(['image.no_valid_attestations', ['statement.malformed']]);
  });

  it('refuses what was signed for another image, in every format', async () => {
    const { signatures } = await sign();
    const other = { ...(await registry.pushImage('another')), repository: 'demo/app' };
    expect(other.digest).not.toBe(image.digest);
    await attachBundle(registry.client(), other, {
      bundle: signatures[0]!.bundle,
      predicateType: SIGN_PREDICATE_TYPE,
      now: now(),
    });
    const [layer] = await layersUnder('sig');
    const content = await registry.client().getBlob(image, layer!.digest, 10_000);
    await attachOlderLayer(registry.client(), other, 'sig', {
      mediaType: SIMPLE_SIGNING_TYPE,
      content,
      annotations: layer!.annotations!,
    });
    const swapped = createSimpleSigning(other);
    await attachOlderLayer(registry.client(), other, 'sig', {
      mediaType: SIMPLE_SIGNING_TYPE,
      content: swapped,
      annotations: layer!.annotations!,
    });
    const error = await verify({ image: other }).catch((caught) => caught);
    expect(error.code).toBe('image.no_valid_signatures');
    expect(codesOf(error.rejected).sort()).toEqual([
      'image.payload_mismatch',
      'signature.invalid',
      'statement.subject_mismatch',
    ]);
  });

  it('refuses a signature whose every annotation is tampered with, one at a time', async () => {
    await sign('older');
    const [layer] = await layersUnder('sig');
    const content = await registry.client().getBlob(image, layer!.digest, 10_000);
    const own = layer!.annotations!;
    const log = JSON.parse(own[OLDER_ANNOTATIONS.rekorBundle]!);
    const other = (await signer().signPayload(content)).bundle;
    const certificate = JSON.parse(Buffer.from(other).toString()).verificationMaterial.certificate.rawBytes;
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate.match(/.{1,64}/g).join('\n')}\n-----END CERTIFICATE-----\n`;
    const changes: Record<string, [string, Record<string, string | undefined>]> = {
      'another certificate': ['signature.invalid', { [OLDER_ANNOTATIONS.certificate]: pem }],
      'no certificate': ['image.attachment_malformed', { [OLDER_ANNOTATIONS.certificate]: undefined }],
      'no log entry': ['log_entry.missing', { [OLDER_ANNOTATIONS.rekorBundle]: undefined }],
      'a broken log entry': ['image.attachment_malformed', { [OLDER_ANNOTATIONS.rekorBundle]: '{}' }],
      'another time': [
        'log_entry.set_invalid',
        {
          [OLDER_ANNOTATIONS.rekorBundle]: JSON.stringify({
            ...log,
            Payload: { ...log.Payload, integratedTime: log.Payload.integratedTime + 1 },
          }),
        },
      ],
      'another index': [
        'log_entry.set_invalid',
        { [OLDER_ANNOTATIONS.rekorBundle]: JSON.stringify({ ...log, Payload: { ...log.Payload, logIndex: 7 } }) },
      ],
      'no signature': ['image.attachment_malformed', { [OLDER_ANNOTATIONS.signature]: '' }],
      'another signature': [
        'signature.invalid',
        { [OLDER_ANNOTATIONS.signature]: Buffer.from('no').toString('base64') },
      ],
    };
    for (const [what, [code, change]] of Object.entries(changes)) {
      const target = await registry.pushImage(what, 'demo/app');
      const annotations = Object.fromEntries(
        Object.entries({ ...own, ...change }).filter((pair): pair is [string, string] => pair[1] !== undefined),
      );
      // The payload names the first image; so the tampered layer is put where that image's signatures are.
      const tag = olderTag(image.digest, 'sig');
      const config = await registry.client().putBlob(target, new TextEncoder().encode('{}'));
      const manifest = {
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', size: 2, digest: config },
        layers: [{ ...layer, annotations }],
      };
      await registry.client().putManifest(image, tag, {
        bytes: new TextEncoder().encode(JSON.stringify(manifest)),
        mediaType: manifest.mediaType,
      });
      const error = await verify().catch((caught) => caught);
      expect([what, codesOf(error.rejected ?? [])]).toEqual([what, [code]]);
    }
  });

  it('does not look at an image with too many signatures', async () => {
    const layer = {
      mediaType: SIMPLE_SIGNING_TYPE,
      digest: await registry.client().putBlob(image, new TextEncoder().encode('{}')),
      size: 2,
    };
    const put = async (count: number) => {
      const manifest = {
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: layer,
        layers: Array(count).fill(layer),
      };
      await registry.client().putManifest(image, olderTag(image.digest, 'sig'), {
        bytes: new TextEncoder().encode(JSON.stringify(manifest)),
        mediaType: manifest.mediaType,
      });
    };
    await put(MAX_IMAGE_SIGNATURES + 1);
    const before = registry.requests.length;
    await expect(verify()).rejects.toMatchObject({ code: 'image.too_many_signatures' });
    expect(registry.requests.length - before).toBeLessThan(10);
    await put(MAX_IMAGE_SIGNATURES);
    await expect(verify()).rejects.toMatchObject({ code: 'image.no_valid_signatures' });
  });

  it('does not look at them where a few referrers hold too many either', async () => {
    const client = registry.client();
    const empty = await client.putBlob(image, new TextEncoder().encode('{}'));
    const layer = { mediaType: SIMPLE_SIGNING_TYPE, digest: empty, size: 2 };
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const put = async (first: number, end: number) => {
      for (let n = first; n < end; n++) {
        const layers = Array.from({ length: 8 }, (_, i) => ({ ...layer, annotations: { n: `${n} ${i}` } }));
        const manifest = { schemaVersion: 2, mediaType, config: layer, layers, subject: image };
        const bytes = new TextEncoder().encode(JSON.stringify(manifest));
        await client.putManifest(image, digestOf(bytes), { bytes, mediaType });
      }
    };
    await put(0, MAX_IMAGE_SIGNATURES / 8);
    await expect(verify()).rejects.toMatchObject({ code: 'image.no_valid_signatures' });
    await put(MAX_IMAGE_SIGNATURES / 8, MAX_IMAGE_SIGNATURES / 8 + 1);
    await expect(verify()).rejects.toMatchObject({ code: 'image.too_many_signatures' });
  });

  it('does not fetch an attachment that says it is too large, and counts the others', async () => {
    await sign('bundle');
    const layer = {
      mediaType: SIMPLE_SIGNING_TYPE,
      digest: await registry.client().putBlob(image, new Uint8Array(2)),
      size: 1024 ** 3,
    };
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { ...layer, size: 2 },
      layers: [layer],
    };
    await registry.client().putManifest(image, olderTag(image.digest, 'sig'), {
      bytes: new TextEncoder().encode(JSON.stringify(manifest)),
      mediaType: manifest.mediaType,
    });
    const { verified, rejected, incomplete } = await verify();
    expect([verified.length, rejected, codesOf(incomplete)]).toEqual([1, [], ['image.attachment_too_large']]);
    expect(registry.requests).not.toContain(`GET /v2/demo/app/blobs/${layer.digest}`);
  });

  it('counts the good ones beside whatever else is attached', async () => {
    await attest('bundle');
    const client = registry.client();
    await attachBundle(client, image, {
      bundle: new TextEncoder().encode('{"not":"a bundle"}'),
      predicateType: TYPE,
      now: now(),
    });
    await attachBundle(client, image, { bundle: new Uint8Array([0xff, 0]), predicateType: TYPE, now: now() });
    const { verified, rejected } = await assessImage({ client, image, trust: sigstore.trust, policy });
    expect(verified.length).toBe(1);
    expect(codesOf(rejected)).toEqual(['bundle.malformed', 'bundle.malformed']);
  });

  it('tells what may be a signature and was not read from what was read and is none', async () => {
    await attest('bundle');
    const client = registry.client();
    const put = async (
      layers: Array<{ mediaType: string; content: Uint8Array; size?: number }>,
      artifactType?: string,
    ) => {
      const written = [];
      for (const { mediaType, content, size = content.length } of layers) {
        written.push({ mediaType, size, digest: await client.putBlob(image, content) });
      }
      const mediaType = 'application/vnd.oci.image.manifest.v1+json';
      const config = {
        mediaType: 'application/vnd.oci.empty.v1+json',
        size: 2,
        digest: await client.putBlob(image, Buffer.from('{}')),
      };
      const manifest = {
        schemaVersion: 2,
        mediaType,
        config,
        layers: written,
        subject: image,
        ...(artifactType ? { artifactType } : {}),
      };
      const bytes = Buffer.from(JSON.stringify(manifest));
      await client.putManifest(image, digestOf(bytes), { bytes, mediaType });
      return written.map(({ digest }) => digest);
    };
    const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
    const note = (text: string) => new TextEncoder().encode(text);
    // An SBOM of 200 MB is none of it, whatever its manifest leaves out, and is never fetched.
    const [sbom] = await put([{ mediaType: 'application/vnd.cyclonedx+json', content: note('{}'), size: 200 << 20 }]);
    await put([{ mediaType: 'text/plain', content: note('x') }], 'application/vnd.cyclonedx+json');
    const clean = await assessImage({ client, image, trust: sigstore.trust, policy });
    expect([clean.verified.length, clean.rejected, clean.incomplete]).toEqual([1, [], []]);
    expect(registry.requests).not.toContain(`GET /v2/demo/app/blobs/${sbom}`);

    await put([{ mediaType: bundleType, content: note('{"a":1}'), size: 40 << 20 }], bundleType);
    const [gone] = await put([{ mediaType: bundleType, content: note('{"b":1}') }]);
    const two = [note('{"c":1}'), note('{"d":1}')];
    await put(
      two.map((content) => ({ mediaType: bundleType, content })),
      bundleType,
    );
    const withholding = new RegistryClient({
      fetch: async (input, init) =>
        String(input).includes(`/blobs/${gone}`)
          ? new Response('', { status: 404 })
          : registry.fetch(input as string, init),
    });
    const { verified, rejected, incomplete } = await assessImage({
      client: withholding,
      image,
      trust: sigstore.trust,
      policy,
    });
    expect(verified.length).toBe(1);
    expect(codesOf(rejected)).toEqual(['bundle.malformed', 'bundle.malformed']);
    expect(codesOf(incomplete).sort()).toEqual(['image.attachment_too_large', 'image.attachment_unreadable']);
  });

  it('says so where the registry lists more pages than it serves', async () => {
    await attest('bundle');
    const client = new RegistryClient({
      fetch: async (input, init) => {
        const answer = await registry.fetch(input as string, init);
        if (!String(input).includes('/referrers/')) return answer;
        const headers = new Headers(answer.headers);
        headers.set('link', '<https://elsewhere.example/next>; rel="next"');
        return new Response(await answer.arrayBuffer(), { status: answer.status, headers });
      },
    });
    const { verified, incomplete } = await assessImage({ client, image, trust: sigstore.trust, policy });
    expect([verified.length, codesOf(incomplete)]).toEqual([1, ['image.referrers_incomplete']]);
  });

  it('hands on a statement that names nothing but a commit, and takes it for none about the image', async () => {
    const subject = [{ name: 'the change', digest: { gitCommit: 'a'.repeat(40) } }];
    const statement: Statement = {
      _type: 'https://in-toto.io/Statement/v1',
      subject,
      predicateType: TYPE,
      predicate: PREDICATE,
    };
    const { bundle } = await signStatement({ ...signing(), statement });
    await attachBundle(registry.client(), image, { bundle, predicateType: TYPE, now: now() });
    const { verified } = await assessImage({ client: registry.client(), image, trust: sigstore.trust, policy });
    expect(verified).toMatchObject([{ statement: { subject }, bundle_digest: digestOf(bundle) }]);
    expect(verified[0]).not.toHaveProperty('artifact_digest');
    const error = await verify({ predicateType: TYPE }).catch((caught) => caught);
    expect(codesOf(error.rejected)).toEqual(['statement.subject_mismatch']);
  });

  it('fails where the registry fails, rather than finding nothing', async () => {
    await sign();
    const fetch = registry.fetch;
    for (const part of ['/referrers/', '.sig', '.att', '/blobs/']) {
      const failing = new RegistryClient({
        fetch: async (input, init) =>
          String(input).includes(part) ? new Response('', { status: 500 }) : fetch(input as string, init),
      });
      await expect(verifyImage({ client: failing, image, trust: sigstore.trust, policy })).rejects.toMatchObject({
        code: 'registry.unavailable',
      });
    }
  });
});

describe('a registry without a list of referrers', () => {
  beforeEach(async () => {
    await registry.close();
    await open({ referrers: true });
  });

  it('keeps bundles in the index under the fallback tag, and they verify', async () => {
    await sign('bundle');
    await attest('bundle');
    const index = await registry.client().getManifest(image, referrersTag(image.digest));
    const { manifests } = parseOciDocument(index!.bytes)!;
    expect([index!.mediaType, manifests.length]).toEqual(['application/vnd.oci.image.index.v1+json', 2]);
    expect(manifests[0]!.annotations!['dev.sigstore.bundle.predicateType']).toBe(SIGN_PREDICATE_TYPE);
    expect((await verify()).verified.length).toBe(1);
    expect((await verify({ predicateType: TYPE })).verified.length).toBe(1);
  });

  it('does not count what the index lists although it refers to another image', async () => {
    const other = image;
    await sign('bundle');
    const index = (await registry.client().getManifest(other, referrersTag(other.digest)))!;
    image = await registry.pushImage('another');
    await registry.client().putManifest(image, referrersTag(image.digest), index);
    const error = await verify().catch((caught) => caught);
    expect(codesOf(error.rejected)).toEqual(['image.attachment_malformed']);
  });
});

describe('writers at the same time', () => {
  it('lose nothing on a registry that knows conditions', async () => {
    await registry.close();
    await open({ referrers: true });
    const count = 4;
    await Promise.all(Array.from({ length: count }, () => sign()));
    const { found } = await collectImageSignatures(registry.client(), image);
    expect(found.filter(({ format }) => format === 'older-signature').length).toBe(count);
    expect(found.filter(({ format }) => format === 'bundle').length).toBe(count);
  });

  it.each(['.sig', ''])(
    'merge again on a registry that knows no conditions, where somebody overwrote the tag%s',
    async (suffix) => {
      await registry.close();
      await open({ referrers: true, conditions: true });
      await sign();
      const tag = `/manifests/${referrersTag(image.digest)}${suffix}`;
      const old = (await registry.client().getManifest(image, tag.split('/').at(-1)!))!;
      const plain = registry.client();
      let overwrites = 2;
      const client = new RegistryClient({
        fetch: async (input, init) => {
          const answer = await registry.fetch(input as string, init);
          if (init?.method === 'PUT' && String(input).endsWith(tag) && overwrites-- > 0) {
            await plain.putManifest(image, tag.split('/').at(-1)!, old);
          }
          return answer;
        },
      });
      await signImage({ client, image, signer: signer(), now });
      expect(overwrites).toBeLessThan(0);
      expect((await verify()).verified.length).toBe(4);
    },
  );

  it('give up with a code when others never let them', async () => {
    await registry.close();
    await open({ referrers: true });
    const client = new RegistryClient({
      fetch: async (input, init) =>
        init?.method === 'PUT' && String(input).includes('/manifests/sha256-')
          ? new Response('', { status: 412 })
          : registry.fetch(input as string, init),
    });
    await expect(signImage({ client, image, signer: signer(), now })).rejects.toMatchObject({
      code: 'registry.conflict',
    });
  });
});
