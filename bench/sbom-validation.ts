// SBOMs validated in process: ours, from bytes to issues with their lines, beside the JsonValidator of
// `@cyclonedx/cyclonedx-library` on the same file, each in a process of its own. The library's work grows with the
// square of the components, so it gets `--timeout N` seconds a file (120) and is left out above 5,000 components. And beside
// sbom-utility, where it is on PATH: a whole process of it, and of ours the first document of a process.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from './measure/measure.ts';
import { cpuOfProcess, findProgram } from './measure/process-cpu.ts';
import { doing } from './measure/progress.ts';
import { makeScratchFolder } from './measure/scratch-folder.ts';
import type { Needed } from './sbom-validation/contender.ts';
import { generateBom } from './sbom-validation/generated-bom.ts';

/** The library is to need at least this many times as long. */
const LEAST_RATIO = 5;
/** What sbom-utility needs may be exceeded so many times, from this size on. */
const MOST_OF_UTILITY = 2;
const LEAST_BYTES = 1_000_000;
const ENOUGH_SECONDS = 300;
/** Of the file's size. */
const MOST_MEMORY = 10;
/** Ten times the components may take so many times as long: linear, and something for the garbage collector. */
const MOST_GROWTH = 13;
const MOST_FOR_LIBRARY = 5_000;

type Document = { readonly name: string; readonly file: string; readonly components: number; readonly bytes: number };

function needed(
  who: 'ours' | 'library',
  { file }: Document,
  timeoutSeconds: number,
  rounds: readonly ['once'] | readonly [] = [],
): Needed | undefined {
  const contender = join(import.meta.dirname, 'sbom-validation', 'contender.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', contender, who, file, ...rounds], {
    encoding: 'utf8',
    timeout: timeoutSeconds * 1000,
  });
  if (status === 0) return JSON.parse(stdout) as Needed;
  if (stderr !== '') console.error(stderr);
  return undefined;
}

const REAL = join(process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../shared/data'), 'sbom');

/** Each measured so often, in turns. */
const UTILITY_ROUNDS = 3;

/** Every real document that is large enough to be compared, and the generated ones: one file, once, in a new process. */
function besideUtility(utility: string, generated: readonly Document[]): void {
  const real = !existsSync(REAL) ? [] : readdirSync(REAL).map((name) => documentAt(join(REAL, name), name.slice(-40)));
  const documents = [...real, ...generated].filter(({ bytes }) => bytes >= LEAST_BYTES);
  const rows = documents.map((document) => {
    doing(`beside sbom-utility: ${document.name}`);
    const rounds = Array.from({ length: UTILITY_ROUNDS }, () => {
      const ours = needed('ours', document, ENOUGH_SECONDS, ['once']);
      if (ours === undefined) throw new Error(`ours did not end for ${document.file}`);
      return { ...ours, utility: cpuOfProcess([utility, 'validate', '--quiet', '-i', document.file]) };
    });
    const of = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
    const [ours, schema, theirs] = [
      of(({ firstCpuMs }) => firstCpuMs),
      of(({ coldCpuMs }) => coldCpuMs),
      of((round) => round.utility),
    ];
    return {
      document: document.name,
      components: document.components,
      MB: Number((document.bytes / 1e6).toFixed(1)),
      'ours CPU ms': Math.round(ours),
      'schema CPU ms': Math.round(schema),
      'sbom-utility CPU ms': Math.round(theirs),
      ratio: Number((ours / theirs).toFixed(2)),
      'ratio with schema': Number(((ours + schema) / theirs).toFixed(2)),
    };
  });
  console.table(rows);
  const worst = Math.max(...rows.map(({ ratio }) => ratio));
  console.log(`Beside sbom-utility: at most ${worst} × its CPU (at most ${MOST_OF_UTILITY} wanted)`);
}

/** The document with the most components and the one with the most bytes among the collected real ones. */
function realDocuments(): Document[] {
  const folder = REAL;
  if (!existsSync(folder)) {
    console.log('real documents are left out: no COLOPHON_DATA with a folder sbom');
    return [];
  }
  const all = readdirSync(folder).map((name) => documentAt(join(folder, name), 'real'));
  const most = (of: (document: Document) => number) => all.reduce((a, b) => (of(b) > of(a) ? b : a));
  const byComponents = most(({ components }) => components);
  const byBytes = most(({ bytes }) => bytes);
  return byComponents === byBytes
    ? [byComponents]
    : [
        { ...byComponents, name: 'real, most components' },
        { ...byBytes, name: 'real, most bytes' },
      ];
}

function documentAt(file: string, name: string): Document {
  const text = readFileSync(file);
  const { components = [] } = JSON.parse(text.toString()) as { components?: readonly unknown[] };
  return { name, file, components: components.length, bytes: text.length };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { timeout: { type: 'string', default: '120' } }, strict: false });
  const timeoutSeconds = Number(values.timeout);
  const folder = makeScratchFolder('sbom-validation');
  mkdirSync(folder, { recursive: true });
  try {
    const generated = [1_000, 3_845, 5_000, 50_000].map((components) => {
      const file = join(folder, `${components}.json`);
      writeFileSync(file, generateBom(components));
      return documentAt(file, 'generated');
    });
    const took = new Map<number, number>();
    const rows = [...realDocuments(), ...generated].map((document) => {
      doing(`${document.name}, ${document.components} components`);
      const ours = needed('ours', document, timeoutSeconds);
      if (ours === undefined) throw new Error(`ours did not end for ${document.file}`);
      const isAsked = document.components <= MOST_FOR_LIBRARY;
      const library = isAsked ? needed('library', document, timeoutSeconds) : undefined;
      if (library !== undefined && library.isValid !== ours.isValid) throw new Error(`they disagree: ${document.file}`);
      if (document.name === 'generated') took.set(document.components, ours.cpuMs);
      const ratio = library === undefined ? undefined : library.cpuMs / ours.cpuMs;
      return {
        document: document.name,
        components: document.components,
        MB: Number((document.bytes / 1e6).toFixed(1)),
        'ours CPU ms': Math.round(ours.cpuMs),
        'library CPU ms':
          library === undefined ? (isAsked ? `over ${timeoutSeconds} s` : 'left out') : Math.round(library.cpuMs),
        '× faster': ratio === undefined ? '' : Number(ratio.toFixed(1)),
        'memory × file': Number((ours.memoryBytes / document.bytes).toFixed(1)),
        'library × file': library === undefined ? '' : Number((library.memoryBytes / document.bytes).toFixed(1)),
        'compile ms': Math.round(ours.coldMs),
      };
    });
    console.log(`Wanted: ${LEAST_RATIO} × faster, memory at most ${MOST_MEMORY} × the file`);
    console.table(rows);
    const growth = (took.get(50_000) as number) / (took.get(5_000) as number);
    const utility = findProgram('sbom-utility');
    if (utility === undefined) console.log('sbom-utility is left out: it is not on PATH');
    else besideUtility(utility, generated);
    console.log(`From 5,000 to 50,000 components: ${growth.toFixed(1)} × the time (at most ${MOST_GROWTH} wanted)`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
