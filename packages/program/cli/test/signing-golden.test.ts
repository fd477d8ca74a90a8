import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install } from './installation.ts';
import { withoutVolatile } from './volatile.ts';

// What scripts that sign and ask rely on; golden.test.ts says how the files are written anew.
const cleanup = cleanupAt(afterAll);
let here: Installation;
let image: string;
const at = (name: string) => join(here.folder, name);

beforeAll(async () => {
  here = await install(cleanup);
  here.env['COSIGN_PASSWORD'] = 'correct-horse';
  here.file('report.txt', 'what the agent wrote\n');
  here.file('agent-run.json', AGENT_RUN);
  const subject = [{ name: 'report.txt', digest: { sha256: 'a'.repeat(64) } }];
  const predicateType = 'https://colophon.example/predicates/agent-run/v1';
  here.file('statement.json', {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType,
    predicate: AGENT_RUN,
  });
  image = await here.push('webshop');
});
const RUN = () => ['--type', 'agent-run', '--predicate', at('agent-run.json')];
const by = (name: string) => ['--reviewer', `${name}@example.com`];
const rejection = async () => {
  const { rejections } = await here.document('review', 'list');
  return ['--rejection', rejections[0].id, '--reason', 'bob was wrong', '--bundle', at('withdrawal.json')];
};

/** In this order, on one installation. */
const LINES: Array<[name: string, line: () => string[] | Promise<string[]>]> = [
  ['generate-key-pair', () => ['generate-key-pair', '--output-key-prefix', at('own')]],
  ['sign-blob', () => ['sign-blob', ...CONTEXT, at('report.txt')]],
  ['attest-blob', () => ['attest-blob', ...RUN(), ...CONTEXT, at('report.txt')]],
  ['evidence-import', () => ['evidence', 'import', at('report.txt.agent-run.sigstore.json')]],
  ['sign', () => ['sign', ...CONTEXT, image]],
  ['attest', () => ['attest', ...RUN(), ...CONTEXT, image]],
  ['review-approve', () => ['review', 'approve', ...by('alice'), '--commit-sha', COMMIT, image]],
  ['review-reject', () => ['review', 'reject', ...by('bob'), '--commit-sha', COMMIT, at('report.txt')]],
  ['review-list', () => ['review', 'list']],
  ['attachments', () => ['attachments', image]],
  [
    'init',
    () => [
      'init',
      ...['--issuer', '--fulcio-url', '--rekor-url'].flatMap((flag) => [flag, here.url]),
      '--out',
      at('company'),
    ],
  ],
  ['doctor', () => ['doctor', '--registry', here.registry]],
  ['inspect', () => ['inspect', at('statement.json')]],
  ['review-withdraw', async () => ['review', 'withdraw', ...by('carol'), ...(await rejection())]],
];

test.each(LINES)('colophon %s --output json is what it was', async (name, line) => {
  const ran = await here.run(...(await line()), '--output', 'json');
  // Here no configuration names a policy that could hear a rejection.
  const said = name === 'review-reject' ? expect.stringMatching(/^note: the configuration names no policies.*\n$/) : '';
  expect([ran.exitCode, ran.stderr]).toEqual([0, said]);
  const document = withoutVolatile(documentOf(ran), { folder: here.folder, port: new URL(here.url).port });
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(`golden/${name}.json`);
});
