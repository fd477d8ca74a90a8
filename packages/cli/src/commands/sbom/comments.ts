import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { compileSubjectPattern } from '@colophon/admission';
import { type GitOptions, hasPathAt, openRepository, type Repository, resolveRange } from '@colophon/forge';
import { type Basis, formatBasis } from '@colophon/records';
import {
  type AgentMatcher,
  basisOfComment,
  type CommentBasis,
  EVIDENCE_SOURCES,
  formatAttributionComment,
  type Insertion,
  type Unfixed,
  writtenComment,
} from '@colophon/sbom';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type CommentSurvey,
  type FileFinding,
  placeOf,
  type SkippedFile,
  surveyComments,
} from '../../agent-lines/comment-survey.ts';
import { CommitEvidence, type EvidenceProblem } from '../../agent-lines/commit-evidence.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { sarifLog } from '../../sarif/sarif.ts';
import { coloursFor, counted, oneLine } from '../../terminal/terminal.ts';
import { trustMaterial } from '../../verification-flags/verification-flags.ts';

type CommentsFlags = {
  readonly range?: string;
  readonly fix?: boolean;
  readonly longerThan: number;
  readonly agentPattern?: string[];
  readonly trustedRoot?: string;
  readonly certificateOidcIssuer?: string;
  readonly repository: string;
  readonly output: OutputFormat | 'sarif' | 'markdown';
};

/** One finding as `--output json` prints it. */
type FindingRecord = {
  readonly code: string;
  readonly level: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly end_line: number;
  readonly agent: string;
  /** What says that an agent wrote it, the strongest first. */
  readonly sources: readonly string[];
  readonly commits: readonly string[];
  readonly message: string;
  /** What the comment should say. */
  readonly comment: string;
  /** What each part of it rests on. */
  readonly basis: { readonly [part: string]: Basis };
  /** The line that would put it right, and where: above a line, or in the place of one. */
  readonly edit?: { readonly above?: number; readonly replaces?: number; readonly text: string };
  readonly fixed: boolean;
  /** Why --fix does not write it. */
  readonly not_fixable?: string;
  readonly not_fixable_code?: Unfixed['code'];
};

type CommentsRecord = {
  readonly ok: boolean;
  readonly range: string;
  readonly commits: number;
  readonly agent_commits: number;
  readonly files: number;
  readonly blocks: number;
  readonly longer_than: number;
  readonly findings: readonly FindingRecord[];
  readonly skipped: readonly SkippedFile[];
  readonly problems: readonly EvidenceProblem[];
};

/** `colophon sbom comments`: the comments above what agents wrote (contract §8). */
export function defineComments(command: Command, session: Session): void {
  command
    .option(
      '--range <range>',
      "A..B, A...B or one commit (default: what HEAD has and the remote's default branch has not; all of HEAD where that is nothing)",
    )
    .option('--fix', 'write the comments into the working tree, where a parser proves that the program stays the same')
    .option('--longer-than <lines>', 'blocks longer than this need a comment', parseLines, 8)
    .option(
      '--agent-pattern <pattern>',
      'RE2 pattern that must match all of a name, an address or "Name <address>" of an agent of your own; may be given several times',
      everyValue,
    )
    .option(
      '--trusted-root <file>',
      'roots to verify signed commits with (default: as colophon verify has them, if any)',
    )
    .option('--certificate-oidc-issuer <url>', 'the issuer that a signature must be of to count as verified')
    .option('--repository <folder>', 'the git repository', '.')
    .addOption(outputOption('sarif', 'markdown'))
    .action((paths: string[], flags: CommentsFlags, command: Command) => comments(paths, flags, command, session));
}

