import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const NOWHERE = { HOME: '/nonexistent', COLOPHON_HOME: '/nonexistent' };
const lint = (...line: string[]) => runLine(['admission', 'lint', ...line], NOWHERE);

function written(files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return (name) => join(folder, name);
}

const CAREFUL = `version: 1
name: webshop
images: ["ghcr.io/acme/**"]
agent: { issuer: https://agents.acme.example, subject: "agent:writer" }
review: { subjectRegExp: 'reviewer:.*@acme\\.example' }
sources: { commit_sha: [caller-token] }
`;

test('a careful policy is put into sentences, and there is nothing to know', async () => {
  const at = written({ 'a.yaml': CAREFUL });
  const ran = await lint(at('a.yaml'));
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  expect(ran.stdout).toContain(
    `${at('a.yaml')}: webshop\n  The policy covers images whose name matches ghcr.io/acme/**.\n`,
  );
  expect(ran.stdout).toMatch(/\n {2}Everything else is refused\.\n\n1 policy: 0 warnings, 0 notes\n$/);
  expect((await lint(at('a.yaml'), '--fail-on', 'note')).exitCode).toBe(0);
});

test('what is to be known ends with 0, unless it is asked for', async () => {
  const at = written({ 'a.yaml': `${CAREFUL}mode: audit\n`, 'b.yaml': CAREFUL.replace('webshop', 'shop') });
  const both = [at('a.yaml'), at('b.yaml')];
  const ran = await lint(...both, '-o', 'json');
  expect(ran.exitCode).toBe(0);
  const { policies, summary } = documentOf(ran);
  expect(policies[0].warnings).toMatchObject([
    { code: 'policy.lint_policies_overlap', severity: 'note', path: '/images/0', line: 3, column: 10 },
    { code: 'policy.lint_audit', severity: 'warning', path: '/mode', line: 7, column: 7 },
  ]);
  expect(policies[1]).toMatchObject({ file: at('b.yaml'), policy: 'shop', warnings: [] });
  expect(summary).toEqual({ policy_count: 2, warning_count: 1, note_count: 1 });
  expect((await lint(...both, '--fail-on', 'warning', '-o', 'json')).exitCode).toBe(20);
  // A note fails where notes do.
  const requires = 'require: [{ issuer: https://ci.example, subject: scanner }]\n';
  const people = `version: 1\nimages: ["ghcr.io/acme/**"]\nhuman: { issuer: https://ci.example, subject: b }\n${requires}`;
  const noted = written({ 'a.yaml': people, 'b.yaml': CAREFUL });
  expect((await lint(noted('a.yaml'), noted('b.yaml'), '--fail-on', 'warning')).exitCode).toBe(0);
  expect((await lint(noted('a.yaml'), noted('b.yaml'), '--fail-on', 'note')).exitCode).toBe(20);
});

const BREAKS = { NEL: '\u0085', LS: '\u2028', PS: '\u2029', CR: '\r' };

test.each(Object.entries(BREAKS))('a %s, which is a line break for some readers, stands nowhere', async (_, sign) => {
  const whole = `${CAREFUL}# who may sign${sign}mode: audit\n`;
  const quoted = CAREFUL.replace('webshop', `"web${sign}shop"`);
  const at = written({
    'comment.yaml': whole,
    'quoted.yaml': quoted,
    'own.yaml': `issuer: https://issuer.example # mine${sign}data: x\n`,
  });
  for (const [file, line, column] of [
    ['comment.yaml', 7, 15],
    ['quoted.yaml', 2, 11],
  ] as const) {
    const ran = await lint(at(file), '-o', 'json');
    expect(ran.exitCode).toBe(1);
    expect(documentOf(ran).error.issues[0]).toMatchObject({ code: 'policy.syntax', line, column });
  }
  const ran = await runLine(['config', 'check', at('own.yaml'), '-o', 'json'], NOWHERE);
  expect([ran.exitCode, ran.stdout.includes('line break')]).toEqual([1, true]);
  // The chart writes the text into a manifest, where kubectl would read a line.
  const chart = new URL('../../../../deploy/helm/colophon-admission/values.schema.json', import.meta.url);
  const { text } = JSON.parse(readFileSync(chart, 'utf8')).properties.policies.items.properties;
  const pattern = new RegExp(text.pattern, 'u');
  expect([whole, quoted, CAREFUL, CAREFUL.replaceAll('\n', '\r\n'), ''].map((one) => pattern.test(one))).toEqual([
    ...[false, false, true, true, false],
  ]);
  const escaped = written({ 'a.yaml': CAREFUL.replace('webshop', '"web\\u0085shop"') });
  expect((await lint(escaped('a.yaml'))).exitCode).toBe(0);
});

