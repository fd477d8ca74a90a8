import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEvidence } from '@colophon/evidence';
import { agentReviewType, STATEMENT_TYPE } from '@colophon/records';
import {
  imageToFetch,
  RegistryClient,
  type ResolvedImage,
  SIGN_PREDICATE_TYPE,
  VerificationError,
  verifyBundle,
} from '@colophon/sigstore';
import { openDatabase } from '@colophon/store';
import { cleanupAt } from '@colophon/testkit';
import { sha256, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { COMMIT, commitAttributes, draftCommitSignature } from '@colophon/testkit/local-sigstore/draft-commit';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import {
  type Content,
  contentOf,
  type Logged,
  pemOf,
  relabel,
  type Signed,
  signText,
} from '@colophon/testkit/local-sigstore/relabel';
import { envelopeText, imagePayload, SIGNED_TEXTS } from '@colophon/testkit/local-sigstore/signed-texts';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyCommit } from '../../../signing/sigstore/src/commit-signature/commit-signature.ts';
import { attachBundle, attachOlderLayer } from '../../../signing/sigstore/src/image-signature/attach.ts';
import {
  olderAttestationLayer,
  olderSignatureLayer,
} from '../../../signing/sigstore/src/image-signature/older-format.ts';
import { pushImageOf } from '../src/demo/scene.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

// An adversary without keys has a good signature of one kind and shows it as one of another kind, in every form that
// the other kind may have, to everybody who reads that kind. Nobody may take it.

const KINDS = ['blob', 'statement', 'image bundle', '.sig', '.att', 'commit'] as const;
type Kind = (typeof KINDS)[number];
/** A file is anybody's choice: it may also be what another kind is about, or what another kind signs. */
const FILES = [
  'blob of the image’s manifest',
  'blob of JSON like a .sig',
  'blob of an attestation',
  'blob of an image signature',
] as const;
type From = Kind | (typeof FILES)[number];
type Row = { readonly from: From; readonly to: Kind; readonly by: 'certificate' | 'key'; readonly how: Logged };

const TYPE = 'https://slsa.dev/provenance/v1';
const PINNED = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', ISSUER];
const PLACE = ['.well-known', 'sbom'];

const local = new LocalSigstore();
const cleanup = cleanupAt(afterAll);
let here: Installation;
let root: string[];
let evidenceUrl: string;
let image: ResolvedImage;
let manifest: Buffer;
let policies: { readonly signed: string; readonly attested: string };
let files: Readonly<Record<'plain' | 'vex' | 'sbom', string>>;
const bytes = {
  plain: Buffer.from('what the agent wrote\n'),
  vex: Buffer.from(
    JSON.stringify({
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': 'https://example.com/vex/1',
      author: 'alice@example.com',
      timestamp: '2026-11-21T09:00:00Z',
      version: 1,
      statements: [
        {
          vulnerability: { name: 'CVE-2021-44228' },
          products: [{ '@id': 'pkg:npm/web@1.0.0' }],
          status: 'under_investigation',
        },
      ],
    }),
  ),
  sbom: Buffer.from(
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
      version: 1,
      metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'web', version: '1.0.0' } },
      components: [],
    }),
  ),
};
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
  root = ['--trusted-root', here.file('root.json', local.trustedRootJson())];
  files = {
    plain: here.file('plain.txt', bytes.plain),
    vex: here.file('app.openvex.json', bytes.vex),
    sbom: here.file('web.cdx.json', bytes.sbom),
  };
  const app = Fastify();
  const db = openDatabase(':memory:');
  const { trust } = local;
  // As the server has it, with the trust of this test.
  const verify = (bundle: Uint8Array) => verifyBundle({ bundle, trust, policy: 'gated-elsewhere' }).signature;
  await createEvidence({ db, verify }).register(app);
  evidenceUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  cleanup(() => app.close().then(() => db.close()));
  image = await pushed('base');
  const client = new RegistryClient();
  manifest = Buffer.from((await client.getManifest(image, image.digest))?.bytes ?? []);
  const policy = `version: 1\nimages: ["${here.registry}/**"]\nagent: { issuer: "${ISSUER}", subject: "agent:code-writer" }\nnegatives: none\n`;
  const required = `require: [{ issuer: "${ISSUER}", subject: "agent:code-writer", predicateType: "${TYPE}" }]\n`;
  policies = { signed: here.file('signed.yaml', policy), attested: here.file('attested.yaml', policy + required) };
});
/** The same image, of the same digest, where nothing is attached to it. */
async function pushed(repository: string): Promise<ResolvedImage> {
  const reference = await pushImageOf(
    here.registry,
    repository,
    { 'app/NAME': Buffer.from('webshop') },
    'c'.repeat(40),
  );
  return new RegistryClient().resolve(imageToFetch(reference));
}

