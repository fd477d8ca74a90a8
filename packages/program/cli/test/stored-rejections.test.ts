// A no that stands in the evidence store alone is heard as one that is attached: whatever its type and its spelling.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, type Signer, SSO } from './company.ts';
import { AGENT_RUN, CONTEXT, type Installation, COMMIT as USUAL_COMMIT } from './installation.ts';

const ALICE = 'alice@example.com';
const LATER = 'https://colophon.example/predicates/agent-review/v2';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup, { isInStore: true }));
});
type Word = {
  readonly type?: string;
  readonly predicate: object;
  readonly signer?: Signer;
  /** How it names the image and its commit: by default as subjects. */
  readonly named?: (image: string, commit: string) => { readonly subject: object; readonly predicate?: object };
};
const NO: Word = { predicate: { decision: 'rejected' } };
const ofImage = (sha256: string | undefined, more: object = {}) => [{ digest: { sha256, ...more } }];
const NOES: ReadonlyArray<[string, Word]> = [
  ['in a later version of the type', { ...NO, type: LATER }],
  ['as a failed test', { type: 'https://in-toto.io/attestation/test-result/v0.1', predicate: { result: 'FAILED' } }],
  ['in capital letters', { ...NO, type: LATER, signer: { subject: 'Alice@Example.COM' } }],
  [
    'with its commit in the predicate alone',
    { ...NO, type: LATER, named: (image, commit_sha) => ({ subject: ofImage(image), predicate: { commit_sha } }) },
  ],
  [
    'with its commit as its target alone',
    {
      ...NO,
      type: LATER,
      named: (image, commit) => ({
        subject: ofImage(image),
        predicate: { target: { kind: 'commit', digest: `gitCommit:${commit}` } },
      }),
    },
  ],
  [
    'of another base',
    {
      ...NO,
      type: 'https://other.example/agent-review/v1',
      named: (image, commit_sha) => ({ subject: ofImage(image), predicate: { commit_sha } }),
    },
  ],
  ['with a slash behind the issuer', { ...NO, type: LATER, signer: { subject: ALICE, issuer: `${SSO}/` } }],
];

/** An image of a commit of its own, signed by the agent and approved by alice of the company. */
async function approvedImage(number: number) {
  const commit = `${number}`.repeat(40);
  const context = CONTEXT.map((word) => (word === USUAL_COMMIT ? commit : word));
  const image = await here.push(`webshop-${number}`);
  await here.document('sign', ...context, image);
  const run = here.file('run.json', { ...AGENT_RUN, git: { commit_sha: commit, files_changed: ['a.ts'] } });
  await here.document('attest', '--type', 'agent-run', '--predicate', run, ...context, image);
  const sha256 = image.split('@sha256:')[1];
  const inSubjects: Word['named'] = () => ({ subject: ofImage(sha256, { gitCommit: commit }) });
  const signed = ({ type = REVIEW_TYPE, predicate, signer = { subject: ALICE }, named = inSubjects }: Word) => {
    company.authority.now = new Date(company.authority.now.getTime() + 60_000);
    const { subject, predicate: more } = named(sha256 as string, commit);
    const review = {
      human_reviewer: ALICE,
      review_timestamp: '2026-11-21T09:59:00Z',
      ...{ commit_sha: commit, ...predicate },
    };
    const statement = {
      ...{ _type: 'https://in-toto.io/Statement/v1', subject, predicateType: type },
      predicate: type === REVIEW_TYPE ? review : { ...predicate, ...more },
    };
    return company.sign(statement, signer);
  };
  const store = async (word: Word) => {
    const body = new Uint8Array(toBytes(signed(word)));
    const headers = { 'content-type': 'application/json' };
    const kept = await fetch(`${here.url}/evidence`, { method: 'POST', headers, body });
    expect([kept.status, await kept.text()]).toMatchObject([201, {}]);
  };
  const approve = async () => {
    const yes: Word = { predicate: { decision: 'approved' } };
    await store(yes);
    await company.attach(image, signed(yes));
  };
  await approve();
  return { image, commit, store, approve };
}

async function admitted(image: string): Promise<readonly [number, ...string[]]> {
  const policy = here.file(
    'policy.yaml',
    `version: 1
images: ["${here.registry}/webshop*"]
agent: { issuer: ${here.url}, subject: agent:code-writer }
review: { issuer: ${SSO}, subject: ${ALICE} }
negatives: { from: "${here.url}/negatives", signer: { issuer: ${here.url}, subject: "evidence:${here.registry}" } }
`,
  );
  const ran = await here.run('admit', image, '--policy', policy, '--config', company.configuration, '-o', 'json');
  const { reasons = [] } = documentOf(ran) as { reasons?: Array<{ code: string }> };
  return [ran.exitCode, ...reasons.map(({ code }) => code)];
}

async function reviewedBy(commit: string): Promise<string[]> {
  const component = { type: 'file', 'bom-ref': 'f', name: 'a.ts' };
  const bom = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [component] };
  const out = join(here.folder, 'out.cdx.json');
  await here.document(
    ...['sbom', 'attribute', here.file('bom.cdx.json', bom), '--commit', commit, ...here.pinned, '--out', out],
    ...['--review-issuer', SSO, '--config', company.configuration],
  );
  const [{ properties }] = JSON.parse(readFileSync(out, 'utf8')).components;
  const reviewers = properties.filter(({ name }: { name: string }) => name === 'colophon:ai:reviewed_by');
  return reviewers.map(({ value }: { value: string }) => value);
}

test.each(NOES.map(([name, word], index) => [name, word, index + 1] as const))(
  'is heard by the list of standing rejections and by sbom attribute %s, until it is taken back',
  { timeout: 120_000 },
  async (_name, word, number) => {
    const { image, commit, store, approve } = await approvedImage(number);
    const verdicts = async () => ({ admit: await admitted(image), attribute: await reviewedBy(commit) });
    const yes = { admit: [0], attribute: [ALICE] };
    expect(await verdicts()).toEqual(yes);
    await store(word);
    expect(await verdicts()).toEqual({ admit: [20, 'admission.review_rejected'], attribute: [] });
    await approve();
    // Without a policy nobody says that two spellings of an issuer are one where that ends a no.
    const isAnotherIssuer = word.signer?.issuer !== undefined;
    expect(await verdicts()).toEqual(isAnotherIssuer ? { ...yes, attribute: [] } : yes);
  },
);

test('of a stranger is heard by neither', async () => {
  const { image, commit, store } = await approvedImage(9);
  await store({ ...NO, type: LATER, signer: { subject: 'mallory@example.com' } });
  await store({ ...NO, type: LATER, signer: { subject: ALICE, issuer: 'https://other.example' } });
  expect([await admitted(image), await reviewedBy(commit)]).toEqual([[0], [ALICE]]);
});
