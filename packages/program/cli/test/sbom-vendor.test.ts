import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const SOURCE = `
export function leftPad(text, length, filler) {
  let padded = String(text);
  const unit = filler === undefined ? ' ' : String(filler);
  if (unit.length === 0) throw new RangeError('nothing to pad with');
  while (padded.length < length) {
    const missing = length - padded.length;
    padded = unit.slice(0, Math.min(unit.length, missing)) + padded;
  }
  return padded;
}

export function padTable(rows, filler) {
  const widths = [];
  for (const row of rows) {
    for (let column = 0; column < row.length; column++) {
      widths[column] = Math.max(widths[column] ?? 0, String(row[column]).length);
    }
  }
  return rows.map((row) => row.map((cell, column) => leftPad(cell, widths[column], filler)).join(' | ')).join('\\n');
}
`;
const REWRITTEN = SOURCE.replaceAll('leftPad', 'alignRight')
  .replaceAll('padded', 'result')
  .replaceAll('filler', 'pad')
  .replaceAll('padTable', 'formatRows');
const UNRELATED = `
export class Queue {
  #items = new Map();
  #head = 0;
  #tail = 0;
  add(item) {
    this.#items.set(this.#tail, item);
    this.#tail += 1;
    return this;
  }
  async *drain(signal) {
    while (!signal.aborted && this.#head < this.#tail) {
      const item = this.#items.get(this.#head);
      this.#items.delete(this.#head);
      this.#head += 1;
      yield await item;
    }
  }
}
`;
const PURL = 'pkg:npm/left-pad@1.3.0';
const AGENT = ['--agent-name', 'coder', '--model-id', 'm-1'];

let folder: string;
const at = (path: string) => join(folder, path);
function write(path: string, content: string | object): string {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content));
  return at(path);
}
beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  mkdirSync(at('repo/.git'), { recursive: true });
  write('repo/src/align.js', REWRITTEN);
  write('pad/package.json', { name: 'left-pad', version: '1.3.0', license: 'GPL-3.0-only' });
  write('pad/index.js', SOURCE);
  write('repo/shop.cdx.json', {
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': 'root', name: 'shop', version: '1.0.0' } },
    components: [{ type: 'library', 'bom-ref': 'a', name: 'a', version: '1', licenses: [{ license: { id: 'MIT' } }] }],
  });
});
const vendor = (...args: string[]) => runLine(['sbom', 'vendor', ...args]);
const fromPad = (path = at('repo/src/align.js')) => [path, '--made-from', PURL, '--source', at('pad')];

test('the component goes to standard output, what was measured to the person', async () => {
  const { exitCode, stdout, stderr } = await vendor(...fromPad(), ...AGENT);
  expect(exitCode).toBe(0);
  // The number itself is for the calibration to set.
  await expect(stdout.replaceAll(/0\.[89]\d*/g, '0.9')).toMatchFileSnapshot('golden/sbom-vendor.component.json');
  expect(stderr).toMatch(/similarity +\S+ \(strong\), most like index\.js/);
  expect(stderr).toMatch(/brings no text of GPL-3\.0-only/);
});

test('an SBOM gets it, is valid, and the gate lists it first', async () => {
  const file = at('repo/shop.cdx.json');
  const ran = await vendor(...fromPad(), ...AGENT, '--into', file, '--out', file, '--output', 'json');
  expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
  const golden = ran.stdout.replaceAll(folder, '<folder>').replaceAll(/0\.[89]\d*/g, '0.9');
  await expect(golden).toMatchFileSnapshot('golden/sbom-vendor.json');
  expect(documentOf(ran)).toMatchObject({
    bom_ref: 'vendored:src/align.js',
    licence: 'GPL-3.0-only',
    document: { version: 2, changed: true },
  });
  expect((await runLine(['sbom', 'validate', file])).exitCode).toBe(0);
  const gate = await runLine(['sbom', 'licenses', file, '--allow', 'MIT', '--output', 'json']);
  expect(gate.exitCode).toBe(20);
  expect(documentOf(gate).offending).toMatchObject([
    { bom_ref: 'vendored:src/align.js', agent_authored: true, origin: { purl: PURL, licences: ['GPL-3.0-only'] } },
  ]);
  const before = readFileSync(file, 'utf8');
  expect(
    documentOf(await vendor(...fromPad(), ...AGENT, '--into', file, '--out', file, '-o', 'json')).document.changed,
  ).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('a document that is too old becomes one that can carry it, and says so', async () => {
  const old = JSON.parse(readFileSync(at('repo/shop.cdx.json'), 'utf8'));
  const file = write('repo/old.cdx.json', { ...old, specVersion: '1.4' });
  const ran = await vendor(...fromPad(), '--into', file, '--out', file, '--output', 'json');
  expect(documentOf(ran)).toMatchObject({ document: { spec_version: '1.6' } });
  expect(documentOf(ran).notes.join()).toMatch(/1\.4/);
  expect((await runLine(['sbom', 'validate', file])).exitCode).toBe(0);
});

test("the contract's own words are written where they are asked for", async () => {
  const { stdout } = await vendor(...fromPad(), ...AGENT, '--profile', 'spec');
  const component = JSON.parse(stdout);
  expect(component.evidence.identity[0].methods[0].technique).toBe('ast-similarity');
  expect(component.licenses[0].license).toMatchObject({ id: 'GPL-3.0-only', acknowledgement: 'declared' });
});

test('a folder is measured file by file, and has no digest of its own', async () => {
  write('repo/src/text/align.js', REWRITTEN);
  write('repo/src/text/queue.js', UNRELATED);
  write('repo/src/text/notes.md', '# no code');
  const { stdout } = await vendor(...fromPad(at('repo/src/text')));
  const component = JSON.parse(stdout);
  expect(component).toMatchObject({ 'bom-ref': 'vendored:src/text' });
  expect(component.hashes).toBeUndefined();
  expect(component.evidence.occurrences).toEqual([
    { location: 'src/text/align.js' },
    { location: 'src/text/queue.js' },
  ]);
  const { confidence } = component.evidence.identity[0];
  expect(confidence).toBeGreaterThan(0.3);
  expect(confidence).toBeLessThan(0.9);
});

test('a copy in node_modules is the source where it is named, with no connection', async () => {
  write('repo/node_modules/left-pad/package.json', { name: 'left-pad', version: '1.3.0', license: 'MIT' });
  write('repo/node_modules/left-pad/index.js', SOURCE);
  const { exitCode, stdout } = await vendor(
    ...fromPad().slice(0, 3),
    ...['--source', at('repo/node_modules/left-pad'), '--offline'],
  );
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout).licenses[0].license.id).toBe('MIT');
});

