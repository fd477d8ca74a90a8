import { basename, relative } from 'node:path';
import {
  type BestPart,
  bestMatches,
  ComparisonError,
  compareFiles,
  isGateClosed,
  type KnownFile,
  NO_LANGUAGE,
  type ReadOptions,
  type Reference,
  readFiles,
  type SkippedFile,
  type SourceFiles,
  sourceFilesAmong,
  type TextFile,
  textOf,
  type Unread,
  unreadOf,
} from '@colophon/grammars';
import { type IndexedFile, LANGUAGES, type Language, type Thresholds, type Verdict } from '@colophon/similarity';
import { fetchSourcePackage } from '@colophon/source-packages';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
  widthOf,
} from '../../column-table/column-table.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { readIndexFile, writeIndexFile } from '../../similarity/index-file.ts';
import { shownScore } from '../../similarity/shown-score.ts';
import { sideBySide } from '../../similarity/side-by-side.ts';
import { isFolder, readSourceFile, sourceFilesAt } from '../../similarity/source-files.ts';
import { counted, formatTable, oneLine } from '../../terminal/terminal.ts';
import { judgedTree, referenceAt } from '../../vendored-code/judged-tree.ts';
import { goSumFolders, nothingOffline } from '../../vendored-code/package-source.ts';
import type { SimilarityAgainst, SimilarityIndexResult, SimilarityPair } from './code-results.ts';

type SimilarityFlags = {
  readonly against?: string;
  readonly index?: string;
  readonly failOn?: 'strong' | 'weak';
  readonly allowUnread?: boolean;
  readonly language?: Language;
  readonly minScore?: number;
  readonly strong: number;
  readonly noise: number;
  readonly offline?: boolean;
  readonly output: OutputFormat;
} & WideFlag;

type IndexFlags = Pick<SimilarityFlags, 'language' | 'offline' | 'output'> & { readonly out: string };

/** From here on a reader should know that much of a file was not understood. */
const MUCH_UNPARSED = 0.1;
/** What `index` has no use for. */
const COMPARING: readonly string[] = ['against', 'index', 'failOn', 'allowUnread', 'minScore', 'strong', 'noise'];

/** `colophon sbom similarity`: how much of one file stands in another, or of many in a package (contract §8). */
export function defineSimilarity(similarity: Command, session: Session): void {
  similarity.addHelpText(
    'after',
    example(
      'colophon sbom similarity lib/pad.js node_modules/left-pad/index.js',
      'colophon sbom similarity --against pkg:npm/left-pad@1.3.0 lib',
    ),
  );
  withNeeds(similarity, {
    what: 'what the files are compared with; or name two files',
    oneOf: ['--against', '--index'],
    when: ({ args }) => args.length !== 2,
  })
    .usage(
      [
        '[options] A B',
        'colophon sbom similarity [options] --against PURL|FOLDER PATH...',
        'colophon sbom similarity [options] --index FILE PATH...',
        'colophon sbom similarity index --out FILE PACKAGE...',
      ].join('\n       '),
    )
    .option('--against <source>', 'package URL, folder or file that every file of the paths is compared with')
    .option('--index <file>', 'index of many packages that every file of the paths is compared with')
    .addOption(languageOption())
    .addOption(
      new Option('--fail-on <verdict>', 'exit 21 for this verdict or a stronger one').choices(['strong', 'weak']),
    )
    .option('--allow-unread', 'with --fail-on: files that are not read do not fail it')
    .option('--min-score <score>', 'with --against or --index: list files from this score on', parseScore)
    .option('--strong <score>', 'from this score on the verdict is strong', parseScore, 0.8)
    .option('--noise <score>', 'up to this score the verdict is noise', parseScore, 0.5)
    .option('--offline', 'no network: a package URL is refused, a folder is not')
    .addOption(outputOption())
    .addOption(wideOption())
    .action((paths: string[], flags: SimilarityFlags) => run(paths, flags, session));
  similarity
    .command('index <package...>')
    .description('write an index of packages, package URLs or folders, for --index')
    .addHelpText('after', example('colophon sbom similarity index --out packages.index node_modules/left-pad'))
    .requiredOption('--out <file>', 'where the index is written')
    .addOption(languageOption())
    .option('--offline', 'no network: package URLs are refused, folders are not')
    .addOption(outputOption())
    .action((packages: string[], _: unknown, command: Command) => {
      refuseComparing(similarity);
      // The command above has flags of the same names, and takes their values.
      return writeIndex(packages, command.optsWithGlobals<IndexFlags>(), session);
    });
}

