import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePolicyCase } from '../../packages/admission/gate/src/index.ts';
import { POLICY_SCHEMA, parsePolicy } from '../../packages/admission/policy/src/index.ts';
import { fences } from '../doc-fences.ts';

const EXAMPLES = fences(join(import.meta.dirname, '../../docs/admission.md'), 'policy');

test('the page on admission has examples of both profiles', () => {
  const profiles = EXAMPLES.map(({ text }) => parsePolicy(text)).map((parsed) => parsed.ok && parsed.value.profile);
  expect([...new Set(profiles)].sort()).toEqual(['spec', 'strict']);
});

test.each(EXAMPLES)('the policy on line $line of the page on admission loads', ({ text }) => {
  expect(parsePolicy(text)).toMatchObject({ ok: true });
});

test('every key of a policy stands in an example', () => {
  const keys = EXAMPLES.flatMap(({ text }) => [...text.matchAll(/^(\w+):/gm)].map(([, key]) => key));
  expect(keys).toEqual(expect.arrayContaining(Object.keys(POLICY_SCHEMA.properties)));
});

test('the case on the page is one', () => {
  const cases = fences(join(import.meta.dirname, '../../docs/admission.md'), 'case');
  expect(cases.map(({ text }) => parsePolicyCase(text).ok)).toEqual([true]);
});
