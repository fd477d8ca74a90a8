// One contender and one file in a process of its own: `contender.ts ours|library FILE [once]`. Prints one line of JSON.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createBomValidator, type SchemaSource } from '@colophon/sbom';
import { type Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { measure, median } from '../measure/measure.ts';

const ROUNDS = 7;
/** CPU; what takes longer is done once. */
const LONGEST_MS = 3_000;

/** What a contender needed. */
export type Needed = {
  readonly isValid: boolean;
  /** The first document of a process, a tiny one: reading and compiling the schema. */
  readonly coldMs: number;
  /** CPU of the same. */
  readonly coldCpuMs: number;
  /** CPU of the file's first round, as a program has it that validates one file and ends. */
  readonly firstCpuMs: number;
  /** CPU of the file, the median of its rounds. */
  readonly cpuMs: number;
  /** Growth of the resident memory at its highest in the first round, over what the process had before. */
  readonly memoryBytes: number;
};

type Contender = (bytes: Uint8Array) => Promise<boolean>;

function ours(): Contender {
  const library = dirname(fileURLToPath(import.meta.resolve('@cyclonedx/cyclonedx-library/package.json')));
  const read: SchemaSource = (file) => JSON.parse(readFileSync(join(library, 'res', 'schema', file), 'utf8'));
  const validator = createBomValidator(read);
  return async (bytes) => validator.validateBytes(bytes).valid;
}

function library(version: string): Contender {
  const validator = new Validation.JsonValidator(version as Spec.Version);
  return async (bytes) => (await validator.validate(Buffer.from(bytes).toString())) === null;
}

const [name, file, once] = process.argv.slice(2);
const bytes = readFileSync(file as string);
const { specVersion } = JSON.parse(bytes.toString()) as { specVersion: string };
const contender = name === 'ours' ? ours() : library(specVersion);

const small = Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion, version: 1 }));
const started = performance.now();
const { cpuMicros: coldMicros } = await measure([small], contender);
const coldMs = performance.now() - started;

globalThis.gc?.();
const before = process.memoryUsage.rss();
const times: number[] = [];
let isValid = false;
const round = async () => {
  const { cpuMicros } = await measure([bytes], async (input) => {
    isValid = await contender(input);
  });
  return cpuMicros / 1000;
};
const first = await round();
const memoryBytes = Math.max(process.resourceUsage().maxRSS * 1024 - before, 0);
// The first round does not count, unless it has taken so long that nobody wants to see it again.
for (let left = first > LONGEST_MS || once !== undefined ? 0 : ROUNDS; left > 0; left -= 1) times.push(await round());
if (times.length === 0) times.push(first);
const measured = {
  isValid,
  coldMs,
  coldCpuMs: coldMicros / 1000,
  firstCpuMs: first,
  cpuMs: median(times),
  memoryBytes,
};
console.log(JSON.stringify(measured satisfies Needed));
