import type { CommandShape, FlagShape } from '../../packages/program/cli/src/completion/command-shape.ts';

/** What every page says beside its own command. */
export type ManFacts = {
  readonly version: string;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Rows of docs/environment.md and of docs/errors.md: what is said of each variable and exit code. */
  readonly environment: readonly Row[];
  readonly exits: readonly Row[];
  /** The lines that the help of a command ends with, by its path with blanks. */
  readonly examples: ReadonlyMap<string, readonly string[]>;
};

export type Row = { readonly term: string; readonly text: string };

/** The file's name: `colophon-sbom-validate.1`. */
export function pageName({ path }: CommandShape): string {
  return ['colophon', ...path].join('-');
}

/**
 * The manual page of a command, as git and gh have them: one for the program and each command of it, in man(7).
 * @see groff_man(7)
 */
export function manPage(shape: CommandShape, program: CommandShape, facts: ManFacts): string {
  const isProgram = shape === program;
  const name = pageName(shape);
  const line = ['colophon', ...shape.path].join(' ');
  const examples = facts.examples.get(shape.path.join(' ')) ?? [];
  const common = program.flags.filter(({ names }) => !shape.flags.some((flag) => flag.names[0] === names[0]));
  const parts = [
    `.TH ${name.toUpperCase()} 1 ${facts.date} "Colophon ${facts.version}" "Colophon manual"`,
    // Neither stretched nor hyphenated: a flag at the end of a line can be copied.
    '.nh',
    '.ad l',
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(shape.description)}`,
    '.SH SYNOPSIS',
    ...synopsis(shape, line),
    ...section('COMMANDS', terms(shape.commands.map((one) => ({ term: reference(one), text: one.description })))),
    ...section('OPTIONS', terms(shape.flags.map(flagRow))),
    ...section('GLOBAL OPTIONS', isProgram ? [] : terms(common.map(flagRow))),
    ...section('EXAMPLES', examples.length === 0 ? [] : ['.nf', ...examples.map(escaped), '.fi']),
    ...section('EXIT STATUS', isProgram ? terms(facts.exits) : []),
    ...section('ENVIRONMENT', isProgram ? terms(facts.environment) : []),
    ...section('FILES', isProgram ? terms(FILES) : []),
    '.SH SEE ALSO',
    seeAlso(shape, program),
  ];
  return `${parts.join('\n')}\n`;
}

const FILES: readonly Row[] = [
  { term: '~/.local/share/colophon', text: 'data folder of the services that colophon-up(1) starts' },
  { term: '~/.config/colophon/reviewer-secret', text: 'secret of the reviewers of this machine' },
];

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`.SH ${title}`, ...lines];
}

function terms(rows: readonly Row[]): string[] {
  return rows.flatMap(({ term, text }) => ['.TP', `\\fB${escaped(term)}\\fR`, escaped(text)]);
}

function flagRow({ written, description, value, isOptional }: FlagShape): Row {
  const choices = value === undefined || isOptional || value.choices.length === 0 ? '' : value.choices.join(', ');
  return { term: written, text: choices === '' ? description : `${description} (${choices})` };
}

function synopsis(shape: CommandShape, line: string): string[] {
  const given = shape.arguments.map(({ written }) => ` ${written}`).join('');
  const own = `\\fB${escaped(line)}\\fR [options]${escaped(given)}`;
  const below = `\\fB${escaped(line)}\\fR command [options]`;
  if (shape.commands.length === 0) return [own];
  return given === '' ? [below] : [own, '.br', below];
}

function reference(shape: CommandShape): string {
  return `${pageName(shape)}(1)`;
}

function seeAlso(shape: CommandShape, program: CommandShape): string {
  if (shape === program) {
    return shape.commands.map((one) => `\\fB${escaped(pageName(one))}\\fR(1)`).join(',\n');
  }
  const above = ['colophon', ...shape.path.slice(0, -1)].join('-');
  return `.BR ${escaped(above)} (1)`;
}

/** Text in which troff sees no request, no escape and no typographic hyphen. */
export function escaped(text: string): string {
  const plain = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('`', '\\(ga');
  return plain.replaceAll(/[^ -~\n]/gu, unicode).replaceAll(/^\./gm, '\\&.');
}

function unicode(character: string): string {
  return `\\[u${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`;
}
