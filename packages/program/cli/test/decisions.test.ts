import { cleanupAt, startPeer } from '@colophon/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { decided, decidedImage, logOf, refusedImage } from '../../../admission/evidence/test/decided.ts';
import { runLine } from './command-line.ts';
import { CONTEXT, type Installation, install } from './installation.ts';

const cleanup = cleanupAt(afterAll);
let here: Installation;
beforeAll(async () => {
  here = await install(cleanup);
});
const MISSING = 'admission.review_missing';
const inNamespace = (namespace: string) => ({ object: { kind: 'Pod', namespace, name: 'web-7c9' } });

test('a log is imported once, however often, and asked about', async () => {
  const image = { image: 'ghcr.io/acme/app:v2', place: 'spec.initContainers[seed]' };
  const records = [
    decided({
      ...inNamespace('shop'),
      images: [decidedImage(), refusedImage([MISSING, 'admission.no_signature'], image)],
    }),
    decided(inNamespace('shop')),
  ];
  const log = here.file('decisions.jsonl', logOf(records).toString());
  const [first] = (await here.document('evidence', 'import', log)).bundles;
  expect(first).toEqual({ ok: true, bundle: log, kind: 'decisions', stored: 2, known: 0 });
  const { stdout } = await here.run('evidence', 'import', log, '--wide');
  expect(stdout).toMatch(/^FILE +KIND +RECORDS\n.*decisions\.jsonl +decisions +0 new, 2 known\n$/);
  for (const code of [MISSING, 'admission.no_signature']) {
    const question = `decisions where namespace = shop and reason = ${code}`;
    const { set, rows } = await here.document('query', question);
    const declared = { source: 'declared' };
    expect([set, rows]).toEqual([
      'decisions',
      [{ ...records[0], images: [records[0]!.images[1]], basis: { user: declared, 'images.digest': declared } }],
    ]);
  }
  const table = await here.run('query', 'decisions where namespace = shop', '--wide');
  expect(table.stdout.split('\n')[0]).toMatch(
    /^TIME +DECISION +NAMESPACE +OBJECT +IMAGE +DIGEST +REASON +POLICY +AGENT +REVIEWER$/,
  );
  expect(table.stdout).toMatch(
    / admitted +shop +Pod\/web-7c9 .* agent:code-writer \(declared\) +reviewer:alice@example\.com \(declared\)$/m,
  );
  expect(table.stdout).toMatch(/ refused +shop .* admission\.review_missing, admission\.no_signature +production$/m);
});

test('a last line that was cut off is told, and the others are kept', async () => {
  const cut = `${logOf([decided(inNamespace('cut'))])}{"id":"705ab4f5-6393`;
  const log = here.file('cut.jsonl', cut);
  const { exitCode, stdout, stderr } = await here.run('evidence', 'import', log);
  expect([exitCode, stderr]).toEqual([0, `note: ${log}, line 2: cut off, and not kept\n`]);
  expect(stdout).toContain('1 new, 0 known');
  const [again] = (await here.document('evidence', 'import', log)).bundles;
  expect(again).toMatchObject({ ok: true, stored: 0, known: 1, unread: [{ line: 2, code: 'json.syntax' }] });
});

test('lines that hold no record are errors with their lines, and the others are kept', async () => {
  const records = logOf([decided(inNamespace('gaps')), { ...decided(), mode: 'off' }, decided(inNamespace('gaps'))]);
  const log = here.file('gaps.jsonl', `started\n\n${records}`);
  expect(await here.refusal('evidence', 'import', log)).toMatchObject({
    exitCode: 20,
    code: 'evidence.decisions_malformed',
    checked: log,
    issues: [
      { line: 1, code: expect.stringMatching(/^json\./) },
      { line: 4, path: '/mode', code: 'admission_decision.field_invalid' },
    ],
  });
  expect((await here.document('query', 'decisions where namespace = gaps')).rows).toHaveLength(2);
});

test('a log beside a bundle is kept with it, and is no signed evidence', async () => {
  const built = here.file('built.txt', 'built');
  const bundle = `${here.folder}/built.json`;
  await here.document('attest-blob', built, '--type', 'agent-run', ...CONTEXT, '--bundle', bundle);
  const before = (await here.document('query', 'entries')).rows.length;
  const log = here.file('beside.jsonl', logOf([decided(inNamespace('beside'))]).toString());
  const { bundles } = await here.document('evidence', 'import', bundle, log);
  expect(bundles.map(({ kind }: { kind: string }) => kind)).toEqual(['run', 'decisions']);
  expect((await here.document('query', 'entries')).rows).toHaveLength(before);
});

test('what others chose stays on its line, whatever it holds', async () => {
  const hostile = 'a\u001b[2J\u001b[31m\nb\u202egnp.exe\u0007\u200b';
  const long = `${'x'.repeat(4000)}\u001b]8;;https://evil.example\u0007`;
  const records = [hostile, long].map((text) =>
    decided({
      object: { kind: 'Pod', namespace: 'hostile', name: text, owner: text },
      user: text,
      images: [refusedImage([text], { image: text, place: text, policies: [text] })],
    }),
  );
  const log = here.file('hostile.jsonl', logOf(records).toString());
  await here.document('evidence', 'import', log);
  for (const columns of ['60', '80', '200']) {
    const { stdout } = await runLine(['query', 'decisions where namespace = hostile'], {
      ...here.env,
      COLUMNS: columns,
    });
    const lines = stdout.trimEnd().split('\n');
    // The headings, a line for each, and which columns are not shown.
    expect(lines.length).toBeLessThanOrEqual(4);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Number(columns));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is printed
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/);
  }
  const { rows } = await here.document('query', 'decisions where namespace = hostile');
  expect(rows.map(({ user }: { user: string }) => user).sort()).toEqual([hostile, long].sort());
});

test('the caller’s credential goes with decisions, and with nothing else', async () => {
  const { url, requests } = await startPeer(onTestFinished, (_request, response) => {
    response.writeHead(201).end(`{"stored":1,"known":0,"id":"${'a'.repeat(64)}","kind":"run"}`);
  });
  const line = ['--evidence-url', url, '--caller-credential', here.file('webhook.key', 'the-key\n')];
  const log = here.file('sent.jsonl', logOf([decided()]).toString());
  await here.document('evidence', 'import', log, here.file('other.json', '{}'), ...line);
  expect(requests.map(({ head }) => [head.url, head.headers.authorization])).toEqual([
    ['/decisions', 'Bearer the-key'],
    ['/evidence', undefined],
  ]);
});
