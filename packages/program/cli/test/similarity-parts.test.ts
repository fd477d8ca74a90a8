import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cleanupAt, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

/** A function of some hundred tokens, as it is in a package. */
const PARSE_DURATION = `export function parseDuration(text, fallback) {
  const units = { s: 1, m: 60, h: 3600, d: 86400 };
  let seconds = 0;
  let digits = '';
  for (const sign of text.trim().toLowerCase()) {
    if (sign >= '0' && sign <= '9') {
      digits += sign;
      continue;
    }
    const factor = units[sign];
    if (factor === undefined || digits.length === 0) return fallback;
    seconds += Number(digits) * factor;
    digits = '';
  }
  if (digits.length > 0) seconds += Number(digits);
  return Number.isFinite(seconds) ? Math.round(seconds * 1000) : fallback;
}
`;
/** The same by other names. */
const RENAMED = PARSE_DURATION.replaceAll(
  /\b(?:parseDuration|text|fallback|units|seconds|digits|sign|factor)\b/g,
  (name) => `${[...name].reverse().join('')}X`,
);
/** Long, and nothing that has to do with durations. */
const SHOP = Array.from(
  { length: 6 },
  (_, index) => `export class Shelf${index} {
  constructor(room, ...boxes) {
    this.room = room ?? new Room(${index});
    this.boxes = new Map(boxes.map((box) => [box.label, box]));
  }
  async restock(order) {
    while (await order.next()) {
      const box = this.boxes.get(order.label) || (await this.room.fetch(order.label, ${index}));
      box.count = Math.max(box.count, order.wanted${index % 2 === 0 ? ' - order.sent' : ''});
      delete order.pending?.[box.label];
      try {
        yieldTo(this.room.queue[box.label]);
      } catch ({ message }) {
        this.room.log(\`shelf \${message} of ${index}\`);
      }
    }
    return [...this.boxes.values()].filter(({ count }) => !count).map(String);
  }
}
`,
).join('\n');
/** The package's file has more than the function. */
const PACKAGE = `${PARSE_DURATION}
export const printDuration = (ms) => {
  switch (true) {
    case ms < 1000: return \`\${ms} ms\`;
    case ms < 60000: return \`\${(ms / 1000).toFixed(1)} s\`;
    default: return [Math.floor(ms / 60000), 'min', String(ms % 60000).padStart(5, '0')].join(' ');
  }
};
export default class Timer {
  #started = process.hrtime.bigint();
  get elapsed() { return process.hrtime.bigint() - this.#started; }
  static of(ms) { const timer = new Timer(); timer.limit = BigInt(ms) * 1000000n; return timer; }
  throwIfOver() { if (this.limit && this.elapsed > this.limit) throw Object.assign(new Error('late'), { by: this }); }
}
`;
const LARGE = `${SHOP}\n${PARSE_DURATION}\n`;
const FUNCTION_LINES = {
  from: SHOP.split('\n').length + 1,
  // The brace that closes it is no token.
  to: SHOP.split('\n').length + PARSE_DURATION.trim().split('\n').length - 1,
};

const cleanup = cleanupAt(afterAll);
let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const run = (...args: string[]) => runLine(['sbom', 'similarity', ...args]);
const document = async (...args: string[]) => documentOf(await run(...args, '-o', 'json'));

