import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { fileSequencePins } from './file-sequence-pins.ts';

const folder = () => join(temporaryFolder(onTestFinished), 'seen');

test('the largest sequence of each list is kept, and never a smaller one', async () => {
  const place = folder();
  const pins = fileSequencePins(place);
  expect(await pins.seen('a')).toBeUndefined();
  await pins.keep('a', 5);
  await pins.keep('b', 9);
  await pins.keep('a', 3);
  await pins.keep('a', 5);
  expect(await pins.seen('a')).toBe(5);
  await pins.keep('a', 1000);
  expect(await fileSequencePins(place).seen('a')).toBe(1000);
  expect(await pins.seen('b')).toBe(9);
  expect(readdirSync(place)).toHaveLength(2);
});

test('many at once lose nothing', async () => {
  const place = folder();
  const pins = fileSequencePins(place);
  const sequences = Array.from({ length: 50 }, (_, i) => ((i * 37) % 50) + 1);
  await Promise.all(sequences.map((sequence) => pins.keep('list', sequence)));
  expect(await pins.seen('list')).toBe(50);
});

test('other files in the folder are nothing, and a folder that cannot be read is told', async () => {
  const place = folder();
  const pins = fileSequencePins(place);
  await pins.keep('a', 2);
  const [name = ''] = readdirSync(place);
  writeFileSync(join(place, name.replace('.2', '.x9')), '');
  writeFileSync(join(place, 'note.txt'), '');
  expect(await pins.seen('a')).toBe(2);
  const file = join(place, 'note.txt');
  await expect(fileSequencePins(file).seen('a')).rejects.toMatchObject({ code: 'ENOTDIR' });
  await expect(fileSequencePins(join(file, 'below')).keep('a', 1)).rejects.toThrow();
});
