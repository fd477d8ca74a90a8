import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, COMMIT, CONTEXT, type Installation, install, policyText } from './installation.ts';

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

const claimsOf = (verified: { certificate_identity: { claims: Record<string, string> } }) =>
  verified.certificate_identity.claims;

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

const BASE = 'https://acme.example/predicates';
const PLACEHOLDER = 'https://colophon.example/predicates';
const REVIEW = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT, '--repo', 'acme/webshop'];

/** An image that an agent signed and a person approved, and the run that made it; the line that admits it. */
async function shipped(here: Installation): Promise<string[]> {
  const image = await here.push('webshop');
  await here.document('sign', ...CONTEXT, image);
  await here.document('attest', '--type', 'agent-run', ...CONTEXT, '--predicate', here.file('run', AGENT_RUN), image);
  await here.document('review', 'approve', image, ...REVIEW);
  const policy = here.file('policy.yaml', policyText(here.url, here.registry));
  return ['admit', image, '--policy', policy];
}

const reviewer = (here: Installation) => [
  ...['--certificate-identity', 'reviewer:alice@example.com', '--certificate-oidc-issuer', here.url],
];

test('statements are written under the base that is set, and count there', async () => {
  const here = await install(onTestFinished, { predicateBase: BASE });
  const admit = await shipped(here);
  const [, image = ''] = admit;
  expect(await here.document(...admit)).toMatchObject({ admitted: true });
  const run = await here.document('verify-attestation', '--type', 'agent-run', ...here.pinned, image);
  expect(run.signatures[0].statement.predicateType).toBe(`${BASE}/agent-run/v1`);
  const review = await here.document('verify-attestation', '--type', 'agent-review', ...reviewer(here), image);
  expect(review.signatures[0].statement.predicateType).toBe(`${BASE}/agent-review/v1`);
  expect((await here.document('query', 'runs where review.duration < 60s')).rows).toHaveLength(1);
  expect((await here.document('attachments', image)).accepted_signatures).toContainEqual(
    expect.objectContaining({ decision: 'approved' }),
  );
  await here.document('review', 'reject', image, ...REVIEW);
  const { rejections } = await here.document('review', 'list');
  expect(rejections).toHaveLength(1);
  const reason = ['--rejection', rejections[0].id, '--reason', 'seen again', '--reviewer', 'bob@example.com'];
  await here.document('review', 'withdraw', image, ...reason);
  expect((await here.document('review', 'list')).withdrawals).toHaveLength(1);
});

test('a base that the verifier has not set makes no run and no approval', async () => {
  const here = await install(onTestFinished, { predicateBase: BASE });
  const [admit, image = '', ...policy] = await shipped(here);
  for (const env of [{}, { COLOPHON_PREDICATE_BASE: 'https://other.example/predicates' }]) {
    const other = elsewhere(here, env);
    const { error } = await other(['verify-attestation', '--type', 'agent-run', ...here.pinned, image]);
    expect(error.code).toBe('image.no_attestations');
    const refused = await other([admit as string, image, ...policy]);
    expect(refused.admitted).toBe(false);
    expect(refused.reasons.map(({ code }: { code: string }) => code)).toContain('admission.review_missing');
  }
  expect(await elsewhere(here, { COLOPHON_PREDICATE_BASE: BASE })([admit as string, image, ...policy])).toMatchObject({
    admitted: true,
  });
});

test('what was attested and approved under the placeholder counts after a base is set', async () => {
  const here = await install(onTestFinished);
  const [admit, image = '', ...policy] = await shipped(here);
  const other = elsewhere(here, { COLOPHON_PREDICATE_BASE: BASE });
  const run = await other(['verify-attestation', '--type', 'agent-run', ...here.pinned, image]);
  expect(run.signatures[0].statement.predicateType).toBe(`${PLACEHOLDER}/agent-run/v1`);
  expect(await other([admit as string, image, ...policy])).toMatchObject({ admitted: true });
});

test('a rejection counts under whatever base it is written', async () => {
  const here = await install(onTestFinished);
  const admit = await shipped(here);
  const [, image = ''] = admit;
  const elsewhereNamed = { ...here.env, COLOPHON_PREDICATE_BASE: 'https://other.example/predicates' };
  const rejected = await runLine(['review', 'reject', image, ...REVIEW, '-o', 'json'], elsewhereNamed);
  expect(rejected.exitCode).toBe(0);
  expect(documentOf(await here.run(...admit, '-o', 'json'))).toMatchObject({ admitted: false });
});

test('a data folder that cannot be read keeps nobody from verifying with roots of their own', async () => {
  const here = await install(onTestFinished);
  const line = await signed(here);
  const home = temporaryFolder(onTestFinished);
  writeFileSync(join(home, 'installation.json'), '{}');
  expect((await elsewhere(here, { COLOPHON_HOME: home })(line)).ok).toBe(true);
});

test('a data folder that cannot be read lets nobody sign under the placeholder', async () => {
  const here = await install(onTestFinished, { predicateBase: BASE });
  const file = here.file('report.txt', 'report');
  const env = Object.fromEntries(
    (await here.run('env')).stdout.split('\n').flatMap((line) => {
      const [, name, value] = /^export (COLOPHON_(?:ISSUER|SIGNING_CONFIG|TRUSTED_ROOT))='?(.*?)'?$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value]];
    }),
  );
  writeFileSync(join(here.dataDir, 'installation.json'), '{"issuer_');
  const line = [
    'attest-blob',
    ...RUN,
    '--type',
    'agent-run',
    '--predicate',
    here.file('run.json', JSON.stringify(AGENT_RUN)),
  ];
  const run = (more: NodeJS.ProcessEnv) =>
    runLine([...line, '--bundle', join(here.folder, 'run.bundle'), file, '-o', 'json'], {
      HOME: here.folder,
      COLOPHON_HOME: here.dataDir,
      ...env,
      ...more,
    });
  expect(documentOf(await run({})).error).toMatchObject({ code: 'server.data_folder_damaged' });
  expect(existsSync(join(here.folder, 'run.bundle'))).toBe(false);
  expect(documentOf(await run({ COLOPHON_PREDICATE_BASE: BASE }))).toMatchObject({ ok: true });
});

test('a large bundle, which is verified in a process of its own, is read under the same names', async () => {
  const here = await install(onTestFinished, { predicateBase: BASE, claimArc: ARC });
  const subject = (_: unknown, index: number) => ({
    name: `f${index}`,
    digest: { sha256: String(index).padStart(64, '0') },
  });
  const subjects = Array.from({ length: 12_000 }, subject);
  const statement = here.file('statement.json', {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects,
    predicateType: `${BASE}/agent-run/v1`,
    predicate: AGENT_RUN,
  });
  await here.document('attest-blob', '--statement', statement, '--bundle', join(here.folder, 'large.json'), ...RUN);
  const { rows } = await here.document('query', `runs where claims.tree_sha = ${TREE}`);
  expect(rows).toHaveLength(1);
});
