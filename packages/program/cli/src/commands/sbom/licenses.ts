import { existsSync } from 'node:fs';
import { placesOf } from '@colophon/json';
import { type LicenceList, type LicencePolicy, loadLicenceTexts, parseLicenceList } from '@colophon/licences';
import {
  BOM_CHECK_CODES,
  type Bom,
  carriesLicenceText,
  decideLicences,
  type LicenceOffence,
  MAX_BOM_BYTES,
} from '@colophon/sbom';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { widthOf } from '../../column-table/column-table.ts';
import { wrapLine } from '../../column-table/wrapped-lines.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type SarifFinding, sarifLog } from '../../sarif/sarif.ts';
import { bomValidator } from '../../sbom-file/official-schemas.ts';
import { coloursFor, counted, moreLine, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { SbomLicensesResult } from './document-results.ts';

type LicensesFlags = {
  readonly allow?: string[];
  readonly deny?: string[];
  readonly allowUnknown?: boolean;
  readonly includeRoot?: boolean;
  readonly skipExcluded?: boolean;
  readonly namespace?: string;
  readonly output: OutputFormat | 'sarif' | 'markdown';
};
/** With where it stands in the file. */
type PlacedOffence = SbomLicensesResult['offending'][number];

/** `colophon sbom licenses`: may a release have these licences (contract §7). Exit 20 is a refusal. */
export function defineLicenses(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom licenses app.cdx.json --allow MIT,ISC,Apache-2.0,WTFPL'));
  withNeeds(command, { what: 'which licences are allowed', oneOf: ['--allow', '--deny'] })
    .option('--allow <list>', 'licences that are allowed: a file, or SPDX ids with commas between', everyValue)
    .option(
      '--deny <list>',
      'licences that are not, even if allowed: a file, or SPDX ids with commas between',
      everyValue,
    )
    .option('--allow-unknown', 'accept components with no licence or with one that cannot be looked up')
    .option('--include-root', 'check the licence of the described artifact too')
    .option('--skip-excluded', 'leave out components of scope "excluded" (tests, tools)')
    .option('--namespace <name>', 'of the properties that mark vendored code (default: what the component uses)')
    .addOption(outputOption('sarif', 'markdown'))
    .action(async (file: string, flags: LicensesFlags) => {
      const policy = await readPolicy(flags);
      const { bom, bytes, valid } = await readDocument(file);
      const texts = carriesLicenceText(bom) ? await loadLicenceTexts() : undefined;
      const decision = decideLicences(bom, policy, texts);
      const { offending, contradicting, unknown } = decision;
      const { places } = placesOf(
        Buffer.from(bytes).toString(),
        [...offending, ...contradicting, ...unknown].map(({ path }) => path),
      );
      const placed = (offence: LicenceOffence): PlacedOffence => ({ ...offence, ...places.get(offence.path) });
      const record: SbomLicensesResult = {
        ok: decision.allowed && valid,
        file,
        ...decision,
        allowed: decision.allowed && valid,
        valid,
        offending: offending.map(placed),
        contradicting: contradicting.map(placed),
        unknown: unknown.map(placed),
      };
      const { terminal } = session;
      if (flags.output === 'sarif') printResult(terminal, 'json', sarifLog(findingsOf(record)), String);
      else if (flags.output === 'markdown') terminal.stdout.write(markdown(record));
      else printResult(terminal, flags.output, record, (result) => describe(result, session));
      if (!record.allowed) session.setExitCode(EXIT.refused);
    });
}

async function readDocument(file: string): Promise<{ bom: Bom; bytes: Uint8Array; valid: boolean }> {
  const bytes = await readBounded(file, MAX_BOM_BYTES);
  const { document, issues } = bomValidator().validateBytes(bytes, { profile: 'spec' });
  // Only what the schema refuses can hide a component or its licence; how complete an attribution is, is for validate.
  const others: ReadonlySet<string> = new Set(BOM_CHECK_CODES);
  const errors = issues.filter(({ severity, code }) => severity === 'error' && !others.has(code));
  if (document !== undefined) return { bom: document, bytes, valid: errors.length === 0 };
  throw new CliError('cli.sbom_invalid', `${file} is no CycloneDX document`, {
    checked: file,
    issues: errors,
    next: validateCommand(file),
  });
}

function validateCommand(file: string): string {
  return `colophon sbom validate --profile spec ${shellWord(file)}`;
}

async function readPolicy(flags: LicensesFlags): Promise<LicencePolicy> {
  const { allowUnknown = false, includeRoot = false, skipExcluded = false, namespace } = flags;
  return {
    ...(flags.allow === undefined ? {} : { allow: await readLists(flags.allow) }),
    ...(flags.deny === undefined ? {} : { deny: await readLists(flags.deny) }),
    allowUnknown,
    includeRoot,
    skipExcluded,
    ...(namespace === undefined ? {} : { namespace }),
  };
}

/** Bytes; a list of everything that SPDX lists has 15,000. */
const MAX_LIST_BYTES = 1024 * 1024;
/** What looks like the name of a file is one, also where it is not there: a list of licences has no such form. */
const FILE_NAME = /[/\\]|\.(?:txt|json|list|conf|ya?ml)$/i;

async function readLists(values: readonly string[]): Promise<LicenceList> {
  const lists = await Promise.all(
    values.map(async (value) => {
      // First as it stands: a file that a repository calls `MIT` must not say what the caller's `MIT` allows.
      const stated = parseLicenceList(value);
      if (stated.ok) return stated.value;
      const isFile = value === '-' || existsSync(value) || FILE_NAME.test(value);
      const parsed = isFile
        ? parseLicenceList(Buffer.from(await readBounded(value, MAX_LIST_BYTES)).toString())
        : stated;
      if (parsed.ok) return parsed.value;
      throw new CliError('cli.policy_invalid', `${isFile ? value : 'the list'} names no licences that can be used`, {
        checked: value,
        ...(isFile || /\s|,/.test(value) ? {} : { found: `${value}: there is no such file, either` }),
        issues: parsed.issues,
      });
    }),
  );
  return { terms: lists.flatMap(({ terms }) => terms), names: lists.flatMap(({ names }) => names) };
}

/** What is not refused for it already. */
function onlyContradicting({ offending, contradicting }: SbomLicensesResult): readonly PlacedOffence[] {
  const told = new Set(offending.filter(({ code }) => code === 'licence.text_contradicts').map(({ path }) => path));
  return contradicting.filter(({ path }) => !told.has(path));
}

function findingsOf(record: SbomLicensesResult): SarifFinding[] {
  const { file, offending, unknown } = record;
  const finding =
    (level: SarifFinding['level']) =>
    (offence: PlacedOffence): SarifFinding => ({
      code: offence.code,
      level,
      message: sentence(offence),
      file,
      path: offence.path,
      ...(offence.line === undefined ? {} : { line: offence.line }),
      ...(offence.column === undefined ? {} : { column: offence.column }),
    });
  return [
    ...offending.map(finding('error')),
    ...onlyContradicting(record).map(finding('warning')),
    ...unknown.map(finding('warning')),
  ];
}

/** One offender in one sentence, who wrote it first. */
function sentence(offence: LicenceOffence): string {
  const by = authorOf(offence);
  const from = originOf(offence);
  return `${by === undefined ? '' : `written by ${by}: `}${nameOf(offence)}: ${offence.message}${from === undefined ? '' : ` (${from})`}`;
}

function nameOf({ name, version, bom_ref }: LicenceOffence): string {
  return oneLine(`${name || bom_ref || '(no name)'}${version === undefined ? '' : `@${version}`}`);
}

function authorOf({ agent_authored, attribution }: LicenceOffence): string | undefined {
  if (!agent_authored) return undefined;
  const { agent, model, claimed: { basis, field_basis } = {} } = attribution ?? {};
  const who = agent === undefined ? 'an agent' : `agent ${agent}`;
  if (field_basis === undefined) {
    const by = model === undefined ? '' : ` (${model})`;
    return oneLine(`${who}${by}${basis === undefined ? '' : `, ${asClaim(basis)}`}`);
  }
  const worth = (field: 'agent' | 'model') => ` (${asClaim(field_basis[field]?.source ?? 'declared')})`;
  return oneLine(`${who}${worth('agent')}${model === undefined ? '' : `, model ${model}${worth('model')}`}`);
}

/** What a document says of its own evidence, which is not looked at here; `declared` claims nothing. */
function asClaim(word: string): string {
  return word === 'declared' ? word : `claimed ${word}`;
}

function originOf({ origin, attribution }: LicenceOffence): string | undefined {
  if (origin === undefined) return undefined;
  const { source_package, purl, licences } = origin;
  const how = attribution?.source_similarity === undefined ? '' : `, similarity ${attribution.source_similarity}`;
  const under = licences.length === 0 ? '' : `, ${licences.join(' and ')}`;
  return oneLine(`made from ${source_package ?? purl}${under}${how}`);
}

const MOST_SHOWN = 200;

function describe(record: SbomLicensesResult, { terminal }: Session): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const { allowed, file, offending, unknown } = record;
  const lines = [
    `${allowed ? colours.green('allowed') : colours.red('refused')}  ${oneLine(file)}: ${summary(record)}`,
    ...offending.slice(0, MOST_SHOWN).flatMap((offence) => ['', ...paragraph(offence, colours)]),
    ...more(offending),
  ];
  if (!record.valid)
    lines.push('', `${colours.red('the document breaks its schema')}: ${validateCommand(oneLine(file))}`);
  const contradicting = onlyContradicting(record);
  if (contradicting.length > 0) {
    lines.push('', colours.yellow(`the text is another licence than the stated one: ${contradicting.length}`));
    lines.push(
      ...contradicting
        .slice(0, MOST_SHOWN)
        .map((one) => `  ${nameOf(one)}  ${oneLine(one.message)}  ${colours.dim(one.code)}`),
      ...more(contradicting),
    );
  }
  if (unknown.length > 0) {
    lines.push('', colours.yellow(`accepted without a known licence: ${unknown.length}`));
    lines.push(
      ...unknown.slice(0, MOST_SHOWN).map((one) => `  ${nameOf(one)}  ${oneLine(one.message)}`),
      ...more(unknown),
    );
  }
  const width = widthOf({ terminal });
  return lines.map((line) => `${wrapLine(line, width, indentOf(line))}\n`).join('');
}

