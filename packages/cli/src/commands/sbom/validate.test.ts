import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from '../../../test/command-line.ts';

const GOOD = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'left-pad' }],
};
const BAD = { ...GOOD, components: [{ type: 'libary', name: 'left-pad' }] };
const ATTRIBUTED = { ...GOOD, components: [{ type: 'library', name: 'left-pad', 'x-ai-generated': { agent: 'a' } }] };

/** Writes files into a new folder, and gives their paths. */
function write(files: { readonly [name: string]: unknown }): (name: string) => string {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return (name) => join(folder, name);
}

const validate = (...args: string[]) => runLine(['sbom', 'validate', ...args]);

test('a valid file: exit 0, and what it leaves open', async () => {
  const at = write({ 'good.json': GOOD });
  const ran = await validate(at('good.json'), '-o', 'json');
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const { files, summary } = documentOf(ran);
  expect(files).toMatchObject([{ file: at('good.json'), valid: true, specVersion: '1.6' }]);
  expect(files[0].issues.every((issue: { severity: string }) => issue.severity !== 'error')).toBe(true);
  expect(summary).toMatchObject({ checked: 1, invalid: 0, errors: 0 });
});

test('an invalid one among others: exit 20, each with its own issues and their places', async () => {
  const at = write({ 'good.json': GOOD, 'bad.json': BAD });
  const ran = await validate(at('good.json'), at('bad.json'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  const { files } = documentOf(ran);
  expect(files.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
  expect(files[1].issues[0]).toEqual({
    path: '/components/0/type',
    line: 7,
    column: 15,
    code: 'sbom.schema_value',
    severity: 'error',
    message: expect.stringContaining('libary'),
    expected: expect.stringContaining('library'),
  });
});

test('people read the same, with a line that sums it up', async () => {
  const at = write({ 'bad.json': BAD });
  const { stdout, stderr } = await validate(at('bad.json'));
  expect(stderr).toBe('');
  expect(stdout).toContain(`${at('bad.json')}: INVALID (CycloneDX 1.6)\n  7:15      error   /components/0/type: `);
  expect(stdout).toMatch(/\n1 file, 1 invalid: 1 error, \d+ warnings, 0 notes\n$/);
});

test('--fail-on warning', async () => {
  const at = write({ 'good.json': GOOD });
  const ran = await validate(at('good.json'), '--fail-on', 'warning', '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].valid).toBe(false);
});

test('--profile spec takes x-ai-generated, and looks whether it is whole', async () => {
  const at = write({ 'ai.json': ATTRIBUTED });
  const codesOf = async (profile: string) => {
    const ran = await validate(at('ai.json'), '--profile', profile, '-o', 'json');
    expect(ran.exitCode).toBe(20);
    const { issues } = documentOf(ran).files[0];
    return new Set(
      issues
        .filter(({ severity }: { severity: string }) => severity === 'error')
        .map(({ code }: { code: string }) => code),
    );
  };
  expect(await codesOf('spec')).toEqual(new Set(['sbom.ai_field_missing']));
  expect(await codesOf('strict')).toContain('sbom.schema_unknown_member');
});

test('what a mark says of itself is called a claim, since nothing was verified', async () => {
  const property = (name: string, value: string) => ({ name: `colophon:ai:${name}`, value });
  const properties = [property('agent', 'coder'), property('basis', 'verified')];
  const at = write({ 'marked.json': { ...GOOD, components: [{ type: 'file', name: 'a.ts', properties }] } });
  for (const format of ['table', 'json', 'sarif']) {
    const { stdout } = await validate(at('marked.json'), '-o', format);
    expect(stdout).toContain('a mark that claims to be verified');
    expect(stdout.replaceAll('claims to be verified', '')).not.toContain('verified');
  }
});

test('a pattern that the shell left to us, and one that nothing matches', async () => {
  const at = write({ 'a.cdx.json': GOOD, 'b.cdx.json': GOOD, 'c.txt': 'no' });
  const ran = await validate(at('*.cdx.json'), at('a.cdx.json'), '-o', 'json');
  expect(ran.exitCode).toBe(0);
  expect(documentOf(ran).files.map(({ file }: { file: string }) => file)).toEqual([at('a.cdx.json'), at('b.cdx.json')]);
  const none = await validate(at('*.xml'), '-o', 'json');
  expect(none.exitCode).toBe(1);
  expect(documentOf(none).files).toMatchObject([{ valid: false, issues: [{ code: 'cli.file_unreadable' }] }]);
});

test('a file that is called like a pattern is a file', async () => {
  const at = write({ 'a[1].json': GOOD, 'a1.json': BAD });
  expect((await validate(at('a[1].json'))).exitCode).toBe(0);
});

test('what cannot be read is said of that file, and takes nothing from the others', async () => {
  const at = write({ 'good.json': GOOD, 'bad.json': BAD });
  mkdirSync(at('folder'));
  symlinkSync(at('nowhere'), at('link'));
  const unreadable = await validate(at('missing'), at('folder'), at('link'), at('good.json'), '-o', 'json');
  expect(unreadable.exitCode).toBe(1);
  expect(documentOf(unreadable).files.map(({ valid }: { valid: boolean }) => valid)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect((await validate(at('missing'), at('bad.json'))).exitCode).toBe(20);
});

test.each(['circle', 'a'.repeat(5000)])('what can be no file is said to be none: %.10s', async (name) => {
  const at = write({ 'good.json': GOOD });
  symlinkSync(at('circle'), at('circle'));
  const ran = await validate(at(name), at('good.json'), '-o', 'json');
  expect(ran.exitCode).toBe(1);
  expect(documentOf(ran).files).toMatchObject([{ issues: [{ code: 'cli.file_unreadable' }] }, { valid: true }]);
});

test('a file over the limit is refused before it is read, with the limit', async () => {
  const at = write({ 'huge.json': '' });
  truncateSync(at('huge.json'), 200_000_000);
  const ran = await validate(at('huge.json'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].issues).toMatchObject([
    { code: 'cli.file_too_large', expected: 'at most 134217728 bytes' },
  ]);
});

test.each([
  ['an empty file', '', 'json.syntax'],
  ['no JSON', '{"bomFormat":', 'json.syntax'],
  ['XML', '<bom/>', 'sbom.not_cyclonedx'],
])('%s is an issue of that file', async (_title, content, code) => {
  const at = write({ file: content });
  const ran = await validate(at('file'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].issues).toMatchObject([{ code, line: 1 }]);
});

test('SARIF: one log, a result for every issue', async () => {
  const at = write({ 'bad.json': BAD });
  const ran = await validate(at('bad.json'), at('missing'), '-o', 'sarif');
  expect(ran.exitCode).toBe(20);
  const { version, runs } = documentOf(ran);
  expect(version).toBe('2.1.0');
  expect(runs[0].results[0]).toMatchObject({
    ruleId: 'sbom.schema_value',
    level: 'error',
    locations: [{ physicalLocation: { region: { startLine: 7, startColumn: 15 } } }],
  });
  expect(runs[0].results.at(-1)).toMatchObject({ ruleId: 'cli.file_unreadable' });
});

test('text of a document cannot move a cursor', async () => {
  const at = write({ 'bad.json': JSON.stringify({ ...GOOD, components: [{ type: '\u001b[2J\u202e', name: 'a' }] }) });
  for (const output of ['table', 'json', 'sarif']) {
    const { stdout } = await validate(at('bad.json'), '-o', output);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  }
});

test.each([
  ['no file', []],
  ['a profile that is none', ['x', '--profile', 'lax']],
  ['a severity that is none', ['x', '--fail-on', 'note']],
  ['an empty namespace', ['x', '--namespace', '']],
])('%s is a usage error', async (_title, args) => {
  expect((await validate(...args)).exitCode).toBe(1);
});
