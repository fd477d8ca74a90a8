import { readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { AdmissionDecisionRecord } from '@colophon/records';
import { fillDisk, smallDisk, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDecisionLog, REOPEN_AFTER_MS } from './decision-log.ts';

const record = (id: number | string) => ({ id: `${id}` }) as AdmissionDecisionRecord;

function open(to: string | Writable) {
  let nowMs = 0;
  let lost = 0;
  const broken: string[] = [];
  const log = openDecisionLog(to, {
    onLost: () => {
      lost += 1;
    },
    onBroken: (error) => void broken.push((error as NodeJS.ErrnoException).code ?? String(error)),
    nowMs: () => nowMs,
  });
  onTestFinished(() => log.close());
  return {
    log,
    write: (...ids: Array<number | string>) => {
      for (const id of ids) log.write(record(id));
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
    lost: () => lost,
    broken,
    isBroken: (times: number) => vi.waitFor(() => expect(broken).toHaveLength(times), 25_000),
  };
}

const file = () => join(temporaryFolder(onTestFinished), 'log.jsonl');
const idsIn = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).id);
const has = (path: string, ...ids: string[]) => vi.waitFor(() => expect(idsIn(path)).toEqual(ids), 100_000);

test('a log that could not be written is opened again, and each line that is lost counts', async () => {
  const path = file();
  symlinkSync('/dev/full', path);
  const { log, write, wait, lost, broken, isBroken } = open(path);
  write('a', 'b');
  await isBroken(1);
  rmSync(path);
  wait(REOPEN_AFTER_MS - 1);
  write('c');
  wait(1);
  write('d', 'e');
  await log.close();
  expect([idsIn(path), lost(), broken]).toEqual([['d', 'e'], 3, ['ENOSPC']]);
});

test('a log that stays broken is tried once a second', async () => {
  const path = join(file(), 'in', 'no', 'folder');
  const { write, wait, lost, isBroken, broken } = open(path);
  await isBroken(1);
  for (let tries = 2; tries <= 3; tries += 1) {
    wait(REOPEN_AFTER_MS);
    write('a', 'b');
    await isBroken(tries);
    write('c');
  }
  expect([broken, lost()]).toEqual([['ENOENT', 'ENOENT', 'ENOENT'], 6]);
});

test('a line that a full disk cut off does not spoil the next one', async ({ skip }) => {
  const disk = smallDisk(2, onTestFinished);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const path = join(disk, 'log.jsonl');
  const { log, write, wait, lost, isBroken } = open(path);
  write('a');
  await has(path, 'a');
  const makeRoom = fillDisk(disk);
  write('x'.repeat(10_000), 'b');
  await isBroken(1);
  makeRoom();
  wait(REOPEN_AFTER_MS);
  write('c');
  await log.close();
  const lines = readFileSync(path, 'utf8').split('\n');
  expect([lines[0], lines.at(-2), lost()]).toEqual(['{"id":"a"}', '{"id":"c"}', 2]);
});

test('a log that was moved away is begun anew, and one that was put in its place is found', async () => {
  const path = file();
  const { write, wait, lost } = open(path);
  write(1);
  await has(path, '1');
  renameSync(path, `${path}.1`);
  write(2);
  await has(`${path}.1`, '1', '2');
  wait(REOPEN_AFTER_MS);
  write(3);
  await has(`${path}.1`, '1', '2', '3');
  await vi.waitFor(() => expect(idsIn(path)).toEqual([]), 100_000);
  write(4);
  await has(path, '4');
  renameSync(path, `${path}.2`);
  symlinkSync(`${path}.1`, path);
  wait(REOPEN_AFTER_MS);
  write(5);
  await has(`${path}.2`, '4', '5');
  await vi.waitFor(async () => {
    write(6);
    expect(idsIn(path)).toContain('6');
  }, 100_000);
  expect(lost()).toBe(0);
});

test('a stream that ends is not opened again', async () => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('gone')) });
  const { log, write, wait, lost, isBroken } = open(stream);
  write(1);
  await isBroken(1);
  wait(REOPEN_AFTER_MS);
  write(2);
  await log.close();
  expect(lost()).toBe(2);
});

test('what comes after the end is lost', async () => {
  const path = file();
  const { log, write, wait, lost } = open(path);
  write(1);
  await log.close();
  wait(REOPEN_AFTER_MS);
  write(2);
  expect([idsIn(path), lost()]).toEqual([['1'], 1]);
});