async function comments(paths: string[], flags: CommentsFlags, command: Command, session: Session): Promise<void> {
  const isOwnAgent = agentMatcher(flags.agentPattern ?? []);
  const trust = await trustOrNothing(flags, command, session);
  const { signal, terminal } = session;
  session.holdInterrupts();
  const repository = await openRepository(flags.repository, { signal });
  const range = await resolveRange(repository, flags.range, { signal });
  const wanted = await pathsInRepository(paths, repository, range.to, { signal });
  if (flags.fix === true && placeOf(repository, range) !== 'working-tree') {
    throw new CliError('cli.usage', 'only what is checked out can be fixed', {
      checked: `--range ${range.name}`,
      expected: repository.isBare ? 'a repository with a working tree' : 'a range that ends at HEAD',
    });
  }
  const options = { signal, isOwnAgent, trust, issuer: flags.certificateOidcIssuer };
  const evidence = await CommitEvidence.open(repository, range.to, options);
  const progress = progressLine(session.terminal);
  const survey = await surveyComments(repository, range, evidence, {
    signal,
    longest: flags.longerThan,
    isFixing: flags.fix === true,
    paths: wanted,
    onProgress: (done, all) => progress.show(`looked at ${done} of ${all} files`),
  }).finally(progress.clear);
  const agentCommits = range.commits.filter((sha) => evidence.hasAgent(sha)).length;
  const record = recordOf(survey, evidence.problems, {
    range: range.name,
    commits: range.commits.length,
    agent_commits: agentCommits,
    longer_than: flags.longerThan,
  });
  print(record, flags, session);
  for (const { code, at, message } of evidence.problems) {
    if (flags.output !== 'json') terminal.stderr.write(`${oneLine(`note: ${at}: ${message} [${code}]`)}\n`);
  }
  if (!record.ok) session.setExitCode(EXIT.refused);
}

function parseLines(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is a number of lines.');
  return Number(text);
}

function agentMatcher(patterns: readonly string[]): AgentMatcher {
  const compiled = patterns.map((pattern) => {
    const one = compileSubjectPattern(pattern);
    if (one.ok) return one;
    throw new CliError('cli.usage', `--agent-pattern is no pattern: ${one.message}`, { found: pattern });
  });
  return (text) => compiled.some((one) => one.matches(text));
}

/** Without roots signatures still name agents; they are only not called verified. */
async function trustOrNothing(flags: CommentsFlags, command: Command, session: Session) {
  try {
    return (await trustMaterial(flags, command, session)).trust;
  } catch (error) {
    if (error instanceof CliError && error.code === 'cli.no_trusted_root') return undefined;
    throw error;
  }
}

/** Names in the repository. One that is nowhere is mistyped, and nothing would be checked. */
async function pathsInRepository(
  paths: readonly string[],
  { root }: Repository,
  commit: string,
  options: GitOptions,
): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const inside = pathInRepository(path, root);
    if (!existsSync(resolve(path)) && !(await hasPathAt(root, commit, inside, options))) {
      throw new CliError('cli.file_unreadable', `${path}: there is no such file or folder`, {
        checked: path,
      });
    }
    found.push(inside);
  }
  return found;
}

function pathInRepository(path: string, root: string): string {
  const full = resolve(path);
  const found = relative(realpathSync(root), existsSync(full) ? realpathSync(full) : full);
  if (!isAbsolute(found) && found !== '..' && !found.startsWith(`..${sep}`)) return found.replaceAll(sep, '/');
  throw new CliError('cli.usage', `${path} is not in the repository`, { expected: `a path in ${root}` });
}

function recordOf(
  survey: CommentSurvey,
  problems: readonly EvidenceProblem[],
  facts: Pick<CommentsRecord, 'range' | 'commits' | 'agent_commits' | 'longer_than'>,
): CommentsRecord {
  const findings = survey.findings.map((finding: FileFinding): FindingRecord => {
    const { block, remedy, unfixed } = finding;
    const sources = EVIDENCE_SOURCES.filter((source) => block.evidence.some((one) => one.source === source));
    return {
      code: finding.code,
      // What is there and says nothing false asks for attention, and stops nobody.
      level: finding.code === 'comment.incomplete' ? 'warning' : 'error',
      file: finding.file,
      line: block.start,
      end_line: block.end,
      agent: block.agent,
      sources,
      commits: finding.commits,
      message: finding.message,
      comment: formatAttributionComment(finding.comment),
      basis: snakeCase(basisOfComment(block, finding.comment)),
      ...('reason' in remedy
        ? {}
        : { edit: { ...placeOfEdit(remedy), text: lineOfEdit(remedy, writtenComment(remedy)) } }),
      fixed: finding.isFixed,
      ...(unfixed && { not_fixable: unfixed.reason, not_fixable_code: unfixed.code }),
    };
  });
  return {
    ok: findings.every(({ level, fixed }) => fixed || level === 'warning'),
    ...facts,
    files: survey.files,
    blocks: survey.blocks,
    findings,
    skipped: survey.skipped,
    problems,
  };
}

function placeOfEdit(edit: Insertion): { above: number } | { replaces: number } {
  return 'above' in edit ? { above: edit.above.line } : { replaces: edit.replaces };
}

