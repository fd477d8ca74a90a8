import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sampleSubjects } from './pattern-samples.ts';
import { compileSubjectPattern } from './subject-pattern.ts';

test.each([
  ['^agent:(writer|fixer)$', ['agent:writer', 'agent:fixer']],
  ['agent:code-.*', ['agent:code-q']],
  ['reviewer:[a-z.]+@acme\\.example', ['reviewer:a@acme.example']],
  ['agent:(?:a|b(c|d))x{2}', []],
  ['agent:\\d{1,3}', ['agent:7']],
  ['agent:a|agent:b', ['agent:a', 'agent:b']],
  ['.*@acme[.]example', ['q@acme.example']],
  ['(', []],
])('%s has the subjects %j', (pattern, expected) => {
  expect(sampleSubjects(pattern)).toEqual(expected);
});

test('whatever the pattern, each sample is accepted, and there are few', () => {
  const piece = fc.constantFrom('a', '.', '*', '+', '(', ')', '|', '[b-d]', '\\.', '^', '$', '{2}', '?', '(a|b)', '\\');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const pattern = pieces.join('');
      const samples = sampleSubjects(pattern);
      expect(samples.length).toBeLessThanOrEqual(64);
      const compiled = compileSubjectPattern(pattern);
      for (const sample of samples) expect(compiled.ok && compiled.matches(sample)).toBe(true);
    }),
  );
});
