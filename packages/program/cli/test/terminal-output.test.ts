import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runLine } from './command-line.ts';
import { COMMIT, CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
beforeAll(async () => {
  here = await install(cleanup);
});
test.each(['abc', `sha384:${'a'.repeat(96)}`])('a search for --sha %j says what it found there', async (sha) => {
  expect(await here.refusal('log', 'search', '--sha', sha)).toMatchObject({
    exitCode: 1,
    code: 'cli.usage',
    checked: '--sha',
    expected: expect.stringContaining('sha256, sha512, sha1'),
    found: sha,
  });
});

test('a search is for one artifact', async () => {
  const file = here.file('report.txt', 'report');
  const both = await here.refusal('log', 'search', '--sha', 'a'.repeat(64), '--artifact', file);
  expect(both).toMatchObject({ exitCode: 1, code: 'cli.usage', found: 'both' });
  const neither = await here.refusal('log', 'search');
  expect(neither).toMatchObject({ exitCode: 1, code: 'cli.usage', issues: [{ path: '--sha, --artifact' }] });
});

test('an agent-run without a context names each way to give one', async () => {
  const image = await here.push('shop-no-context');
  const file = here.file('no-context.txt', 'report');
  for (const line of [
    ['attest', image],
    ['attest-blob', file],
  ]) {
    const refused = await here.refusal(...line, '--type', 'agent-run');
    expect(refused).toMatchObject({ exitCode: 1, code: 'cli.usage' });
    for (const flag of ['--context', '--agent-name', '--identity-token']) expect(refused.expected).toContain(flag);
  }
  // Of another type it is the predicate that is missing.
  const other = await here.refusal('attest', image, ...CONTEXT, '--type', 'custom');
  expect(other.expected).toContain('--predicate');
  expect(other.expected).not.toContain('--identity-token');
});

test.each([`sha256:${'a'.repeat(63)}`, `sha512:${'a'.repeat(128)}`, 'a'.repeat(63), `sha256-${'A'.repeat(43)}`])(
  'what is nearly a digest, %s, is told what a digest is',
  async (almost) => {
    const line = ['verify-blob', almost, '--bundle', here.file('none.json', '{}'), ...here.pinned];
    expect(await here.refusal(...line)).toMatchObject({
      exitCode: 1,
      code: 'cli.usage',
      checked: '<file>',
      expected: expect.stringMatching(/^a digest by sha256: /),
    });
  },
);

test('a mistake in a question is printed once, with its place', async () => {
  const { stderr, exitCode } = await here.run('query', 'runs where agnet = "x"');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^error query\.unknown_field: character 12: /);
  expect(stderr.match(/agnet/g)).toHaveLength(1);
});

test('the answer to a question shows the commit of a review that names nothing else', async () => {
  const bundle = `${here.folder}/commit.json`;
  const line = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT, '--repo', 'acme/webshop'];
  await here.document('review', 'reject', ...line, '--bundle', bundle);
  const { stdout } = await here.run('query', 'reviews where decision = rejected', '--wide');
  expect(stdout.split('\n')[1]).toMatch(new RegExp(`acme/webshop@${COMMIT.slice(0, 12)}$`));
});

test('the answers about reviews and runs show first what they are asked for', async () => {
  const built = here.file('webshop-frontend-release.tar', 'built');
  const { env } = here;
  for (const decision of ['approve', 'reject']) {
    const about = ['--reviewer', 'alice@example.com', '--commit-sha', COMMIT, '--duration', '48'];
    await here.document('review', decision, built, ...about, '--bundle', `${here.folder}/${decision}.json`);
  }
  await here.document('attest-blob', built, '--type', 'agent-run', ...CONTEXT);
  const reviews = await runLine(['query', 'reviews'], { ...env, COLUMNS: '80' });
  expect(reviews.stdout).toMatch(/^LOG INDEX {2}SIGNED BY +REVIEW +ARTIFACT\n/);
  expect(reviews.stdout).toMatch(/ {2}reviewer:alice@example\.com {2}approved, 48 s {2}webshop-f/);
  expect(reviews.stdout).toMatch(/ {2}reviewer:alice@example\.com {2}rejected, 48 s {2}webshop-f/);
  const narrow = await runLine(['query', 'reviews'], { ...env, COLUMNS: '60' });
  expect(narrow.stdout).toMatch(/^reviewer:alice@example\.com {2}rejected, 48 s {2}webshop-f/m);
  const runs = await runLine(['query', 'runs'], { ...env, COLUMNS: '80' });
  expect(runs.stdout).toMatch(/^AGENT +MODEL +REVIEWER +ARTIFACT\n/);
  expect(runs.stdout).toMatch(/^code-\S*… \(declared\) +large-\S*… \(declared\) +alice\S*… \(declared\) +webshop-f/m);
  for (const line of `${reviews.stdout}${runs.stdout}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('the names of artifacts are in an answer, also where the first artifact has none', async () => {
  const file = (name: string) => here.file(name, name);
  const statement = (digit: string) =>
    here.file(
      `${digit}.json`,
      JSON.stringify({
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ digest: { sha256: digit.repeat(64) } }],
        predicateType: 'https://example.com/note/v1',
        predicate: {},
      }),
    );
  await here.document('attest-blob', '--statement', statement('1'), ...CONTEXT);
  await here.document('attest-blob', file('named.txt'), '--type', 'agent-run', ...CONTEXT);
  await here.document('attest-blob', '--statement', statement('2'), ...CONTEXT);
  const { rows } = await here.document('query', 'artifacts');
  expect(rows[0].name).toBeUndefined();
  const { stdout } = await here.run('query', 'artifacts', '--wide');
  expect(stdout).toContain('named.txt');
});
