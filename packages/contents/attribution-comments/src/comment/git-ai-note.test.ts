import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseGitAiNote } from './git-ai-note.ts';
import { evidenceAt } from './line-range.ts';

const METADATA = {
  schema_version: 'authorship/3.0.0',
  base_commit_sha: 'a'.repeat(40),
  prompts: { abcd1234abcd1234: { agent_id: { tool: 'cursor', id: 'x', model: 'gpt-4' }, total_additions: 1 } },
  sessions: { s_c9883b05a2487d: { agent_id: { tool: 'claude', id: 'y', model: 'claude-sonnet-4-5' } } },
  humans: { h_31dce776f88375: { author: 'Ann <ann@example.com>' } },
};
const ATTESTATIONS = `src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15
  h_31dce776f88375 12-14
"src/my file.rs"
  abcd1234abcd1234 3
  ffffffffffffffff 5-6
`;
const parse = (text: string) => parseGitAiNote(new TextEncoder().encode(text));

test('a note says who wrote which lines: sessions, legacy prompts and people', () => {
  const note = parse(`${ATTESTATIONS}---\n${JSON.stringify(METADATA, null, 2)}\n`);
  if (!note.ok) throw new Error(note.issues[0]?.message);
  const at = (path: string, line: number) => evidenceAt(note.value.get(path) ?? [], line);
  expect(at('src/main.rs', 10)).toEqual({ agent: 'claude', model: 'claude-sonnet-4-5', source: 'git-ai' });
  expect(at('src/main.rs', 15)?.agent).toBe('claude');
  expect([at('src/main.rs', 11), at('src/main.rs', 13), at('src/main.rs', 16), at('other', 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(at('src/my file.rs', 3)).toEqual({ agent: 'cursor', model: 'gpt-4', source: 'git-ai' });
  expect(at('src/my file.rs', 6)).toEqual({ agent: 'unnamed-agent', source: 'git-ai' });
});

test('a note without lines has none', () => {
  expect(parse(`---\n${JSON.stringify(METADATA)}`)).toMatchObject({ ok: true, value: new Map() });
});

test.each([
  ['', 'nothing'],
  ['src/a\n  abcd1234abcd1234 1\n', 'no divider'],
  ['---\n{', 'broken JSON'],
  ['---\n[]', 'another JSON value'],
  ['---\n{"schema_version":"authorship/4.0.0"}', 'another version'],
  ['---\n{"schema_version":"authorship/3.0.0","schema_version":"authorship/3.0.0"}', 'a member twice'],
  [`  abcd1234abcd1234 1\n---\n${JSON.stringify(METADATA)}`, 'lines of no file'],
  [`a\n  abcd1234abcd1234\n---\n${JSON.stringify(METADATA)}`, 'no lines'],
  [`a\n  abcd1234abcd1234 5-1\n---\n${JSON.stringify(METADATA)}`, 'a range that ends before it begins'],
  [`a\n  abcd1234abcd1234 0\n---\n${JSON.stringify(METADATA)}`, 'a line 0'],
  [`a\n  abcd1234abcd1234 1-99999999999\n---\n${JSON.stringify(METADATA)}`, 'a line that no file has'],
  [`a\n  abcd1234abcd1234 1,,2\n---\n${JSON.stringify(METADATA)}`, 'an empty range'],
])('%j is malformed: %s', (text) => {
  expect(parse(text)).toMatchObject({ ok: false, issues: [{ code: 'git_ai.malformed' }] });
});

test('keys of a note are no keys of an object', () => {
  const note = parse(`a\n  __proto__ 1\n  s_constructor::t_x 2\n---\n${JSON.stringify(METADATA)}`);
  expect(note.ok && evidenceAt(note.value.get('a') ?? [], 1)?.agent).toBe('unnamed-agent');
});

test('no bytes make it throw', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseGitAiNote(bytes)));
  fc.assert(fc.property(fc.string(), fc.json(), (text, json) => void parse(`${text}\n---\n${json}`)));
});