const statement = (predicateType: string, predicate: object = {}) => ({
  _type: STATEMENT_TYPE,
  subject: [...Object.values(bytes).map((file) => sha256(file).toString('hex')), image.digest.slice(7)].map(
    (digest, index) => ({ name: `subject ${index}`, digest: { sha256: digest } }),
  ),
  predicateType,
  predicate,
});
const payloadOf = (predicateType: string) => Buffer.from(JSON.stringify(statement(predicateType)));
const envelope = (predicateType: string) => envelopeText(payloadOf(predicateType));

/** What a good signature of each kind is over. */
const TEXTS: Readonly<Record<From, (file: keyof typeof bytes) => Buffer>> = {
  blob: (file) => bytes[file],
  'blob of the image’s manifest': () => manifest,
  'blob of JSON like a .sig': () =>
    Buffer.from(JSON.stringify({ ...JSON.parse(imagePayload(image.digest).toString()), name: 'web' })),
  'blob of an attestation': () => envelope(TYPE),
  'blob of an image signature': () => envelope(SIGN_PREDICATE_TYPE),
  statement: () => envelope(TYPE),
  'image bundle': () => envelope(SIGN_PREDICATE_TYPE),
  '.sig': () => imagePayload(image.digest),
  '.att': () => envelope(TYPE),
  commit: () => commitAttributes(),
};

type Attempt = { readonly signed: Signed; readonly row: Pick<Row, 'how'> & Partial<Row> };
/** What somebody who reads a kind says to an attempt: the codes of every refusal, `accepted` for any other end. */
type Consumer = (attempt: Attempt) => Promise<readonly string[]>;

const show = ({ signed, row }: Attempt, content: Content, type = TYPE) =>
  // It is signed, and logged, as any file.
  toBytes(
    isFileOfEnvelope(row.from)
      ? { ...relabel(local, signed, content, 'v1 again'), ...asFile(signed) }
      : relabel(local, signed, content, row.how, payloadOf(type)),
  );
const asFile = (signed: Signed) => ({
  verificationMaterial: relabel(local, signed, 'message', 'v1 again').verificationMaterial,
});
const bundleFile = (bundle: Uint8Array) => here.file(`bundle-${next++}.json`, bundle);
const signerOf = ({ signed }: Attempt, flag = '--key') =>
  signed.certificate === undefined ? [flag, here.file(`key-${next++}.pem`, pemOf(signed))] : PINNED;

async function said(...line: string[]): Promise<string> {
  const ran = await here.run(...line, '--output', 'json');
  if (ran.exitCode === 0) return 'accepted';
  const document = JSON.parse(ran.stdout);
  return document.error?.code ?? document.reasons.map(({ code }: { code: string }) => code).join(' ');
}

