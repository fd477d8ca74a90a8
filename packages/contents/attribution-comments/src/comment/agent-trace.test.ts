import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTraceRecord } from './agent-trace.ts';
import { evidenceAt } from './line-range.ts';

const RECORD = {
  version: '0.1.0',
  id: '550e8400-e29b-41d4-a716-446655440000',
  timestamp: '2026-01-23T14:30:00Z',
  vcs: { type: 'git', revision: 'a'.repeat(40) },
  tool: { name: 'cursor', version: '2.4.0' },
  files: [
    {
      path: './src/parser.ts',
      conversations: [
        {
          contributor: { type: 'ai', model_id: 'anthropic/claude-opus-4-5' },
          ranges: [
            { start_line: 1, end_line: 9 },
            { start_line: 5, end_line: 6, contributor: { type: 'human' } },
            { start_line: 20, end_line: 20, contributor: { type: 'mixed', model_id: 'openai/gpt-4o' } },
          ],
        },
        { ranges: [{ start_line: 30, end_line: 31 }] },
      ],
    },
  ],
};
const parse = (value: unknown) => parseTraceRecord(new TextEncoder().encode(JSON.stringify(value)));

test('a record says who wrote which lines of a revision; a range may name another contributor', () => {
  const record = parse(RECORD);
  if (!record.ok) throw new Error(record.issues[0]?.message);
  const [file] = record.value.files;
  expect([record.value.revision, file?.path]).toEqual(['a'.repeat(40), 'src/parser.ts']);
  const at = (line: number) => evidenceAt(file?.ranges ?? [], line);
  const cursor = { agent: 'cursor', version: '2.4.0', source: 'agent-trace' };
  expect(at(1)).toEqual({ ...cursor, model: 'anthropic/claude-opus-4-5' });
  expect(at(5)).toBeUndefined();
  expect(at(20)).toEqual({ ...cursor, model: 'openai/gpt-4o' });
  expect(at(31)).toEqual(cursor);
  expect(at(10)).toBeUndefined();
});

test.each([
  ['no git', { ...RECORD, vcs: { type: 'jj', revision: 'kkmpptxz' } }],
  ['no vcs', { ...RECORD, vcs: undefined }],
  ['a branch', { ...RECORD, vcs: { type: 'git', revision: 'main' } }],
])('a record of %s cannot be placed', (_, record) => {
  expect(parse(record)).toMatchObject({ ok: false, issues: [{ code: 'agent_trace.no_revision' }] });
});

test.each<[string, unknown]>([
  ['another value', []],
  ['no version', { ...RECORD, version: 1 }],
  ['no files', { ...RECORD, files: {} }],
  ['a file without path', { ...RECORD, files: [{ conversations: [] }] }],
  ['a file without conversations', { ...RECORD, files: [{ path: 'a' }] }],
  ['a conversation without ranges', { ...RECORD, files: [{ path: 'a', conversations: [{}] }] }],
  [
    'a range backwards',
    { ...RECORD, files: [{ path: 'a', conversations: [{ ranges: [{ start_line: 2, end_line: 1 }] }] }] },
  ],
  [
    'half a line',
    { ...RECORD, files: [{ path: 'a', conversations: [{ ranges: [{ start_line: 1.5, end_line: 2 }] }] }] },
  ],
  // Another format of the same name, found in the wild.
  ['a flat record', { schema: 'agent-trace/v0.1.0', file_path: 'a', start_line: 1, end_line: 2 }],
])('a record with %s is malformed', (_, record) => {
  expect(parse(record)).toMatchObject({ ok: false, issues: [{ code: 'agent_trace.malformed' }] });
});

test('no bytes make it throw', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseTraceRecord(bytes)));
  fc.assert(fc.property(fc.json(), (json) => void parseTraceRecord(new TextEncoder().encode(json))));
});
