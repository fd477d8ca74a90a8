import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parsePolicy } from '../../packages/admission/src/index.ts';
import { fences } from '../doc-fences.ts';

const EXAMPLES = fences(join(import.meta.dirname, '../../docs/admission.md'), 'policy');

test('the page on admission has examples of both profiles', () => {
  const profiles = EXAMPLES.map(({ text }) => parsePolicy(text)).map((parsed) => parsed.ok && parsed.value.profile);
  expect(profiles).toEqual(['strict', 'strict', 'spec']);
});

test.each(EXAMPLES)('the policy on line $line of the page on admission loads', ({ text }) => {
  expect(parsePolicy(text)).toMatchObject({ ok: true });
});