function lineOfEdit(edit: Insertion, comment: string): string {
  return 'above' in edit ? edit.above.indentation + comment : comment;
}

function snakeCase({ reviewedBy, ...others }: CommentBasis): FindingRecord['basis'] {
  return { ...others, ...(reviewedBy && { reviewed_by: reviewedBy }) };
}

function print(record: CommentsRecord, { output }: CommentsFlags, session: Session): void {
  const { terminal } = session;
  if (output === 'sarif') {
    const findings = record.findings
      .filter(({ fixed }) => !fixed)
      .map(({ code, level, message, file, line, end_line: endLine }) => ({
        code,
        level,
        message,
        file,
        line,
        endLine,
      }));
    terminal.stdout.write(`${JSON.stringify(sarifLog(findings), null, 2)}\n`);
  } else if (output === 'markdown') {
    terminal.stdout.write(markdown(record));
  } else {
    printResult(terminal, output, record, (result) => describe(result, session));
  }
}

function describe(record: CommentsRecord, { terminal }: Session): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const lines: string[] = [];
  for (const finding of record.findings) {
    const { code, level, file, line, end_line, message, sources, basis, fixed, not_fixable, not_fixable_code } =
      finding;
    const word = fixed ? 'fixed' : level;
    lines.push(`${word} ${oneLine(file)}:${line}-${end_line}: ${oneLine(message)} [${code}]`);
    lines.push(`  by ${sources.map((source) => SOURCE_WORDS[source] ?? source).join(', ')}`);
    const parts = Object.entries(basis).map(([part, one]) => `${part} ${formatBasis(one)}`);
    lines.push(`  rests on ${oneLine(parts.join('; '))}`);
    if (not_fixable === undefined) continue;
    lines.push(`  cannot be fixed here: ${not_fixable} [${not_fixable_code}]`);
    if (finding.edit !== undefined) lines.push(`  by hand, after a look at the place: ${wordsOfEdit(finding.edit)}`);
  }
  for (const { file, reason } of record.skipped) lines.push(`${colours.dim('skipped')} ${oneLine(file)}: ${reason}`);
  lines.push(`${summaryOf(record)}`);
  const isOpen = record.findings.some(({ fixed, not_fixable }) => !fixed && not_fixable === undefined);
  if (isOpen) lines.push('next: colophon sbom comments --fix');
  return `${lines.join('\n')}\n`;
}

function wordsOfEdit({ above, replaces, text }: NonNullable<FindingRecord['edit']>): string {
  return `${replaces === undefined ? `above line ${above}` : `in the place of line ${replaces}`}: ${text.trim()}`;
}

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  signature: 'signed commit (verified)',
  'signature-unverified': 'signed commit (not verified)',
  'git-ai': 'git-ai authorship log',
  'agent-trace': 'Agent Trace record',
  trailer: 'trailer of the commit',
  author: "the commit's author",
};

function summaryOf({ range, commits, agent_commits, files, blocks, longer_than, findings }: CommentsRecord): string {
  const open = findings.filter(({ fixed, level }) => !fixed && level === 'error').length;
  const fixed = findings.filter((finding) => finding.fixed).length;
  const looked = `${range}: ${counted(commits, 'commit')}, ${agent_commits} by agents; ${counted(files, 'file')} with ${counted(blocks, 'block')} by agents`;
  const verdict =
    commits === 0
      ? 'the range is empty, so nothing was looked at'
      : open === 0
        ? 'every block that needs a comment has it'
        : `${open} without their comment`;
  return `${oneLine(looked)}; longer than ${longer_than} lines: ${verdict}${fixed === 0 ? '' : `, ${fixed} fixed`}`;
}

function markdown(record: CommentsRecord): string {
  const cell = (text: string) => oneLine(text).replace(/[\\|`<>[\]*_]/g, (character) => `\\${character}`);
  const rows = record.findings.map(
    ({ code, file, line, end_line, agent, sources, comment, fixed }) =>
      `| ${cell(file)} | ${line}–${end_line} | ${cell(agent)} | ${cell(sources.join(', '))} | ${code}${fixed ? ' (fixed)' : ''} | ${cell(comment)} |`,
  );
  const table = ['| File | Lines | Agent | Known by | Finding | Comment |', '|---|---|---|---|---|---|', ...rows];
  return `## Attribution comments\n\n${cell(summaryOf(record))}\n${rows.length === 0 ? '' : `\n${table.join('\n')}\n`}`;
}
