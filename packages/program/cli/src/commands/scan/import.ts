import { AssessmentMemory, type AssessmentNote } from '@colophon/findings';
import type { ScanRecord } from '@colophon/records';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { unreadable } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import type { Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { exitCodeOf, printError, reportOf } from '../../report/report.ts';
import { expandPaths, type SbomPath } from '../../sbom-file/sbom-paths.ts';
import { readScanFile } from '../../scan-file/scan-file.ts';
import { assertRecordWritable, presentScans, type ScanFlags, scanOptions } from '../../scan-file/scan-presentation.ts';
import { readScannedSbom } from '../../scan-file/scanned-sbom.ts';
import { counted } from '../../terminal/terminal.ts';

type ImportFlags = ScanFlags & { readonly sbom?: string };

/** `colophon scan import`: findings of any scanner, merged and scored (contract §2.7). */
export function defineImport(command: Command, session: Session): void {
  command
    .addHelpText(
      'after',
      example(
        'colophon scan import grype.json trivy.json',
        'grype sbom:app.cdx.json -o json | colophon scan import - --fail-on high',
      ),
    )
    .option('--sbom <file>', 'the SBOM that was scanned: recorded; components outside it get a warning');
  for (const option of scanOptions()) command.addOption(option);
  command.action(async (paths: string[], flags: ImportFlags) => {
    assertRecordWritable(flags);
    const sbom = flags.sbom === undefined ? undefined : await readScannedSbom(flags.sbom);
    const facts = {
      memory: new AssessmentMemory(),
      ...(sbom === undefined ? {} : { sbom: sbom.sbom }),
      ...(flags.scannedAt === undefined ? {} : { scannedAt: flags.scannedAt }),
      ...(flags.databaseTime === undefined ? {} : { databaseBuiltAt: flags.databaseTime }),
      at: new Date().toISOString(),
    };
    const files = await expandPaths(paths);
    const { scans, notes, failures } = await readAll(files, facts, session);
    // An empty list would say that nothing was found.
    if (scans.length === 0) throw nothingRead(failures);
    presentScans(
      { scans, notes, file: files[0]?.file ?? '-', ...(sbom === undefined ? {} : { sbom }) },
      flags,
      session,
    );
    for (const failure of failures) printError(session.terminal, 'table', reportOf(failure));
    const [first] = failures;
    if (first !== undefined) session.setExitCode(exitCodeOf(first));
  });
}

type ReadAll = {
  readonly scans: readonly ScanRecord[];
  readonly notes: readonly AssessmentNote[];
  /** Files that could not be read; the others were all the same. */
  readonly failures: readonly CliError[];
};

async function readAll(
  files: readonly SbomPath[],
  facts: Parameters<typeof readScanFile>[1],
  { terminal, signal }: Session,
): Promise<ReadAll> {
  const scans: ScanRecord[] = [];
  const notes: AssessmentNote[] = [];
  const failures: CliError[] = [];
  const progress = progressLine(terminal);
  for (const [index, { file, isUnmatched }] of files.entries()) {
    signal.throwIfAborted();
    progress.show(`reading ${index + 1} of ${counted(files.length, 'file')}: ${file}`);
    try {
      if (isUnmatched) throw unreadable(file, 'no file matches this pattern');
      const read = await readScanFile(file, facts);
      for (const scan of read.scans) scans.push(scan);
      for (const note of read.notes) notes.push(note);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failures.push(error);
    }
  }
  progress.clear();
  return { scans, notes, failures };
}

function nothingRead(failures: readonly CliError[]): CliError {
  const [first] = failures;
  if (first !== undefined && failures.length === 1) return first;
  const message = failures.length === 0 ? 'the files hold no scans' : 'none of the files could be read';
  const issues = failures.map(({ code, message: why, facts }) => ({ path: facts.checked ?? '', code, message: why }));
  return new CliError('cli.scan_invalid', message, { issues, kind: first?.kind ?? 'refused' });
}