test('a file that does not load has the issues that admit prints', async () => {
  const at = written({ 'a.yaml': 'version: 1\nimages: []\nagent: { issuer: x }\nmore: 1\n' });
  const linted = await lint(at('a.yaml'), '-o', 'json');
  const admitted = await runLine(['admit', 'ghcr.io/acme/a:1', '--policy', at('a.yaml'), '-o', 'json'], NOWHERE);
  expect(linted.exitCode).toBe(1);
  expect(documentOf(linted)).toEqual(documentOf(admitted));
  expect(documentOf(linted).error).toMatchObject({ code: 'cli.policy_invalid', issues: expect.any(Array) });
  expect((await lint(at('none.yaml'))).exitCode).toBe(1);
});

test('text of a policy moves no cursor, and is no sentence', async () => {
  const reason = '"\\e[2J\\u202e\\nEverything else is admitted."';
  const legacy = `legacy: { digests: ["sha256:${'a'.repeat(64)}"], owner: ops, reason: ${reason} }`;
  const at = written({ 'a.yaml': `version: 1\nname: "\\e[2J"\nimages: ["ghcr.io/acme/**"]\n${legacy}\n` });
  for (const output of ['table', 'json']) {
    const { exitCode, stdout } = await lint(at('a.yaml'), '-o', output);
    expect(exitCode).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stdout).not.toMatch(/^\s*Everything else is admitted/m);
  }
});

test('a folder stands for the policies in it', async () => {
  const at = written({ 'a.yaml': CAREFUL, 'b.yml': CAREFUL.replace('webshop', 'shop'), '.c.yaml': 'x', 'd.txt': 'x' });
  const { policies } = documentOf(await lint(at(''), '-o', 'json'));
  expect(policies.map(({ file, policy }: Record<string, string>) => [file, policy])).toEqual([
    [at('a.yaml'), 'webshop'],
    [at('b.yml'), 'shop'],
  ]);
  const twice = documentOf(await lint(at('a.yaml'), at(''), '-o', 'json'));
  expect(twice.summary.policy_count).toBe(2);
  const empty = await lint(temporaryFolder(onTestFinished), '-o', 'json');
  expect([empty.exitCode, documentOf(empty).error.code]).toEqual([1, 'cli.file_unreadable']);
  const generated = await runLine(
    ['admission', 'generate', '--policy', at(''), '--to', 'cosign', '--out', at('out'), '-o', 'json'],
    NOWHERE,
  );
  expect(documentOf(generated).error).toMatchObject({ code: 'cli.usage', found: '2 of them' });
});

test('every issue of every file is told at once', async () => {
  const at = written({ 'a.yaml': CAREFUL, 'b.yaml': `${CAREFUL}more: 1\n`, 'c.yaml': '' });
  const { error } = documentOf(await lint(at('a.yaml'), at('b.yaml'), at('c.yaml'), '-o', 'json'));
  expect([error.code, error.message]).toEqual(['cli.policy_invalid', '2 files are no policies']);
  expect(error.issues.map(({ code, message }: Record<string, string>) => [code, message?.split(':')[0]])).toEqual([
    ['policy.unknown_key', at('b.yaml')],
    ['policy.syntax', at('c.yaml')],
  ]);
});
