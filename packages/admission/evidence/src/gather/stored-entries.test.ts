import { startPeer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { findEntries } from './stored-entries.ts';

const idOf = (index: number) => index.toString(16).padStart(64, '0');
const rowOf = (index: number) => ({ id: idOf(index), log_entry: { log_index: index } });

/** A store with runs at these places of its log, which answers with no more than `most` of them at once. */
const store = (indices: readonly number[], most: number) =>
  startPeer(onTestFinished, (request, response) => {
    const question = new URL(request.url!, 'http://localhost').searchParams.get('q') ?? '';
    const from = Number(/log_index >= (\d+)/.exec(question)?.[1]);
    const rows = indices.filter((index) => index >= from).map(rowOf);
    response.end(JSON.stringify({ rows: rows.slice(0, most), more: rows.length > most }));
  });

test('finds every run, however many answers it takes', async () => {
  const { url, requests } = await store([0, 1, 5, 6, 9], 2);
  expect(await findEntries(url, 'runs', 'agent = a')).toEqual([0, 1, 5, 6, 9].map(idOf));
  expect(requests).toHaveLength(4);
  expect(new URL(requests[0]!.head.url!, url).searchParams.get('q')).toBe(
    'runs where (agent = a) and log_entry.log_index >= 0 order by log_entry.log_index limit 1000',
  );
});

test.each([
  ['goes round in circles', { rows: [rowOf(3)], more: true }],
  ['says that there is more and gives nothing', { rows: [], more: true }],
  ['gives no rows', { rows: 'x', more: true }],
  ['gives rows that are none', { rows: [null, { id: '../x', log_entry: { log_index: 1 } }], more: true }],
])('a store that %s is left', async (_title, answer) => {
  const { url } = await startPeer(onTestFinished, (_request, response) => response.end(JSON.stringify(answer)));
  await expect(findEntries(url, 'runs', 'agent = a')).rejects.toMatchObject({ code: 'evidence.refused' });
});
