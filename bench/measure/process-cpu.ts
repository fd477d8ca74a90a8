import { execFile, spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** CPU of a whole process in milliseconds, user and system, as a shell counts its child. */
export function cpuOfProcess(command: readonly string[]): number {
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { stdout } = spawnSync('bash', ['-c', `${words} >/dev/null 2>&1; times`], { encoding: 'utf8' });
  // The second line is that of the children: user and system, each as 0m0.123s.
  const numbers =
    stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.match(/(\d+)m([\d.]+)s/g) ?? [];
  return numbers.reduce((sum, text) => {
    const [minutes = 0, seconds = 0] = text.slice(0, -1).split('m').map(Number);
    return sum + (minutes * 60 + seconds) * 1000;
  }, 0);
}

/** The clock's time and CPU of a whole process, and what it answered; the caller's own servers go on answering. */
export function timesOfProcess(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly wallMs: number; readonly cpuMs: number }> {
  // Its own output stands in the way of the figures, but for a failure.
  const script = 'TIMEFORMAT="%R %U %S"; time { out=$("$@" 2>&1) || { printf "%s" "$out" >&2; exit 1; }; }';
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script, 'bash', ...command], { env: { ...process.env, ...env } }, (failure, _, stderr) => {
      const [wall, user, system] = stderr
        .trim()
        .split(' ')
        .map((seconds) => Number(seconds) * 1000);
      if (failure === null) resolve({ wallMs: wall!, cpuMs: user! + system! });
      else reject(new Error(`${command.join(' ')}: ${stderr}`));
    });
  });
}

/** What one process needed. */
export type ProcessUse = {
  readonly cpuMs: number;
  /** The most that was resident, in bytes; undefined where GNU time is not on PATH. */
  readonly memoryBytes?: number;
};

/**
 * CPU of a whole process, and its memory as GNU `time` tells it.
 * @param note a file to write into
 */
export function useOfProcess(command: readonly string[], note: string): ProcessUse {
  const time = findProgram('time');
  if (time === undefined) return { cpuMs: cpuOfProcess(command) };
  const cpuMs = cpuOfProcess([time, '--format', '%M', '--output', note, ...command]);
  return { cpuMs, memoryBytes: Number(readFileSync(note, 'utf8')) * 1024 };
}

/** The path of a program that is on PATH. */
export function findProgram(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
