import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

const ARC = '1.3.6.1.4.1.99999.1';
const TREE = 'e'.repeat(40);
const RUN = [...CONTEXT, '--tree-sha', TREE];

/** Signs a file; answers with what verifies it. */
async function signed(here: Installation, name = 'report'): Promise<string[]> {
  const file = here.file(`${name}.txt`, name);
  const bundle = join(here.folder, `${name}.json`);
  await here.document('sign-blob', '--bundle', bundle, ...RUN, file);
  return ['verify-blob', '--bundle', bundle, ...here.pinned, file];
}

const claimsOf = (verified: { identity: { claims: Record<string, string> } }) => verified.identity.claims;

/** Another verifier with the same roots, who has nothing else of this installation. */
function elsewhere(here: Installation, env: NodeJS.ProcessEnv = {}) {
  const root = ['--trusted-root', join(here.dataDir, 'trust', 'trusted_root.json')];
  const home = temporaryFolder(onTestFinished);
  return async (line: readonly string[]) =>
    documentOf(await runLine([...line, ...root, '-o', 'json'], { HOME: home, ...env }));
}

test('claims stand under the arc that is set, and whoever has set it reads them there', async () => {
  const here = await install(onTestFinished, { claimArc: ARC });
  const line = await signed(here);
  // No extension of Fulcio has the tree.
  expect(claimsOf(await here.document(...line))).toMatchObject({ agent_name: 'code-writer', tree_sha: TREE });
  expect((await here.run('env')).stdout).toContain(`export COLOPHON_CLAIM_ARC=${ARC}\n`);
  const inspected = JSON.stringify(await here.document('inspect', join(here.folder, 'report.json')));
  expect(inspected).toContain(`{"oid":"${ARC}.22","name":"claim tree_sha"`);
  expect(inspected).not.toContain('2.999.7080');
  const other = elsewhere(here, { COLOPHON_CLAIM_ARC: ARC });
  expect(claimsOf(await other(line))).toMatchObject({ tree_sha: TREE });
});

test.each([{}, { COLOPHON_CLAIM_ARC: '1.3.6.1.4.1.99999.2' }])(
  'what stands under an arc that the verifier has not set is no claim: %j',
  async (env) => {
    const here = await install(onTestFinished, { claimArc: ARC });
    const verified = await elsewhere(here, env)(await signed(here));
    expect(verified.ok).toBe(true);
    // By Fulcio's extensions, which everybody reads alike.
    expect(claimsOf(verified)).toMatchObject({ agent_name: 'code-writer' });
    expect(claimsOf(verified)).not.toHaveProperty('tree_sha');
  },
);

test('what was signed under the placeholders stays readable after names are set, once', async () => {
  const folder = temporaryFolder(onTestFinished);
  const here = await install(onTestFinished);
  const line = await signed(here);
  const env = { COLOPHON_CLAIM_ARC: ARC };
  expect(claimsOf(documentOf(await runLine([...line, '-o', 'json'], { ...here.env, ...env })))).toMatchObject({
    tree_sha: TREE,
  });
  const options = { dataDir: join(folder, 'data'), reviewerSecretFile: join(folder, 'secret'), port: 0 };
  const placeholders = await startServer(options);
  await placeholders.close();
  const { port: text } = new URL(placeholders.url);
  const port = Number(text);
  const named = await startServer({ ...options, port, claimArc: ARC });
  await named.close();
  const again = await startServer({ ...options, port });
  await again.close();
  expect(again.namespace.claimArc).toBe(ARC);
  await expect(startServer({ ...options, port, claimArc: `${ARC}.2` })).rejects.toMatchObject({
    code: 'server.namespace_changed',
  });
});

test.each([
  ['COLOPHON_CLAIM_ARC', '1.3.6.1.4.1.57264.1'],
  ['COLOPHON_CLAIM_ARC', '1.3.6.1.4.1.4294967296'],
  ['COLOPHON_PREDICATE_BASE', 'http://acme.example/predicates'],
  ['COLOPHON_PREDICATE_BASE', 'https://acme.example/predicates?v=1'],
])('%s=%s is refused before anything is made', async (name, value) => {
  const home = temporaryFolder(onTestFinished);
  const { exitCode, stderr } = await runLine(['up', '--port', '0'], { HOME: home, [name]: value });
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`cli.usage`);
  expect(stderr).toContain(`$${name}`);
  expect(existsSync(join(home, '.local'))).toBe(false);
});