test('what is hardly alike is written with a warning, or not at all', async () => {
  const file = write('repo/src/queue.js', UNRELATED);
  const warned = await vendor(...fromPad(file));
  expect([warned.exitCode, warned.stderr]).toEqual([0, expect.stringMatching(/is noise/)]);
  const out = at('out.json');
  const refused = await vendor(...fromPad(file), '--min-similarity', '0.5', '--out', out, '--output', 'json');
  expect([refused.exitCode, documentOf(refused).error.code]).toEqual([12, 'cli.not_alike']);
  expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
});

describe('what cannot be described', () => {
  test.each<[string, () => string[], string, number]>([
    ['a path outside', () => fromPad(write('align.js', REWRITTEN)).concat('--repository', at('repo')), 'cli.usage', 1],
    [
      'a link that leads outside',
      () => {
        symlinkSync(write('align.js', REWRITTEN), at('repo/src/link.js'));
        return fromPad(at('repo/src/link.js')).concat('--repository', at('repo'));
      },
      'cli.usage',
      1,
    ],
    ['the whole repository', () => fromPad(at('repo')).concat('--repository', at('repo')), 'cli.usage', 1],
    ['a path that is not there', () => fromPad(at('repo/none.js')), 'cli.file_unreadable', 1],
    ['no package URL', () => [at('repo/src/align.js'), '--made-from', 'left-pad'], 'cli.usage', 1],
    [
      'a package URL without version',
      () => [at('repo/src/align.js'), '--made-from', 'pkg:npm/left-pad'],
      'cli.usage',
      1,
    ],
    ['an agent without a model', () => [...fromPad(), '--agent-name', 'coder'], 'cli.usage', 1],
    ['a score that is none', () => [...fromPad(), '--min-similarity', '2'], 'cli.usage', 1],
    [
      'a source that is not there',
      () => [at('repo/src/align.js'), '--made-from', PURL, '--source', at('none')],
      'feeds.folder_unreadable',
      1,
    ],
    [
      'a source of another version',
      () => [at('repo/src/align.js'), '--made-from', 'pkg:npm/left-pad@1.2.0', '--source', at('pad')],
      'cli.other_package',
      12,
    ],
    [
      'a language that is not known',
      () => fromPad(write('repo/src/align.xyz', REWRITTEN)),
      'similarity.language_unknown',
      1,
    ],
    [
      'a language that the source has not',
      () => fromPad(write('repo/src/align.py', 'def f(a):\n  return a\n'.repeat(30))),
      'similarity.nothing_to_compare',
      11,
    ],
    ['no such SBOM', () => [...fromPad(), '--into', at('none.json')], 'cli.file_unreadable', 1],
    ['a document that is none', () => [...fromPad(), '--into', write('bad.json', '{}')], 'cli.sbom_invalid', 20],
    ['a file that cannot be written', () => [...fromPad(), '--out', at('none/out.json')], 'cli.file_unwritable', 2],
  ])('%s', async (_, args, code, exit) => {
    const ran = await vendor(...args(), '--output', 'json');
    expect([documentOf(ran).error.code, ran.exitCode]).toEqual([code, exit]);
  });
});