/** Below the words of a line with a name before them. */
function indentOf(line: string): string | undefined {
  return /^ {4}\S/.test(line) ? ' '.repeat(16) : undefined;
}

function summary({ component_count, offending, agent_authored_count }: SbomLicensesResult): string {
  const byAgents = offending.filter((one) => one.agent_authored).length;
  const refused =
    offending.length === 0
      ? ''
      : `${offending.length} refused${byAgents > 0 ? `, ${byAgents} of them written by agents` : ''}, of `;
  return `${refused}${counted(component_count, 'component')} (${agent_authored_count} written by agents)`;
}

function paragraph(offence: PlacedOffence, colours: ReturnType<typeof coloursFor>): string[] {
  const by = authorOf(offence);
  const from = originOf(offence);
  const mark = by === undefined ? '' : `${colours.yellow('[agent]')} `;
  return [
    `  ${mark}${colours.bold(nameOf(offence))}  ${oneLine(offence.message)}  ${colours.dim(offence.code)}`,
    ...(by === undefined ? [] : [`    written by  ${by}`]),
    ...(from === undefined ? [] : [`    origin      ${from}`]),
    ...differencesOf(offence),
    `    place       ${oneLine(placeOf(offence))}`,
  ];
}

const MOST_RUNS_SHOWN = 3;

