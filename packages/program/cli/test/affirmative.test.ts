// Signed is not affirmative: each statement that can say no says it, to each command that verifies statements.
import { join } from 'node:path';
import { isAffirmative, MEANINGS, type Meaning } from '@colophon/admission/meaning';
import { cleanupAt } from '@colophon/testkit';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wholeProgram } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
let next = 0;

const ELSEWHERE = 'https://acme.example/predicates';
const SUMMARY = 'https://slsa.dev/verification_summary/v1';
const RESULT = 'https://in-toto.io/attestation/test-result/v0.1';
const review = { human_reviewer: 'alice@example.com', review_timestamp: '2026-11-21T12:00:00Z', commit_sha: COMMIT };
const { reviewed_at, reviewer } = AGENT_RUN.human_review;
const run = (approved: boolean) => ({ human_review: { reviewer, reviewed_at, approved } });

/** What an agent says by a statement of a type, and what that means. */
const SAID: ReadonlyArray<readonly [title: string, type: string, predicate: object, meaning: Meaning]> = [
  ['a review that approves', 'agent-review', { ...review, decision: 'approved' }, 'affirmative'],
  ['a review that rejects', 'agent-review', { ...review, decision: 'rejected' }, 'negative'],
  ['a review without a decision', 'agent-review', review, 'unclear'],
  ['a rejection of another base that is nothing else', `${ELSEWHERE}/agent-review/v1`, { decision: 'no' }, 'negative'],
  ['an approval of another base by nobody', `${ELSEWHERE}/agent-review/v1`, { decision: 'approved' }, 'unclear'],
  ['a run that was approved', 'agent-run', run(true), 'affirmative'],
  ['a run that nobody reviewed', 'agent-run', {}, 'affirmative'],
  ['a run that was not approved', 'agent-run', run(false), 'negative'],
  ['a verification that passed', SUMMARY, { verificationResult: 'PASSED' }, 'affirmative'],
  ['a verification that failed', SUMMARY, { verificationResult: 'FAILED' }, 'negative'],
  ['a verification without a result', SUMMARY, {}, 'negative'],
  ['a test that passed', RESULT, { result: 'PASSED' }, 'affirmative'],
  ['a test with warnings', RESULT, { result: 'WARNED' }, 'affirmative'],
  ['a test that failed', RESULT, { result: 'FAILED' }, 'negative'],
  ['an SBOM', 'cyclonedx', { bomFormat: 'CycloneDX' }, 'descriptive'],
  ['what nobody knows', 'https://acme.example/scan/v1', { passed: true }, 'unclear'],
  ['a custom predicate', 'custom', { decision: 'approved' }, 'unclear'],
];

beforeAll(async () => {
  here = await install(cleanup);
});
/** A target with the statements on it, and the command that verifies them. */
const TARGETS = {
  'verify-blob-attestation': async (type: string, predicates: readonly object[]) => {
    const file = here.file(`app-${next++}.tgz`, 'what the agent wrote');
    const bundle = join(here.folder, `${next++}.json`);
    for (const predicate of predicates) {
      const written = here.file(`predicate-${next++}.json`, predicate);
      await here.document('attest-blob', ...CONTEXT, '--type', type, '--predicate', written, '--bundle', bundle, file);
    }
    return ['verify-blob-attestation', '--type', type, '--bundle', bundle, ...here.pinned, file];
  },
  'verify-attestation': async (type: string, predicates: readonly object[]) => {
    const image = await here.push(`webshop-${next++}`);
    for (const predicate of predicates) {
      const written = here.file(`predicate-${next++}.json`, predicate);
      await here.document('attest', ...CONTEXT, '--type', type, '--predicate', written, image);
    }
    return ['verify-attestation', '--type', type, ...here.pinned, image];
  },
} as const;
const COMMANDS = Object.keys(TARGETS) as Array<keyof typeof TARGETS>;
const meaningIn = (document: { meaning?: string; signatures?: ReadonlyArray<{ meaning?: string }> }) =>
  document.meaning ?? document.signatures?.map(({ meaning }) => meaning).join(', ');

