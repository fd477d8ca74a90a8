import { generateKeyPairSync, sign } from 'node:crypto';
import { createEvidence } from '@colophon/evidence';
import { agentReviewType, keyThumbprint, STATEMENT_TYPE, type Statement } from '@colophon/records';
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
import {
  commitAttributes,
  draftCommitSignature,
  COMMIT as GIT_COMMIT,
} from '@colophon/testkit/local-sigstore/draft-commit';
import { CLAIMS, type Claims, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import { type Content, relabel, type Signed, signText } from '@colophon/testkit/local-sigstore/relabel';
import { envelopeText, imagePayload } from '@colophon/testkit/local-sigstore/signed-texts';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyCommit } from '../../../signing/sigstore/src/commit-signature/commit-signature.ts';
import { attachBundle, attachOlderLayer } from '../../../signing/sigstore/src/image-signature/attach.ts';
import { olderSignatureLayer } from '../../../signing/sigstore/src/image-signature/older-format.ts';
import { pushImageOf } from '../src/demo/scene.ts';
import { foreignSigner } from './foreign-signer.ts';
import { COMMIT, CONTEXT, type Installation, install } from './installation.ts';

// The holder of a good token of one purpose signs something that another purpose is for, at an authority that certifies
// whatever its token says, and shows it to everybody who reads such signatures.

const SIGNERS = {
  artifact: { ...CLAIMS, claim_sources: `purpose=artifact;${CLAIMS.claim_sources}` },
  commit: { ...CLAIMS, claim_sources: `purpose=commit;${CLAIMS.claim_sources}` },
  review: { ...CLAIMS, claim_sources: `purpose=review;${CLAIMS.claim_sources}` },
  'no purpose': CLAIMS,
  'a later purpose': { ...CLAIMS, claim_sources: `purpose=deploy;${CLAIMS.claim_sources}` },
} as const satisfies Readonly<Record<string, Claims>>;
type By = keyof typeof SIGNERS;

const OTHER_TYPE = 'https://slsa.dev/provenance/v1';
const REVIEW_TYPE = agentReviewType();
const PINNED = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', ISSUER];
const MISMATCH = 'certificate.purpose_mismatch';
const UNKNOWN = 'certificate.purpose_unknown';

const local = new LocalSigstore();
const cleanup = cleanupAt(afterAll);
let here: Installation;
let root: string[];
let evidenceUrl: string;
let image: ResolvedImage;
let policies: { readonly signed: string; readonly attested: string };
const FILE = Buffer.from('what the agent wrote\n');
const VEX = Buffer.from(
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
);
let next = 0;

beforeAll(async () => {
  here = await install(cleanup);
  root = ['--trusted-root', here.file('root.json', local.trustedRootJson())];
  const app = Fastify();
  const db = openDatabase(':memory:');
  const { trust } = local;
  const verify = (bundle: Uint8Array) => verifyBundle({ bundle, trust, policy: 'gated-elsewhere' }).signature;
  await createEvidence({ db, verify }).register(app);
  evidenceUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  cleanup(() => app.close().then(() => db.close()));
  image = await pushed('base');
  const policy = `version: 1\nimages: ["${here.registry}/**"]\nagent: { issuer: "${ISSUER}", subject: "agent:code-writer" }\nnegatives: none\n`;
  const required = `require: [{ issuer: "${ISSUER}", subject: "agent:code-writer", predicateType: "${OTHER_TYPE}" }]\n`;
  policies = { signed: here.file('signed.yaml', policy), attested: here.file('attested.yaml', policy + required) };
});
async function pushed(repository: string): Promise<ResolvedImage> {
  const files = { 'app/NAME': Buffer.from('webshop') };
  return new RegistryClient().resolve(imageToFetch(await pushImageOf(here.registry, repository, files, COMMIT)));
}

const ofImage = () => ({ sha256: image.digest.slice(7) });
const ofFile = () => ({ sha256: sha256(FILE).toString('hex') });
const ofCommit = () => ({ gitCommit: COMMIT });
function statement(
  predicateType: string,
  digest: Statement['subject'][number]['digest'],
  predicate: object = {},
): Buffer {
  const subject = [{ name: 'subject', digest }];
  return envelopeText(Buffer.from(JSON.stringify({ _type: STATEMENT_TYPE, subject, predicateType, predicate })));
}
const review = (digest: Statement['subject'][number]['digest'], decision = 'approved') =>
  statement(REVIEW_TYPE, digest, {
    ...{ human_reviewer: 'ann@example.com', review_timestamp: '2026-11-21T09:59:00Z', decision },
    commit_sha: CLAIMS.commit_sha,
  });

const signedBy = (by: By, text: Buffer, claims: Claims = SIGNERS[by]) => signText(local, text, { claims });
const bundleOf = (signed: Signed, content: Content) => toBytes(relabel(local, signed, content, 'v1'));
const place = (name: string, content: Uint8Array) => here.file(`${next++}-${name}`, content);

