import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvidence } from '@colophon/evidence';
import { openDatabase } from '@colophon/store';
import { expect, onTestFinished, test } from 'vitest';
import { QuestionDesk } from './question-desk.ts';

/** A desk over an empty store. */
function openDesk(options?: ConstructorParameters<typeof QuestionDesk>[1]): QuestionDesk {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-questions-'));
  const file = join(folder, 'evidence.db');
  const db = openDatabase(file);
  createEvidence({ db, verify: () => Promise.reject(new Error('nothing is imported here')) });
  const desk = new QuestionDesk(file, options);
  // Its processes keep no other process alive.
  const alive = setInterval(() => {}, 1000);
  onTestFinished(() => {
    clearInterval(alive);
    desk.close();
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return desk;
}

test('whoever asks waits beside the server, which goes on with its turns', async () => {
  const desk = openDesk();
  let turns = 0;
  const turn = () => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  const answer = await desk.ask('runs where agent = code-writer');
  clearImmediate(timer);
  expect(answer).toMatchObject({ ok: true, value: { rows: [] } });
  expect(turns).toBeGreaterThan(10);
});

test('a question with a mistake is answered with its place', async () => {
  const answer = await openDesk().ask('runs where agnet = code-writer');
  expect(answer).toMatchObject({ ok: false, issues: [{ code: 'query.unknown_field' }] });
});

test('a question that takes too long is given up by its own code', async () => {
  let worked = 0;
  const desk = openDesk({ timeoutMs: 1, workMsOf: () => worked++ });
  await expect(desk.ask('runs')).rejects.toMatchObject({ code: 'evidence.question_too_costly' });
});

test('a question on a machine that is busy is not called too costly', async () => {
  const desk = openDesk({ timeoutMs: 1, workMsOf: () => 7 });
  await expect(desk.ask('runs')).rejects.toMatchObject({ code: 'server.busy' });
});

test('more questions than there are processes are all answered', async () => {
  const desk = openDesk();
  const answers = await Promise.all(Array.from({ length: 5 }, () => desk.ask('runs')));
  expect(answers.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
});
