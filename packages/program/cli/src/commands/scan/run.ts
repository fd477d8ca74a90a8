import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { AssessmentNote } from '@colophon/findings';
import { GeneratorError } from '@colophon/generators';
import type { ScanRecord } from '@colophon/records';
import {
  installedScanners,
  type KnownSbom,
  runScanner,
  SCANNER_NAMES,
  ScannerError,
  type ScannerName,
  type ScanTarget,
} from '@colophon/scanners';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import type { Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { showUntilDone } from '../../progress-line/progress-line.ts';
import { exitCodeOf, printError, reportOf } from '../../report/report.ts';
import { openOutput, readOpenedFile } from '../../scan-file/scan-file.ts';
import { assertRecordWritable, presentScans, type ScanFlags, scanOptions } from '../../scan-file/scan-presentation.ts';
import { readScannedSbom } from '../../scan-file/scanned-sbom.ts';
import { oneLine } from '../../terminal/terminal.ts';

type RunFlags = ScanFlags & {
  readonly sbom?: string;
  readonly image?: string;
  readonly scanner?: string[];
  readonly scannerArg?: string[];
  readonly keep?: string;
  readonly timeout?: number;
};

/** `colophon scan run`: the scanners that are installed, called on an SBOM or an image. */
export function defineRun(command: Command, session: Session): void {
  withNeeds(command, { what: 'what is scanned', oneOf: ['--sbom', '--image'] })
    .addHelpText('after', example('colophon scan run --sbom app.cdx.json --scanner grype --record scan.json'))
    .option('--sbom <file>', 'the CycloneDX document to look at')
    .option('--image <reference>', 'the image to look at')
    .option('--scanner <name>', 'which scanner; repeatable (default: the first that is there)', everyValue)
    .option('--scanner-arg <argument>', 'a flag of the scanner’s own; repeatable', everyValue)
    .option('--keep <folder>', 'folder to keep the scanners’ own outputs in')
    .addOption(new Option('--timeout <seconds>', 'how long one scanner may take (default: 600)').argParser(seconds));
  for (const option of scanOptions()) command.addOption(option);
  command.action(async (flags: RunFlags) => {
    assertRecordWritable(flags);
    const names = scannersOf(flags, session);
    const { target, sbom, file } = await targetOf(flags);
    const { scans, notes, failures } = await runAll(names, target, sbom, flags, session);
    const [first] = failures;
    if (scans.length === 0) throw first ?? new CliError('cli.internal', 'no scanner was run');
    presentScans({ scans, notes, file, ...(sbom === undefined ? {} : { sbom }) }, flags, session);
    for (const failure of failures) printError(session.terminal, 'table', reportOf(failure));
    if (first !== undefined) session.setExitCode(exitCodeOf(first));
  });
}

function seconds(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of seconds.');
}

/** The scanners that are wanted; said is which of them are there. */
function scannersOf({ scanner }: RunFlags, { terminal, env }: Session): readonly (ScannerName | undefined)[] {
  const isKnown = (name: string): name is ScannerName => SCANNER_NAMES.some((known) => known === name);
  const unknown = scanner?.find((name) => !isKnown(name));
  if (unknown !== undefined) {
    throw new CliError('cli.usage', `${oneLine(unknown)} is not a supported scanner`, {
      expected: `${SCANNER_NAMES.join(', ')}; or the JSON output of another`,
      next: 'colophon scan import FILE',
    });
  }
  const installed = installedScanners(env).map(({ name }) => name);
  if (installed.length > 0) terminal.stderr.write(`installed: ${installed.join(', ')}\n`);
  return scanner === undefined ? [undefined] : [...new Set(scanner.filter(isKnown))];
}

type Target = { readonly target: ScanTarget; readonly sbom?: KnownSbom; readonly file: string };

async function targetOf({ sbom: file, image }: RunFlags): Promise<Target> {
  if (file !== undefined && image !== undefined) {
    throw new CliError('cli.usage', 'one thing is scanned at a time', {
      expected: '--sbom FILE, or --image REFERENCE',
    });
  }
  if (image !== undefined) return { target: { kind: 'image', reference: image }, file: image };
  const sbom = await readScannedSbom(file as string);
  return { target: { kind: 'sbom', bytes: sbom.bytes }, sbom, file: file as string };
}

/** Why one scanner gave nothing; the others are run all the same. */
type RunFailure = CliError | ScannerError | GeneratorError;

function isRunFailure(error: unknown): error is RunFailure {
  return error instanceof CliError || error instanceof ScannerError || error instanceof GeneratorError;
}

async function runAll(
  names: readonly (ScannerName | undefined)[],
  target: ScanTarget,
  sbom: KnownSbom | undefined,
  flags: RunFlags,
  { terminal, env, signal }: Session,
): Promise<{ scans: ScanRecord[]; notes: AssessmentNote[]; failures: RunFailure[] }> {
  const [scans, notes, failures]: [ScanRecord[], AssessmentNote[], RunFailure[]] = [[], [], []];
  for (const name of names) {
    const done = showUntilDone(terminal, `${name ?? 'the scanner'} is at work`);
    try {
      const run = await runScanner({
        ...(name === undefined ? {} : { scanner: name }),
        target,
        args: flags.scannerArg ?? [],
        env,
        signal,
        ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout * 1000 }),
      });
      const outputName = `${run.scanner.name}.json`;
      if (flags.keep !== undefined) keepOutput(flags.keep, outputName, run.output);
      const read = await readOpenedFile(openOutput(run.output, outputName), {
        ...(sbom === undefined ? {} : { sbom: sbom.sbom }),
        scannedAt: flags.scannedAt ?? run.startedAt,
        ...(flags.databaseTime === undefined ? {} : { databaseBuiltAt: flags.databaseTime }),
      });
      // What the program says of itself, its output need not repeat; and it was given a copy under another name.
      const looked = sbom === undefined ? {} : { target: basename(flags.sbom as string) };
      scans.push(...read.scans.map((scan) => ({ ...scan, ...looked, scanner: { ...run.scanner, ...scan.scanner } })));
      for (const note of read.notes) notes.push(note);
    } catch (error) {
      if (!isRunFailure(error)) throw error;
      failures.push(error);
    } finally {
      done();
    }
  }
  return { scans, notes, failures };
}

function keepOutput(folder: string, name: string, output: Uint8Array): void {
  mkdirSync(folder, { recursive: true });
  writeOutput(join(folder, name), output);
}