/** `accepted`, or every code of a certificate in what a line said; the line's own code where it names none. */
async function said(...line: string[]): Promise<string> {
  const ran = await here.run(...line, '--output', 'json');
  if (ran.exitCode === 0) return 'accepted';
  const codes = new Set(ran.stdout.match(/certificate\.[a-z_]+/g));
  return codes.size > 0 ? [...codes].join(' ') : (JSON.parse(ran.stdout).error?.code ?? ran.stdout);
}

/** An image of its own for one attempt; all have one digest. */
async function imageWith(attach: (client: RegistryClient, at: ResolvedImage) => Promise<unknown>): Promise<string> {
  const at = await pushed(`attempt-${next++}`);
  await attach(new RegistryClient(), at);
  return `${here.registry}/${at.repository}@${at.digest}`;
}

async function attachStatement(client: RegistryClient, at: ResolvedImage, signed: Signed, predicateType: string) {
  await attachBundle(client, at, { bundle: bundleOf(signed, 'envelope'), predicateType, now: local.now });
}

/** A reviewer's, and by the letter of the contract the agent's. */
async function attachReview(client: RegistryClient, at: ResolvedImage, agent: By = 'artifact'): Promise<void> {
  const claims = { ...SIGNERS.review, sub: 'reviewer:ann@example.com' };
  await attachStatement(client, at, signedBy('review', review(ofImage()), claims), REVIEW_TYPE);
  await attachStatement(client, at, signedBy(agent, review(ofImage())), REVIEW_TYPE);
}

const signature = () => statement(SIGN_PREDICATE_TYPE, ofImage());
const attachSignature = (by: By) => (client: RegistryClient, at: ResolvedImage) =>
  attachStatement(client, at, signedBy(by, signature()), SIGN_PREDICATE_TYPE);

const admit = (profile: string, policy: string, reference: string) =>
  said('admit', reference, '--policy', policy, '--profile', profile, ...root);

