import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  assessCollected,
  attestImage,
  collectImageSignatures,
  createIdentityPolicy,
  keylessImageSigner,
  loadTrustedRoots,
  signBlob,
  signBlobWithKey,
  signImage,
  signStatement,
  signStatementWithKey,
  type TrustMaterial,
  verifyBundle,
  verifyBundleWithKey,
} from '@colophon/sigstore';
import { LocalRegistry } from '@colophon/testkit/local-registry/local-registry';
import { logged } from '@colophon/testkit/local-sigstore/draft-bundle';
import { FULCIO_URL, ISSUER, LocalSigstore, REKOR_URL, TSA_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { statementAbout } from '../authority/proposal.ts';
import { type BundleKind, digestsOf } from './bundle-kind.ts';

const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });
const PREDICATE_TYPE = 'https://bench.example/predicates/any/v1';

/** What only other services or other keys make: `count` bundles of each kind, of a Sigstore in memory. */
export async function localKinds(count: number): Promise<readonly BundleKind[]> {
  const local = new LocalSigstore();
  const peers = { fulcioUrl: FULCIO_URL, rekorUrl: REKOR_URL, fetch: local.fetch };
  const keyless = { ...peers, identityToken: async () => local.token() };
  const v2 = { rekorMajorVersion: 2, tsaUrl: TSA_URL } as const;
  const { trust } = local;
  const artifacts = Array.from({ length: count }, (_, i) => Buffer.from(`artifact ${i}`));

  const kindOf = async (name: string, prepare: (artifact: Buffer) => Promise<() => unknown>): Promise<BundleKind> => {
    const verifications: (() => unknown)[] = [];
    for (const artifact of artifacts) verifications.push(await prepare(artifact));
    return { name, verifications };
  };
  const verified = (bundle: Uint8Array, artifact: Buffer, under: TrustMaterial = trust) => {
    const digests = digestsOf(artifact);
    return () => verifyBundle({ bundle, artifact: digests, trust: under, policy });
  };
  const blob = async (artifact: Buffer) => (await signBlob({ ...keyless, artifact })).bundle;
  const withoutSct = trustOf(local, { ctlogs: [] });
  const threeRoots = thirdOfThree(local);

  return [
    await kindOf('file, digest alone, no CT log', async (artifact) =>
      verified(await blob(artifact), artifact, withoutSct),
    ),
    await kindOf('file, digest alone, promise alone (v0.1)', async (artifact) =>
      verified(withPromiseAlone(await blob(artifact)), artifact),
    ),
    await kindOf('file, digest alone, third of three roots', async (artifact) =>
      verified(await blob(artifact), artifact, threeRoots),
    ),
    await kindOf('file, digest alone, Rekor v2 and timestamp', async (artifact) =>
      verified((await signBlob({ ...keyless, ...v2, artifact })).bundle, artifact),
    ),
    await kindOf('statement, Rekor v2 and timestamp', async (artifact) =>
      verified((await signStatement({ ...keyless, ...v2, statement: statementAbout(`${artifact}`) })).bundle, artifact),
    ),
    ...(await imageKinds(count, keyless, trust)),
    ...(await keyedKinds(kindOf, local)),
  ];
}

function trustOf(local: LocalSigstore, changes: object): TrustMaterial {
  return loadTrustedRoots([
    { json: JSON.stringify({ ...local.trustedRootJson(), ...changes }), insecureIgnoreSct: true },
  ]);
}

function thirdOfThree(local: LocalSigstore): TrustMaterial {
  const strangers = [new LocalSigstore(), new LocalSigstore()];
  return loadTrustedRoots(
    [...strangers, local].map((one, i) => ({
      name: `root ${i}`,
      json: JSON.stringify(one.trustedRootJson()),
      issuers: [ISSUER],
    })),
  );
}

/** As clients wrote them before the log gave proofs with a checkpoint. */
function withPromiseAlone(bundle: Uint8Array): Uint8Array {
  const json = JSON.parse(Buffer.from(bundle).toString());
  json.mediaType = 'application/vnd.dev.sigstore.bundle+json;version=0.1';
  delete json.verificationMaterial.tlogEntries[0].inclusionProof;
  return Buffer.from(JSON.stringify(json));
}

