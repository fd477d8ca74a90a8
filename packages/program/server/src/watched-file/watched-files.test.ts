import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { TwoLooks } from './two-looks.ts';
import { readFiles, stampOf, WatchedFiles } from './watched-files.ts';

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
  await vi.waitFor(() => expect(files.failure).toBeUndefined(), 100_000);
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
  }, 100_000);
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
  }, 100_000);
  expect([failures, files.failure]).toEqual([[], undefined]);
});

test('a promise that is rejected is a failure, told once, and each later one is, too', async () => {
  const { path, files, failures, twice } = watched((text) => {
    return text.startsWith('bad') ? Promise.reject(new Error(text)) : undefined;
  });
  for (const text of ['bad', 'bad again']) {
    writeFileSync(path, text);
    twice();
    await vi.waitFor(() => expect(failures).toContain(text), 100_000);
    expect(files.failure).toMatchObject({ message: text });
    twice();
  }
  expect(failures).toEqual(['bad', 'bad again']);
});

test('what fails after an abandoned reading is told', async () => {
  let fail: (error: Error) => void = () => {};
  const { path, files, failures, twice } = watched(
    () => {
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
  await vi.waitFor(() => {
    files.look();
    fail(new Error('no'));
    expect(failures).toContain('no');
  }, 100_000);
  expect(failures).not.toContain('ended');
});

test('nothing is told once the files are not watched any more', async () => {
  let fail: (error: Error) => void = () => {};
  const { path, files, failures, twice } = watched(() => {
    return new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
  });
  writeFileSync(path, 'large');
  twice();
  files.close();
  fail(new Error('ended'));
  await new Promise((resolve) => setImmediate(resolve));
  expect([failures, files.failure]).toEqual([[], undefined]);
});

test('a reading that nobody can abandon goes on, and the newest file is taken after it', async () => {
  const reading = Promise.withResolvers<void>();
  const taken: string[] = [];
  const { path, files, failures, twice } = watched((text) => {
    taken.push(text);
    return text === 'large' ? reading.promise : undefined;
  });
  writeFileSync(path, 'large');
  twice();
  writeFileSync(path, 'small');
  twice();
  expect([taken, failures]).toEqual([['large'], []]);
  reading.resolve();
  await vi.waitFor(() => {
    files.look();
    expect(taken).toEqual(['large', 'small']);
  }, 100_000);
});

test('a file that cannot be read for another reason than before is told again', () => {
  const { path, failures, twice } = watched(() => {});
  rmSync(path);
  twice();
  twice();
  expect(failures).toHaveLength(1);
  mkdirSync(path);
  twice();
  expect(failures).toHaveLength(2);
});

test('what moves from one file into another is a change', () => {
  const folder = temporaryFolder(onTestFinished);
  const paths = ['a', 'b'].map((name) => join(folder, name));
  const write = (...texts: string[]) => {
    for (const [index, path] of paths.entries()) writeFileSync(path, texts[index] ?? '');
  };
  write('ab', 'c');
  const taken: string[][] = [];
  const files = new WatchedFiles({
    paths,
    taken: ['ab', 'c'].map((text) => Buffer.from(text)),
    take: (contents) => void taken.push(contents.map((content) => Buffer.from(content).toString())),
    onFailure: () => {},
    intervalMs: 1e9,
  });
  onTestFinished(() => files.close());
  write('a', 'bc');
  files.look();
  files.look();
  expect(taken).toEqual([['a', 'bc']]);
});

test('files are looked at by themselves, until they are closed', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(temporaryFolder(onTestFinished), 'file');
  writeFileSync(path, 'second');
  const taken: string[] = [];
  const options = {
    ...{ paths: [path], taken: [Buffer.from('first')], onFailure: () => {} },
    take: ([content]: readonly Uint8Array[]) => void taken.push(Buffer.from(content!).toString()),
  };
  const files = new WatchedFiles(options);
  vi.advanceTimersByTime(2_000);
  expect(taken).toEqual(['second']);
  files.close();
  writeFileSync(path, 'third');
  vi.advanceTimersByTime(60_000);
  expect(taken).toEqual(['second']);
});

test('files are late after two seconds, and not before, whenever they were changed', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(100_000);
  const { path, files, twice } = watched(() => new Promise(() => {}));
  writeFileSync(path, 'large');
  twice();
  vi.advanceTimersByTime(2_000);
  expect(files.failure).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(files.failure).toMatchObject({ message: expect.stringMatching(/./) });
  const looks = new TwoLooks();
  expect(looks.problem).toBeUndefined();
  looks.isSame('a');
  vi.advanceTimersByTime(2_000);
  expect(looks.problem).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(looks.problem).toMatchObject({ message: expect.stringMatching(/./) });
});

test('files that nobody touched for long have a stamp, unless one of them was changed a moment ago or is gone', async () => {
  const folder = temporaryFolder(onTestFinished);
  const [old, young] = [join(folder, 'old'), join(folder, 'young')];
  writeFileSync(old, 'a');
  await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(young, 'b');
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(old).ctimeMs) + 2_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(stampOf([old])).toBeDefined();
  expect(readFiles([old])).toEqual({ contents: [new Uint8Array([0x61])], stamp: stampOf([old]) });
  for (const paths of [[young], [old, young], [young, old], [old, join(folder, 'gone')]]) {
    expect(stampOf(paths)).toBeUndefined();
  }
  expect(readFiles([old], [young]).stamp).toBeUndefined();
  vi.setSystemTime(Date.now() + 60_000);
  expect(stampOf([old, young])).not.toBe(stampOf([old]));
  expect(readFiles([old], [young]).stamp).toBe(stampOf([old, young]));
});