describe.each(COMMANDS)('colophon %s', (command) => {
  test.each(SAID)('says of %s what it means, and passes it by --affirmative only for a yes', async (...said) => {
    const [, type, predicate, meaning] = said;
    const line = await TARGETS[command](type, [predicate]);
    // What is signed verifies, whatever it says.
    expect(meaningIn(await here.document(...line))).toBe(meaning);
    if (isAffirmative(meaning)) expect(meaningIn(await here.document(...line, '--affirmative'))).toBe(meaning);
    else
      expect(await here.refusal(...line, '--affirmative')).toMatchObject({ exitCode: 20, code: 'cli.not_affirmative' });
  });

  test.each(SAID.filter(([, , , meaning]) => meaning === 'negative'))('shows that %s is a no', async (...said) => {
    const [, type, predicate] = said;
    const line = await TARGETS[command](type, [predicate]);
    for (const details of [[], ['--details']]) {
      const { stdout } = await here.run(...line, ...details);
      expect(stdout).toMatch(/rejected|not approved|negative|false|decision +no/);
    }
  });
});

test.each(COMMANDS)('%s takes no approval of the commit for one of what names it too', async (command) => {
  const target = { kind: 'commit', digest: `gitCommit:${COMMIT}` };
  const line = await TARGETS[command]('agent-review', [{ ...review, decision: 'approved', target }]);
  expect(meaningIn(await here.document(...line))).toBe('affirmative');
  expect(await here.refusal(...line, '--affirmative')).toMatchObject({
    exitCode: 20,
    code: 'cli.not_affirmative',
    found: expect.stringMatching(/^affirmative: .*, of something else$/),
  });
});

test('the matrix has every meaning', () => {
  expect(new Set(SAID.map(([, , , meaning]) => meaning))).toEqual(new Set(MEANINGS));
});

describe('of several statements of one signer about an image', () => {
  const [yes, no] = [run(true), run(false)];
  test.each([
    ['a yes and a later no', [yes, no]],
    ['a no and a later yes', [no, yes]],
  ])('%s is none', async (_title, predicates) => {
    const line = await TARGETS['verify-attestation']('agent-run', predicates);
    expect((await here.document(...line)).signatures).toHaveLength(2);
    expect(await here.refusal(...line, '--affirmative')).toMatchObject({ exitCode: 20, code: 'cli.not_affirmative' });
  });

  test('two that say yes are one', async () => {
    const line = await TARGETS['verify-attestation']('agent-run', [yes, {}]);
    expect((await here.document(...line, '--affirmative')).signatures).toHaveLength(2);
  });
});

test('a key that says yes by one type, and no by another, says no', async () => {
  here.env['COSIGN_PASSWORD'] = 'correct-horse';
  const key = join(here.folder, 'own');
  await here.document('generate-key-pair', '--output-key-prefix', key);
  const image = await here.push(`webshop-${next++}`);
  const attest = (type: string, predicate: object) => {
    const file = here.file(`predicate-${next++}.json`, predicate);
    return here.document('attest', '--key', `${key}.key`, '--type', type, '--predicate', file, image);
  };
  const line = ['verify-attestation', '--key', `${key}.pub`, '--type', SUMMARY, '--affirmative', image] as const;
  await attest(SUMMARY, { verificationResult: 'PASSED' });
  expect(meaningIn(await here.document(...line))).toBe('affirmative');
  await attest(RESULT, { result: 'FAILED' });
  expect(await here.refusal(...line)).toMatchObject({
    code: 'cli.not_affirmative',
    issues: [{ code: 'admission.verdict_failed' }],
  });
});

test('every command that verifies statements by their type knows the flag', async () => {
  const program = await wholeProgram();
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  const has = (command: Command, flag: string) => command.options.some(({ long }) => long === flag);
  const verifying = all(program).filter(
    (command) => has(command, '--type') && has(command, '--certificate-identity') && !has(command, '--predicate'),
  );
  expect(verifying.map((command) => command.name()).sort()).toEqual([...COMMANDS].sort());
  for (const command of verifying) expect(has(command, '--affirmative')).toBe(true);
});
