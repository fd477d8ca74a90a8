import { type GitOptions, runGit } from '../git/git.ts';
import { filterSettings } from '../repository/filter-settings.ts';
import type { Repository } from '../repository/repository.ts';
import { unquotePath } from './quoted-path.ts';

/** Where a line comes from. */
export type BlamedLine = {
  /** The commit that wrote it; undefined for a line that is not committed. */
  readonly commit: string | undefined;
  /** The file's name and the line's number (from 1) in that commit. */
  readonly path: string;
  readonly line: number;
};

/** A file line by line. */
export type Blame = {
  readonly lines: readonly BlamedLine[];
  /** The file as git compares it, with a newline behind the last line even where the file has none. */
  readonly content: Buffer;
};

// The empty name forgets the commits that the repository's configuration wants ignored; an empty setting does not.
const BLAME_FLAGS = ['--porcelain', '-w', '--no-textconv', '--ignore-revs-file='];

/** Bytes of porcelain for one file; a line costs some 60 beside its text. */
const MAX_BLAME_BYTES = 128 * 1024 * 1024;

/**
 * Says which commit wrote each line of a file. White space is not compared, so a commit that only indents a line does not
 * become its author.
 * @param at the commit whose version is meant, or `working-tree`: changes that are not committed belong to nobody.
 * @throws ForgeError `forge.output_too_large`, `forge.git_failed`
 */
export async function blameFile(
  { root, filters }: Repository,
  path: string,
  at: string,
  options: GitOptions = {},
): Promise<Blame> {
  const revision = at === 'working-tree' ? [] : [at];
  const output = await runGit(root, ['blame', ...BLAME_FLAGS, ...revision, '--', path], {
    maxBytes: MAX_BLAME_BYTES,
    settings: filterSettings(filters),
    ...options,
  });
  return parsePorcelain(output);
}

/** Reads `git blame --porcelain`. */
export function parsePorcelain(output: Buffer): Blame {
  const lines: BlamedLine[] = [];
  const content: Buffer[] = [];
  // A commit's file is named the first time, and again only where it has several.
  const paths = new Map<string, string>();
  let sha = '';
  let line = 0;
  for (let start = 0; start < output.length; ) {
    const newline = output.indexOf(0x0a, start);
    const end = newline < 0 ? output.length : newline;
    if (output[start] === 0x09) {
      const path = paths.get(sha) ?? '';
      lines.push({ commit: /^0+$/.test(sha) ? undefined : sha, path, line });
      content.push(output.subarray(start + 1, newline < 0 ? end : end + 1));
    } else {
      const text = output.subarray(start, end).toString('utf8');
      const [, commit, original] = /^([0-9a-f]{40,64}) (\d+) \d+/.exec(text) ?? [];
      if (commit !== undefined) {
        sha = commit;
        line = Number(original);
      } else if (text.startsWith('filename ')) {
        paths.set(sha, unquotePath(text.slice('filename '.length)));
      }
    }
    start = end + 1;
  }
  return { lines, content: Buffer.concat(content) };
}
