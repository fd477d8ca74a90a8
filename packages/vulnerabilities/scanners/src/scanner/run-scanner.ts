import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inScratchFolder } from '@colophon/durable-file';
import {
  findProgram,
  GeneratorError,
  type GeneratorErrorCode,
  type ProgramEnd,
  programEnvironment,
  runProgram,
} from '@colophon/generators';
import type { Scanner } from '@colophon/records';
import { ScannerError, type ScannerErrorCode } from '../scanner-error/scanner-error.ts';
import { textOf } from '../scanner-output/members.ts';
import { MAX_OUTPUT_BYTES } from '../scanner-output/output-document.ts';
import { utcTime } from '../scanner-output/utc-time.ts';
import { imageOf, type ScanTarget } from './scan-target.ts';
import { type ScannedDocument, scannedDocument } from './scanned-document.ts';
import { SCANNER_NAMES, SCANNERS, type ScannerName, type ScannerProgram } from './scanners.ts';

/** A scanner that is there. */
export type InstalledScanner = { readonly name: ScannerName /** Absolute. */; readonly file: string };

/** One scan. */
export type ScannerRequest = {
  /** The first that is installed where none is named. */
  readonly scanner?: ScannerName | undefined;
  readonly target: ScanTarget;
  /** Flags of the scanner's own, before what is scanned; from the command line alone. */
  readonly args?: readonly string[] | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Default 10 minutes: a scanner may bring its database first. */
  readonly timeoutMs?: number | undefined;
};

/** What a scanner wrote, and what it says of itself. */
export type ScannerRun = {
  /** Version and age of the database as far as anybody says; for osv-scanner's service the time of asking. */
  readonly scanner: Scanner;
  /** The bytes as they came; `readScannerOutput` reads them. Their target is a copy of the SBOM that is gone. */
  readonly output: Uint8Array;
  /** RFC 3339 in UTC. */
  readonly startedAt: string;
  /** Its last words for people: what it left out, which databases it used. */
  readonly log: string;
};

/** Of a whole scan. */
export const DEFAULT_SCAN_TIMEOUT_MS = 10 * 60_000;
/** Of a question that needs no network. */
const QUESTION_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** The scanners on PATH, or installed beside this program; in the order in which one is taken. */
export function installedScanners(env: NodeJS.ProcessEnv): readonly InstalledScanner[] {
  return SCANNER_NAMES.flatMap((name) => {
    const file = findProgram(name, env['PATH']);
    return file === undefined ? [] : [{ name, file }];
  });
}

/**
 * Runs a scanner on an SBOM or an image, without a shell and in an empty folder of its own. That it found something is
 * no error.
 * @throws ScannerError `feeds.scanner_missing`, `feeds.scanner_target` for no SBOM, `feeds.scanner_no_packages`,
 *   `feeds.scanner_failed`, `feeds.scanner_timeout`, `feeds.scanner_output`; GeneratorError `feeds.target_unknown` for no
 *   name of an image; ScratchError `scratch.folder_unusable`; the signal's reason where that aborts
 */
export async function runScanner(request: ScannerRequest): Promise<ScannerRun> {
  const { target, args = [], env, signal, timeoutMs = DEFAULT_SCAN_TIMEOUT_MS } = request;
  const { name, file } = requireScanner(request);
  const program = SCANNERS[name];
  const subject = target.kind === 'sbom' ? scannedDocument(target.bytes) : imageOf(target.reference);
  return inScratchFolder('scan', async (scratch) => {
    const run = (argv: readonly string[], limits: { timeoutMs: number; maxBytes: number }) =>
      runNamed(name, { file, args: argv, cwd: scratch, env: programEnvironment(env, program.env), signal, ...limits });
    const argv = await argumentsFor(program, subject, scratch, args);
    const startedAt = new Date().toISOString();
    const end = await run(argv, { timeoutMs, maxBytes: MAX_OUTPUT_BYTES });
    checkEnd(name, end, program.exits.get(end.exitCode));
    const own = program.databaseBuiltAt?.({ stderr: end.stderr, startedAt });
    const said = await askAll(name, (one) => run(one, { timeoutMs: QUESTION_TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES }));
    return {
      scanner: { ...said, ...(own !== undefined && { databaseBuiltAt: own }) },
      output: end.stdout,
      startedAt,
      log: end.stderr,
    };
  });
}

