import type { Language, Thresholds } from '@colophon/similarity';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import type { BestMatches } from '../../similarity/best-matches.ts';
import type { FileComparison, TextFile } from '../../similarity/compare.ts';
import type { SkippedFile, SourceFiles } from '../../similarity/source-files.ts';
import { counted, formatTable, oneLine } from '../../terminal/terminal.ts';

type SimilarityFlags = {
  readonly against?: string;
  readonly language?: Language;
  readonly minScore?: number;
  readonly strong: number;
  readonly noise: number;
  readonly offline?: boolean;
  readonly output: OutputFormat;
};

/** `colophon sbom similarity A B -o json`. */
type PairRecord = FileComparison & { readonly a: string; readonly b: string; readonly thresholds: Thresholds };

/** `colophon sbom similarity --against … -o json`. */
type AgainstRecord = BestMatches & { readonly against: string; readonly thresholds: Thresholds };

// The words of the package that computes them, which is loaded when it is needed.
const LANGUAGES: readonly Language[] = ['javascript', 'typescript', 'python', 'java', 'go', 'rust', 'c'];
/** From here on a reader should know that much of a file was not understood. */
const MUCH_UNPARSED = 0.1;
const DEFAULT_WIDTH = 120;

/** `colophon sbom similarity`: how much of one file stands in another, or of many in a package (contract §8). */
export function addSimilarityCommand(sbom: Command, session: Session): void {
  sbom
    .command('similarity <path...>')
    .description('say how alike two source files are, or files and a package, and which lines match')
    .usage('[options] A B\n       colophon sbom similarity [options] --against PURL|FOLDER PATH...')
    .option('--against <source>', 'package URL, folder or file that every file of the paths is compared with')
    .addOption(new Option('--language <name>', 'instead of what the file is called').choices([...LANGUAGES]))
    .option('--min-score <score>', 'with --against: list files from this score on', parseScore)
    .option('--strong <score>', 'from this score on the verdict is strong', parseScore, 0.8)
    .option('--noise <score>', 'up to this score the verdict is noise', parseScore, 0.5)
    .option('--offline', 'with a package URL: open no connection, look into node_modules alone')
    .addOption(outputOption())
    .action((paths: string[], flags: SimilarityFlags) => run(paths, flags, session));
}

function parseScore(text: string): number {
  const score = /^(?:0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(score)) throw new InvalidArgumentError('a score is a number from 0 to 1.');
  return score;
}

async function run(paths: readonly string[], flags: SimilarityFlags, session: Session): Promise<void> {
  if (flags.noise >= flags.strong) throw usage('--noise is to be less than --strong');
  if (paths.filter((path) => path === '-').length > 1) throw usage('standard input can be one of the files');
  const { isFolder } = await import('../../similarity/source-files.ts');
  if (flags.against !== undefined) return compareWithSource(paths, flags.against, flags, session);
  const [a, b, ...more] = paths;
  if (a === undefined || b === undefined || more.length > 0)
    throw usage('two files are compared, or --against is given');
  if ((await isFolder(a)) || (await isFolder(b))) return compareWithSource([a], b, flags, session);
  await comparePair(a, b, flags, session);
}

async function comparePair(nameOfA: string, nameOfB: string, flags: SimilarityFlags, session: Session): Promise<void> {
  const { readSourceFile, textOf } = await import('../../similarity/source-files.ts');
  const { compareFiles } = await import('../../similarity/compare.ts');
  const { sideBySide } = await import('../../similarity/side-by-side.ts');
  const read = async (path: string): Promise<TextFile> => ({ path, text: textOf((await readSourceFile(path)).bytes) });
  const [a, b] = [await read(nameOfA), await read(nameOfB)];
  const thresholds = thresholdsOf(flags);
  const comparison = await compareFiles(a, b, { language: flags.language, thresholds });
  for (const [path, unparsed] of [
    [a.path, comparison.unparsed.a],
    [b.path, comparison.unparsed.b],
  ] as const) {
    if (unparsed >= MUCH_UNPARSED) {
      const share = `${Math.round(unparsed * 100)} %`;
      session.terminal.stderr.write(`${share} of ${oneLine(path)} cannot be parsed as ${comparison.language}\n`);
    }
  }
  const { score, verdict, ...rest } = comparison;
  const record: PairRecord = { score, verdict, a: a.path, b: b.path, thresholds, ...rest };
  printResult(
    session.terminal,
    flags.output,
    record,
    () => describePair(record) + sideBySide(record.regions, a.text, b.text, widthOf(session)),
  );
}