/** What was collected from a registry is verified; the registry itself is not asked again. */
async function imageKinds(
  count: number,
  keyless: Parameters<typeof keylessImageSigner>[0],
  trust: TrustMaterial,
): Promise<readonly BundleKind[]> {
  const registry = await LocalRegistry.open();
  const client = registry.client();
  const attestation = { predicateType: PREDICATE_TYPE, predicate: {} };
  const sign = {
    'image attestation': (image: Image) =>
      attestImage({ client, image, signer: keylessImageSigner(keyless), attestation, format: 'bundle' }),
    'image signature': (image: Image) =>
      signImage({ client, image, signer: keylessImageSigner(keyless), format: 'bundle' }),
    'image signature, older format': (image: Image) =>
      signImage({ client, image, signer: keylessImageSigner(keyless), format: 'older' }),
  };
  type Image = Parameters<typeof collectImageSignatures>[1];
  try {
    const kinds: BundleKind[] = [];
    for (const [name, signed] of Object.entries(sign)) {
      const verifications: (() => unknown)[] = [];
      for (let i = 0; i < count; i += 1) {
        const image = await registry.pushImage(`${name} ${i}`);
        await signed(image);
        const collected = await collectImageSignatures(client, image);
        verifications.push(async () => {
          const { verified, rejected } = await assessCollected(collected, { trust, policy });
          if (verified.length !== 1) throw new Error(`${name}: ${JSON.stringify(rejected)}`);
        });
      }
      kinds.push({ name, verifications });
    }
    return kinds;
  } finally {
    await registry.close();
  }
}

type KindOf = (name: string, prepare: (artifact: Buffer) => Promise<() => unknown>) => Promise<BundleKind>;

/** With a key instead of a certificate: artifact or envelope, promise and checkpoint are signed. */
async function keyedKinds(kindOf: KindOf, local: LocalSigstore): Promise<readonly BundleKind[]> {
  const { trust } = local;
  const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }) as string;
  const keyed = (pair: Pair) => ({
    rekorUrl: REKOR_URL,
    fetch: local.fetch,
    privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  });
  const verified = (bundle: Uint8Array, artifact: Buffer, publicKey: string, isAtHand = false) => {
    const given = isAtHand ? artifact : digestsOf(artifact);
    return () => verifyBundleWithKey({ bundle, artifact: given, trust, publicKey });
  };
  const pairs: Readonly<Record<string, Pair>> = {
    'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'RSA 2048': generateKeyPairSync('rsa', { modulusLength: 2048 }),
    Ed25519: generateKeyPairSync('ed25519'),
  };
  const kinds: BundleKind[] = [];
  for (const [name, pair] of Object.entries(pairs)) {
    kinds.push(
      await kindOf(`keyed ${name}, digest alone`, async (artifact) =>
        verified((await signBlobWithKey({ ...keyed(pair), artifact })).bundle, artifact, pem(pair.publicKey)),
      ),
    );
  }
  const p256 = pairs['P-256']!;
  const statement = (artifact: Buffer) => statementAbout(`${artifact}`);
  kinds.push(
    await kindOf('keyed P-256, statement', async (artifact) =>
      verified(
        (await signStatementWithKey({ ...keyed(p256), statement: statement(artifact) })).bundle,
        artifact,
        pem(p256.publicKey),
      ),
    ),
  );
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  for (const isAtHand of [true, false]) {
    kinds.push(
      await kindOf(`keyed P-384, ${isAtHand ? 'bytes at hand' : 'digest alone'}`, async (artifact) =>
        verified(signByP384(local, artifact, p384), artifact, pem(p384.publicKey), isAtHand),
      ),
    );
  }
  return kinds;
}
type Pair = { readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** As cosign signs with such a key, and our own client does not. */
function signByP384(local: LocalSigstore, artifact: Buffer, { privateKey, publicKey }: Pair): Uint8Array {
  const digest = createHash('sha384').update(artifact).digest();
  const signature = sign('sha384', artifact, privateKey).toString('base64');
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }) as string).toString('base64');
  const spec = {
    data: { hash: { algorithm: 'sha384', value: digest.toString('hex') } },
    signature: { content: signature, publicKey: { content: pem } },
  };
  const entry = logged(local, { apiVersion: '0.0.1', kind: 'hashedrekord', spec });
  const bundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: 'any' }, tlogEntries: [entry] },
    messageSignature: { messageDigest: { algorithm: 'SHA2_384', digest: digest.toString('base64') }, signature },
  };
  return Buffer.from(JSON.stringify(bundle));
}
