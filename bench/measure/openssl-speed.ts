import { spawnSync } from 'node:child_process';

/** What one ECDSA operation on P-256 costs `openssl speed`, CPU µs. */
export type SpeedOfOpenssl = { readonly signMicros: number; readonly verifyMicros: number };

/** Asks `openssl speed -seconds 1 ecdsap256`; undefined, with a note on the terminal, where there is no such program. */
export function speedOfOpenssl(): SpeedOfOpenssl | undefined {
  const { stdout, error } = spawnSync('openssl', ['speed', '-seconds', '1', 'ecdsap256'], { encoding: 'utf8' });
  // The line ends in seconds per operation, rounded to nothing, and in operations per second of CPU.
  const [, signs, verifies] = /nistp256\).*\s([\d.]+)\s+([\d.]+)\s*$/m.exec(stdout ?? '') ?? [];
  if (signs === undefined || verifies === undefined) {
    console.log(`openssl speed is left out: ${error?.message ?? 'its answer was not understood'}`);
    return undefined;
  }
  return { signMicros: 1e6 / Number(signs), verifyMicros: 1e6 / Number(verifies) };
}
