import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SignedLog } from '../../test/signed-log.ts';
import { knownList } from '../pin-rule/pin-rule.ts';
import { readSignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';
import { FilePins } from './file-pins.ts';

const WRITER = fileURLToPath(new URL('../../test/pin-writer.ts', import.meta.url));
const leaves = (count: number, of = 'leaf') => Array.from({ length: count }, (_, i) => `${of} ${i}`);
const at = (log: SignedLog, size: number) => readSignedCheckpoint(log.note(size), log.publicKey);
const place = () => join(temporaryFolder(onTestFinished), 'pins');
const sizes = (pins: FilePins, log: SignedLog) => knownList(pins.known(log)).map(({ size }) => size);
const codeOf = (act: () => unknown) => {
  try {
    act();
    return 'none';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('pins in a folder', () => {
  test('are those of each log by itself, by name and by key', () => {
    const pins = new FilePins(place());
    const log = new SignedLog().add(...leaves(9));
    const other = new SignedLog().add(...leaves(9, 'other'));
    const named = new SignedLog('other.example', log).add(...leaves(9, 'x'));
    expect(pins.known(log)).toEqual({ seen: [] });
    for (const one of [log, other, named]) pins.keep(one, at(one, 5), false);
    pins.keep(log, at(log, 7), false);
    expect([log, other, named].map((one) => sizes(pins, one))).toEqual([[5, 7], [5], [5]]);
    expect(
      pins
        .ofKey(log.publicKey)
        .map(({ origin, size }) => `${origin} ${size}`)
        .sort(),
    ).toEqual(['log.example 5', 'log.example 7', 'other.example 5']);
    pins.keep(log, at(log, 8), true);
    expect(readdirSync(pins.folder).filter((name) => name.endsWith('.seen'))).toEqual([]);
    expect(sizes(pins, log)).toEqual([8]);
  });

  test('a pin file is the checkpoint, as its log signed it', () => {
    const pins = new FilePins(place());
    const log = new SignedLog().add(...leaves(9));
    const five = at(log, 5);
    pins.keep(log, five, false);
    const [name] = readdirSync(pins.folder).filter((one) => one.endsWith('.pinned'));
    expect(readFileSync(join(pins.folder, name!), 'utf8')).toBe(five.note);
  });

  test('of another log, or put into the place of another, are damaged', () => {
    const pins = new FilePins(place());
    const log = new SignedLog().add(...leaves(9));
    const named = new SignedLog('other.example', log).add(...leaves(9, 'x'));
    pins.keep(log, at(log, 5), false);
    const [mine] = readdirSync(pins.folder).filter((one) => one.endsWith('.pinned'));
    pins.keep(named, at(named, 6), false);
    const theirs = readdirSync(pins.folder).find((one) => one.endsWith('.pinned') && one !== mine)!;
    cpSync(join(pins.folder, theirs), join(pins.folder, mine!));
    expect(codeOf(() => pins.known(log))).toBe('pin.damaged');
    writeFileSync(join(pins.folder, mine!), new SignedLog().add('a').note());
    expect(codeOf(() => pins.known(log))).toBe('pin.damaged');
    // And nothing takes its place.
    expect(codeOf(() => pins.keep(log, at(log, 9), true))).toBe('pin.damaged');
  });

  test.each(['', '[', '{}', '[1]', '["x"]', '"x"', 'null'])('a list of seen ones that is %j is damaged', (text) => {
    const pins = new FilePins(place());
    const log = new SignedLog().add(...leaves(9));
    pins.keep(log, at(log, 5), false);
    pins.keep(log, at(log, 7), false);
    const [name] = readdirSync(pins.folder).filter((one) => one.endsWith('.seen'));
    writeFileSync(join(pins.folder, name!), text);
    expect(codeOf(() => pins.known(log))).toBe('pin.damaged');
  });

  test('without their first one are what is left, and files of others are left alone', () => {
    const pins = new FilePins(place());
    const log = new SignedLog().add(...leaves(9));
    pins.keep(log, at(log, 5), false);
    pins.keep(log, at(log, 7), false);
    for (const name of readdirSync(pins.folder)) if (name.endsWith('.pinned')) rmSync(join(pins.folder, name));
    writeFileSync(join(pins.folder, 'notes.txt'), 'x');
    mkdirSync(join(pins.folder, 'more'));
    expect(sizes(pins, log)).toEqual([7]);
    pins.keep(log, at(log, 8), true);
    expect(sizes(pins, log)).toEqual([8]);
  });

  test('a folder that cannot be made or read says so', () => {
    const folder = temporaryFolder(onTestFinished);
    writeFileSync(join(folder, 'file'), '');
    const log = new SignedLog().add('a');
    expect(codeOf(() => new FilePins(join(folder, 'file', 'pins')).known(log))).toBe('pin.unavailable');
    expect(codeOf(() => new FilePins('/proc/nowhere').keep(log, at(log, 1), false))).toBe('pin.unavailable');
  });

  test('another process that writes is waited for, for a while', () => {
    const pins = new FilePins(place(), 50);
    const log = new SignedLog().add(...leaves(3));
    pins.keep(log, at(log, 1), false);
    const inside = () => new FilePins(pins.folder, 50).keep(log, at(log, 3), true);
    const original = pins.known.bind(pins);
    let asked = 0;
    pins.known = (one) => {
      asked += 1;
      // The second time the lock is held.
      if (asked === 2) expect(codeOf(inside)).toBe('pin.busy');
      return original(one);
    };
    pins.keep(log, at(log, 2), true);
    expect(asked).toBe(2);
  });
});

describe('several processes at once', () => {
  const start = async (folder: string, log: SignedLog, list: readonly number[], how: string) => {
    const base = temporaryFolder(onTestFinished);
    writeFileSync(join(base, 'key'), log.publicKey.export({ type: 'spki', format: 'pem' }));
    writeFileSync(join(base, 'notes'), JSON.stringify(list.map((size) => log.note(size))));
    return spawn(process.execPath, [WRITER, folder, join(base, 'key'), join(base, 'notes'), how]);
  };

  test('lose nothing of each other', async () => {
    const folder = place();
    const log = new SignedLog().add(...leaves(60));
    const odd = leaves(20).map((_, i) => 2 * i + 3);
    const even = leaves(20).map((_, i) => 2 * i + 2);
    new FilePins(folder).keep(log, at(log, 1), false);
    const writers = await Promise.all([start(folder, log, odd, 'seen'), start(folder, log, even, 'seen')]);
    for (const [code] of await Promise.all(writers.map((one) => once(one, 'exit')))) expect(code).toBe(0);
    expect(sizes(new FilePins(folder), log)).toEqual([1, ...odd, ...even].sort((a, b) => a - b));
  });

  test('that are killed leave the old or the new, and never less than they have said', async () => {
    const log = new SignedLog().add(...leaves(150));
    for (let round = 0; round < 3; round += 1) {
      const folder = place();
      const writer = await start(
        folder,
        log,
        leaves(150).map((_, i) => i + 1),
        'proven',
      );
      let said = 0;
      let rest = '';
      writer.stdout.on('data', (chunk) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop()!;
        said = Number(lines.at(-1) ?? said);
        if (said > 5 + 15 * round) writer.kill('SIGKILL');
      });
      await once(writer, 'close');
      const [size] = sizes(new FilePins(folder), log);
      expect(size).toBeGreaterThanOrEqual(said);
      new FilePins(folder).keep(log, at(log, 150), true);
      expect(sizes(new FilePins(folder), log)).toEqual([150]);
    }
  });

  test('a reader finds a whole state while a writer changes it', async () => {
    const folder = place();
    const log = new SignedLog().add(...leaves(120));
    new FilePins(folder).keep(log, at(log, 1), false);
    new FilePins(folder).keep(log, at(log, 120), false);
    const writer = await start(
      folder,
      log,
      leaves(110).map((_, i) => i + 2),
      'proven',
    );
    let isEnded = false;
    writer.on('exit', () => {
      isEnded = true;
    });
    let last = 0;
    while (!isEnded) {
      const [pinned, seen] = sizes(new FilePins(folder), log);
      expect(pinned).toBeGreaterThanOrEqual(last);
      expect(seen).toBe(120);
      last = pinned!;
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
});
