import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTraceFile } from './trace-file.ts';

const record = (revision: string, path: string, ...lines: number[]) => ({
  version: '0.1.0',
  vcs: { type: 'git', revision },
  tool: { name: 'cursor' },
  files: [
    {
      path,
      conversations: [
        {
          contributor: { type: 'ai', model_id: 'm' },
          ranges: lines.map((line) => ({ start_line: line, end_line: line })),
        },
      ],
    },
  ],
});
const read = (...lines: unknown[]) => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return readTraceFile(new TextEncoder().encode(text), ({ agent, model }) => `${agent} ${model}`);
};
const [ONE, TWO] = ['a'.repeat(40), 'b'.repeat(40)];

test('records of one revision are one, in the order of the file', () => {
  const { byRevision, problems } = read(record(ONE, 'a', 1), '', record(TWO, 'a', 2), ' \r', record(ONE, './a', 3));
  expect(problems).toEqual([]);
  expect([...byRevision.keys()]).toEqual([ONE, TWO]);
  const evidence = 'cursor m';
  expect(byRevision.get(ONE)?.get('a')).toEqual([
    { start: 1, end: 1, evidence },
    { start: 3, end: 3, evidence },
  ]);
});

test('what cannot be read is told with its line, and the others count', () => {
  const { byRevision, problems } = read('nonsense', record(ONE, 'a', 1), '{"version":"1","files":[]}');
  expect(problems.map(({ line, code }) => [line, code])).toEqual([
    [1, 'agent_trace.malformed'],
    [3, 'agent_trace.no_revision'],
  ]);
  expect(byRevision.size).toBe(1);
});

test('no bytes make it throw', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void readTraceFile(bytes, () => undefined)));
});