/** Flags of the comparison are read by the command above: nobody is to take the writing of an index for a gate. */
function refuseComparing(similarity: Command): void {
  const given = COMPARING.filter((name) => similarity.getOptionValueSource(name) === 'cli');
  if (given.length === 0) return;
  const found = similarity.options.filter((option) => given.includes(option.attributeName())).map(({ long }) => long);
  throw new CliError('cli.usage', 'an index is written, and nothing is compared', {
    expected: 'colophon sbom similarity index --out FILE PACKAGE...',
    found: found.join(', '),
    next: 'colophon sbom similarity --index FILE PATH',
  });
}

function languageOption(): Option {
  return new Option('--language <name>', 'language of the files (default: by file name)').choices([...LANGUAGES]);
}

function parseScore(text: string): number {
  const score = /^(?:0|1|0?\.\d+|1\.0+|0\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(score)) throw new InvalidArgumentError('a score is a number from 0 to 1.');
  return score;
}

async function run(paths: readonly string[], flags: SimilarityFlags, session: Session): Promise<void> {
  if (flags.noise >= flags.strong) throw usage('--noise is to be less than --strong');
  if (paths.filter((path) => path === '-').length > 1) throw usage('standard input can be one of the files');
  if (flags.allowUnread && flags.failOn === undefined) throw usage('--allow-unread is for --fail-on');
  if (flags.against !== undefined && flags.index !== undefined) throw usage('--against or --index, not both');
  const against = flags.against ?? flags.index;
  if (against !== undefined) return compareWithSource(paths, against, flags, session);
  const [a, b] = paths as [string, string];
  if ((await isFolder(a)) || (await isFolder(b))) return compareWithSource([a], b, flags, session);
  await comparePair(a, b, flags, session);
}

async function comparePair(nameOfA: string, nameOfB: string, flags: SimilarityFlags, session: Session): Promise<void> {
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
  const ok = !isClosed([verdict], { count: 0 }, flags);
  const reference = referenceAt(b.path, judgedTrees([a.path]));
  const record: SimilarityPair = { ok, score, verdict, a: a.path, b: b.path, reference, thresholds, ...rest };
  printResult(
    session.terminal,
    flags.output,
    record,
    () =>
      describePair(record) +
      sideBySide(record.regions, a.text, b.text, widthOf({ terminal: session.terminal, wide: flags.wide })),
  );
  if (!ok) session.setExitCode(EXIT.overThreshold);
}

/** Whether --fail-on was given, and ends the command with 21. */
function isClosed(
  verdicts: readonly Verdict[],
  unread: Pick<Unread, 'count'>,
  { failOn, allowUnread = false }: SimilarityFlags,
): boolean {
  return failOn !== undefined && isGateClosed({ failOn, allowUnread }, verdicts, unread);
}

function judgedTrees(paths: readonly string[]): string[] {
  return paths.filter((path) => path !== '-').map(judgedTree);
}

function describePair(record: SimilarityPair): string {
  const { score, verdict, language, a, b, reference, token_count, best, contained, vocabulary, regions } = record;
  const share = (part: number) => `${Math.round(part * 100)} %`;
  return formatTable([
    ['verdict', verdict],
    ['score', shownScore(score)],
    ['language', language],
    ['A', `${a}, ${counted(token_count.a, 'token')}, ${share(contained.a)} of them in B`],
    ['B', `${b}, ${counted(token_count.b, 'token')}, ${share(contained.b)} of them in A`],
    ...describeBest(best),
    ['reference', `B: ${reference}`],
    ['words in common', share(vocabulary)],
    ['regions', regions.length === 0 ? 'none: no run of 16 tokens is in both' : `${regions.length}`],
  ]);
}

function describeBest(best: BestPart | null): string[][] {
  if (best === null) return [];
  const { a, b, run, coverage, region } = best;
  const parts = [
    `${linesOf(a.lines)} of A (${counted(a.token_count, 'token')})`,
    `${linesOf(b.lines)} of B (${counted(b.token_count, 'token')})`,
  ];
  const common = `${Math.round(coverage * 100)} % of the smaller part in common`;
  return [
    ['best part', parts.join(', ')],
    ['longest run', `${linesOf(region.a)} in ${linesOf(region.b)}, worth ${counted(run, 'token')}, ${common}`],
  ];
}

