import { type Bom, type BomDiff, diffBoms, MAX_BOM_BYTES } from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { coloursFor, moreLine, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { SbomDiffResult } from './document-results.ts';

type DiffFlags = {
  readonly exitCode?: boolean;
  readonly namespace?: string;
  readonly output: OutputFormat | 'markdown';
};

/** So many lines of each kind are shown to people; the JSON document has them all. */
const MOST_SHOWN = 200;

/** `colophon sbom diff`: what one document says and the other does not. */
export function defineDiff(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom diff app.cdx.json patched.cdx.json --exit-code'));
  command
    .option('--exit-code', 'exit 12 where they say different things; serial number, time and tools do not count')
    .option('--namespace <name>', 'of the properties that mark vendored code (default: vendor)')
    .addOption(outputOption('markdown'))
    .action(async (before: string, after: string, flags: DiffFlags) => {
      if (before === '-' && after === '-') {
        throw new CliError('cli.usage', 'standard input holds one document', {
          expected: 'one -, one file',
        });
      }
      const { terminal } = session;
      const left = await readDocument(before, session);
      const right = await readDocument(after, session);
      const { namespace } = flags;
      const diff = diffBoms(left, right, namespace === undefined ? {} : { namespace });
      const isRefused = flags.exitCode === true && diff.different;
      const [one, other] = [sideOf(before, left), sideOf(after, right)];
      const record: SbomDiffResult = { ok: !isRefused, before: one, after: other, ...diff };
      if (flags.output === 'markdown') terminal.stdout.write(markdown(record));
      else printResult(terminal, flags.output, record, (result) => describe(result, session));
      if (isRefused) session.setExitCode(EXIT.doesNotMatch);
    });
}

/** Also one that is not valid, as far as it can be read: a comparison decides nothing. */
async function readDocument(file: string, { terminal }: Session): Promise<Bom> {
  const { document, issues, valid } = bomValidator().validateBytes(await readBounded(file, MAX_BOM_BYTES), {
    profile: 'spec',
  });
  const next = `colophon sbom validate --profile spec ${shellWord(file)}`;
  if (document === undefined) {
    throw new CliError('cli.sbom_invalid', `${file} is no CycloneDX document`, {
      checked: file,
      issues: issues.filter(({ severity }) => severity === 'error'),
      next,
    });
  }
  if (!valid) terminal.stderr.write(`${oneLine(`note: ${file} is no valid SBOM, see ${next}`)}\n`);
  return document;
}

function sideOf(file: string, { serialNumber, version }: Bom): SbomDiffResult['before'] {
  return {
    file,
    ...(serialNumber !== undefined && { serial_number: serialNumber }),
    ...(version !== undefined && { version }),
  };
}

type Section = { readonly title: string; readonly count: number; readonly lines: readonly string[] };

/** Each kind of difference with its lines, `+` for what is new and `-` for what is gone. */
function sectionsOf(record: SbomDiffResult): Section[] {
  const mark = ({ component, agent_authored }: BomDiff['added_components'][number]) =>
    `${component}${agent_authored ? ' (agent-authored)' : ''}`;
  const edge = ({ from, to }: BomDiff['added_dependencies'][number]) => `${from} needs ${to}`;
  const section = (title: string, items: readonly string[], lines: readonly string[] = items): Section => ({
    title,
    count: items.length,
    lines,
  });
  const changed = record.changed_components.flatMap(({ component, attribution, changes }) => [
    `~ ${component}${attribution === undefined ? '' : ` (${attribution === 'changed' ? 'attribution changed' : attribution})`}`,
    ...changes.map(({ field, before, after }) => `    ${field}: ${before ?? '(none)'} → ${after ?? '(none)'}`),
  ]);
  return [
    section(
      'document',
      record.document_changes.map(
        ({ field, before, after }) => `~ ${field}: ${before ?? '(none)'} → ${after ?? '(none)'}`,
      ),
    ),
    section(
      'components added',
      record.added_components.map((one) => `+ ${mark(one)}`),
    ),
    section(
      'components removed',
      record.removed_components.map((one) => `- ${mark(one)}`),
    ),
    { title: 'components changed', count: record.changed_components.length, lines: changed },
    section(
      'dependencies added',
      record.added_dependencies.map((one) => `+ ${edge(one)}`),
    ),
    section(
      'dependencies removed',
      record.removed_dependencies.map((one) => `- ${edge(one)}`),
    ),
  ].filter(({ count }) => count > 0);
}

function summary(result: SbomDiffResult): string {
  const { added_components: added, removed_components: removed, changed_components: changed } = result;
  return `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${result.unchanged_count} the same`;
}

function describe(record: SbomDiffResult, { terminal }: Session): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const lines = sectionsOf(record).flatMap(({ title, count, lines }) => [
    colours.bold(`${title} (${count})`),
    ...shown(lines).map((line) => `  ${oneLine(line)}`),
  ]);
  const { before, after } = record;
  return [...lines, oneLine(`${before.file} → ${after.file}: ${summary(record)}`)].map((line) => `${line}\n`).join('');
}

function markdown(record: SbomDiffResult): string {
  const head = `**${inCode(record.before.file)} → ${inCode(record.after.file)}**: ${summary(record)}`;
  const sections = sectionsOf(record).map(({ title, count, lines }) => {
    const fence = '`'.repeat(Math.max(3, longestTicks(lines) + 1));
    return [`### ${title} (${count})`, '', `${fence}diff`, ...shown(lines).map(oneLine), fence].join('\n');
  });
  return `${[head, ...sections].join('\n\n')}\n`;
}

function shown(lines: readonly string[]): string[] {
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), moreLine(more, more === 1 ? 'line' : 'lines')] : [...lines];
}

/** A fence is longer than any that stands inside it. */
function longestTicks(lines: readonly string[]): number {
  return Math.max(
    0,
    ...lines.slice(0, MOST_SHOWN).flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)),
  );
}

function inCode(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'")}\``;
}
