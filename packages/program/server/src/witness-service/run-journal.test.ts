import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import type { JournalEntry } from '@colophon/witness';
import { expect, it, onTestFinished } from 'vitest';
import { openRunJournal } from './run-journal.ts';

const entryOf = (digit: string): JournalEntry => ({
  opening: {
    runId: `3f2b1c4d-0000-4000-8000-00000000000${digit}`,
    issuer: 'https://agents.example.com',
    caller: 'ci',
    agentName: 'code-writer',
    agentVersion: '2.4.1',
    policyPackHash: `sha256:${'b'.repeat(64)}`,
    startedAt: 1_795_000_000_000,
  },
  caller: 'ci',
  tokenHash: 'A'.repeat(43),
});

function journalIn(folder: string) {
  const unreadable: string[] = [];
  return { journal: openRunJournal(folder, (file) => void unreadable.push(file)), unreadable };
}

it('an open run is in a file that only the witness can read, and is read back by the next process', () => {
  const folder = join(temporaryFolder(onTestFinished), 'data', 'runs');
  const { journal } = journalIn(folder);
  expect(journal.entries()).toEqual([]);
  journal.opened(entryOf('1'));
  journal.opened({ ...entryOf('2'), opening: { ...entryOf('2').opening, promptHash: `sha256:${'a'.repeat(64)}` } });
  expect(statSync(folder).mode & 0o077).toBe(0);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
  const { journal: next, unreadable } = journalIn(folder);
  const byId = (one: JournalEntry, other: JournalEntry) => one.opening.runId.localeCompare(other.opening.runId);
  expect([...next.entries()].sort(byId)).toEqual([
    entryOf('1'),
    { ...entryOf('2'), opening: { ...entryOf('2').opening, promptHash: `sha256:${'a'.repeat(64)}` } },
  ]);
  expect(unreadable).toEqual([]);
});

it('a run that has ended is no entry, also where it is ended twice', () => {
  const folder = temporaryFolder(onTestFinished);
  const { journal } = journalIn(folder);
  journal.opened(entryOf('1'));
  journal.opened(entryOf('2'));
  journal.ended(entryOf('1').opening.runId);
  journal.ended(entryOf('1').opening.runId);
  expect(journal.entries()).toEqual([entryOf('2')]);
  expect(readdirSync(folder)).toHaveLength(1);
});

it.each<[string, unknown]>([
  ['no JSON', 'run'],
  ['nothing', ''],
  ['a list', '[]'],
  ['an entry without an opening', { ...entryOf('1'), opening: undefined }],
  ['an opening that is null', { ...entryOf('1'), opening: null }],
  ['an entry without a caller', { ...entryOf('1'), caller: undefined }],
  ['an entry without its token', { ...entryOf('1'), tokenHash: 7 }],
  ['an opening without an agent', { ...entryOf('1'), opening: { ...entryOf('1').opening, agentName: undefined } }],
  ['an opening at no time', { ...entryOf('1'), opening: { ...entryOf('1').opening, startedAt: 'now' } }],
])('a file with %s is told, and left as it is; the others count', (_what, content) => {
  const folder = temporaryFolder(onTestFinished);
  const { journal, unreadable } = journalIn(folder);
  journal.opened(entryOf('2'));
  const file = join(folder, `${entryOf('1').opening.runId}.json`);
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  writeFileSync(file, text);
  expect(journal.entries()).toEqual([entryOf('2')]);
  expect(unreadable).toEqual([file]);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

it('a file of another kind is none of the journal', () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'README'), 'nothing');
  const { journal, unreadable } = journalIn(folder);
  expect([journal.entries(), unreadable]).toEqual([[], []]);
});