function commitVerdict(by: By): string {
  const signed = signedBy(by, commitAttributes());
  const [entry] = relabel(local, signed, 'message', 'v1').verificationMaterial.tlogEntries;
  const { signature: bytes, certificate } = signed;
  const made = { attributes: signed.text, signature: bytes, certificate: certificate as Buffer, entry };
  try {
    verifyCommit({ armoured: draftCommitSignature(local, { made }), signed: GIT_COMMIT, trust: local.trust });
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
  return 'accepted';
}

const verifyBlob = (by: By, ...flags: string[]) =>
  said(
    ...['verify-blob', place('file', FILE), ...flags, ...root, ...PINNED],
    ...['--bundle', place('bundle.json', bundleOf(signedBy(by, FILE), 'message'))],
  );
const verifyBlobAttestation = (by: By, text: Buffer, type: string) =>
  said(
    ...['verify-blob-attestation', place('file', FILE), '--type', type, ...root, ...PINNED],
    ...['--bundle', place('bundle.json', bundleOf(signedBy(by, text), 'envelope'))],
  );
const verifyAttestation = async (by: By, text: Buffer, type: string) =>
  said(
    ...['verify-attestation', '--type', type, ...root, ...PINNED],
    await imageWith((client, at) => attachStatement(client, at, signedBy(by, text), type)),
  );

async function imported(by: By, text: Buffer): Promise<string> {
  const file = place('bundle.json', bundleOf(signedBy(by, text), 'envelope'));
  return said('evidence', 'import', file, '--evidence-url', evidenceUrl);
}

const ok = 'accepted';
type Verdicts = readonly [artifact: string, commit: string, review: string];
/** What each kind of signature is read by, and whether it takes one by each purpose. */
const READERS: ReadonlyArray<readonly [string, Verdicts, (by: By) => string | Promise<string>]> = [
  ['a file: verify-blob', [ok, MISMATCH, MISMATCH], (by) => verifyBlob(by)],
  ['a document: verify-blob --document', [ok, MISMATCH, ok], (by) => verifyBlob(by, '--document')],
  [
    'a document: vex verify',
    [ok, MISMATCH, ok],
    (by) =>
      said(
        ...['vex', 'verify', place('vex.json', VEX), ...root, ...PINNED],
        ...['--bundle', place('bundle.json', bundleOf(signedBy(by, VEX), 'message'))],
      ),
  ],
  [
    'an image: verify',
    [ok, MISMATCH, MISMATCH],
    async (by) => said('verify', await imageWith(attachSignature(by)), ...root, ...PINNED),
  ],
  [
    'an image, in the older format: verify',
    [ok, MISMATCH, MISMATCH],
    async (by) => {
      const payload = imagePayload(image.digest);
      const layer = olderSignatureLayer(payload, bundleOf(signedBy(by, payload), 'message'));
      return said(
        ...['verify', ...root, ...PINNED],
        await imageWith((client, at) => attachOlderLayer(client, at, 'sig', layer)),
      );
    },
  ],
  ...['strict', 'spec'].flatMap(
    (profile): ReadonlyArray<(typeof READERS)[number]> => [
      [
        `an image: admit --profile ${profile}`,
        [ok, MISMATCH, MISMATCH],
        async (by) => {
          const reference = await imageWith(async (client, at) => {
            await attachReview(client, at, profile === 'spec' ? by : 'artifact');
            await attachSignature(by)(client, at);
          });
          const answer = await admit(profile, policies.signed, reference);
          // By the letter a review of the agent's counts for its signature too, and one by a review's certificate does not.
          return answer.includes('"admission.agent_not_approved"') ? MISMATCH : answer;
        },
      ],
      [
        `a statement that is required: admit --profile ${profile}`,
        [ok, MISMATCH, MISMATCH],
        async (by) => {
          const reference = await imageWith(async (client, at) => {
            await attachReview(client, at);
            await attachSignature('artifact')(client, at);
            await attachStatement(client, at, signedBy(by, statement(OTHER_TYPE, ofImage())), OTHER_TYPE);
          });
          // The reason says that none is there; which was found and does not count, the reader of attachments is told.
          const answer = await admit(profile, policies.attested, reference);
          if (answer === ok) return ok;
          expect(answer).toContain('admission.required_signature_missing');
          return said('verify-attestation', reference, '--type', OTHER_TYPE, ...root, ...PINNED);
        },
      ],
    ],
  ),
  [
    'a statement: verify-attestation',
    [ok, MISMATCH, MISMATCH],
    (by) => verifyAttestation(by, statement(OTHER_TYPE, ofImage()), OTHER_TYPE),
  ],
  [
    'a statement: verify-blob-attestation',
    [ok, MISMATCH, MISMATCH],
    (by) => verifyBlobAttestation(by, statement(OTHER_TYPE, ofFile()), OTHER_TYPE),
  ],
  ['a statement: evidence import', [ok, MISMATCH, MISMATCH], (by) => imported(by, statement(OTHER_TYPE, ofFile()))],
  [
    'a statement about a commit and a file: evidence import',
    [ok, MISMATCH, MISMATCH],
    (by) => imported(by, statement(OTHER_TYPE, { ...ofCommit(), ...ofFile() })),
  ],
  [
    'a statement about a commit: evidence import',
    [ok, ok, MISMATCH],
    (by) => imported(by, statement(OTHER_TYPE, ofCommit())),
  ],
  ['a review: verify-attestation', [ok, MISMATCH, ok], (by) => verifyAttestation(by, review(ofImage()), REVIEW_TYPE)],
  [
    'a review: verify-blob-attestation',
    [ok, MISMATCH, ok],
    (by) => verifyBlobAttestation(by, review(ofFile()), REVIEW_TYPE),
  ],
  ['a commit: verifyCommit', [ok, ok, MISMATCH], commitVerdict],
];

describe('who reads', () => {
  test.each(READERS)('%s, takes it by artifact, commit and review: %j', async (_reader, verdicts, read) => {
    expect([await read('artifact'), await read('commit'), await read('review')]).toEqual(verdicts);
  });

  // Older than purposes, or of a later program: the first is read as ever, the second by nobody.
  test.each(READERS)(
    '%s, takes what names no purpose, and never a purpose that it does not know',
    async (name, _, read) => {
      expect(await read('no purpose')).toBe(ok);
      const unknown = await read('a later purpose');
      if (!name.includes('admit')) expect(unknown).toContain(UNKNOWN);
      expect(unknown).not.toBe(ok);
    },
  );
});

describe('a rejection', () => {
  const rejected = (by: By, claims: Claims) => (client: RegistryClient, at: ResolvedImage) =>
    attachReview(client, at)
      .then(() => attachSignature('artifact')(client, at))
      .then(() => attachStatement(client, at, signedBy(by, review(ofImage(), 'rejected'), claims), REVIEW_TYPE));
  const reasons = async (reference: string) => {
    const ran = await here.run('admit', reference, '--policy', policies.signed, ...root, '--output', 'json');
    return JSON.parse(ran.stdout).reasons.map(({ code }: { code: string }) => code);
  };

  test.each(['artifact', 'commit', 'review'] as const)('is heard whatever the certificate was for: %s', async (by) => {
    expect(await reasons(await imageWith(rejected(by, SIGNERS[by])))).toEqual(['admission.review_rejected']);
  });

  test('by a reviewer is heard, of today and of before', async () => {
    for (const by of ['review', 'no purpose'] as const) {
      const claims = { ...SIGNERS[by], sub: 'reviewer:bob@example.com', human_reviewer: 'bob@example.com' };
      const { agent_name: _, ...person } = claims;
      const policy = here.file(
        `people-${next++}.yaml`,
        `version: 1\nimages: ["${here.registry}/**"]\nagent: { issuer: "${ISSUER}", subject: "agent:code-writer" }\nreview: { issuer: "${ISSUER}", subjectRegExp: "reviewer:.*" }\nnegatives: none\n`,
      );
      const reference = await imageWith(rejected(by, person));
      const ran = await here.run('admit', reference, '--policy', policy, ...root, '--output', 'json');
      expect(JSON.parse(ran.stdout).reasons[0].code).toBe('admission.review_rejected');
    }
  });
});

describe('the holder of a token', () => {
  const TREE = ['--purpose', 'commit', '--tree-sha', 'd'.repeat(40)];
  const context = () => CONTEXT.slice(0, CONTEXT.indexOf('--commit-sha'));
  const tokenOf = async (...flags: string[]) => (await here.run('token', ...context(), ...flags)).stdout.trim();

  test('of a commit signs no image and no file, and nothing is logged', async () => {
    const token = await tokenOf(...TREE);
    const reference = await here.push('webshop-commit');
    const file = place('file', FILE);
    const before = (await here.document('log', 'verify')).tree_size;
    for (const line of [
      ['sign', reference],
      ['sign-blob', file],
    ]) {
      expect(await here.refusal(...line, '--identity-token', token)).toMatchObject({
        code: 'signing.purpose_mismatch',
      });
    }
    expect(await here.refusal('sign', reference, ...context(), ...TREE)).toMatchObject({
      code: 'signing.purpose_mismatch',
    });
    expect((await here.document('log', 'verify')).tree_size).toBe(before);
  });

  test('of a commit who signs an image with another program is refused by everybody who reads it', async () => {
    const reference = await here.push('webshop-foreign');
    const at = await new RegistryClient().resolve(imageToFetch(reference));
    const signer = foreignSigner(here.url, await tokenOf(...TREE));
    const subject = [{ digest: { sha256: at.digest.slice(7) } }];
    const sign = { _type: STATEMENT_TYPE, subject, predicateType: SIGN_PREDICATE_TYPE, predicate: {} } as const;
    const { bundle, identity } = await signer.signStatement(sign);
    expect(identity).toMatchObject({ purpose: 'commit', subject: 'agent:code-writer' });
    await attachBundle(new RegistryClient(), at, { bundle, predicateType: SIGN_PREDICATE_TYPE, now: new Date() });
    expect(await said('verify', reference, ...here.pinned)).toBe(MISMATCH);
    const policy = here.file(
      'own.yaml',
      `version: 1\nimages: ["${here.registry}/**"]\nagent: { issuer: "${here.url}", subject: "agent:code-writer" }\nnegatives: none\n`,
    );
    for (const profile of ['strict', 'spec']) {
      const answer = await said('admit', reference, '--policy', policy, '--profile', profile);
      expect(answer).toBe(MISMATCH);
    }
  });

  test('that is bound to a key gets no certificate for another one', async () => {
    const file = here.file('bound.json', { dpop_jkt: 'A'.repeat(43) });
    const token = await tokenOf('--context', file);
    const answer = await here.refusal('sign-blob', place('file', FILE), '--identity-token', token);
    expect(answer).toMatchObject({ code: 'signing.key_mismatch' });
    const statement = {
      _type: STATEMENT_TYPE,
      subject: [{ digest: ofFile() }],
      predicateType: OTHER_TYPE,
      predicate: {},
    } as const;
    await expect(foreignSigner(here.url, token).signStatement(statement)).rejects.toMatchObject({
      code: 'signing.ca_refused',
      message: expect.stringContaining('authority.key_mismatch'),
    });
  });
});

describe('at an authority that certifies any key', () => {
  const KEYS = {
    'P-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    'P-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
    RSA: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  };
  test.each(Object.entries(KEYS))('a token for a key of %s is of use with that key alone', async (_kind, generate) => {
    const owner = generate();
    const thief = generate();
    const key_thumbprint = keyThumbprint({ ...owner.publicKey.export({ format: 'jwk' }) });
    const claims = { ...SIGNERS.artifact, key_thumbprint };
    const verify = ({ privateKey, publicKey }: typeof owner) => {
      const certificate = local.issue(publicKey, { claims });
      const signed = { text: FILE, signature: sign('sha256', FILE, privateKey), publicKey, certificate };
      const bundle = place('bundle.json', bundleOf(signed, 'message'));
      return said('verify-blob', place('file', FILE), '--bundle', bundle, ...root, ...PINNED);
    };
    expect(await verify(owner)).toBe('accepted');
    expect(await verify(thief)).toBe('certificate.key_mismatch');
  });
});
