import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentReviewType, agentRunType, DEFAULT_PREDICATE_BASE as BASE } from '@colophon/records';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { predicateTypes, readPredicate, readStatementFile } from './predicate.ts';

function fileOf(content: unknown): string {
  const path = join(temporaryFolder(onTestFinished), 'predicate.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const review = { human_reviewer: 'alice@example.com', review_timestamp: '2026-11-21T12:00:00Z' };

test.each([
  ['agent-run', agentRunType()],
  ['agent-review', agentReviewType()],
  ['slsaprovenance1', 'https://slsa.dev/provenance/v1'],
  ['custom', 'https://cosign.sigstore.dev/attestation/v1'],
  ['https://example.com/x/v1', 'https://example.com/x/v1'],
  ['urn:example:x', 'urn:example:x'],
])('%s is the predicate type %s', (name, type) => {
  expect(predicateTypes(name, BASE)).toEqual([type]);
});

test.each(['agentrun', 'constructor', '__proto__', 'toString', 'https', '', ' ', 'https: //x', 'ex ample:x'])(
  '%j is no predicate type, and the names are told',
  (name) => {
    expect(() => predicateTypes(name, BASE)).toThrow(
      expect.objectContaining({ code: 'cli.usage', facts: { expected: expect.stringMatching('agent-run') } }),
    );
  },
);

test('a predicate of a type of others may be any object', async () => {
  expect(await readPredicate(fileOf({ anything: [1] }), 'https://example.com/x/v1', BASE)).toEqual({ anything: [1] });
});

test.each(['[]', 'null', '"x"', '1'])('a predicate that is %s is none', async (content) => {
  await expect(readPredicate(fileOf(content), 'https://example.com/x/v1', BASE)).rejects.toMatchObject({
    code: 'cli.predicate_invalid',
    kind: 'refused',
  });
});

test.each([
  ['{', 'json.syntax'],
  ['{"a":1,"a":1}', 'json.duplicate_key'],
  ['{"a":1e400}', 'json.number_range'],
])('a predicate that two readers would read differently (%s) is refused with %s', async (content, code) => {
  const file = fileOf(content);
  await expect(readPredicate(file, 'https://example.com/x/v1', BASE)).rejects.toMatchObject({
    code: 'cli.predicate_invalid',
    facts: { checked: file, issues: [expect.objectContaining({ code })] },
  });
});

test('a predicate of our own type must be what it promises, and every issue is told', async () => {
  expect(await readPredicate(fileOf(review), agentReviewType(), BASE)).toEqual(review);
  const error = await readPredicate(fileOf({ human_reviewer: ' ' }), agentReviewType(), BASE).catch((thrown) => thrown);
  expect(error.facts.issues.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`)).toEqual([
    'agent_review.field_empty /human_reviewer',
    'agent_review.field_missing /review_timestamp',
  ]);
});

const statement = (predicate: object) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'a', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: agentReviewType(),
  predicate,
});

test('a statement is read whole', async () => {
  expect(await readStatementFile(fileOf(statement(review)), BASE)).toMatchObject({ predicate: review });
});

test('what is wrong in a statement’s predicate is told with its place in the statement', async () => {
  await expect(
    readStatementFile(fileOf(statement({ ...review, human_reviewer: 'nobody' })), BASE),
  ).rejects.toMatchObject({
    code: 'cli.predicate_invalid',
    facts: { issues: [expect.objectContaining({ path: '/predicate/human_reviewer' })] },
  });
});

test('a statement of another version is refused', async () => {
  const older = { ...statement(review), _type: 'https://in-toto.io/Statement/v0.1' };
  const { subject: _left, ...headless } = statement(review);
  for (const content of [older, headless, []]) {
    await expect(readStatementFile(fileOf(content), BASE)).rejects.toMatchObject({ code: 'cli.predicate_invalid' });
  }
});

test('a short name is written under the base that is set, and read under the placeholder too', () => {
  const types = ['https://acme.example/p/agent-run/v1', agentRunType()];
  expect(predicateTypes('agent-run', 'https://acme.example/p')).toEqual(types);
  expect(predicateTypes('custom', 'https://acme.example/p')).toHaveLength(1);
});

test('a predicate under either base must be what its type promises, and under no other', async () => {
  const wrong = fileOf({ human_reviewer: ' ' });
  const read = (base: string) => readPredicate(wrong, agentReviewType(base), 'https://acme.example/p');
  for (const base of ['https://acme.example/p', BASE]) {
    await expect(read(base)).rejects.toMatchObject({ code: 'cli.predicate_invalid' });
  }
  expect(await read('https://other.example/p')).toEqual({ human_reviewer: ' ' });
});
