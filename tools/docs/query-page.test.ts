import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseQuery } from '../../packages/admission/evidence/src/query/parse-query.ts';
import { QUERY_FIELDS, QUERY_SETS } from '../../packages/admission/evidence/src/query/query-field.ts';
import { fences } from '../doc-fences.ts';

const PAGE = join(import.meta.dirname, '../../docs/query.md');

test.each(fences(PAGE, 'query').flatMap(({ text }) => text.trimEnd().split('\n')))('can be asked: %s', (question) => {
  expect(parseQuery(question)).toMatchObject({ ok: true });
});

test('the page has an example for each set', () => {
  const [{ text = '' } = {}] = fences(PAGE, 'query');
  expect(QUERY_SETS.filter((set) => !new RegExp(`^${set} `, 'm').test(text))).toEqual([]);
});

test('every field and every alias is on the page', () => {
  const page = readFileSync(PAGE, 'utf8');
  const names = Object.values(QUERY_FIELDS).flatMap((fields) =>
    fields.flatMap(({ name, aliases }) => [name, ...aliases]),
  );
  expect([...new Set(names)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
