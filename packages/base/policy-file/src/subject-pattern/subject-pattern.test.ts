import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROBE_SUBJECTS } from './probe-subjects.ts';
import { compileSubjectPattern, isUnconstrained } from './subject-pattern.ts';

function compile(pattern: string) {
  const compiled = compileSubjectPattern(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled;
}

describe('a subject pattern', () => {
  it.each([
    ['agent:code-writer', 'agent:code-writer', true],
    ['agent:code-writer', 'agent:code-writer2', false],
    ['agent:code-writer', 'xagent:code-writer', false],
    ['^agent:.*', 'agent:anything', true],
    ['^agent:.*', 'reviewer:a@b.c', false],
    ['agent:a|agent:ab', 'agent:ab', true],
    ['agent:a|agent:b', 'agent:bc', false],
    ['agent:a|agent:b', 'xagent:b', false],
    ['^agent:x$', 'agent:x\n', false],
    ['(?m)^agent:x$', 'agent:x\nagent:evil', false],
    ['agent:.', 'agent:\u{1F600}', true],
    ['agent:X', 'agent:x', false],
    ['(?i)agent:X', 'agent:x', true],
  ])('%s on %j: %s, as a match of the whole text', (pattern, text, expected) => {
    expect(compile(pattern).matches(text)).toBe(expected);
  });

  it.each(['a)(b', '(', '[', 'a**', '(?=a)', 'a{1001}', '\\Qagent:x'])(
    '%s is refused when it is compiled',
    (pattern) => {
      const compiled = compileSubjectPattern(pattern);
      expect(compiled.ok).toBe(false);
      if (!compiled.ok) expect(compiled.message).toMatch(/pattern|regexp/);
    },
  );

  it.each([
    '',
    '.*',
    '^.*$',
    '.+',
    '(a|.*)',
    '(?s).*',
    '[^q]*',
    '.{20,}',
    '.{1,2}',
    '\\S+',
    '\\d+',
    '[a-z]+',
    '[A-Z]+',
    '[A-Za-z0-9]+',
    '[^a-z]+',
    '.+@.+',
    '.*:.*',
    'https://.*',
    '.*://.*',
    '(agent:x)?.*',
    'agent:x|.*',
  ])('%j constrains nothing', (pattern) => {
    expect(compile(pattern).constrains).toBe(false);
    expect(isUnconstrained(pattern)).toBe(true);
  });

  it.each([
    '^agent:.*',
    '^reviewer:.*',
    'agent:(writer|fixer)',
    '.*@example\\.com',
    'https://github\\.com/acme/.*',
    'https://gitlab\\..*',
    'spiffe://acme/.*',
    '(agent:x)?',
  ])('%j is a constraint', (pattern) => {
    expect(compile(pattern).constrains).toBe(true);
    expect(isUnconstrained(pattern)).toBe(false);
  });

  it('that cannot be compiled is invalid, not unconstrained', () => {
    expect(isUnconstrained('(')).toBe(false);
  });

  it('compares each probe on its own: one that is accepted is enough', () => {
    for (const probe of PROBE_SUBJECTS) {
      const literal = probe.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
      expect(compile(`agent:x|${literal}`).constrains, probe).toBe(false);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, text) => {
        const compiled = compileSubjectPattern(pattern);
        if (compiled.ok) compiled.matches(text);
        else expect(compiled.message).not.toBe('');
      }),
    );
  });

  it('accepts no subject beside the literal names it lists', () => {
    const name = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.string(), (names, text) => {
        const { matches } = compile(`agent:(${names.join('|')})`);
        expect(matches(`agent:${text}`)).toBe(names.includes(text));
      }),
    );
  });

  it('that would backtrack for hours answers at once', () => {
    expect(compile('^agent:(a+)+$').matches(`agent:${'a'.repeat(5000)}!`)).toBe(false);
  });
});
