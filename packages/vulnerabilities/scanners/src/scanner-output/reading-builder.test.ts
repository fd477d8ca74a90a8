import { expect, test } from 'vitest';
import { type Entry, ReadingBuilder } from './reading-builder.ts';

const read = (...entries: Entry[]) => {
  const reading = new ReadingBuilder('grype');
  for (const [index, entry] of entries.entries()) reading.add(['matches', index], entry);
  return reading.done({});
};

test('what is no text where text belongs is left out and said, and the finding stays', () => {
  const { reported, unread } = read({
    id: 'CVE-2021-1',
    name: 'a',
    version: 7,
    purl: {},
    severity: [],
    published: false,
  });
  expect(reported).toEqual([
    { scanner: 'grype', id: 'CVE-2021-1', aliases: [], scores: [], component: { name: 'a' }, fixedInVersions: [] },
  ]);
  expect(unread.map(({ path, code }) => `${path} ${code}`)).toEqual(Array(4).fill('/matches/0 scan.member_invalid'));
});

test('a date may be milliseconds since 1970, as Dependency-Track’s API has it', () => {
  const { reported, unread } = read({ id: 'CVE-2021-1', name: 'a', published: 1639094400000 });
  expect(reported[0]?.published).toBe('1639094400000');
  expect(unread).toEqual([]);
});

test.each([undefined, null, '', ' \t'])('%j is no version, and nothing is wrong with it', (version) => {
  const { reported, unread } = read({ id: 'CVE-2021-1', name: 'a', version });
  expect(reported[0]?.component).toEqual({ name: 'a' });
  expect(unread).toEqual([]);
});

test.each<[Partial<Entry>, string]>([
  [{ id: ' ' }, 'scan.id_missing'],
  [{ id: 7 }, 'scan.id_missing'],
  [{ name: '' }, 'scan.component_missing'],
  [{ name: {} }, 'scan.component_missing'],
])('an entry with %j is listed as unread', (wrong, code) => {
  const { reported, unread } = read({ id: 'CVE-2021-1', name: 'a', ...wrong });
  expect(reported).toEqual([]);
  expect(unread).toEqual([expect.objectContaining({ path: '/matches/0', code })]);
});

test('what an entry is called comes into a message only in part', () => {
  const { unread } = read({ id: undefined, name: 'x'.repeat(10_000) });
  expect(unread[0]?.message.length).toBeLessThan(200);
});

test('of a file that is wrong throughout a hundred entries are listed, and all are counted', () => {
  const reading = new ReadingBuilder('grype');
  for (let index = 0; index < 5_000; index++) reading.skip(['matches', index], 'scan.entry_invalid', 'No.');
  for (let index = 0; index < 101; index++) reading.skip(['results', index], 'scan.other_kind', 'Others.', 3);
  const { unread } = reading.done({});
  const counts = Map.groupBy(unread, ({ code }) => code);
  const countOf = (code: string) => counts.get(code)?.reduce((sum, { count = 1 }) => sum + count, 0);
  expect(unread.length).toBe(202);
  expect(countOf('scan.entry_invalid')).toBe(5_000);
  expect(countOf('scan.other_kind')).toBe(303);
});

test('an entry with endless other names, scores and versions has a hundred of each', () => {
  const aliases = Array.from({ length: 5_000 }, (_, index) => `GHSA-aaaa-bbbb-${index}`);
  const scores = aliases.map((source) => ({ score: 7, source }));
  const { reported, unread } = read({ id: 'CVE-2021-1', name: 'a', aliases, scores, fixedInVersions: aliases });
  const [only] = reported;
  expect([only?.aliases.length, only?.scores.length, only?.fixedInVersions.length]).toEqual([100, 100, 100]);
  expect(unread.map(({ code }) => code)).toEqual(Array(3).fill('scan.member_invalid'));
});

test('none of a kind is nothing to speak of', () => {
  const reading = new ReadingBuilder('trivy');
  reading.skip(['Secrets'], 'scan.other_kind', 'Secrets.', 0);
  expect(reading.done({}).unread).toEqual([]);
});

test('times are in UTC, and what is none is left out', () => {
  const facts = { version: '1', scannedAt: '2026-11-21T10:00:00+01:00', databaseBuiltAt: 'yesterday', target: '' };
  expect(new ReadingBuilder('grype').done(facts)).toEqual({
    scanner: { name: 'grype', version: '1' },
    scannedAt: '2026-11-21T09:00:00Z',
    reported: [],
    unread: [],
  });
});

test('no text of an entry is so long that it could not be said of thousands of components', () => {
  const long = 'x'.repeat(100_000);
  const entry = { id: 'CVE-2021-1', name: 'a' };
  const { reported, unread } = read(
    { ...entry, version: long, purl: `pkg:npm/${long}`, severity: long, published: long, description: long },
    {
      ...entry,
      aliases: ['GHSA-aaaa-bbbb-cccc', `GHSA-${long}`],
      fixedInVersions: ['1', long],
      scores: [{ score: 1, source: 'nvd' }, { score: 1, source: long }, { vector: long }],
    },
    { ...entry, id: long },
    { ...entry, name: long },
  );
  expect(reported.map(({ description }) => description?.length)).toEqual([65_536, undefined]);
  expect(reported).toMatchObject([
    { component: { name: 'a' }, aliases: [], scores: [] },
    { aliases: ['GHSA-aaaa-bbbb-cccc'], fixedInVersions: ['1'], scores: [{ source: 'nvd' }] },
  ]);
  expect(JSON.stringify(reported).length).toBeLessThan(70_000);
  expect(unread.map(({ path, code }) => `${path} ${code}`)).toEqual([
    ...Array(5).fill('/matches/0 scan.member_invalid'),
    ...Array(3).fill('/matches/1 scan.member_invalid'),
    '/matches/2 scan.entry_invalid',
    '/matches/3 scan.entry_invalid',
  ]);
});
