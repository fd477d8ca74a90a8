// Whatever the owner of one root signs, and in whose name: no decision about the identities of another root changes.
import { parsePolicy } from '@colophon/admission';
import { agentReviewType, agentRunType, DEFAULT_PREDICATE_BASE } from '@colophon/records';
import {
  assessCollected,
  type CollectedSignature,
  digestOf,
  loadTrustedRoots,
  type ResolvedImage,
} from '@colophon/sigstore';
import { draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { CLAIMS, ISSUER, LocalSigstore } from '@colophon/testkit/local-sigstore/local-sigstore';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AssessedImage } from './image-material.ts';
import { judgeImage } from './judge-image.ts';

const [ours, theirs] = [new LocalSigstore(), new LocalSigstore()];
const trust = loadTrustedRoots([
  { name: 'ours', json: JSON.stringify(ours.trustedRootJson()), issuers: [ISSUER] },
  { name: 'theirs', json: JSON.stringify(theirs.trustedRootJson()) },
]);
const DIGEST = digestOf(Buffer.from('an image'));
const IMAGE: ResolvedImage = {
  registry: 'registry.example',
  repository: 'webshop',
  digest: DIGEST,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  size: 8,
};
const REVIEW = agentReviewType(DEFAULT_PREDICATE_BASE);
const RUN = agentRunType(DEFAULT_PREDICATE_BASE);
const SIGN = 'https://sigstore.dev/cosign/sign/v1';
const SLSA = 'https://slsa.dev/provenance/v1';

