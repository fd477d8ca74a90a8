import { compareSources, type Grammar, type GrammarName, READ, readSource, type Source } from '@colophon/similarity';
import { anyText } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { GrammarError } from '../grammar-error/grammar-error.ts';
import { MOST_TEXT_LENGTH } from '../tree/tree.ts';
import { loadGrammar } from './grammar.ts';

/** The same little program twice: other layout and comments, and other names too. */
const PROGRAMS: Readonly<Record<GrammarName, readonly [original: string, reformatted: string, renamed: string]>> = {
  javascript: [
    `// Adds.\nfunction add(list, from) {\n  let sum = 0; /* all */\n  for (let i = from; i < list.length; i += 1) { sum += list[i]; }\n  if (sum > 10) { return "much"; }\n  return sum;\n}\n`,
    `function add(list,from){let sum=0\nfor(let i=from;i<list.length;i+=1)sum+=list[i]\nif((sum>10))return 'much'\nreturn sum}`,
    `function f(a, b) {\n  var c = 0;\n  for (var d = b; d < a.size; d += 1) { c += a[d]; }\n  if (c > 99) { return "lots"; }\n  return c;\n}\n`,
  ],
  typescript: [
    `function add(list: number[], from: number): string | number {\n  let sum = 0; // all\n  for (let i = from; i < list.length; i += 1) { sum += list[i]!; }\n  return sum > 10 ? "much" : sum;\n}\n`,
    `/** Adds. */\nfunction add(\n  list: number[],\n  from: number,\n): string | number {\n  let sum = 0\n  for (let i = from; i < list.length; i += 1) sum += list[i]!\n  return (sum > 10) ? 'much' : sum\n}`,
    `function f(a: number[], b: number): string | number {\n  let c = 0;\n  for (let d = b; d < a.size; d += 1) { c += a[d]!; }\n  return c > 99 ? "lots" : c;\n}\n`,
  ],
  tsx: [
    `const Item = ({ name }: Props) => <li className="item">{name.trim()}</li>;\n`,
    `// One.\nconst Item = ({name}: Props) => (\n  <li className='item'>\n    {name.trim()}\n  </li>\n)`,
    `const Row = ({ title }: Data) => <tr id="row">{title.slice()}</tr>;\n`,
  ],
  python: [
    `def add(values, start):\n    """Adds."""\n    total = 0\n    for i in range(start, len(values)):\n        total += values[i]  # all\n    if total > 10:\n        return "much"\n    return total\n`,
    `def add(\n        values,\n        start):\n  total = 0\n\n  for i in range(start, len(values)): total += values[i]\n  if (total > 10): return 'much'\n  return total`,
    `def f(a, b):\n    c = 0\n    for d in range(b, size(a)):\n        c += a[d]\n    if c > 99:\n        return "lots"\n    return c\n`,
  ],
  java: [
    `class A {\n  // Adds.\n  static int add(int[] list, int from) {\n    int sum = 0;\n    for (int i = from; i < list.length; i++) { sum += list[i]; }\n    return sum;\n  }\n}\n`,
    `class A{static int add(int[] list,int from){int sum=0;/**/for(int i=from;i<list.length;i++)sum+=list[i];return (sum);}}`,
    `class B {\n  static int f(int[] a, int b) {\n    int c = 0;\n    for (int d = b; d < a.size; d++) { c += a[d]; }\n    return c;\n  }\n}\n`,
  ],
  go: [
    `package a\n\n// Add adds.\nfunc Add(list []int, from int) int {\n\tsum := 0\n\tfor i := from; i < len(list); i++ {\n\t\tsum += list[i]\n\t}\n\treturn sum\n}\n`,
    `package a\nfunc Add(list []int, from int) int { sum := 0; for i := from; i < len(list); i++ { sum += list[i] }; return (sum) }`,
    `package b\n\nfunc F(a []int, b int) int {\n\tc := 0\n\tfor d := b; d < size(a); d++ {\n\t\tc += a[d]\n\t}\n\treturn c\n}\n`,
  ],
  rust: [
    `/// Adds.\nfn add(list: &[i32], from: usize) -> i32 {\n    let mut sum = 0;\n    for i in from..list.len() {\n        sum += list[i];\n    }\n    return sum;\n}\n`,
    `fn add(list:&[i32],from:usize)->i32{let mut sum=0;for i in from..list.len(){sum+=list[i];}return (sum);}`,
    `fn f(a: &[i32], b: usize) -> i32 {\n    let mut c = 0;\n    for d in b..a.size() {\n        c += a[d];\n    }\n    return c;\n}\n`,
  ],
  c: [
    `/* Adds. */\nint add(int *list, int length) {\n  int sum = 0;\n  for (int i = 0; i < length; i++) { sum += list[i]; }\n  return sum;\n}\n`,
    `int add(int*list,int length){int sum=0;for(int i=0;i<length;i++)sum+=list[i];return (sum);}`,
    `int f(int *a, int b) {\n  int c = 0;\n  for (int d = 9; d < b; d++) { c += a[d]; }\n  return c;\n}\n`,
  ],
};

