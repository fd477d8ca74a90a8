import { spawn } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import { ForgeError } from '../forge-error/forge-error.ts';

/** Bytes that one call may print before it is stopped. */
export const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

export type GitOptions = {
  /** Written to its standard input. */
  readonly input?: string | Uint8Array;
  readonly maxBytes?: number;
  /** Further settings that win over every file. Their names may hold what `-c` would misread. */
  readonly settings?: ReadonlyArray<readonly [name: string, value: string]>;
  /** An index in the place of the repository's own. */
  readonly indexFile?: string;
  readonly signal?: AbortSignal | undefined;
};

// What a repository's own configuration could use to start a program, reach the network, hide a commit from blame or
// change what is printed. Command-line configuration wins over every file.
const PINNED_CONFIGURATION = [
  'core.quotePath=false',
  'core.fsmonitor=false',
  // A graph says which parents a commit has, and which files it changed, and nothing holds that against the commit.
  'core.commitGraph=false',
  'core.pager=cat',
  'color.ui=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'diff.renames=true',

  'diff.orderFile=/dev/null',
  'diff.noprefix=false',
  'diff.submodule=short',
  'i18n.logOutputEncoding=UTF-8',
];

/** Variables of git that say where its configuration is; all others (GIT_DIR in a hook, GIT_EXTERNAL_DIFF…) are dropped. */
const KEPT_VARIABLES = new Set([
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_CEILING_DIRECTORIES',
]);

/** An empty or relative entry would find a program in the folder that is looked at. */
function programFolders(path: string | undefined): string {
  return (path ?? '').split(delimiter).filter(isAbsolute).join(delimiter);
}

function environment({ settings = [], indexFile }: GitOptions): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('GIT_') || KEPT_VARIABLES.has(name),
  );
  return {
    ...Object.fromEntries(inherited),
    PATH: programFolders(process.env['PATH']),
    ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
    LC_ALL: 'C',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // An older git fetches what a partial clone lacks all the same, with the program that its configuration names.
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ATTR_NOSYSTEM: '1',
    // A graft gives a commit other parents than it names, and with them another history.
    GIT_GRAFT_FILE: '/dev/null',
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...Object.fromEntries(
      settings.flatMap(([name, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, name],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  };
}

/**
 * Runs git in a folder, without a shell, and answers with what it printed.
 * @throws ForgeError `forge.git_missing`, `forge.no_repository`, `forge.unsafe_directory`, `forge.output_too_large`,
 * `forge.git_failed`; the signal's reason where it aborts
 */
export async function runGit(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Buffer> {
  const { input, maxBytes = MAX_OUTPUT_BYTES, signal } = options;
  signal?.throwIfAborted();
  const pinned = PINNED_CONFIGURATION.flatMap((setting) => ['-c', setting]);
  return new Promise((resolve, reject) => {
    const child = spawn('git', ['--no-replace-objects', '--literal-pathspecs', ...pinned, ...args], {
      cwd: folder,
      env: environment(options),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    let size = 0;
    let said = '';
    let problem: unknown;
    const stop = (reason: unknown) => {
      problem ??= reason;
      child.kill('SIGKILL');
    };
    const abort = () => stop(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else stop(new ForgeError('forge.output_too_large', `git ${args[0]} prints more than ${maxBytes} bytes`));
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4096);
    });
    // A git that ends before it has read everything says why itself.
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.on('error', (cause: NodeJS.ErrnoException) => {
      problem ??= spawnProblem(cause, folder);
    });
    child.on('close', (code) => {
      signal?.removeEventListener('abort', abort);
      if (problem !== undefined) reject(problem);
      else if (code === 0) resolve(Buffer.concat(chunks));
      else reject(failure(args[0] ?? '', code, said));
    });
  });
}

/** A missing folder and a missing program are the same error of the system. */
function spawnProblem(cause: NodeJS.ErrnoException, folder: string): ForgeError {
  if (cause.code === 'ENOENT' && cause.path === 'git' && cause.syscall?.startsWith('spawn')) {
    return new ForgeError('forge.git_missing', `git cannot be started in ${folder}: is it installed?`, { cause });
  }
  return new ForgeError('forge.git_failed', `git cannot be started in ${folder}: ${cause.code}`, { cause });
}

function failure(command: string, code: number | null, said: string): ForgeError {
  const words =
    said
      .trim()
      .split('\n')[0]
      ?.replace(/^fatal: /, '') ?? '';
  if (/dubious ownership|unsafe repository/.test(said)) {
    return new ForgeError('forge.unsafe_directory', `git does not trust this repository: ${words}`);
  }
  if (/not a git repository/.test(said)) return new ForgeError('forge.no_repository', words);
  return new ForgeError('forge.git_failed', `git ${command} ended with ${code}: ${words}`);
}
