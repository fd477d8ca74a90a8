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
  /** As often as it takes until a change is taken. */
  const twice = () => {
    files.look();
    files.look();
  };
  return { path, files, failures, twice };
}

test('what is in force is not handed over again, and each change once', () => {
  const taken: string[] = [];
  const { path, files, twice } = watched((text) => void taken.push(text));
  twice();
  writeFileSync(path, 'second');
  twice();
  expect(taken).toEqual(['second']);
  expect(files.failure).toBeUndefined();
});

test('a file that was left alone for long is seen when it is changed, and when it is exchanged or gone', () => {
  const taken: string[] = [];
  const { path, failures, twice } = watched((text) => void taken.push(text));
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  twice();
  writeFileSync(path, 'other');
  twice();
  writeFileSync(`${path}.new`, 'third');
  renameSync(`${path}.new`, path);
  twice();
  expect(taken).toEqual(['other', 'third']);
  rmSync(path);
  twice();
  expect(failures).toHaveLength(1);
});

test('a refusal stays until the file is one that is taken, and is told once', () => {
  const { path, files, failures, twice } = watched((text) => {
    if (text === 'bad') throw new Error('no');
  });
  writeFileSync(path, 'bad');
  twice();
  expect(failures).toEqual(['no']);
  expect(files.failure).toBeInstanceOf(Error);
  writeFileSync(path, 'first');
  twice();
  expect(files.failure).toBeUndefined();
});

test('a pipe in the place of the file is a failure, and nobody waits for it', () => {
  const { path, failures, twice } = watched(() => {});
  rmSync(path);
  execFileSync('mkfifo', [path]);
  twice();
  expect(failures).toEqual([expect.stringContaining('no regular file')]);
});

test('a file that was refused stays refused while the next one is being read', async () => {
  const reading = Promise.withResolvers<void>();
  const { path, files, twice } = watched((text) => {
    if (text === 'bad') throw new Error('no');
    return reading.promise;
  });
  writeFileSync(path, 'bad');
  twice();
  writeFileSync(path, 'large');
  twice();
  expect(files.failure).toBeInstanceOf(Error);
  reading.resolve();
  await vi.waitFor(() => expect(files.failure).toBeUndefined(), 25_000);
});

test('a file that is long in being read is not in force, and says so', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const { path, files, twice } = watched(() => new Promise(() => {}));
  writeFileSync(path, 'large');
  twice();
  expect(files.failure).toBeUndefined();
  vi.advanceTimersByTime(2_001);
  expect(files.failure).toBeInstanceOf(Error);
});

test('a reading that is overtaken by another change is abandoned without a word, and the newest file is taken', async () => {
  let fail: (error: Error) => void = () => {};
  const taken: string[] = [];
  const { path, files, failures, twice } = watched(
    (text) => {
      if (text !== 'large') return void taken.push(text);
      return new Promise<void>((_resolve, reject) => {
        fail = reject;
      });
    },
    () => fail(new Error('ended')),
  );
  writeFileSync(path, 'large');
  twice();
  writeFileSync(`${path}.new`, 'small');
  renameSync(`${path}.new`, path);
  twice();
  await vi.waitFor(() => {
    files.look();
    expect(taken).toEqual(['small']);
  }, 25_000);
  expect(failures).toEqual([]);
  expect(files.failure).toBeUndefined();
});

test('what two looks in a row did not find alike is not taken, and says so where it goes on', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const taken: string[] = [];
  const { path, files, failures } = watched((text) => void taken.push(text));
  for (const text of ['half', 'first', 'half', 'more']) {
    writeFileSync(path, text);
    files.look();
    vi.advanceTimersByTime(1_000);
  }
  expect([taken, failures, files.failure]).toEqual([[], [], undefined]);
  vi.advanceTimersByTime(1);
  expect(files.failure).toBeInstanceOf(Error);
  files.look();
  expect([taken, failures, files.failure]).toEqual([['more'], [], undefined]);
});

test('a change is looked at twice, also where its times were long ago', () => {
  const taken: string[] = [];
  const { path, files } = watched((text) => void taken.push(text));
  writeFileSync(path, 'other');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  files.look();
  expect(taken).toEqual([]);
  files.look();
  expect(taken).toEqual(['other']);
});

test('what was abandoned is taken where it is there again', async () => {
  let fail: (error: Error) => void = () => {};
  const taken: string[] = [];
  const { path, files, failures, twice } = watched(
    (text) => {
      taken.push(text);
      if (taken.length > 1) return undefined;
      return new Promise<void>((_resolve, reject) => {
        fail = reject;
      });
    },
    () => fail(new Error('ended')),
  );
  writeFileSync(path, 'large');
  twice();
  writeFileSync(path, 'small');
  twice();
  writeFileSync(path, 'large');
  await vi.waitFor(() => {
    files.look();
    expect(taken).toEqual(['large', 'large']);
  }, 25_000);
  expect([failures, files.failure]).toEqual([[], undefined]);
});
