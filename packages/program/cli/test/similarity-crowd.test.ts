import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanupAt, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

// What a tree's author adds to a file so that an index does not name the package that a function was taken from.
const COPIED = `export function planRoute(stops, start, limits) {
  const open = new Set(stops.filter((stop) => stop !== start));
  const route = [start];
  let length = 0;
  while (open.size > 0 && route.length < limits.most) {
    let nearest = null;
    let least = Number.POSITIVE_INFINITY;
    for (const stop of open) {
      const distance = Math.hypot(stop.east - route.at(-1).east, stop.north - route.at(-1).north);
      if (distance >= least) continue;
      least = distance;
      nearest = stop;
    }
    if (nearest === null || length + least > limits.length) throw new RangeError(\`no stop within \${limits.length}\`);
    open.delete(nearest);
    route.push(nearest);
    length += least;
  }
  return { route, length, left: [...open].map(({ name }) => name).sort() };
}
`;

/** A function of a shape of its own, with names that say nothing of the others. */
function otherFunction(seed: number, name: (place: number) => string): string {
  let state = seed + 1;
  let place = 0;
  const dice = (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
  const next = () => name(place++);
  const statements = [
    () => `if (${next()} < ${next()}) { ${next()} = ${next()}; }`,
    () => `const ${next()} = ${next()}[${next()}] + ${next()};`,
    () => `for (const ${next()} of ${next()}) ${next()}.push(-${next()});`,
    () => `${next()}.${next()}(${next()}, ${next()});`,
    () => `while (!${next()}) ${next()} += ${next()};`,
    () => `switch (${next()}) { case ${next()}: ${next()}(); break; default: ${next()} = null; }`,
    () => `try { ${next()}(); } catch { return ${next()}; }`,
    () => `const { ${next()}, ...${next()} } = await ${next()};`,
  ];
  const body = Array.from({ length: 40 }, () => `  ${statements[dice(statements.length)]!()}`);
  return `async function ${next()}(${next()}, ${next()}) {\n${body.join('\n')}\n}\n`;
}

const OTHERS = 12;
const cleanup = cleanupAt(afterAll);
let folder: string;
const at = (...names: string[]) => join(folder, ...names);

beforeAll(() => {
  folder = temporaryFolder(cleanup);
  const own = (seed: number) => otherFunction(seed, (place) => `own${seed}${'abcdefghij'[place % 10]}`);
  // The same shapes, with names that do not go together: nothing was copied from these.
  const mixed = (seed: number) => otherFunction(seed, (place) => `mixed${seed}${'abcdefg'[(place * place) % 7]}`);
  const words = (seed: number) =>
    `export const words${seed} = [${'abcdefghijklmnopqrst'.split('').map((sign) => `'${sign}word${seed}'`)}];\n`;
  const seeds = Array.from({ length: OTHERS }, (_, seed) => seed);
  for (const seed of seeds) {
    mkdirSync(at(`other${seed}`));
    writeFileSync(at(`other${seed}`, 'index.js'), own(seed) + words(seed));
  }
  mkdirSync(at('route'));
  writeFileSync(at('route/index.js'), COPIED);
  mkdirSync(at('tree'));
  const renamed = COPIED.replaceAll(
    /\b(?:planRoute|stops?|start|limits|open|route|nearest|least|distance)\b/g,
    (word) => `${word}Mine`,
  );
  writeFileSync(at('tree/index.js'), seeds.map((seed) => mixed(seed) + words(seed)).join('\n') + renamed);
  writeFileSync(at('tree-alone.js'), renamed);
});
test.each(['tree-alone.js', 'tree'])(
  '%s: the package of a function is found behind others that share more',
  async (tree) => {
    const packages = [...Array.from({ length: OTHERS }, (_, seed) => at(`other${seed}`)), at('route')];
    await runLine(['sbom', 'similarity', 'index', '--out', at('packages.idx'), ...packages]);
    const ran = await runLine([
      'sbom',
      'similarity',
      '--index',
      at('packages.idx'),
      at(tree),
      '--fail-on',
      'strong',
      '-o',
      'json',
    ]);
    const [file] = documentOf(ran).files;
    expect([ran.exitCode, file.verdict, file.package]).toEqual([21, 'strong', at('route')]);
  },
);
