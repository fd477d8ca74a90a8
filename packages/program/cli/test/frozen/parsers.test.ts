import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerOf, READERS } from './readers.ts';

const INPUTS: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'parsers.inputs.json'), 'utf8'),
);

/** `{a*513}` stands for 513 times the letter. */
const written = (input: string) =>
  input.replace(/\{(.)\*(\d+)\}/g, (_, letter: string, times: string) => letter.repeat(Number(times)));

/** In one cell: without tabs and line ends, and with what is repeated often said as in the inputs. */
const cell = (text: string) =>
  text
    .replace(/(.)\1{89,}/g, (all: string, letter: string) => `{${letter}*${all.length}}`)
    .replace(/[^\x20-\x7e]/gu, (letter) =>
      JSON.stringify(letter)
        .slice(1, -1)
        .replace(/^[^\\].*$/u, unicode),
    );
const unicode = (letter: string) => `\\u{${letter.codePointAt(0)?.toString(16)}}`;

test.each(Object.keys(READERS))('every reader of the grammar %s says of each input what it said', async (grammar) => {
  const readers = Object.entries(READERS[grammar] ?? {});
  const lines = [['input', ...readers.map(([name]) => name)]];
  for (const input of INPUTS[grammar] ?? []) {
    const answers = await Promise.all(readers.map(([, reader]) => answerOf(reader, written(input))));
    lines.push([JSON.stringify(input), ...answers].map(cell));
  }
  const table = `${lines.map((line) => line.join('\t')).join('\n')}\n`;
  await expect(table).toMatchFileSnapshot(`parsers/${grammar.toLowerCase().replaceAll(' ', '-')}.tsv`);
});

test('every grammar has inputs, and every input a grammar', () => {
  expect(Object.keys(INPUTS)).toEqual(Object.keys(READERS));
});