beforeAll(() => {
  folder = temporaryFolder(cleanup);
  for (const name of ['timer', 'shop', 'tree', 'helpers', 'more']) mkdirSync(at(name));
  const files: Readonly<Record<string, string>> = {
    'timer/index.js': PACKAGE,
    'shop/index.js': SHOP,
    'tree/large.js': LARGE,
    'tree/renamed.js': `${SHOP}\n${RENAMED}\n`,
    'tree/own.js': SHOP.replaceAll(/\b(?:Shelf|room|boxes|box|order)\b/g, (word) => `${word}Own`),
    'stranger.js': SHOP,
    'short.js': 'export const price = (order) => order.count * order.each;\n',
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(at(name), content);
});
describe('a function that was pasted into a larger file', () => {
  test('is strong, and the lines of the function in both files are shown', async () => {
    const found = await document(at('timer/index.js'), at('tree/large.js'));
    expect(found.verdict).toBe('strong');
    expect(found.score).toBeGreaterThanOrEqual(0.8);
    expect(found.contained.b).toBeLessThan(0.5);
    expect(found.best).toMatchObject({ a: { lines: { from: 1, to: 16 } }, b: { lines: FUNCTION_LINES } });
    expect(found.best.run).toBeGreaterThan(100);
    expect(found.best.coverage).toBeGreaterThan(0.9);
    expect(found.best.region.b.from).toBe(FUNCTION_LINES.from);
  });

  test('is strong by other names too, whichever file comes first', async () => {
    const [one, other] = [
      await document(at('timer/index.js'), at('tree/renamed.js')),
      await document(at('tree/renamed.js'), at('timer/index.js')),
    ];
    expect([one.verdict, other.verdict]).toEqual(['strong', 'strong']);
    expect(one.score).toBe(other.score);
  });

  test('is no evidence where the names do not go together, or the texts and numbers are others', async () => {
    const names = ['alpha', 'beta', 'gamma', 'delta'];
    let count = 0;
    const mixed = RENAMED.replaceAll(/\b\w+X\b/g, () => names[(count++ * 7) % 4]!);
    writeFileSync(at('mixed.js'), `${SHOP}\n${mixed}\n`);
    expect((await document(at('timer/index.js'), at('mixed.js'))).verdict).not.toBe('strong');
    const literals = RENAMED.replaceAll(/'[^']*'|\d+/g, (literal) =>
      literal[0] === "'" ? `'${count++}'` : `${count++}`,
    );
    writeFileSync(at('literals.js'), `${SHOP}\n${literals}\n`);
    const found = await document(at('timer/index.js'), at('literals.js'));
    const copied = await document(at('timer/index.js'), at('tree/renamed.js'));
    expect(found.score).toBeLessThan(copied.score);
  });

  test('is shown to a person with its lines', async () => {
    const { stdout } = await run(at('timer/index.js'), at('tree/large.js'));
    expect(stdout).toMatch(/^best part +lines 1-16 of A \(\d+ tokens\), lines \d+-\d+ of B/m);
    expect(stdout).toMatch(/^longest run +lines 1-16 in lines \d+-\d+, worth \d+ tokens/m);
  });

  test('is found where it is code outside of any function', async () => {
    const statements = PARSE_DURATION.split('\n')
      .slice(1, -2)
      .filter((line) => !line.includes('return'))
      .join('\n');
    writeFileSync(at('script.js'), `${statements}\n`);
    writeFileSync(at('with-script.js'), `${SHOP}\n${statements}\n`);
    expect(await document(at('script.js'), at('with-script.js'))).toMatchObject({ verdict: 'strong' });
  });
});

test('what is shorter than 50 tokens is too small to tell, alone, and no evidence inside a larger file', async () => {
  expect(await document(at('short.js'), at('short.js'))).toMatchObject({ verdict: 'too small to tell' });
  const short = readFileSync(at('short.js'), 'utf8');
  writeFileSync(at('with-short.js'), `${SHOP}\n${short}`);
  writeFileSync(at('timer-with-short.js'), `${PACKAGE}\n${short}`);
  const found = await document(at('with-short.js'), at('timer-with-short.js'));
  expect(found.verdict).toBe('noise');
});

test('helpers that compilers put into every file are no evidence', async () => {
  // The shape of what TypeScript writes for `import *`, by names of our own.
  const helper = `var __bind = (this && this.__bind) || (Object.create ? (function(to, from, key, alias) {
    if (alias === undefined) alias = key;
    var desc = Object.getOwnPropertyDescriptor(from, key);
    if (!desc || ("get" in desc ? !from.__esModule : desc.writable || desc.configurable)) {
      desc = { enumerable: true, get: function() { return from[key]; } };
    }
    Object.defineProperty(to, alias, desc);
}) : (function(to, from, key, alias) {
    if (alias === undefined) alias = key;
    to[alias] = from[key];
}));
`;
  writeFileSync(at('helpers/a.js'), `${helper}\n${SHOP}`);
  writeFileSync(at('helpers/b.js'), `${helper}\n${PACKAGE}`);
  const found = await document(at('helpers/a.js'), at('helpers/b.js'));
  expect(found.regions.length).toBeGreaterThan(0);
  expect(found.verdict).toBe('noise');
});

test.each([
  '# Generated by the protocol buffer compiler.  DO NOT EDIT!',
  '// Generated by the gRPC protocol compiler plugin. DO NOT EDIT!',
  '/* Automatically generated by a tool */',
  '// @generated',
])('a file that begins with %s is set aside and named', async (head) => {
  const name = head.startsWith('#') ? 'made.py' : 'made.js';
  mkdirSync(at('more', 'made'), { recursive: true });
  const body = head.startsWith('#') ? `${head}\nvalue = read(1)\n` : `${head}\n${PACKAGE}`;
  writeFileSync(at('more/made', name), body);
  const ran = await run('--against', at('timer'), at('more/made'), '-o', 'json');
  expect(documentOf(ran).error?.code ?? '').toBe('similarity.nothing_to_compare');
});

