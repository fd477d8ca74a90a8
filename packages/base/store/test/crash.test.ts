import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { consistencyProof, verifyConsistency } from '@colophon/merkle';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { MerkleLogStore, openDatabase } from '../src/index.ts';

const WRITER = fileURLToPath(new URL('./crash-writer.ts', import.meta.url));

/** Runs the writer until it has promised something, and `delayMs` longer; answers with its whole lines. */
async function killedWriter(file: string, delayMs: number): Promise<string[]> {
  const writer = spawn(process.execPath, [WRITER, file]);
  onTestFinished(() => void writer.kill('SIGKILL'));
  let output = '';
  let errors = '';
  writer.stdout.on('data', (chunk) => {
    output += chunk;
  });
  writer.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const closed = once(writer, 'close');
  await Promise.race([once(writer.stdout, 'data'), closed]);
  await pause(delayMs);
  writer.kill('SIGKILL');
  expect(await closed, errors).toEqual([null, 'SIGKILL']);
  return output.split('\n').slice(0, -1);
}

// One kill after the other on the same file, each with a time of its own: a busy machine starts a writer slowly.
describe('a tree whose writers are killed', () => {
  const file = join(temporaryFolder(afterAll), 'db');
  const promised = new Map<number, string>();
  let signed = 0;

  test.each([0, 3, 11, 24, 40, 61])(
    'after %i ms holds what was promised, and the next one goes on',
    async (delayMs) => {
      for (const line of await killedWriter(file, delayMs)) {
        const [first = '', second = ''] = line.split(' ');
        if (first === 'head') {
          signed = Number(second);
          continue;
        }
        expect(promised.has(Number(first)), `leaf ${first} promised twice`).toBe(false);
        promised.set(Number(first), second);
      }
      const db = openDatabase(file);
      onTestFinished(() => db.close());
      const log = new MerkleLogStore(db, 'ledger');
      for (const [index, hash] of promised) expect(Buffer.from(log.read(0, index)).toString('hex')).toBe(hash);
      expect(log.head()?.size ?? 0).toBeGreaterThanOrEqual(signed);
      log.verify();
      const [second = { size: 0, root: log.root(0) }, ...earlier] = log.heads().reverse();
      for (const first of earlier) {
        const proof = consistencyProof(first.size, second.size, log.read);
        const claim = { first: first.size, second: second.size, firstRoot: first.root, secondRoot: second.root, proof };
        expect(verifyConsistency(claim)).toBe(true);
      }
    },
  );

  test('had something to hold', () => {
    expect(promised.size).toBeGreaterThan(5);
    expect(signed).toBeGreaterThan(0);
  });
});