const CONSUMERS: Readonly<Record<Kind, Readonly<Record<string, Consumer>>>> = {
  blob: {
    'verify-blob': async (attempt) => {
      const text = here.file(`text-${next++}`, attempt.signed.text);
      const message = bundleFile(show(attempt, 'message'));
      const asItIs = bundleFile(show(attempt, contentOf(attempt.signed)));
      const verify = (file: string, bundle: string) =>
        said('verify-blob', file, '--bundle', bundle, ...root, ...signerOf(attempt));
      return [await verify(text, message), await verify(files.plain, message), await verify(files.plain, asItIs)];
    },
    'vex verify': async (attempt) => {
      const verify = (content: Content) =>
        said('vex', 'verify', files.vex, '--bundle', bundleFile(show(attempt, content)), ...root, ...signerOf(attempt));
      return [await verify('message'), await verify(contentOf(attempt.signed))];
    },
    'sbom publish': async (attempt) => {
      const publish = (content: Content) => {
        const bundle = ['--bundle', bundleFile(show(attempt, content))];
        const key = attempt.signed.certificate === undefined ? signerOf(attempt, '--public-key') : [];
        const to = ['--to', join(here.folder, `published-${next++}`)];
        return said('sbom', 'publish', files.sbom, ...bundle, ...to, ...root, ...key);
      };
      return [await publish('message'), await publish(contentOf(attempt.signed))];
    },
    'sbom fetch': async (attempt) => {
      const fetch = async (content: Content) => {
        const folder = await publication();
        const bundle = show(attempt, content);
        // What is published is read-only, also for its owner.
        const replace = (name: string, content: string | Uint8Array) => {
          rmSync(join(folder, name));
          writeFileSync(join(folder, name), content);
        };
        for (const name of readdirSync(folder)) {
          if (name.endsWith('.sigstore.json')) replace(name, bundle);
          if (name.endsWith('.sig')) replace(name, attempt.signed.signature.toString('base64'));
        }
        const from = ['--from', join(folder, '..', '..')];
        return said(
          'sbom',
          'fetch',
          'web@1.0.0',
          ...from,
          '--out',
          join(here.folder, 'out'),
          ...root,
          ...signerOf(attempt),
        );
      };
      return [await fetch('message'), await fetch(contentOf(attempt.signed))];
    },
  },
  statement: {
    'verify-blob-attestation': async (attempt) => {
      const verify = (content: Content) => {
        const bundle = bundleFile(show(attempt, content));
        return said(
          'verify-blob-attestation',
          files.plain,
          '--type',
          TYPE,
          '--bundle',
          bundle,
          ...root,
          ...signerOf(attempt),
        );
      };
      return [await verify('envelope'), await verify(contentOf(attempt.signed))];
    },
    'evidence import': async (attempt) => {
      // What is a statement already is kept as the statement that it is.
      if (isStatement(attempt)) return ['statement.predicate_type_mismatch'];
      const bundles = [show(attempt, 'envelope'), show(attempt, 'message')];
      const codes = bundles.map(async (bundle) => [
        await said('evidence', 'import', bundleFile(bundle), '--evidence-url', evidenceUrl),
        await posted(bundle),
      ]);
      return (await Promise.all(codes)).flat();
    },
    'verify-attestation': async (attempt) =>
      attached(attempt, [show(attempt, 'envelope'), show(attempt, 'message')], attestation),
    admit: async (attempt) =>
      attached(attempt, [show(attempt, 'envelope'), show(attempt, 'message')], admittedIfAttested),
  },
  'image bundle': {
    verify: async (attempt) => attached(attempt, signatureBundles(attempt), signature),
    admit: async (attempt) => attached(attempt, signatureBundles(attempt), admittedIfSigned),
  },
  '.sig': {
    verify: async (attempt) => olderSignature(attempt, signature),
    admit: async (attempt) => olderSignature(attempt, admittedIfSigned),
  },
  '.att': {
    'verify-attestation': async (attempt) => olderAttestation(attempt, attestation),
    admit: async (attempt) => olderAttestation(attempt, admittedIfAttested),
  },
  commit: {
    verifyCommit: async ({ signed, row }) => {
      const own = commitAttributes();
      const codes = [signed.text, own].map((attributes) => {
        const [entry] = relabel(local, signed, 'message', row.how).verificationMaterial.tlogEntries;
        const made = { attributes, signature: signed.signature, certificate: signed.certificate as Buffer, entry };
        return refusal(() =>
          verifyCommit({ armoured: draftCommitSignature(local, { made }), signed: COMMIT, trust: local.trust }),
        );
      });
      return codes;
    },
  },
};

const isStatement = ({ row }: Attempt) => /^(statement|\.att|image bundle)$/.test(row.from ?? '');
const signatureBundles = (attempt: Attempt) => [
  show(attempt, 'envelope', SIGN_PREDICATE_TYPE),
  show(attempt, 'message'),
];

async function posted(bundle: Uint8Array): Promise<string> {
  const answer = await fetch(`${evidenceUrl}/evidence`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Uint8Array(bundle),
  });
  return answer.ok ? 'accepted' : ((await answer.json()) as { reason: string }).reason;
}

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
  return 'accepted';
}

const signature = (reference: string) => said('verify', reference, ...root, ...PINNED);
const attestation = (reference: string) => said('verify-attestation', reference, '--type', TYPE, ...root, ...PINNED);
const admittedIfSigned = (reference: string, policy = policies.signed) =>
  said('admit', reference, '--policy', policy, ...root);
const admittedIfAttested = (reference: string, policy = policies.attested) =>
  said('admit', reference, '--policy', policy, ...root);
type Ask = (reference: string, policy?: string) => Promise<string>;

