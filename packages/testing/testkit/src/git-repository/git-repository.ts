import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder/temporary-folder.ts';

/** A git repository of a test's own, on branch main, with nobody's configuration. */
export type GitRepository = {
  readonly folder: string;
  /** Runs git there; answers with what it printed, without the last newline. */
  git(...args: string[]): string;
  write(path: string, content: string | Uint8Array): void;
  /** Writes files, adds everything and commits; answers with the commit. */
  commit(message: string, files?: Readonly<Record<string, string | Uint8Array>>): string;
  /** Puts the content of another object under an object's name, which git shows without a word. */
  forge(object: string, other: string): void;
};

/** Makes one; the same steps give the same commits. `cleanup` is where a test says what to undo. */
export function gitRepository(cleanup: (undo: () => void) => void, folder = temporaryFolder(cleanup)): GitRepository {
  let seconds = Date.UTC(2026, 0, 1) / 1000;
  const git = (...args: string[]) => {
    const date = `${seconds++} +0000`;
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Dana',
      GIT_AUTHOR_EMAIL: 'dana@example.com',
      GIT_COMMITTER_NAME: 'Dana',
      GIT_COMMITTER_EMAIL: 'dana@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
    return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).replace(/\n$/, '');
  };
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const placeOf = (object: string) => join(folder, '.git/objects', object.slice(0, 2), object.slice(2));
  git('init', '--quiet', '--initial-branch=main');
  return {
    folder,
    git,
    write,
    commit: (message, files = {}) => {
      for (const [path, content] of Object.entries(files)) write(path, content);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    forge: (object, other) => {
      rmSync(placeOf(object));
      copyFileSync(placeOf(other), placeOf(object));
    },
  };
}