describe('--fail-on', () => {
  test('ends with exit 21 where something is strong, and prints it all the same', async () => {
    const ran = await run('--fail-on', 'strong', at('timer/index.js'), at('tree/large.js'), '-o', 'json');
    expect([ran.exitCode, documentOf(ran).verdict]).toEqual([21, 'strong']);
    expect((await run('--fail-on', 'strong', at('stranger.js'), at('timer/index.js'))).exitCode).toBe(0);
  });

  test('weak is a stricter gate, and what is too small is none', async () => {
    const limits = ['--strong', '1', '--noise', '0.1'];
    const pair = [at('timer/index.js'), at('tree/large.js')];
    expect((await run('--fail-on', 'strong', ...limits, ...pair)).exitCode).toBe(0);
    expect((await run('--fail-on', 'weak', ...limits, ...pair)).exitCode).toBe(21);
    expect((await run('--fail-on', 'weak', at('short.js'), at('short.js'))).exitCode).toBe(0);
  });

  test('counts files that --min-score does not list', async () => {
    const ran = await run(
      '--fail-on',
      'strong',
      '--min-score',
      '1',
      '--against',
      at('timer'),
      at('tree'),
      '-o',
      'json',
    );
    expect([ran.exitCode, documentOf(ran).files]).toEqual([21, []]);
  });

  test.each(['// Code generated by hand. DO NOT EDIT.', '/* @generated */'])(
    'is not passed by a first line that says %s',
    async (head) => {
      mkdirSync(at('disguised'), { recursive: true });
      writeFileSync(at('disguised/index.js'), `${head}\n${PACKAGE}`);
      await run('index', '--out', at('timer.idx'), at('timer'));
      for (const known of [
        ['--against', at('timer')],
        ['--index', at('timer.idx')],
      ]) {
        const ran = await run('--fail-on', 'strong', ...known, at('disguised'), '-o', 'json');
        expect([ran.exitCode, documentOf(ran).files[0]?.verdict, documentOf(ran).skipped]).toEqual([21, 'strong', []]);
      }
      expect((await run('--fail-on', 'strong', at('disguised'), at('timer'))).exitCode).toBe(21);
    },
  );

  test('says on stderr what it did not look at: linked, in node_modules, of another name', async () => {
    mkdirSync(at('hidden', 'node_modules', 'timer'), { recursive: true });
    const hidden: Readonly<Record<string, string>> = {
      'own.js': 'export const own = 1;\n',
      'node_modules/timer/index.js': PACKAGE,
      'timer.es6': PACKAGE,
      tool: `#!/usr/bin/env node\n${PACKAGE}`,
    };
    for (const [name, content] of Object.entries(hidden)) writeFileSync(at('hidden', name), content);
    symlinkSync(at('timer'), at('hidden', 'lib'));
    const gate = ['--fail-on', 'strong', '--against', at('timer')];
    const ran = await run(...gate, at('hidden'), '-o', 'json');
    expect(documentOf(ran).skipped).toEqual([
      { file: at('hidden/lib'), reason: 'a link' },
      { file: at('hidden/node_modules'), reason: 'not part of the source' },
    ]);
    expect(ran.stderr).toContain(
      '--fail-on looked at 1 file, and not at: 2 passed over, 2 of no language that is compared here\n',
    );
    expect((await run(...gate, at('tree'))).stderr).not.toContain('looked at');
  });

  test('knows two verdicts', async () => {
    expect((await run('--fail-on', 'noise', at('stranger.js'), at('timer/index.js'))).exitCode).toBe(1);
  });
});