/** An image of its own for one attempt, with the good evidence that a policy asks for beside what is attempted. */
async function freshImage(ask: Ask): Promise<{ client: RegistryClient; place: ResolvedImage; reference: string }> {
  const place = await pushed(`attempt-${next++}`);
  const client = new RegistryClient();
  const attach = (signed: Signed, predicateType: string) =>
    attachBundle(client, place, {
      bundle: toBytes(relabel(local, signed, 'envelope', 'v1')),
      predicateType,
      now: local.now,
    });
  if (ask === admittedIfSigned || ask === admittedIfAttested) {
    const predicate = {
      human_reviewer: 'ann@example.com',
      review_timestamp: '2026-11-21T09:59:00Z',
      decision: 'approved',
      commit_sha: CLAIMS.commit_sha,
      // Among the files that it names too, the image is what was reviewed.
      target: { kind: 'image', digest: place.digest },
    };
    const payload = Buffer.from(JSON.stringify(statement(agentReviewType(), predicate)));
    const text = envelopeText(payload);
    const claims = { ...CLAIMS, sub: 'reviewer:ann@example.com' };
    await attach(signText(local, text, { claims }), agentReviewType());
  }
  if (ask === admittedIfAttested) await attach(signText(local, envelope(SIGN_PREDICATE_TYPE)), SIGN_PREDICATE_TYPE);
  return { client, place, reference: `${here.registry}/${place.repository}@${place.digest}` };
}

async function attached(_attempt: Attempt, bundles: readonly Uint8Array[], ask: Ask): Promise<string[]> {
  const { client, place, reference } = await freshImage(ask);
  for (const bundle of bundles) await attachBundle(client, place, { bundle, predicateType: TYPE, now: local.now });
  return [await ask(reference)];
}

async function olderSignature(attempt: Attempt, ask: Ask, policy?: string): Promise<string[]> {
  const { client, place, reference } = await freshImage(ask);
  const bundle = show(attempt, 'message');
  for (const content of [attempt.signed.text, imagePayload(image.digest)]) {
    await attachOlderLayer(client, place, 'sig', olderSignatureLayer(content, bundle));
  }
  return [await ask(reference, policy)];
}

async function olderAttestation(attempt: Attempt, ask: Ask, policy?: string): Promise<string[]> {
  const { client, place, reference } = await freshImage(ask);
  await attachOlderLayer(client, place, 'att', olderAttestationLayer(show(attempt, 'envelope'), TYPE));
  return [await ask(reference, policy)];
}

let publishedFolder: string | undefined;
/** A folder of its own with a publication that was good. */
async function publication(): Promise<string> {
  if (publishedFolder === undefined) {
    publishedFolder = join(here.folder, 'good-publication');
    const bundle = bundleFile(toBytes(relabel(local, signText(local, bytes.sbom), 'message', 'v1')));
    await here.document('sbom', 'publish', files.sbom, '--bundle', bundle, '--to', publishedFolder, ...root);
  }
  const folder = join(here.folder, `publication-${next++}`);
  cpSync(publishedFolder, folder, { recursive: true });
  return join(folder, ...PLACE);
}

const ENVELOPES: readonly string[] = ['statement', 'image bundle', '.att'];
function isFileOfEnvelope(from: From | undefined): boolean {
  return from === 'blob of an attestation' || from === 'blob of an image signature';
}

/** Kinds that say the same, in two places. */
const SAME: readonly string[] = ['statement > .att', '.att > statement', ...KINDS.map((kind) => `${kind} > ${kind}`)];

const rows: Row[] = [...KINDS, ...FILES].flatMap((from) =>
  KINDS.filter((to) => !SAME.includes(`${from} > ${to}`) && !(from.startsWith('blob') && to === 'blob')).flatMap((to) =>
    (['certificate', 'key'] as const).flatMap((by) =>
      (['v1', 'v1 again', 'v2'] as const)
        .filter((how) => isPossible({ from, to, by, how }))
        .map((how) => ({ from, to, by, how })),
    ),
  ),
);

function isPossible({ from, to, by, how }: Row): boolean {
  // A commit names a certificate. The older formats need the promise that Rekor v2 does not give.
  if (by === 'key' && (from === 'commit' || to === 'commit')) return false;
  if (how === 'v2' && ['.sig', '.att', 'commit'].includes(to)) return false;
  // Nobody can tell these two but whoever signs: see below.
  if (isFileOfEnvelope(from)) return how === 'v1';
  // Nothing is logged anew where it is logged as that already.
  return how !== 'v1 again' || ENVELOPES.includes(from) !== ENVELOPES.includes(to);
}