const AGENT = `agent: { issuer: "${ISSUER}", subject: "${CLAIMS.sub}" }`;
const REVIEWED = `review: { issuer: "${ISSUER}", subjectRegExp: "^reviewer:.*$", mayWithdraw: [{ issuer: "${ISSUER}", subject: "reviewer:bob@example.com" }] }`;
const POLICIES = [
  `${AGENT}\nprofile: spec`,
  `${AGENT}\n${REVIEWED}`,
  `${AGENT}\n${REVIEWED}\nrequire: [{ issuer: "${ISSUER}", subject: "agent:builder", predicateType: ${SLSA} }]`,
  `human: { issuer: "${ISSUER}", subject: "build@acme.example" }`,
  `legacy: { digests: ["${DIGEST}"], owner: o, reason: r }`,
].map((rule) => {
  const parsed = parsePolicy(`version: 1\nimages: ["**"]\nnegatives: none\n${rule}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
});

/** Every kind of word, by everybody of an issuer, earlier and later. */
function wordsUnder(sigstore: LocalSigstore, iss: string = ISSUER): CollectedSignature[] {
  const start = sigstore.now;
  const words: CollectedSignature[] = [];
  const say = (sub: string, predicateType: string, predicate: object, subject: object[] = SUBJECTS) => {
    sigstore.now = new Date(sigstore.now.getTime() + 60_000);
    const { agent_name: _, ...others } = CLAIMS;
    const name = sub.startsWith('agent:') ? { agent_name: sub.slice('agent:'.length) } : {};
    const claims = { ...others, ...name, iss, sub, jti: `run-${words.length}` };
    const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
    const bundle = toBytes(draftStatement(sigstore, statement, { claims }));
    words.push({ format: 'bundle', digest: digestOf(bundle), bundle });
  };
  const review = (name: string, decision: string) => ({
    human_reviewer: `${name}@example.com`,
    review_timestamp: sigstore.now.toISOString(),
    decision,
    review_duration_seconds: 90,
    commit_sha: CLAIMS.commit_sha,
  });
  for (const agent of [CLAIMS.sub, 'agent:builder']) {
    say(agent, SIGN, {}, SUBJECTS.slice(0, 1));
    say(agent, RUN, { human_review: { approved: false } });
    say(agent, SLSA, { buildDefinition: {}, runDetails: {} });
  }
  say('build@acme.example', SIGN, {}, SUBJECTS.slice(0, 1));
  for (const decision of ['approved', 'rejected', 'approved', 'none']) {
    for (const name of ['ann', 'bob']) say(`reviewer:${name}@example.com`, REVIEW, review(name, decision));
  }
  say('reviewer:ann@example.com', REVIEW, review('ann', 'rejected'), SUBJECTS.slice(1));
  sigstore.now = start;
  return words;
}
const SUBJECTS = [
  { name: 'image', digest: { sha256: DIGEST.slice('sha256:'.length) } },
  { name: 'commit', digest: { gitCommit: CLAIMS.commit_sha } },
];

async function decided(found: readonly CollectedSignature[], onManifests: readonly CollectedSignature[]) {
  const by = { trust, policy: 'gated-elsewhere' } as const;
  const assess = (some: readonly CollectedSignature[]) =>
    assessCollected({ image: IMAGE, found: some, rejected: [], incomplete: [] }, by);
  const [verification, ofManifests] = [await assess(found), await assess(onManifests)];
  const assessed: AssessedImage = {
    material: {
      reference: `registry.example/webshop@${DIGEST}`,
      image: IMAGE,
      attached: { overcrowded: '' },
      manifests: [],
      lists: [],
    },
    verification,
    manifests: [],
    ofManifests,
  };
  const now = new Date(ours.now.getTime() + 3_600_000);
  const verdicts = POLICIES.map((policy) => {
    const {
      admitted,
      warnings,
      reasons,
      verdicts: [verdict],
    } = judgeImage(assessed, {
      policies: [policy],
      negatives: () => ({ kind: 'registry-only' }) as never,
      now,
    });
    const { agent_signatures, human_signatures, reviews, requirements, withdrawn_rejections } = verdict!;
    const by = { agent_signatures, human_signatures, reviews, requirements, withdrawn_rejections };
    return { admitted, warnings, reasons: reasons.map(({ code }) => MISSING[code] ?? code), by };
  });
  return { verdicts, verified: verification.verified, incomplete: [verification.incomplete, ofManifests.incomplete] };
}

/** That what is missing is missing is one answer, whether or not something is attached that does not count. */
const MISSING: Readonly<Record<string, string>> = {
  'admission.signature_rejected': 'admission.no_signature',
  'admission.signature_other_image': 'admission.no_signature',
  'admission.review_not_verified': 'admission.review_missing',
  'admission.review_other_image': 'admission.review_missing',
  'admission.required_signature_not_verified': 'admission.required_signature_missing',
};

const [OURS, THEIRS] = [wordsUnder(ours), wordsUnder(theirs)];
// An agent's signature, a build and ann's approval: what is admitted has to stay so.
const GOOD = OURS.filter((_, index) => [0, 5, 7].includes(index));

test('nothing that is signed under one root changes a decision about the identities of another', async () => {
  const some = (words: CollectedSignature[]) => fc.shuffledSubarray(words, { maxLength: 6 });
  const asked = fc.record({
    good: some(OURS),
    bad: some(THEIRS),
    onManifests: some(THEIRS),
    positions: fc.array(fc.nat(), { maxLength: THEIRS.length }),
  });
  let [admitted, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(asked, async ({ good, bad, onManifests, positions }) => {
      const mixed = [...good];
      for (const [index, word] of bad.entries()) mixed.splice((positions[index] ?? 0) % (mixed.length + 1), 0, word);
      const before = await decided(good, []);
      const after = await decided(mixed, onManifests);
      expect(after).toEqual({ ...before, incomplete: [[], []] });
      expect(before.verified).toHaveLength(good.length);
      admitted += before.verdicts.filter((one) => one.admitted).length;
      refused += before.verdicts.filter((one) => !one.admitted).length;
    }),
    { numRuns: 15, examples: [[{ good: GOOD, bad: THEIRS.slice(-6), onManifests: [], positions: [] }]] },
  );
  // A law about refusals alone would say nothing.
  expect(Math.min(admitted, refused)).toBeGreaterThan(1);
});

test('nor what is signed there by our issuer in another spelling', async () => {
  const before = await decided(GOOD, []);
  expect(before.verdicts.filter(({ admitted }) => admitted).length).toBeGreaterThan(1);
  for (const spelling of SPELLINGS) {
    const after = await decided([...GOOD, ...wordsUnder(theirs, spelling)], []);
    expect(after, spelling).toEqual(before);
  }
});
const HOST = ISSUER.slice('http://'.length);
const SPELLINGS = [
  ...['/', '//', '/.', '?', '/?', '#', '/#'].map((end) => `${ISSUER}${end}`),
  ISSUER.replace(':7080', ':07080'),
  `http://${HOST.toUpperCase()}`,
  `HTTP://${HOST}`,
  `http://u@${HOST}`,
];

test('what they sign in the name of their own people is theirs, and is verified', async () => {
  const claims = { ...CLAIMS, iss: 'https://partner.example' };
  const statement = { _type: 'https://in-toto.io/Statement/v1', subject: SUBJECTS, predicateType: SLSA, predicate: {} };
  const bundle = toBytes(draftStatement(theirs, statement, { claims }));
  const { verified } = await decided([{ format: 'bundle', digest: digestOf(bundle), bundle }], []);
  expect(verified.map(({ certificate_identity: { issuer, root } }) => [issuer, root])).toEqual([
    [claims.iss, 'theirs'],
  ]);
});
