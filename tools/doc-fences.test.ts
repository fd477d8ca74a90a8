import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fences, parseFences } from './doc-fences.ts';

const PAGE = [
  '# Page',
  '```sh run',
  'echo one',
  '',
  'echo two',
  '```',
  'text',
  '````markdown',
  '```sh run',
  'echo shown, not run',
  '```',
  '````',
  '~~~json run other',
  '{}',
  '~~~',
  '```sh',
  'echo never',
].join('\n');

test('a block knows its language, its markers, its text and where it stands', () => {
  expect(parseFences(PAGE)).toEqual([
    { language: 'sh', markers: ['run'], text: 'echo one\n\necho two\n', line: 2 },
    { language: 'markdown', markers: [], text: '```sh run\necho shown, not run\n```\n', line: 8 },
    { language: 'json', markers: ['run', 'other'], text: '{}\n', line: 13 },
    { language: 'sh', markers: [], text: 'echo never\n', line: 16 },
  ]);
});

test('only blocks with the marker are handed out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fences-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const page = join(folder, 'page.md');
  writeFileSync(page, PAGE);
  expect(fences(page, 'run').map(({ line }) => line)).toEqual([2, 13]);
  expect(fences(page, 'never')).toEqual([]);
});
