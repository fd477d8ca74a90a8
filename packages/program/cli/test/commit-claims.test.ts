import { join } from 'node:path';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_RUN, CONTEXT, type Installation, install } from './installation.ts';

// Whoever signs a commit has no id of it yet: it knows what goes into it, and on what it stands.
const TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const PARENT = 'c'.repeat(40);

const cleanup = cleanupAt(afterAll);
let here: Installation;
beforeAll(async () => {
  here = await install(cleanup);
});
test('tree and parent stand in the token, in the certificate and in what verify says', async () => {
  const claims = { tree_sha: TREE, parent_sha: PARENT };
  const line = [...CONTEXT, '--tree-sha', TREE, '--parent-sha', PARENT];
  const [, payload = ''] = (await here.run('token', ...line)).stdout.split('.');
  const token = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(token).toMatchObject(claims);
  expect(token.claim_sources).toMatch(/;tree_sha=declared;parent_sha=declared$/);

  const [file, bundle] = [here.file('report.txt', 'report\n'), join(here.folder, 'report.json')];
  await here.document('sign-blob', '--bundle', bundle, ...line, file);
  const pinned = ['--certificate-identity', 'agent:code-writer', '--certificate-oidc-issuer', here.url];
  const verified = await here.document('verify-blob', '--bundle', bundle, ...pinned, file);
  expect(JSON.stringify(verified)).toContain(`"tree_sha":"${TREE}"`);
  expect(JSON.stringify(verified)).toContain(`"parent_sha":"${PARENT}"`);
  expect(JSON.stringify(await here.document('inspect', bundle))).toContain(TREE);
});

test('the evidence store answers by them, and says who vouches for them', async () => {
  const [file, predicate] = [here.file('built.txt', 'built\n'), here.file('run.json', AGENT_RUN)];
  const line = [...CONTEXT, '--tree-sha', TREE, '--parent-sha', PARENT];
  await here.document('attest-blob', '--type', 'agent-run', '--predicate', predicate, ...line, file);
  for (const condition of [`claims.tree_sha = ${TREE}`, `claims.parent_sha = ${PARENT}`]) {
    const { rows } = await here.document('query', `runs where ${condition} and sources.tree_sha = declared`);
    expect(rows, condition).toMatchObject([
      { certificate_identity: { claims: { tree_sha: TREE, parent_sha: PARENT } } },
    ]);
    expect(rows[0].basis, condition).toMatchObject({
      'claims.tree_sha': { source: 'declared', signer: 'agent:code-writer' },
      'claims.parent_sha': { source: 'declared', signer: 'agent:code-writer' },
    });
  }
  expect((await here.document('query', `runs where claims.tree_sha = ${PARENT}`)).rows).toEqual([]);
});

test.each([
  ['--tree-sha', 'HEAD^{tree}', '/tree_sha'],
  ['--parent-sha', 'main', '/parent_sha'],
])('%s %s is no id', async (flag, value, path) => {
  const ran = await here.run('token', ...CONTEXT, flag, value);
  expect([ran.exitCode, ran.stdout]).toEqual([20, '']);
  expect(ran.stderr).toContain('error issuer.refused');
  expect(ran.stderr).toContain(`${path}: The field does not have the form that it needs. [request.field_invalid]`);
});
