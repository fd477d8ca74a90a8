import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import {
  type AgentMatcher,
  type CommentReport,
  type CommitSignatures,
  placeOf,
  reviewAgentLines,
} from '@colophon/attribution-comments';
import { enclosingTextOf } from '@colophon/attribution-comments/enclosing-text';
import { loadProgramReader } from '@colophon/attribution-comments/program-reader';
import { type GitOptions, hasPathAt, openRepository, type Repository, resolveRange } from '@colophon/forge';
import { compileSubjectPattern } from '@colophon/policy-file/subject-pattern';
import { formatBasis } from '@colophon/records';
import { readCommitSigner, type TrustMaterial, verifyCommit } from '@colophon/sigstore';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { writeWithMode } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { sarifLog } from '../../sarif/sarif.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { coloursFor, counted, oneLine } from '../../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';

type CommentsFlags = TrustFlags & {
  readonly range?: string;
  readonly fix?: boolean;
  readonly longerThan: number;
  readonly agentPattern?: string[];
  readonly certificateOidcIssuer?: string;
  readonly repository: string;
  readonly output: OutputFormat | 'sarif' | 'markdown';
};

/** `colophon sbom comments`: the comments above what agents wrote (contract §8). */
export function defineComments(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon sbom comments', 'colophon sbom comments --range main..HEAD --fix'));
  withTrust(command)
    .option(
      '--range <range>',
      "A..B, A...B or one commit (default: commits of HEAD that are not on the remote's default branch; all of HEAD if there are none)",
    )
    .option('--fix', 'write the comments into the working tree, where a parser proves that the program stays the same')
    .option('--longer-than <lines>', 'blocks longer than this need a comment', parseLines, 8)
    .option(
      '--agent-pattern <pattern>',
      'RE2 pattern that must match all of a name, an address or "Name <address>" of an agent of your own; may be given several times',
      everyValue,
    )
    .option('--certificate-oidc-issuer <url>', 'the issuer that a signature must be of to count as verified')
    .option('--repository <folder>', 'the git repository', '.')
    .addOption(outputOption('sarif', 'markdown'))
    .action((paths: string[], flags: CommentsFlags, command: Command) => comments(paths, flags, command, session));
}

async function comments(paths: string[], flags: CommentsFlags, command: Command, session: Session): Promise<void> {
  const isOwnAgent = agentMatcher(flags.agentPattern ?? []);
  const known = await trustOrNothing(flags, command, session);
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
  const progress = progressLine(session.terminal);
  const record = await reviewAgentLines(repository, range, {
    signal,
    isOwnAgent,
    signatures: signaturesBy(known?.trust),
    issuer: flags.certificateOidcIssuer,
    parsers: { enclosingTextOf, loadProgramReader },
    longest: flags.longerThan,
    write: flags.fix === true ? writeWithMode : undefined,
    paths: wanted,
    onProgress: (done, all) => progress.show(`looked at ${done} of ${all} files`),
  }).finally(progress.clear);
  await known?.history.settle();
  print(record, flags, session);
  for (const { code, path, message } of record.problems) {
    if (flags.output !== 'json') terminal.stderr.write(`${oneLine(`note: ${path}: ${message} [${code}]`)}\n`);
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
    return await trustMaterial(flags, command, session);
  } catch (error) {
    if (error instanceof CliError && error.code === 'cli.no_trusted_root') return undefined;
    throw error;
  }
}

function signaturesBy(trust: TrustMaterial | undefined): CommitSignatures {
  if (trust === undefined) return { signerOf: readCommitSigner };
  return { signerOf: readCommitSigner, verify: (signature) => verifyCommit({ ...signature, trust }) };
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

function print(record: CommentReport, { output }: CommentsFlags, session: Session): void {
  const { terminal } = session;
  if (output === 'sarif') {
    const findings = record.findings
      .filter(({ fixed }) => !fixed)
      .map(({ code, severity, message, file, line, end_line: endLine }) => ({
        code,
        level: severity,
        message,
        file,
        line,
        endLine,
      }));
    terminal.stdout.write(`${jsonText(sarifLog(findings))}\n`);
  } else if (output === 'markdown') {
    terminal.stdout.write(markdown(record));
  } else {
    printResult(terminal, output, record, (result) => describe(result, session));
  }
}

function describe(record: CommentReport, { terminal }: Session): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const lines: string[] = [];
  for (const finding of record.findings) {
    const { code, severity, file, line, end_line, message, sources, basis, fixed, not_fixable, not_fixable_code } =
      finding;
    const word = fixed ? 'fixed' : severity;
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

function wordsOfEdit({ above, replaces, text }: NonNullable<CommentReport['findings'][number]['edit']>): string {
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

function summaryOf(report: CommentReport): string {
  const { range, commit_count, agent_commit_count, file_count, block_count, longer_than, findings } = report;
  const open = findings.filter(({ fixed, severity }) => !fixed && severity === 'error').length;
  const fixed = findings.filter((finding) => finding.fixed).length;
  const looked = `${range}: ${counted(commit_count, 'commit')}, ${agent_commit_count} by agents; ${counted(file_count, 'file')} with ${counted(block_count, 'block')} by agents`;
  const verdict =
    commit_count === 0
      ? 'the range is empty, so nothing was looked at'
      : open === 0
        ? 'every block that needs a comment has it'
        : `${open} without their comment`;
  return `${oneLine(looked)}; longer than ${longer_than} lines: ${verdict}${fixed === 0 ? '' : `, ${fixed} fixed`}`;
}

function markdown(record: CommentReport): string {
  const cell = (text: string) => oneLine(text).replace(/[\\|`<>[\]*_]/g, (character) => `\\${character}`);
  const rows = record.findings.map(
    ({ code, file, line, end_line, agent, sources, comment, fixed }) =>
      `| ${cell(file)} | ${line}–${end_line} | ${cell(agent)} | ${cell(sources.join(', '))} | ${code}${fixed ? ' (fixed)' : ''} | ${cell(comment)} |`,
  );
  const table = ['| File | Lines | Agent | Known by | Finding | Comment |', '|---|---|---|---|---|---|', ...rows];
  return `## Attribution comments\n\n${cell(summaryOf(record))}\n${rows.length === 0 ? '' : `\n${table.join('\n')}\n`}`;
}
