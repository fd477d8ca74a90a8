import { cleanupAt } from '@colophon/testkit';
// An exception of a policy stands in for what is missing, and for nothing that somebody whom the policy names has said.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { type Company, installWithCompany, REVIEW_TYPE, type Signer, SSO } from './company.ts';
import { AGENT_RUN, COMMIT, type Installation } from './installation.ts';

const RUN_TYPE = 'https://colophon.example/predicates/agent-run/v1';
const cleanup = cleanupAt(afterAll);
let here: Installation;
let company: Company;

beforeAll(async () => {
  ({ here, company } = await installWithCompany(cleanup));
});
/** The exit code, and the codes of the reasons, of an image with an exception in force and these words about it. */
async function admitted(name: string, words: ReadonlyArray<readonly [type: string, predicate: object, by: Signer]>) {
  const image = await here.push(`excepted-${name}`);
  const sha256 = image.split('@sha256:')[1];
  for (const [predicateType, predicate, signer] of words) {
    const subject = [{ digest: { sha256 } }, { digest: { gitCommit: COMMIT } }];
    const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate };
    await company.attach(image, company.sign(statement, signer), predicateType);
  }
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const policy = here.file(
    `${name}.yaml`,
    `version: 1
images: ["${here.registry}/excepted-*"]
agent: { issuer: "${SSO}", subject: agent:code-writer }
modelAsRequested: true
review: { issuer: "${SSO}", subject: alice@example.com }
exceptions:
  - { digest: "sha256:${sha256}", owner: ops, reason: fire, from: "${at(-1)}", until: "${at(1)}" }
`,
  );
  const line = ['admit', image, '--policy', policy, '--config', company.configuration, '-o', 'json'];
  const ran = await here.run(...line);
  const { reasons = [], warnings = [], error } = documentOf(ran);
  if (error !== undefined) throw new Error(ran.stdout);
  return {
    exitCode: ran.exitCode,
    reasons: reasons.map(({ code }: { code: string }) => code),
    warnings: warnings.map(({ code }: { code: string }) => code),
  };
}

const agent = (subject = 'agent:code-writer'): Signer => ({
  subject,
  isUri: true,
  claims: {
    agent_name: 'code-writer',
    agent_version: AGENT_RUN.agent.version,
    model_id: AGENT_RUN.model.id,
    model_provider: AGENT_RUN.model.provider,
    prompt_hash: AGENT_RUN.input.prompt_hash,
    policy_pack_hash: AGENT_RUN.policy.pack_hash,
    commit_sha: COMMIT,
  },
});
const run = (requested: string, id = AGENT_RUN.model.id) => ({
  ...AGENT_RUN,
  model: { ...AGENT_RUN.model, id, requested },
});
const reviewOf = (reviewer: string) => ({
  human_reviewer: reviewer,
  review_timestamp: '2026-11-21T09:59:00Z',
  decision: 'approved',
  commit_sha: COMMIT,
});
const SUBSTITUTED = run('another-model');
const CONTRADICTING = run('another-model', 'another-model');

test('an exception lets an image pass of which evidence is missing', async () => {
  const found = await admitted('bare', []);
  expect(found).toEqual({ exitCode: 0, reasons: [], warnings: ['admission.exception'] });
  const strange = await admitted('review-of-another', [
    [REVIEW_TYPE, reviewOf('carol@example.com'), { subject: 'carol@example.com' }],
  ]);
  expect(strange).toEqual({ exitCode: 0, reasons: [], warnings: ['admission.exception'] });
});

test.each<[string, string, object, Signer]>([
  ['admission.model_substituted', RUN_TYPE, SUBSTITUTED, agent()],
  ['admission.run_contradicts_certificate', RUN_TYPE, CONTRADICTING, agent()],
  ['admission.reviewer_mismatch', REVIEW_TYPE, reviewOf('bob@example.com'), { subject: 'alice@example.com' }],
])('an exception does not excuse %s', async (code, type, predicate, signer) => {
  const found = await admitted(code.replace(/\W/g, '-'), [[type, predicate, signer]]);
  expect([found.exitCode, found.warnings.includes('admission.exception')]).toEqual([20, false]);
  expect(found.reasons).toContain(code);
});

test.each<[string, string, object, Signer]>([
  ['substituted', RUN_TYPE, SUBSTITUTED, agent('agent:other')],
  ['contradicting', RUN_TYPE, CONTRADICTING, agent('agent:other')],
  ['mismatch', REVIEW_TYPE, reviewOf('bob@example.com'), { subject: 'mallory@example.com' }],
])('no such word of somebody whom the policy does not name takes an exception away: %s', async (...word) => {
  const [name, ...said] = word;
  const found = await admitted(`strange-${name}`, [said]);
  expect(found).toEqual({ exitCode: 0, reasons: [], warnings: ['admission.exception'] });
});