async function argumentsFor(
  program: ScannerProgram,
  subject: ScannedDocument | string,
  scratch: string,
  more: readonly string[],
): Promise<readonly string[]> {
  if (typeof subject === 'string') return program.imageArgs(subject, more);
  const file = join(scratch, subject.fileName);
  await writeFile(file, subject.bytes, { flag: 'wx' });
  return program.sbomArgs(file, more);
}

/**
 * The scanner of this name, or the first that is installed.
 * @throws ScannerError `feeds.scanner_missing`
 */
export function requireScanner({ scanner, env }: Pick<ScannerRequest, 'scanner' | 'env'>): InstalledScanner {
  const installed = installedScanners(env);
  const found = installed.find(({ name }) => scanner === undefined || name === scanner);
  if (found !== undefined) return found;
  const names = scanner === undefined ? SCANNER_NAMES : [scanner];
  throw new ScannerError('feeds.scanner_missing', `${names.join(', ')}: not on PATH`, {
    expected: names.join(' or '),
    found: installed.map(({ name }) => name).join(', ') || 'no scanner',
    next: names.map((name) => `${name}: ${SCANNERS[name].install}`).join('; '),
  });
}

function checkEnd(name: ScannerName, { exitCode, stdout, stderr }: ProgramEnd, means: string | undefined): void {
  if (means === 'nothing to scan') {
    throw new ScannerError('feeds.scanner_no_packages', `${name} found no package that it can look up`, {
      found: lastWords(stderr),
      expected: 'components with package URLs',
    });
  }
  if (exitCode !== 0 && means === undefined) {
    throw new ScannerError('feeds.scanner_failed', `${name} ended with exit code ${exitCode}`, {
      found: lastWords(stderr),
    });
  }
  if (stdout.length > 0) return;
  throw new ScannerError('feeds.scanner_output', `${name} wrote nothing`, { found: lastWords(stderr) });
}

/** What a scanner says of itself; a question that it does not answer stays open and is no error. */
async function askAll(name: ScannerName, ask: (args: readonly string[]) => Promise<ProgramEnd>): Promise<Scanner> {
  let facts: { version?: unknown; databaseBuiltAt?: unknown } = {};
  for (const { args, read } of SCANNERS[name].questions) {
    try {
      const { stdout } = await ask(args);
      facts = { ...facts, ...read(new TextDecoder().decode(stdout)) };
    } catch (error) {
      if (!(error instanceof ScannerError)) throw error;
    }
  }
  const version = textOf(facts.version);
  const databaseBuiltAt = utcTime(facts.databaseBuiltAt);
  return {
    name,
    ...(version !== undefined && version !== '[not provided]' && { version }),
    ...(databaseBuiltAt !== undefined && { databaseBuiltAt }),
  };
}

const CODES: ReadonlyMap<GeneratorErrorCode, ScannerErrorCode> = new Map([
  ['feeds.generator_failed', 'feeds.scanner_failed'],
  ['feeds.generator_timeout', 'feeds.scanner_timeout'],
  ['feeds.generator_output', 'feeds.scanner_output'],
]);

/** As `runProgram`, with codes and words of a scanner. */
async function runNamed(name: string, run: Parameters<typeof runProgram>[0]): Promise<ProgramEnd> {
  try {
    return await runProgram(run);
  } catch (error) {
    const code = error instanceof GeneratorError ? CODES.get(error.code) : undefined;
    if (code === undefined) throw error;
    const { message, facts } = error as GeneratorError;
    throw new ScannerError(code, `${name}: ${message}`, { ...facts, cause: error });
  }
}

const SHOWN_LINES = 5;
const SHOWN_LENGTH = 1000;

function lastWords(stderr: string): string {
  const lines = stderr.split('\n').flatMap((line) => line.trim() || []);
  return lines.length === 0 ? 'no error message' : lines.slice(-SHOWN_LINES).join(' | ').slice(-SHOWN_LENGTH);
}