function linesOf({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? `line ${from}` : `lines ${from}-${to}`;
}

async function compareWithSource(
  paths: readonly string[],
  against: string,
  flags: SimilarityFlags,
  session: Session,
): Promise<void> {
  const found: SourceFiles[] = [];
  const choice = { language: flags.language, withGenerated: flags.failOn !== undefined };
  for (const path of paths) found.push(await sourceFilesAt(path, choice));
  const files = unique(found.flatMap((one) => one.files));
  assertSomeFiles(paths.join(', '), files, flags);
  const thresholds = thresholdsOf(flags);
  const leftOut = found.reduce((sum, one) => sum + one.leftOutCount, 0);
  const progress = progressLine(session.terminal);
  const readOptions = (what: string) => ({
    language: flags.language,
    onProgress: (done: number) => progress.show(`${what}: ${done} files`),
  });
  const { known, skipped } = await knownFiles(against, flags, session, readOptions(against)).finally(progress.clear);
  const matches = await bestMatches(files, known, { ...readOptions('compared'), thresholds }).finally(progress.clear);
  const notRead = [...found.flatMap((one) => one.unread), ...matches.skipped];
  const unread = unreadOf(notRead);
  // What is not listed counts too.
  const ok = !isClosed(
    matches.files.map(({ verdict }) => verdict),
    unread,
    flags,
  );
  const record: SimilarityAgainst = {
    ok,
    against,
    reference: referenceFor(against, paths),
    thresholds,
    ...matches,
    files: matches.files.filter(({ score }) => score >= (flags.minScore ?? 0)),
    skipped: [...found.flatMap((one) => one.skipped), ...skipped, ...matches.skipped],
    unread,
    other_language_count: leftOut,
  };
  const view = { terminal: session.terminal, wide: flags.wide };
  printResult(session.terminal, flags.output, record, () => describeMatches(record, view));
  if (flags.failOn !== undefined) {
    const others = notRead.filter(({ reason }) => reason === NO_LANGUAGE).length;
    const notCompared = others + matches.unmatched.length + leftOut;
    session.terminal.stderr.write(describeUnseen(matches.files.length, notRead.length - others, notCompared));
    if (unread.count > 0 && !flags.allowUnread) {
      session.terminal.stderr.write(
        'what is not read may be alike: name the files that count, or add --allow-unread\n',
      );
    }
  }
  if (!ok) session.setExitCode(EXIT.overThreshold);
}

function referenceFor(against: string, paths: readonly string[]): Reference {
  return against.startsWith('pkg:') ? 'registry' : referenceAt(against, judgedTrees(paths));
}

/** What a gate did not look at: it says nothing about these. */
function describeUnseen(compared: number, passedOver: number, others: number): string {
  if (passedOver + others === 0) return '';
  const unseen = [
    passedOver === 0 ? '' : `${passedOver} passed over`,
    others === 0 ? '' : `${others} of no language that is compared here`,
  ];
  return `--fail-on looked at ${counted(compared, 'file')}, and not at: ${unseen.filter((one) => one !== '').join(', ')}\n`;
}

type KnownFiles = { readonly known: readonly KnownFile[]; readonly skipped: readonly SkippedFile[] };

/** The files that others are compared with: of an index, or of a package, folder or file. */
async function knownFiles(
  against: string,
  flags: SimilarityFlags,
  session: Session,
  options: ReadOptions,
): Promise<KnownFiles> {
  if (flags.index !== undefined) {
    const known = await readIndexFile(flags.index);
    const ofLanguage = known.filter(({ source }) => flags.language === undefined || source.language === flags.language);
    assertSomeFiles(against, ofLanguage, flags);
    return { known: ofLanguage, skipped: [] };
  }
  const source = await sourceOf(against, flags, session);
  assertSomeFiles(against, source.files, flags);
  const { read, skipped } = await readFiles(source.files, options);
  assertSomeFiles(against, read, flags);
  return { known: read, skipped: [...source.skipped, ...skipped] };
}

function assertSomeFiles(checked: string, files: readonly unknown[], { language }: Pick<SimilarityFlags, 'language'>) {
  if (files.length > 0) return;
  throw new ComparisonError('similarity.nothing_to_compare', `${checked}: there is no source file`, {
    checked,
    expected: `a file of ${language ?? LANGUAGES.join(', ')}`,
  });
}

async function writeIndex(packages: readonly string[], flags: IndexFlags, session: Session): Promise<void> {
  const progress = progressLine(session.terminal);
  const indexed: IndexedFile[] = [];
  const skipped: SkippedFile[] = [];
  const described: Array<SimilarityIndexResult['packages'][number]> = [];
  try {
    for (const name of new Set(packages)) {
      const source = await sourceOf(name, flags, session);
      const onProgress = (done: number) => progress.show(`${name}: ${done} files`);
      const files = await readFiles(source.files, { language: flags.language, onProgress });
      const inside = (path: string) => (name.startsWith('pkg:') ? path : relative(name, path) || basename(path));
      for (const file of files.read) indexed.push({ source: file.source, path: inside(file.path), package: name });
      skipped.push(...source.skipped, ...files.skipped);
      described.push({ package: name, file_count: files.read.length });
    }
  } finally {
    progress.clear();
  }
  assertSomeFiles(packages.join(', '), indexed, flags);
  const byte_count = await writeIndexFile(flags.out, indexed);
  const record: SimilarityIndexResult = { ok: true, out: flags.out, byte_count, packages: described, skipped };
  printResult(session.terminal, flags.output, record, describeIndex);
}

function describeIndex({ out, byte_count, packages, skipped }: SimilarityIndexResult): string {
  const empty = packages.filter((one) => one.file_count === 0).map((one) => ({ file: one.package, reason: '' }));
  const files = packages.reduce((sum, one) => sum + one.file_count, 0);
  return (
    formatTable([
      ['index', out],
      ['packages', `${packages.length}`],
      ['files', `${files}`],
      ['bytes', `${byte_count}`],
    ]) +
    describeFew('without a source file', empty) +
    describeFew('passed over', skipped)
  );
}

/** Files given twice, by themselves and by their folder, are compared once. */
function unique<File extends { readonly path: string }>(files: readonly File[]): File[] {
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

async function sourceOf(
  against: string,
  flags: Pick<SimilarityFlags, 'language' | 'offline'>,
  session: Session,
): Promise<SourceFiles> {
  if (!against.startsWith('pkg:')) return sourceFilesAt(against, { language: flags.language });
  if (flags.offline) throw nothingOffline(against, 'a folder, outside of the tree that is judged');
  const { env, signal } = session;
  const { files } = await fetchSourcePackage(against, { env, goSumFolders: goSumFolders(), signal });
  return sourceFilesAmong(files, { language: flags.language });
}

const COLUMNS: readonly Column[] = [
  { heading: 'SCORE', rank: 1 },
  { heading: 'VERDICT', rank: 1 },
  { heading: 'FILE', rank: 1, shortest: 20 },
  { heading: 'MOST LIKE', rank: 1, shortest: 20 },
  { heading: 'CONTAINED', rank: 2 },
  { heading: 'LONGEST REGION', rank: 3 },
];

function describeMatches({ files, unmatched, skipped, unread, reference }: SimilarityAgainst, view: TableView): string {
  const rows = files.map((one) => {
    const { file, match, score, verdict, contained, best } = one;
    const where =
      best === null ? '' : `${linesOf(best.region.a)} in ${linesOf(best.region.b)}, ${best.region.token_count} tokens`;
    const other = one.package === undefined ? match : `${one.package}: ${match}`;
    return [shownScore(score), verdict, file, other, `${Math.round(contained.a * 100)} %`, where];
  });
  const notes = [
    describeFew(
      'of no language that is there',
      unmatched.map((file) => ({ file, reason: '' })),
    ),
    describeFew('passed over', skipped),
    describeFew('not read', unread.files, unread.count),
    `reference: ${reference}\n`,
  ];
  const table = rows.length === 0 ? 'no file is like any of them\n' : columnTable(COLUMNS, rows, view);
  return table + notes.join('');
}

const MOST_NAMED = 5;

function describeFew(what: string, files: readonly SkippedFile[], count = files.length): string {
  if (files.length === 0) return '';
  const named = files
    .slice(0, MOST_NAMED)
    .map(({ file, reason }) => oneLine(reason === '' ? file : `${file} (${reason})`));
  const more = count > MOST_NAMED ? `, and ${count - MOST_NAMED} more` : '';
  return `${count} ${what}: ${named.join(', ')}${more}\n`;
}

function thresholdsOf({ strong, noise }: SimilarityFlags): Thresholds {
  return { strong, noise };
}

function usage(message: string): CliError {
  return new CliError('cli.usage', message, {
    expected: 'colophon sbom similarity A B, or --against PURL|FOLDER PATH..., or --index FILE PATH...',
  });
}