function describePair({ score, verdict, language, a, b, tokens, contained, vocabulary, regions }: PairRecord): string {
  const share = (part: number) => `${Math.round(part * 100)} %`;
  return formatTable([
    ['verdict', verdict],
    ['score', score.toFixed(2)],
    ['language', language],
    ['A', a, counted(tokens.a, 'token'), `${share(contained.a)} of them in B`],
    ['B', b, counted(tokens.b, 'token'), `${share(contained.b)} of them in A`],
    ['words in common', share(vocabulary)],
    ['regions', regions.length === 0 ? 'none: no run of 16 tokens is in both' : `${regions.length}`],
  ]);
}

async function compareWithSource(
  paths: readonly string[],
  against: string,
  flags: SimilarityFlags,
  session: Session,
): Promise<void> {
  const { sourceFilesAt } = await import('../../similarity/source-files.ts');
  const { bestMatches } = await import('../../similarity/best-matches.ts');
  const found: SourceFiles[] = [];
  for (const path of paths) found.push(await sourceFilesAt(path, flags.language));
  const files = found.flatMap((one) => one.files);
  const source = await sourceOf(against, flags, session);
  for (const [what, some] of [
    [paths.join(', '), files],
    [against, source.files],
  ] as const) {
    if (some.length > 0) continue;
    throw new CliError('cli.nothing_to_compare', `${what}: there is no source file`, EXIT.notFound, {
      checked: what,
      expected: `a file of ${flags.language ?? LANGUAGES.join(', ')}`,
    });
  }
  const thresholds = thresholdsOf(flags);
  const progress = progressLine(session.terminal);
  const matches = await bestMatches(unique(files), source.files, {
    language: flags.language,
    thresholds,
    minScore: flags.minScore,
    onProgress: (done, all) => progress.show(`${done} of ${all} files`),
  }).finally(progress.clear);
  const record: AgainstRecord = {
    against,
    thresholds,
    ...matches,
    skipped: [...found.flatMap((one) => one.skipped), ...source.skipped, ...matches.skipped],
  };
  printResult(session.terminal, flags.output, record, describeMatches);
}

/** Files given twice, by themselves and by their folder, are compared once. */
function unique<File extends { readonly path: string }>(files: readonly File[]): File[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

async function sourceOf(against: string, flags: SimilarityFlags, session: Session): Promise<SourceFiles> {
  const { sourceFilesAmong, sourceFilesAt } = await import('../../similarity/source-files.ts');
  if (!against.startsWith('pkg:')) return sourceFilesAt(against, flags.language);
  const { fetchSourcePackage } = await import('@colophon/feeds');
  const { files } = await fetchSourcePackage(against, {
    env: session.env,
    localFolders: [process.cwd()],
    signal: session.signal,
    isOffline: flags.offline === true,
  });
  return sourceFilesAmong(files, flags.language);
}

function describeMatches({ files, unmatched, skipped }: AgainstRecord): string {
  const rows = files.map(({ path, match, score, verdict, contained, regions }) => {
    const first = regions.toSorted((one, other) => other.tokens - one.tokens)[0];
    const where = first === undefined ? '' : `lines ${first.a.from}-${first.a.to} in ${first.b.from}-${first.b.to}`;
    return [score.toFixed(2), verdict, path, match, `${Math.round(contained.a * 100)} %`, where];
  });
  const notes = [
    describeFew(
      'of no language that is there',
      unmatched.map((path) => ({ path, reason: '' })),
    ),
    describeFew('passed over', skipped),
  ];
  const table =
    rows.length === 0
      ? 'no file is like any of them\n'
      : formatTable([['SCORE', 'VERDICT', 'FILE', 'MOST LIKE', 'CONTAINED', 'LONGEST REGION'], ...rows]);
  return table + notes.join('');
}

const MOST_NAMED = 5;

function describeFew(what: string, files: readonly SkippedFile[]): string {
  if (files.length === 0) return '';
  const named = files
    .slice(0, MOST_NAMED)
    .map(({ path, reason }) => oneLine(reason === '' ? path : `${path} (${reason})`));
  const more = files.length > MOST_NAMED ? `, and ${files.length - MOST_NAMED} more` : '';
  return `${files.length} ${what}: ${named.join(', ')}${more}\n`;
}

function thresholdsOf({ strong, noise }: SimilarityFlags): Thresholds {
  return { strong, noise };
}

function widthOf({ terminal, env }: Session): number {
  const { columns } = terminal.stdout as { readonly columns?: number };
  return columns ?? (Number(env['COLUMNS']) || DEFAULT_WIDTH);
}

function usage(message: string): CliError {
  return new CliError('cli.usage', message, EXIT.usage, {
    expected: 'colophon sbom similarity A B, or --against PURL|FOLDER PATH...',
  });
}