/** The runs of words that a text has or lacks beside the licences in it. */
function differencesOf({ licences }: LicenceOffence): string[] {
  const runs = (name: string, of: 'additions' | 'omissions') => {
    const all = licences.flatMap((licence) => licence[of] ?? []);
    const rest =
      all.length > MOST_RUNS_SHOWN ? [`    ${' '.repeat(12)}… and ${all.length - MOST_RUNS_SHOWN} more`] : [];
    return [...all.slice(0, MOST_RUNS_SHOWN).map((run) => `    ${name}${oneLine(`“${run}”`)}`), ...rest];
  };
  return [...runs('added       ', 'additions'), ...runs('missing     ', 'omissions')];
}

function placeOf({ bom_ref, path, line }: PlacedOffence): string {
  return `${bom_ref === undefined ? '' : `${bom_ref} at `}${path}${line === undefined ? '' : `, line ${line}`}`;
}

function more(list: readonly unknown[]): string[] {
  return list.length > MOST_SHOWN ? ['', `  ${moreLine(list.length - MOST_SHOWN)}`] : [];
}

function markdown(record: SbomLicensesResult): string {
  const { allowed, file, offending, unknown } = record;
  const rows = (list: readonly LicenceOffence[]) =>
    list
      .slice(0, MOST_SHOWN)
      .map((one) =>
        [
          one.agent_authored ? `🤖 ${authorOf(one)}` : '',
          nameOf(one),
          one.message,
          originOf(one) ?? '',
          one.bom_ref ?? one.path,
        ]
          .map(cell)
          .join(' | ')
          .replace(/^|$/g, '|'),
      );
  const table = (list: readonly LicenceOffence[]) => [
    '| Written by | Component | Licence | Origin | Place |',
    '|---|---|---|---|---|',
    ...rows(list),
    ...more(list),
  ];
  const lines = [`### Licences ${allowed ? 'allowed' : 'refused'}: ${cell(file)}`, '', `${summary(record)}.`];
  if (!record.valid) lines.push('', `The document breaks its schema: run ${cell(validateCommand(file))}`);
  if (offending.length > 0) lines.push('', ...table(offending));
  const contradicting = onlyContradicting(record);
  if (contradicting.length > 0)
    lines.push('', 'The text is another licence than the stated one:', '', ...table(contradicting));
  if (unknown.length > 0) lines.push('', 'Accepted without a known licence:', '', ...table(unknown));
  return `${lines.join('\n')}\n`;
}

/** Text from outside in a table of Markdown: nothing in it ends the cell or becomes a link, an image or a tag. */
function cell(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>()#!|@&~]/g, (character) => `&#${character.codePointAt(0)};`);
}
