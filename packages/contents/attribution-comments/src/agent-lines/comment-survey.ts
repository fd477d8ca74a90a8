import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type Blame,
  blameFile,
  type CommitRange,
  ForgeError,
  type GitOptions,
  listChangedFiles,
  listTouchedFiles,
  type Repository,
  readAttributes,
} from '@colophon/forge';
import { compareTexts } from '@colophon/notation';
import type { AttributedLine } from '../comment/code-block.ts';
import { type CommentSyntax, commentSyntaxOf, type ParserName } from '../comment/comment-syntax.ts';
import type { EnclosingText } from '../comment/enclosing-text.ts';
import { refuseInsertions } from '../comment/inert-insertion.ts';
import { type Insertion, insertComments, type SourceText, sourceText } from '../comment/placement.ts';
import type { ProgramReader } from '../comment/program-reading.ts';
import { type CommentFinding, reviewComments } from '../comment/review-comments.ts';
import type { Unfixed } from '../comment/unfixed.ts';
import type { CommitEvidence } from './commit-evidence.ts';
import {
  FILE_CHANGED,
  hasSameLines,
  LONGEST_SOURCE,
  notAFile,
  replaceFile,
  TOO_LARGE,
  textOf,
  unwritable,
  type WriteFile,
} from './working-file.ts';

/** A finding in a file, with the commits behind its lines. */
export type FileFinding = CommentFinding & {
  readonly file: string;
  readonly commits: readonly string[];
  readonly isFixed: boolean;
  /** Why it is not written. */
  readonly unfixed?: Unfixed;
};

/** A file that an agent touched and that was not looked at. */
export type SkippedFile = { readonly file: string; readonly reason: string };

export type CommentSurvey = {
  /** Files that were looked at. */
  readonly files: number;
  /** Blocks by agents, of any length. */
  readonly blocks: number;
  readonly findings: readonly FileFinding[];
  readonly skipped: readonly SkippedFile[];
};

/** The port to the parsers of the languages. */
export type SourceParsers = {
  /** Where strings and comments of a file are. */
  readonly enclosingTextOf: (text: string, syntax: CommentSyntax) => Promise<EnclosingText>;
  readonly loadProgramReader: (name: ParserName) => Promise<ProgramReader>;
};

export type SurveyOptions = GitOptions & {
  readonly parsers: SourceParsers;
  /** Blocks with more lines than this need a comment. */
  readonly longest: number;
  /** How a comment is written into the working tree; without it none is. */
  readonly write?: WriteFile | undefined;
  /** Paths from the top of the repository; a folder stands for all in it. Empty: all. */
  readonly paths: readonly string[];
  /** Told before every file. */
  readonly onProgress?: (done: number, all: number) => void;
};

/** Attributes by which a repository says that people do not read a file as its own code. */
const NOT_OURS: Readonly<Record<string, string>> = {
  'linguist-generated': 'generated, by .gitattributes',
  'linguist-vendored': 'vendored, by .gitattributes',
};

/**
 * Looks for blocks by agents without their comment in every file that an agent's commits of the range touched; with
 * `write` the comments are written into the working tree.
 * @throws ForgeError; whatever the parsers or `write` throw
 */
export async function surveyComments(
  repository: Repository,
  range: CommitRange,
  evidence: CommitEvidence,
  options: SurveyOptions,
): Promise<CommentSurvey> {
  await evidence.load(range.commits);
  const touched = await listTouchedFiles(repository, range, (sha) => evidence.hasAgent(sha), options);
  const files = touched.files.filter(({ path }) => isWanted(path, options.paths));
  const attributes = await readAttributes(
    repository,
    range.base,
    files.map(({ path }) => path),
    Object.keys(NOT_OURS),
    options,
  );
  const skipped: SkippedFile[] = touched.unnameable.map((file) => ({ file, reason: 'its name is not UTF-8' }));
  const findings: FileFinding[] = [];
  const at = placeOf(repository, range);
  const changed = at === 'working-tree' ? await listChangedFiles(repository, options) : new Set();
  const work = { repository, range: new Set(range.commits), at, evidence, options };
  let blocks = 0;
  let looked = 0;
  let done = 0;
  await eachAtOnce(files, async ({ path, kind, sameAt }) => {
    options.onProgress?.(done, files.length);
    done += 1;
    const attribute = attributes.get(path);
    const reviewed =
      kind !== 'file'
        ? `a ${kind === 'link' ? 'symbolic link' : 'submodule'}`
        : attribute === undefined
          ? await reviewFile(path, changed.has(path) ? at : sameAt, work)
          : (NOT_OURS[attribute] ?? attribute);
    if (typeof reviewed === 'string') {
      skipped.push({ file: path, reason: reviewed });
      return;
    }
    looked += 1;
    blocks += reviewed.blocks;
    findings.push(...reviewed.findings);
  });
  return {
    files: looked,
    blocks,
    findings: findings.toSorted((a, b) => compareTexts(a.file, b.file) || a.block.start - b.block.start),
    skipped: skipped.toSorted((a, b) => compareTexts(a.file, b.file)),
  };
}