describe.each(Object.entries(PROGRAMS))('a program in %s', (name, [original, reformatted, renamed]) => {
  const read = async (text: string): Promise<Source> => readSource(await loadGrammar(name as GrammarName), text);

  test('is the same with other layout, comments and quotes', async () => {
    const [a, b] = [await read(original), await read(reformatted)];
    expect([a.unparsed, b.unparsed]).toEqual([0, 0]);
    expect([...b.symbols]).toEqual([...a.symbols]);
    expect([...b.vocabulary]).toEqual([...a.vocabulary]);
    expect(compareSources(a, b).score).toBe(1);
  });

  test('has the same shape with other names and literals', async () => {
    const [a, b] = [await read(original), await read(renamed)];
    expect([...b.symbols]).toEqual([...a.symbols]);
    expect(compareSources(a, b).vocabulary).toBeLessThan(0.8);
  });

  test('has tokens on the lines where their text is', async () => {
    const { lines } = await read(original);
    expect([...lines]).toEqual([...lines].sort((one, other) => one - other));
    expect(lines[0]).toBeGreaterThanOrEqual(1);
    expect(lines.at(-1)).toBeLessThan(original.split('\n').length);
  });
});

test('lists of imports and exports are words and no shape', async () => {
  const typescript = await loadGrammar('typescript');
  const barrel = (word: string) =>
    Array.from({ length: 40 }, (_, file) => {
      const names = Array.from({ length: (file % 4) + 1 }, (_, name) => `${word}${file}x${name}`);
      return `export { ${names.join(', ')}, type ${word}Type${file} } from './${word}${file}.ts';\n`;
    }).join('');
  const [a, b] = [readSource(typescript, barrel('apple')), readSource(typescript, barrel('pear'))];
  expect(compareSources(a, b)).toMatchObject({ verdict: 'noise' });
  expect(compareSources(a, a)).toMatchObject({ verdict: 'strong', score: 1 });
});

test('tables of other data are no shape either, and of the same data are the same', async () => {
  const c = await loadGrammar('c');
  const table = (from: number) =>
    `int data[] = {${Array.from({ length: 5000 }, (_, index) => from + index).join(', ')}};\n`;
  const [a, b] = [readSource(c, table(0)), readSource(c, table(90_000))];
  expect(compareSources(a, b).verdict).toBe('noise');
  expect(compareSources(a, a)).toMatchObject({ verdict: 'strong', score: 1 });
});

test('lines are counted as strings count them, also after signs of two units', async () => {
  const text = '// 🙂 名\nconst é = "🙂🙂"; const last = `🙂\n🙂`;\nlast = 1;\n';
  const { lines } = readSource(await loadGrammar('javascript'), text);
  expect([lines[0], lines.at(-1)]).toEqual([2, 4]);
});

describe('text that is no program', () => {
  let javascript: Grammar;
  const read = async (text: string): Promise<Source> => {
    javascript ??= await loadGrammar('javascript');
    return readSource(javascript, text);
  };

  test('is read as far as it goes, and says how much was not', async () => {
    expect((await read('')).unparsed).toBe(0);
    expect((await read('let a = 1;\nlet b = 2;\n')).unparsed).toBe(0);
    expect((await read('let a = 1; %%%% )))) let b = 2;')).unparsed).toBeGreaterThan(0);
    expect((await read('Lorem ipsum dolor sit amet, consectetur adipiscing elit')).unparsed).toBeGreaterThan(0.5);
  });

  test('never breaks the parser', async () => {
    await fc.assert(
      fc.asyncProperty(anyText({ maxLength: 300 }), async (text) => {
        const { unparsed, symbols, lines } = await read(text);
        expect(unparsed).toBeGreaterThanOrEqual(0);
        expect(unparsed).toBeLessThanOrEqual(1);
        expect(lines).toHaveLength(symbols.length);
      }),
    );
  });

  test.each([
    ['open', '('.repeat(100_000)],
    ['closed', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['in blocks', `${'{'.repeat(50_000)}${'}'.repeat(50_000)}`],
    ['in operators', `a = ${'-'.repeat(1)}b${' + b'.repeat(100_000)}`],
  ])('may be nested a hundred thousand deep, %s', async (_, text) => {
    expect((await read(text)).symbols.length).toBeGreaterThanOrEqual(0);
  });

  test('is refused where it is longer than a source file', async () => {
    await expect(read(' '.repeat(MOST_TEXT_LENGTH + 1))).rejects.toMatchObject({ code: 'grammar.too_large' });
    await expect(read(' '.repeat(MOST_TEXT_LENGTH + 1))).rejects.toBeInstanceOf(GrammarError);
  });
});

test('a text that takes too long is given up, and the next one is read', async () => {
  const grammar = await loadGrammar('java');
  const text = 'class A { int a = 1; }\n'.repeat(10_000);
  const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(1e9);
  try {
    expect(() => readSource(grammar, text)).toThrow(expect.objectContaining({ code: 'grammar.too_slow' }));
  } finally {
    clock.mockRestore();
  }
  expect(readSource(grammar, text).unparsed).toBe(0);
});

test('a plan that skips the root reads nothing', async () => {
  const grammar = await loadGrammar('go');
  const plan = new Uint8Array(grammar.nodeTypes.length).fill(READ.skip);
  expect(grammar.parse('package a\n', plan)).toMatchObject({ types: new Uint16Array(0), unparsed: 0 });
});

test('a grammar is loaded once', async () => {
  expect(await loadGrammar('c')).toBe(await loadGrammar('c'));
});

test('what a text took is given back', async () => {
  const grammar = await loadGrammar('c');
  const text = 'int f(int a) { return a + 1; }\n'.repeat(2000);
  const readTimes = (times: number) => {
    for (let i = 0; i < times; i += 1) readSource(grammar, text);
    return process.memoryUsage().external + process.memoryUsage().arrayBuffers;
  };
  readTimes(5);
  const before = readTimes(1);
  // WebAssembly memory never shrinks: forty trees that were kept would be in it.
  expect(readTimes(40) - before).toBeLessThan(64 * 2 ** 20);
});
