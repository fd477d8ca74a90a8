import {
  checkRetention,
  openSource,
  openTarget,
  type Restored,
  type RetentionReport,
  restore,
  unpublish,
} from '@colophon/publishing';
import { parsePublicationName } from '@colophon/publishing/publication-rules';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { counted, formatTable, oneLine } from '../../terminal/terminal.ts';
import { announce, PLACE_HELP, type PlaceFlags, placeOf, placeOptions, withPlace } from './publishing-place.ts';

type Flags = PlaceFlags & { readonly output: OutputFormat };
type CheckFlags = Flags & { readonly from?: string };
type RestoreFlags = Flags & { readonly from: string; readonly to?: string };
type UnpublishFlags = Flags & { readonly from?: string };

/** `colophon sbom retention check|restore`: what is published is kept for its years (contract §8). */
export function defineRetention(retention: Command, session: Session): void {
  withPlace(retention.command('check').description('verify every published file against the index'))
    .addHelpText('after', example('colophon sbom retention check'))
    .option('--from <place>', PLACE_HELP)
    .addOption(outputOption())
    .action(async (flags: CheckFlags, command: Command) => {
      const source = await openSource(placeOf(flags.from, command, session), await placeOptions(flags, session));
      announce(session, `reading everything at ${oneLine(source.place)}`);
      const report = await checkRetention(source);
      printResult(session.terminal, flags.output, { ok: report.problems.length === 0, ...report }, describeReport);
      if (report.problems.length > 0) session.setExitCode(EXIT.doesNotMatch);
    });
  withPlace(retention.command('restore').description('restore missing or changed files from a backup'))
    .addHelpText('after', example('colophon sbom retention restore --from ./backup'))
    .requiredOption('--from <place>', 'a copy of a place: a folder, s3://bucket/prefix or https://host/path')
    .option('--to <place>', PLACE_HELP)
    .addOption(outputOption())
    .action(async (flags: RestoreFlags, command: Command) => {
      const options = await placeOptions(flags, session);
      const place = placeOf(flags.to, command, session);
      const source = await openSource(flags.from, { ...options, ...(isOtherServer(flags.from, place) && NO_LOGIN) });
      const target = await openTarget(place, options);
      announce(session, `restoring ${oneLine(target.place)}`);
      const restored = await restore(source, target, () => new Date());
      printResult(session.terminal, flags.output, { ok: true, ...restored }, describeRestored);
    });
}

/** `colophon sbom unpublish`: of what is published, a version whose years are over is deleted. */
export function defineUnpublish(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom unpublish shop@1.0.0'));
  withPlace(command)
    .option('--from <place>', PLACE_HELP)
    .addOption(outputOption())
    .action(async (text: string, flags: UnpublishFlags, command: Command) => {
      const { artifact, version } = parsePublicationName(text);
      if (version === undefined) {
        throw new CliError('cli.usage', 'one version is deleted at a time', {
          expected: 'ARTIFACT@VERSION',
          found: text,
        });
      }
      const target = await openTarget(placeOf(flags.from, command, session), await placeOptions(flags, session));
      const { deleted_files } = await unpublish(target, { artifact, version }, () => new Date());
      const record = { ok: true, artifact, version, place: target.place, deleted_files };
      printResult(session.terminal, flags.output, record, () =>
        formatTable(deleted_files.map((file) => ['deleted', file])),
      );
    });
}

/** The login is for the place that is restored; a backup elsewhere has another one. */
const NO_LOGIN = { authorization: undefined };

function isOtherServer(backup: string, place: string): boolean {
  const [from, to] = [backup, place].map((text) => (URL.canParse(text) ? new URL(text) : undefined));
  return /^https?:$/.test(to?.protocol ?? '') && from?.origin !== to?.origin;
}

function describeReport({ place, version_count, file_count, problems }: RetentionReport): string {
  return formatTable([
    ['checked', place],
    ['versions', String(version_count)],
    [
      'files',
      `${file_count}, ${problems.length === 0 ? 'all as they were published' : counted(problems.length, 'problem')}`,
    ],
    ...problems.map(({ file, problem, expected, found }) => [
      `  ${problem}`,
      `${file}: expected ${expected}, found ${found}`,
    ]),
  ]);
}

function describeRestored({ place, restored_files }: Restored): string {
  const summary = restored_files.length === 0 ? 'nothing was missing' : counted(restored_files.length, 'file');
  return formatTable([['restored', place], ['', summary], ...restored_files.map((file) => ['', file])]);
}
