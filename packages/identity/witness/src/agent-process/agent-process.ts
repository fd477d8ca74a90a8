import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { RunOutcome } from '../observed-run/observed-run.ts';

/** A command, and how it is run. */
export type AgentCommand = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Written to its standard input; it has that of this process where absent. */
  readonly input?: Uint8Array | undefined;
  /** After so long it is ended; never where absent. */
  readonly timeoutMs?: number | undefined;
};

/** How it ended, and the exit code that says so to a shell. */
export type EndedCommand = { readonly outcome: RunOutcome; readonly exitCode: number; readonly cause?: Error };

/** Where signals of this process come from. */
export type SignalSource = {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
};

/** What a command is run in, by somebody who may close it. */
export type Terminal = { isThere(): boolean };

/** Signals that would end this process, and are the command's to answer. */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** Those that a terminal sends to every process in its foreground, so to the command too. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
/** How long a command that is to end may take. */
const GRACE_MS = 10_000;
/** A terminal tells the command and this process of a key at once; the command may be over before this process hears it. */
const HEARING_MS = 100;
/** The longest that a timer of Node takes; a longer one would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Exit codes of a shell, and of timeout(1). */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const TIMED_OUT = 124;

/**
 * Runs a command in the foreground: its terminal is that of this process, untouched, and signals are the command's. What
 * would end this process ends the command, and is recorded.
 * @param terminal which sends its signals to the command by itself
 */
export function runAgentCommand(
  { command, args, env, input, timeoutMs }: AgentCommand,
  { signals, terminal }: { readonly signals: SignalSource; readonly terminal?: Terminal | undefined },
): Promise<EndedCommand> {
  const { promise, resolve } = Promise.withResolvers<EndedCommand>();
  let isInterrupted = false;
  let isTimedOut = false;
  let child: ChildProcess | undefined;
  // Before the command is there: a signal in between would end this process, and leave the command alone.
  const listeners = ENDING.map((signal) => {
    const listener = () => {
      isInterrupted = true;
      if (terminal === undefined || !OF_TERMINAL.includes(signal)) child?.kill(signal);
    };
    signals.on(signal, listener);
    return () => signals.off(signal, listener);
  });
  let timer: NodeJS.Timeout | undefined;
  let hardEnd: NodeJS.Timeout | undefined;
  const finish = (ended: EndedCommand) => {
    clearTimeout(timer);
    clearTimeout(hardEnd);
    for (const remove of listeners) remove();
    resolve(ended);
  };
  try {
    child = spawn(command, [...args], {
      stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
      env,
    });
  } catch (cause) {
    // Most refusals of the system are thrown: ENOTDIR, ELOOP, E2BIG.
    finish(notStarted(cause as NodeJS.ErrnoException));
    return promise;
  }
  const { pid } = child;
  if (timeoutMs !== undefined) {
    timer = setTimeout(
      () => {
        isTimedOut = true;
        child.kill('SIGTERM');
        hardEnd = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
      },
      Math.min(timeoutMs, LONGEST_MS),
    );
  }
  child.once('error', (cause: NodeJS.ErrnoException) => {
    // One that has started ends by itself; a signal that could not be sent is no end.
    if (pid === undefined) finish(notStarted(cause));
  });
  const judge = (code: number | null, signal: NodeJS.Signals | null) => {
    // A terminal that is closed may end the command before its signal has reached this process.
    const isGone = terminal?.isThere() === false;
    const isCutShort = (isInterrupted || isGone) && (signal !== null || code !== 0);
    const reason = isTimedOut ? 'timed-out' : isCutShort ? 'interrupted' : signal === null ? 'exited' : 'signalled';
    const exitCode = signal === null ? (code ?? 0) : 128 + constants.signals[signal];
    const how = signal === null ? { exitCode: code ?? 0 } : { signal };
    finish({ outcome: { reason, ...how }, exitCode: isTimedOut ? TIMED_OUT : exitCode });
  };
  child.once('exit', (code, signal) => {
    clearTimeout(timer);
    clearTimeout(hardEnd);
    const mayBeCutShort = terminal !== undefined && !isInterrupted && code !== 0;
    if (mayBeCutShort) setTimeout(() => judge(code, signal), HEARING_MS);
    else judge(code, signal);
  });
  if (input !== undefined && child.stdin) {
    // A command that reads none of it is no error.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  }
  return promise;
}

function notStarted(cause: NodeJS.ErrnoException): EndedCommand {
  const exitCode = cause.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE;
  return { outcome: { reason: 'not-started' }, exitCode, cause };
}