/** Why such an attempt may be refused: anything else means that the attempt itself is not what it should be. */
const REASONS: readonly string[] = [
  'log_entry.kind_mismatch',
  'log_entry.mismatch',
  'log_entry.malformed',
  'log_entry.set_invalid',
  'artifact.other_kind',
  'artifact.missing',
  'artifact.mismatch',
  'signature.invalid',
  'signature.malformed',
  'statement.predicate_type_mismatch',
  'key.missing',
  'signature.not_a_signature',
  'image.no_signatures',
  'image.no_attestations',
  'image.no_valid_signatures',
  'image.no_valid_attestations',
  'admission.no_signature',
  'admission.signature_rejected',
  'admission.required_signature_missing',
  'evidence.not_verified',
  'evidence.bundle_malformed',
];

describe('a good signature', () => {
  const good = KINDS.flatMap((kind) =>
    Object.keys(CONSUMERS[kind]).flatMap((consumer) =>
      (['v1', 'v2'] as const)
        .filter((how) => how === 'v1' || !['.sig', '.att', 'commit'].includes(kind))
        .map((how) => ({ kind, consumer, how })),
    ),
  );
  test.each(good)('of kind $kind, $how, is accepted by $consumer', async ({ kind, consumer, how }) => {
    const file = consumer.startsWith('vex') ? 'vex' : consumer.startsWith('sbom') ? 'sbom' : 'plain';
    const signed = signText(local, TEXTS[kind](file));
    // Without `from` nobody says that it is a statement already.
    expect(await CONSUMERS[kind][consumer]?.({ signed, row: { how } })).toContain('accepted');
  });
});

describe('a signature that is relabelled', () => {
  test.each(rows)('from $from to $to, by $by, logged in $how, is taken by nobody', async (row) => {
    const signed = signText(local, TEXTS[row.from]('plain'), { keyed: row.by === 'key' });
    for (const [name, consumer] of Object.entries(CONSUMERS[row.to])) {
      for (const answer of await consumer({ signed, row })) {
        for (const code of answer.split(' ')) expect(REASONS, `${name}: ${answer}`).toContain(code);
      }
    }
  });
});

describe('a policy that demands bundles', () => {
  const older = [
    { kind: '.sig', policy: 'signed', code: 'admission.signature_rejected' },
    { kind: '.att', policy: 'attested', code: 'admission.required_signature_missing' },
  ] as const;
  test.each(older)('takes no $kind, which others take', async ({ kind, policy, code }) => {
    const ask = policy === 'signed' ? admittedIfSigned : admittedIfAttested;
    const signed = signText(local, TEXTS[kind]('plain'));
    const older = kind === '.sig' ? olderSignature : olderAttestation;
    expect(await older({ signed, row: { how: 'v1' } }, ask)).toEqual(['accepted']);
    const demanding = here.file(
      `demanding-${next++}.yaml`,
      `${readFileSync(policies[policy])}signatureFormat: bundle\n`,
    );
    expect(await older({ signed, row: { how: 'v1' } }, ask, demanding)).toEqual([code]);
  });
});

describe('bytes that are the signed text of another kind', () => {
  const signers = { certificate: () => CONTEXT, key: () => ['--key', here.file('key.pem', keyPem)] };
  const { privateKey } = local.root;
  const keyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const texts = Object.keys(SIGNED_TEXTS) as (keyof typeof SIGNED_TEXTS)[];

  test.each(texts.flatMap((kind) => (['certificate', 'key'] as const).map((by) => ({ kind, by }))))(
    '($kind) are signed by no $by, since Rekor v2 could not tell',
    async ({ kind, by }) => {
      const file = here.file(`other-${kind}`, SIGNED_TEXTS[kind]);
      const before = await logSize();
      expect(await here.refusal('sign-blob', file, ...signers[by]())).toMatchObject({
        exitCode: 20,
        code: 'signing.artifact_other_kind',
      });
      expect(await logSize()).toBe(before);
    },
  );

  async function logSize(): Promise<number> {
    return ((await (await fetch(`${here.url}/api/v1/log`)).json()) as { treeSize: number }).treeSize;
  }

  test.each(['certificate', 'key'] as const)('are signed by no %s as an SBOM or a VEX document either', async (by) => {
    const payload = JSON.parse(imagePayload(image.digest).toString());
    const vex = here.file('payload.openvex.json', { ...JSON.parse(bytes.vex.toString()), ...payload });
    expect(await here.refusal('vex', 'sign', vex, ...signers[by]())).toMatchObject({
      code: 'signing.artifact_other_kind',
    });
  });
});
