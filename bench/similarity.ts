// How fast source files become fingerprints, after the grammars are loaded, beside parsing alone in the same run; and
// how fast many files are compared with many. Code is generated: the same on every machine.
import { loadGrammar } from '@colophon/grammars';
import {
  createSourceIndex,
  decodeIndex,
  encodeIndex,
  type Grammar,
  type GrammarName,
  READ,
  readSource,
} from '@colophon/similarity';
import { median } from './measure/measure.ts';
import { doing } from './measure/progress.ts';

const AIM_MEGABYTES = 2;
const ROUNDS = 7;
const FILE_LENGTH = 30_000;
const FILES = 10;
const INDEXED = 1000;

/** A generator that gives the same numbers each time. */
function createDice(seed: number): (sides: number) => number {
  let state = seed >>> 0;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
}

const WORDS =
  'total count item index value name path entry result offset limit state token parent child node list'.split(' ');

/** One function of about ten lines in a language, with chance in its names and in what it does. */
const FUNCTIONS: Readonly<Record<GrammarName, (dice: (sides: number) => number) => string>> = {
  javascript: (dice) => curly(dice, (name, x, y) => `export function ${name}(${x}, ${y}) {`, 'let '),
  typescript: (dice) =>
    curly(dice, (name, x, y) => `export function ${name}(${x}: number, ${y}: number): number {`, 'let '),
  tsx: (dice) => curly(dice, (name, x, y) => `export function ${name}(${x}: number, ${y}: number): number {`, 'let '),
  java: (dice) =>
    `class C${dice(1e6)} {\n${curly(dice, (name, x, y) => `static int ${name}(int ${x}, int ${y}) {`, 'int ')}}\n`,
  c: (dice) => curly(dice, (name, x, y) => `static int ${name}(int ${x}, int ${y}) {`, 'int '),
  go: (dice) => curly(dice, (name, x, y) => `func ${name}(${x} int, ${y} int) int {`, 'var ', '= '),
  rust: (dice) => curly(dice, (name, x, y) => `pub fn ${name}(${x}: i32, ${y}: i32) -> i32 {`, 'let mut '),
  python: (dice) => {
    const [name, x, y] = names(dice);
    const lines = [`def ${name}(${x}, ${y}):`, `    """What ${x} is to ${y}."""`];
    for (let line = dice(5) + 4; line > 0; line -= 1) {
      lines.push(
        [
          `    if ${x} < ${y} + ${dice(100)}:\n        ${x} = ${word(dice)}(${y}, "${word(dice)} ${word(dice)}")`,
          `    ${word(dice)} = [${x} * ${dice(9)} for ${word(dice)} in range(${y})]`,
          `    # ${word(dice)} ${word(dice)} ${word(dice)}\n    ${x} += ${y} % ${dice(7) + 1}`,
        ][dice(3)]!,
      );
    }
    return `${lines.join('\n')}\n    return ${x} - ${y}\n\n`;
  },
};

function word(dice: (sides: number) => number): string {
  return WORDS[dice(WORDS.length)]!;
}

function names(dice: (sides: number) => number): [string, string, string] {
  return [`${word(dice)}_${dice(1000)}`, `${word(dice)}A`, `${word(dice)}B`];
}

function curly(
  dice: (sides: number) => number,
  head: (name: string, x: string, y: string) => string,
  declare: string,
  equals = '= ',
): string {
  const [name, x, y] = names(dice);
  const isGo = declare === 'var ';
  const isRust = declare === 'let mut ';
  const condition = (text: string) => (isGo || isRust ? text : `(${text})`);
  const lines = [head(name, x, y)];
  for (let line = dice(5) + 4; line > 0; line -= 1) {
    lines.push(
      [
        `  if ${condition(`${x} < ${y} + ${dice(100)}`)} {\n    ${x} = ${word(dice)}(${y}, "${word(dice)} ${word(dice)}");\n  }`,
        `  ${declare}${word(dice)}${dice(50)} ${equals}${x} * ${dice(9)} + ${word(dice)}.${word(dice)};`,
        `  // ${word(dice)} ${word(dice)} ${word(dice)}\n  ${x} += ${y} % ${dice(7) + 1};`,
      ][dice(3)]!,
    );
  }
  return `${lines.join('\n')}\n  return ${x} - ${y};\n}\n\n`;
}

function createFile(name: GrammarName, seed: number, length: number): string {
  const dice = createDice(seed);
  let text = name === 'go' ? 'package bench\n\n' : '';
  while (text.length < length) text += FUNCTIONS[name](dice);
  return text;
}

/** Megabytes of source a second through `work`, the median of some rounds. */
function speedOf(files: readonly string[], work: (text: string) => unknown): number {
  const megabytes = files.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    for (const text of files) work(text);
    const { user, system } = process.cpuUsage(before);
    return megabytes / ((user + system) / 1e6);
  });
  return median(rounds);
}

