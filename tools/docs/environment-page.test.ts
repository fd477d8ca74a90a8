import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programVariables, variableRows, variablesRead } from './environment-page.ts';

const ROOT = join(import.meta.dirname, '../..');
const rowsOf = (page: string) => variableRows(readFileSync(join(ROOT, 'docs', page), 'utf8'));
const own = rowsOf('environment.md').flatMap(({ names }) => names);
const network = rowsOf('network.md').flatMap(({ names }) => names);

test('every variable that the program reads has a row', () => {
  const read = [...programVariables(ROOT)].filter(([name]) => name === name.toUpperCase() || name.startsWith('npm_'));
  expect(read.length).toBeGreaterThan(40);
  expect(read.filter(([name]) => ![...own, ...network].includes(name))).toEqual([]);
});

test('every row is a variable that the program reads', () => {
  const read = programVariables(ROOT);
  expect(own.filter((name) => !read.has(name))).toEqual([]);
  expect(own.filter((name, index) => own.indexOf(name) !== index)).toEqual([]);
});

test.each([
  ["const a = env['NEW_ONE'] || env.OTHER", ['NEW_ONE', 'OTHER']],
  ["session.env['SHORT_2']", ['SHORT_2']],
  ['function time({ TAKEN_OUT: text }: NodeJS.ProcessEnv) {}', ['TAKEN_OUT']],
  ["const LOGIN = 'COLOPHON_NEW';", ['COLOPHON_NEW']],
  ["const LOGIN = 'ACME_NEW'; env[LOGIN]", ['ACME_NEW']],
  ["const state = 'NOT_SET'; // env", []],
])('%s reads %j', (text, names) => {
  expect(variablesRead(text)).toEqual(names);
});