/** What ends at the commit that is checked out is looked at as it stands there, so that a comment counts before it is committed. */
export function placeOf({ head, isBare }: Repository, { to }: CommitRange): string {
  return to === head && !isBare ? 'working-tree' : to;
}

type Work = {
  readonly repository: Repository;
  readonly range: ReadonlySet<string>;
  readonly at: string;
  readonly evidence: CommitEvidence;
  readonly options: SurveyOptions;
};

/**
 * @param blamedAt the working tree, or a commit that has the same version.
 * @returns findings, or why the file was not looked at
 */
async function reviewFile(
  path: string,
  blamedAt: string,
  { repository, range, at, evidence, options }: Work,
): Promise<{ blocks: number; findings: FileFinding[] } | string> {
  // Most formats say by their name that they have no comments, and need no blame.
  if (commentSyntaxOf(path, '#!/bin/sh') === undefined) return NO_SYNTAX;
  const file = join(repository.root, path);
  if (at === 'working-tree') {
    const problem = notAFile(repository.root, file);
    if (problem !== undefined) return problem;
  }
  const blame = await blameOrReason(repository, path, blamedAt, options);
  if (typeof blame === 'string') return blame;
  const { lines } = blame;
  const kept = at === 'working-tree' ? readFileSync(file) : blame.content;
  // What git calls content may have passed through a filter.
  const isKept = at !== 'working-tree' || hasSameLines(kept, blame.content);
  const content = isKept ? kept : blame.content;
  if (content.subarray(0, 8_000).includes(0)) return 'binary';
  if (content.length > LONGEST_SOURCE) return TOO_LARGE;
  const text = textOf(content);
  const source = sourceText(text ?? content.toString('latin1'));
  const syntax = commentSyntaxOf(path, source.lines[0]);
  if (syntax === undefined) return NO_SYNTAX;
  await evidence.load(lines.flatMap(({ commit }) => commit ?? []));
  const attributed: AttributedLine[] = lines.map((line, i) => ({
    text: source.lines[i] ?? '',
    evidence: evidence.evidenceOf(line),
    isNew: line.commit !== undefined && range.has(line.commit),
  }));
  if (!attributed.some((line) => line.isNew && line.evidence !== undefined)) return { blocks: 0, findings: [] };
  const enclosing = await options.parsers.enclosingTextOf(source.text, syntax);
  const review = reviewComments(source, attributed, syntax, enclosing, options.longest);
  const insertions = review.findings.flatMap(({ remedy }) => ('reason' in remedy ? [] : [remedy]));
  const writable = at === 'working-tree' ? unwritable(file) : undefined;
  const whole = !isKept ? FILE_CHANGED : text === undefined ? NOT_UTF8 : writable;
  const refused =
    whole === undefined
      ? await refusedOf(source, insertions, syntax, options.parsers)
      : new Map(insertions.map((one) => [one, whole] as const));
  const inert = insertions.filter((one) => !refused.has(one));
  const { write } = options;
  const isWritten = write !== undefined && inert.length > 0;
  const changed = isWritten
    ? replaceFile(repository.root, file, content, insertComments(source, inert), write)
    : undefined;
  const findings = review.findings.map((finding): FileFinding => {
    const { block, remedy } = finding;
    const commits = new Set(
      lines
        .slice(block.start - 1, block.end)
        .flatMap(({ commit }, i) => (attributed[block.start - 1 + i]?.evidence && commit) || []),
    );
    const unfixed = 'reason' in remedy ? remedy : (refused.get(remedy) ?? changed);
    const isFixed = isWritten && unfixed === undefined;
    return { ...finding, file: path, commits: [...commits], isFixed, ...(unfixed && { unfixed }) };
  });
  return { blocks: review.blocks, findings };
}

async function refusedOf(
  source: SourceText,
  insertions: readonly Insertion[],
  syntax: CommentSyntax,
  { loadProgramReader }: SourceParsers,
) {
  if (insertions.length === 0 || syntax.parser === undefined)
    return refuseInsertions(source, insertions, syntax, undefined);
  return refuseInsertions(source, insertions, syntax, await loadProgramReader(syntax.parser));
}

const NOT_UTF8: Unfixed = { code: 'comment.unparsed', reason: 'the file is not UTF-8' };
const NO_SYNTAX = 'no comment syntax';
async function blameOrReason(
  repository: Repository,
  path: string,
  at: string,
  options: GitOptions,
): Promise<Blame | string> {
  try {
    return await blameFile(repository, path, at, { signal: options.signal });
  } catch (error) {
    if (error instanceof ForgeError && error.code === 'forge.output_too_large') return TOO_LARGE;
    throw error;
  }
}

function isWanted(path: string, wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((one) => one === '' || path === one || path.startsWith(`${one}/`));
}

/** A few at a time: each is a git process. */
async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: Math.min(8, availableParallelism()) }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.all(workers);
}
