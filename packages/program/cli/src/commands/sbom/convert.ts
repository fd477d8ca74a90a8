import { type Converted, convertBom } from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { attributionFaults } from '../../sbom-file/attribution-faults.ts';
import {
  type ConversionFlags,
  parseNamespace,
  tellChanges,
  versionChange,
  withConversion,
} from '../../sbom-file/conversion-flags.ts';
import { readAttributedSbom } from '../../sbom-file/sbom-file.ts';
import { assertWritableOut, isOnStdout, outOption, writeSbom } from '../../sbom-file/sbom-output.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import type { SbomConvertResult } from './document-results.ts';

type ConvertFlags = ConversionFlags & {
  readonly fromNamespace?: string;
  readonly failOnLoss?: boolean;
  readonly out?: string;
  readonly output: OutputFormat;
};

/** `colophon sbom convert`: a document in the other profile, variant or version, and what it loses by that. */
export function defineConvert(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom convert marked.cdx.json --profile spec --out marked.spec.json'));
  withConversion(command)
    .option('--from-namespace <name>', "that variant B's properties have now (default: vendor)", parseNamespace)
    .option('--fail-on-loss', 'refuse a conversion that loses anything (exit 20)')
    .addOption(outOption())
    .addOption(outputOption())
    .action((file: string, flags: ConvertFlags) => convert(file, flags, session));
}

async function convert(file: string, flags: ConvertFlags, { terminal }: Session): Promise<void> {
  assertWritableOut(flags.out);
  const bom = await readAttributedSbom(file);
  const { profile, variant, namespace, fromNamespace } = flags;
  const version = versionChange(bom, flags);
  const converted = convertBom(bom, {
    profile,
    ...(variant && { variant }),
    ...(namespace && { namespace }),
    ...(fromNamespace && { fromNamespace }),
    ...(version && { version }),
  });
  if (flags.failOnLoss === true && converted.losses.length > 0) throw lossy(file, converted);
  const notes = [...converted.notes, ...attributionFaults(converted.bom, profile)];
  writeSbom(terminal, flags.out, converted.bom);
  const isReported = flags.output === 'json' && !isOnStdout(flags.out);
  if (!isReported) tellChanges(terminal, converted.losses, notes);
  if (isOnStdout(flags.out)) return;
  const record: SbomConvertResult = {
    ok: true,
    file,
    out: flags.out as string,
    profile,
    spec_version: converted.bom.specVersion,
    losses: converted.losses,
    notes,
  };
  printResult(
    terminal,
    flags.output,
    record,
    ({ out, losses }) => `wrote ${oneLine(out)}, ${counted(losses.length, 'loss')}\n`,
  );
}

function lossy(file: string, { losses }: Converted): CliError {
  return new CliError('cli.sbom_lossy', 'the conversion would lose something', {
    checked: file,
    issues: losses.map(({ path, what, why }) => ({ path, code: 'cli.sbom_lossy', message: `${what}: ${why}` })),
    expected: 'no loss, or the command without --fail-on-loss',
  });
}