/** Parses, and reads nothing of the tree but its root. */
function parseAlone(grammar: Grammar): (text: string) => unknown {
  const plan = new Uint8Array(grammar.nodeTypes.length).fill(READ.skip);
  return (text) => grammar.parse(text, plan);
}

let isSlow = false;
console.log(
  'MB of source a second of CPU, after load: fingerprints, parsing alone, and the first as a share of the second',
);
for (const name of ['javascript', 'typescript', 'python', 'java', 'go', 'rust', 'c'] as const) {
  doing(name);
  const grammar = await loadGrammar(name);
  const files = Array.from({ length: FILES }, (_, seed) => createFile(name, seed + 1, FILE_LENGTH));
  const unparsed = Math.max(...files.map((text) => readSource(grammar, text).unparsed));
  if (unparsed > 0) throw new Error(`the generated ${name} is wrong: ${unparsed} of it was not parsed`);
  const fingerprints = speedOf(files, (text) => readSource(grammar, text));
  const parsing = speedOf(files, parseAlone(grammar));
  if (fingerprints < AIM_MEGABYTES) isSlow = true;
  console.log(
    `${name.padEnd(11)} ${fingerprints.toFixed(1).padStart(6)} ${parsing.toFixed(1).padStart(6)} ${((fingerprints / parsing) * 100).toFixed(0).padStart(4)} %`,
  );
}
console.log(`the aim is ${AIM_MEGABYTES} MB a second or more: ${isSlow ? 'not met' : 'met'}`);

const grammar = await loadGrammar('javascript');
const sources = Array.from({ length: INDEXED * 2 }, (_, seed) =>
  readSource(grammar, createFile('javascript', seed, 4000)),
);
doing(`${INDEXED} files against ${INDEXED}`);
const started = performance.now();
const index = createSourceIndex(sources.slice(0, INDEXED));
const indexed = performance.now();
for (const source of sources.slice(INDEXED)) index.bestMatch(source);
const asked = performance.now();
console.log(
  `${INDEXED} files of 4 kB compared with ${INDEXED}: index in ${(indexed - started).toFixed(0)} ms, then ${((asked - indexed) / INDEXED).toFixed(2)} ms a file`,
);

// A tree against an index of many packages, from the texts of the tree and the bytes of the index to the verdicts.
const TREE_FILES = 10_000;
const PACKAGES = 1000;
const FILES_PER_PACKAGE = 5;
const AIM_SECONDS = 60;
doing(`${TREE_FILES} files against an index of ${PACKAGES} packages`);
const encoded = encodeIndex(
  Array.from({ length: PACKAGES * FILES_PER_PACKAGE }, (_, seed) => ({
    package: `package-${Math.floor(seed / FILES_PER_PACKAGE)}`,
    path: `${seed}.js`,
    source: readSource(grammar, createFile('javascript', 100_000 + seed, 4000)),
  })),
);
const begun = process.cpuUsage();
const reading = decodeIndex(encoded);
if (!reading.ok) throw new Error(reading.reason);
const packages = createSourceIndex(
  reading.files.map(({ source }) => source),
  reading.files.map((file) => file.package),
);
const opened = process.cpuUsage(begun);
for (let seed = 0; seed < TREE_FILES; seed += 1) {
  packages.bestMatch(readSource(grammar, createFile('javascript', seed, 4000)));
}
const held = process.cpuUsage(begun);
const secondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;
console.log(
  `${TREE_FILES} files of 4 kB against an index of ${PACKAGES} packages (${(encoded.length / 2 ** 20).toFixed(1)} MiB before compression): opened in ${secondsOf(opened).toFixed(1)} s of CPU, all in ${secondsOf(held).toFixed(1)} s; the aim is ${AIM_SECONDS} s`,
);
if (secondsOf(held) > AIM_SECONDS) isSlow = true;
if (isSlow) process.exitCode = 1;