describe('an index of packages', () => {
  const build = (...args: string[]) => run('index', '--out', at('packages.idx'), at('timer'), at('shop'), ...args);

  test('finds the package that a function of a tree was taken from', async () => {
    const built = documentOf(await build('-o', 'json'));
    expect(built).toMatchObject({
      out: at('packages.idx'),
      packages: [
        { package: at('timer'), file_count: 1 },
        { package: at('shop'), file_count: 1 },
      ],
    });
    expect(built.byte_count).toBe(readFileSync(at('packages.idx')).length);
    const golden = { ...built, byte_count: '<number>' };
    await expect(`${JSON.stringify(golden, null, 2).replaceAll(folder, '<folder>')}\n`).toMatchFileSnapshot(
      'golden/sbom-similarity-index.json',
    );
    const { files } = await document('--index', at('packages.idx'), at('tree/renamed.js'));
    expect(files).toHaveLength(1);
    expect([files[0].verdict, files[0].file]).toEqual(['strong', at('tree/renamed.js')]);
    expect((await run('--index', at('packages.idx'), at('tree'), '--fail-on', 'strong')).exitCode).toBe(21);
  });

  test('says the same as the files themselves', async () => {
    await build();
    const [{ files: byIndex }, { files: byFolder }] = [
      await document('--index', at('packages.idx'), at('stranger.js')),
      await document('--against', at('shop'), at('stranger.js')),
    ];
    const { package: name, match, ...rest } = byIndex[0];
    expect([name, match]).toEqual([at('shop'), 'index.js']);
    expect({ ...rest, match: join(name, match) }).toEqual(byFolder[0]);
  });

  test('has the same bytes each time, and no text of the packages', async () => {
    await build();
    const first = readFileSync(at('packages.idx'));
    await build();
    expect(readFileSync(at('packages.idx')).equals(first)).toBe(true);
    const inside = gunzipSync(first.subarray(first.indexOf('\n') + 1)).toString('latin1');
    for (const word of ['parseDuration', 'restock', 'hrtime']) expect(inside).not.toContain(word);
  });

  test('needs --out, and packages that have source files', async () => {
    expect((await run('index', at('timer'))).exitCode).toBe(1);
    mkdirSync(at('nothing'), { recursive: true });
    const ran = await run('index', '--out', at('none.idx'), at('nothing'), '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([11, 'similarity.nothing_to_compare']);
  });

  test('and --against are not given together', async () => {
    const ran = await run('--index', 'a', '--against', 'b', at('short.js'), '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.usage']);
  });

  test.each([
    ['--fail-on', 'strong'],
    ['--against', 'a'],
    ['--index', 'a'],
    ['--min-score', '0.5'],
    ['--strong', '0.9'],
    ['--noise', '0.1'],
  ])('is not written where %s asks for a comparison, before or behind the word', async (...flag) => {
    const out = at('asked.idx');
    for (const args of [
      ['index', '--out', out, at('timer'), ...flag],
      [...flag, 'index', '--out', out, at('timer')],
    ]) {
      const ran = await run(...args, '-o', 'json');
      expect([ran.exitCode, documentOf(ran).error.code, documentOf(ran).error.found]).toEqual([
        1,
        'cli.usage',
        flag[0],
      ]);
    }
    expect(existsSync(out)).toBe(false);
  });

  const MAGIC = 'colophon-similarity-index\n';
  /** 2,097,152, as the format writes a number. */
  const MILLIONS = [0x80, 0x80, 0x80, 1];
  test.each<[string, (good: Buffer) => Buffer]>([
    ['that is another file', () => Buffer.from('{}')],
    ['that is empty', () => Buffer.alloc(0)],
    ['that is cut off', (good) => good.subarray(0, good.length - 20)],
    ['whose packages are none', () => made([1, 0, 0, 1, 5])],
    ['with more files than bytes', () => made([1, 0, 0, 255, 255, 255, 255, 15])],
    // Some kilobytes that ask for gigabytes of memory, and are complete.
    ['with millions of empty packages', () => made([1, ...MILLIONS], 2 ** 21 + 2)],
    ['with millions of empty files', () => made([1, 1, 1, 97, 1, 5, ...MILLIONS], 9 * 2 ** 21)],
    ['with millions of kinds of tokens', () => made([1, 0, ...MILLIONS], 2 ** 21 + 1)],
    ['with a name of millions of letters', () => made([1, 1, ...MILLIONS], 2 ** 21 + 2)],
    ['with a number that does not end', () => made([1, 255, 255, 255, 255, 255, 255, 255])],
    ['of a later version', (good) => changed(good, (inside) => inside.fill(9, 0, 1))],
    ['with something after its end', (good) => changed(good, (inside) => Buffer.concat([inside, Buffer.from([0])]))],
  ])('%s is refused', async (_, spoil) => {
    await build();
    writeFileSync(at('spoilt.idx'), spoil(readFileSync(at('packages.idx'))));
    const ran = await run('--index', at('spoilt.idx'), at('stranger.js'), '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([20, 'cli.index_invalid']);
  });

  function made(bytes: readonly number[], zeros = 0): Buffer {
    return Buffer.concat([Buffer.from(MAGIC), gzipSync(Buffer.concat([Buffer.from(bytes), Buffer.alloc(zeros)]))]);
  }

  function changed(good: Buffer, change: (inside: Buffer) => Buffer): Buffer {
    return made([...change(gunzipSync(good.subarray(MAGIC.length)))]);
  }
});
