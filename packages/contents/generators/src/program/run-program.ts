import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { GeneratorError } from '../generator-error/generator-error.ts';

/** One run of a program, without a shell. */
export type ProgramRun = {
  /** Absolute. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
  /** Of standard output. */
  readonly maxBytes: number;
  /** Ends the program, and whatever it started. */
  readonly signal?: AbortSignal | undefined;
};

/** How a program that was not ended by us ended. */
export type ProgramEnd = {
  /** 0: it says that all went well. */
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  /** The last words of standard error. */
  readonly stderr: string;
};

/** Bytes of standard error that are kept, from its end. */
const KEPT_STDERR_BYTES = 16 * 1024;
/** After it was asked to end. */
const GRACE_MS = 2_000;

/**
 * Runs a program to its end, with nothing on standard input.
 * @throws GeneratorError `feeds.generator_failed` where it cannot be started, `feeds.generator_timeout`,
 *   `feeds.generator_output` for more than `maxBytes`; the signal's reason where that aborts
 */
export async function runProgram({
  file,
  args,
  cwd,
  env,
  timeoutMs,
  maxBytes,
  signal,
}: ProgramRun): Promise<ProgramEnd> {
  signal?.throwIfAborted();
  // In a group of its own, so that what it started ends with it.
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true, shell: false });
  let stopped: unknown;
  let grace: NodeJS.Timeout | undefined;
  const stop = (reason: unknown) => {
    if (stopped !== undefined) return;
    stopped = reason;
    end(child.pid, 'SIGTERM');
    grace = setTimeout(() => {
      end(child.pid, 'SIGKILL');
      // Whatever left the group may hold the output open for ever.
      child.stdout.destroy();
      child.stderr.destroy();
    }, GRACE_MS);
  };
  const onAbort = () => stop(signal?.reason ?? new Error('aborted'));
  const timer = setTimeout(
    () => stop(new GeneratorError('feeds.generator_timeout', `it did not end within ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  signal?.addEventListener('abort', onAbort, { once: true });

  const chunks: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else {
      chunks.length = 0;
      stop(new GeneratorError('feeds.generator_output', `it wrote more than ${maxBytes} bytes`));
    }
  });
  let stderr: Buffer = Buffer.alloc(0);
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-KEPT_STDERR_BYTES);
  });
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', (cause) => {
        reject(new GeneratorError('feeds.generator_failed', 'it cannot be started', { cause }));
      });
      child.on('close', (code) => resolve(code ?? -1));
    });
    if (stopped !== undefined) throw stopped;
    return { exitCode, stdout: Buffer.concat(chunks), stderr: stripVTControlCharacters(stderr.toString()) };
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    signal?.removeEventListener('abort', onAbort);
  }
}

function end(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It is gone already.
  }
}
