import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WatchedFiles } from './watched-files.ts';

/** One watched file; nothing is looked at by itself. */
function watched(take: (text: string) => unknown, abandon?: () => void) {
  const path = join(temporaryFolder(onTestFinished), 'file');
  writeFileSync(path, 'first');
  const failures: string[] = [];
  const files = new WatchedFiles({
    paths: [path],
    taken: [Buffer.from('first')],
    take: ([content]) => take(Buffer.from(content!).toString()),
    onFailure: (error) => failures.push((error as Error).message),
    intervalMs: 1e9,
    ...(abandon === undefined ? {} : { abandon }),
  });
  onTestFinished(() => files.close());
  return { path, files, failures };
}

test('what is in force is not handed over again, and each change once', () => {
  const taken: string[] = [];
  const { path, files } = watched((text) => void taken.push(text));
  files.look();
  writeFileSync(path, 'second');
  files.look();
  files.look();
  expect(taken).toEqual(['second']);
  expect(files.failure).toBeUndefined();
});

test('a file that was left alone for long is seen when it is changed, and when it is exchanged or gone', () => {
  const taken: string[] = [];
  const { path, files, failures } = watched((text) => void taken.push(text));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  files.look();
  writeFileSync(path, 'other');
  files.look();
  writeFileSync(`${path}.new`, 'third');
  renameSync(`${path}.new`, path);
  files.look();
  files.look();
  expect(taken).toEqual(['other', 'third']);
  rmSync(path);
  files.look();
  expect(failures).toHaveLength(1);
});

test('a refusal stays until the file is one that is taken, and is told once', () => {
  const { path, files, failures } = watched((text) => {
    if (text === 'bad') throw new Error('no');
  });
  writeFileSync(path, 'bad');
  files.look();
  files.look();
  expect(failures).toEqual(['no']);
  expect(files.failure).toBeInstanceOf(Error);
  writeFileSync(path, 'first');
  files.look();
  expect(files.failure).toBeUndefined();
});

test('a pipe in the place of the file is a failure, and nobody waits for it', () => {
  const { path, files, failures } = watched(() => {});
  rmSync(path);
  execFileSync('mkfifo', [path]);
  files.look();
  expect(failures).toEqual([expect.stringContaining('no regular file')]);
});

test('a file that was refused stays refused while the next one is being read', async () => {
  const reading = Promise.withResolvers<void>();
  const { path, files } = watched((text) => {
    if (text === 'bad') throw new Error('no');
    return reading.promise;
  });
  writeFileSync(path, 'bad');
  files.look();
  writeFileSync(path, 'large');
  files.look();
  expect(files.failure).toBeInstanceOf(Error);
  reading.resolve();
  await vi.waitFor(() => expect(files.failure).toBeUndefined());
});

test('a file that is long in being read is not in force, and says so', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { path, files } = watched(() => new Promise(() => {}));
  writeFileSync(path, 'large');
  files.look();
  expect(files.failure).toBeUndefined();
  vi.advanceTimersByTime(2_001);
  expect(files.failure).toBeInstanceOf(Error);
});

test('a reading that is overtaken by another change is abandoned without a word, and the newest file is taken', async () => {
  let fail: (error: Error) => void = () => {};
  const taken: string[] = [];
  const { path, files, failures } = watched(
    (text) => {
      if (text !== 'large') return void taken.push(text);
      return new Promise<void>((_resolve, reject) => {
        fail = reject;
      });
    },
    () => fail(new Error('ended')),
  );
  writeFileSync(path, 'large');
  files.look();
  writeFileSync(`${path}.new`, 'small');
  renameSync(`${path}.new`, path);
  files.look();
  await vi.waitFor(() => {
    files.look();
    expect(taken).toEqual(['small']);
  });
  expect(failures).toEqual([]);
  expect(files.failure).toBeUndefined();
});
