import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePeopleDomains, type PeopleDomains } from './people-domains.ts';

const compiled = (...written: string[]) => compilePeopleDomains(written) as PeopleDomains;

describe('the domains of people', () => {
  it.each<[string, string, boolean]>([
    ['example.com', 'alice@example.com', true],
    ['example.com', 'alice@EXAMPLE.com', true],
    ['Example.COM', 'alice@example.com', true],
    ['example.com.', 'alice@example.com', true],
    ['example.com', 'alice@sub.example.com', false],
    ['example.com', 'alice@evilexample.com', false],
    ['example.com', 'alice@example.com.evil.example', false],
    ['example.com', 'alice@com', false],
    ['example.com', 'example.com', false],
    ['example.com', 'reviewer:alice@example.com', false],
    ['example.com', 'alice@evil.example@example.com', false],
    ['example.com', 'release-bot@example.com', false],
    ['*.example.com', 'alice@sub.example.com', true],
    ['*.example.com', 'alice@a.sub.example.com', false],
    ['*.example.com', 'alice@example.com', false],
    ['*.example.com', 'alice@subexample.com', false],
    ['*.com', 'alice@example.com', true],
    ['bücher.example', 'alice@xn--bcher-kva.example', true],
    ['xn--bcher-kva.example', 'alice@XN--bcher-kva.example', true],
    ['bücher.example', 'alice@bucher.example', false],
    ['localhost', 'me@localhost', true],
  ])('%s has %s: %s', (written, address, expected) => {
    expect(compiled(written).accepts(address)).toBe(expected);
    expect(compiled('other.example', written).accepts(address)).toBe(expected);
  });

  it.each([
    '',
    '*',
    '*.',
    '*.*.example.com',
    'a.*.example.com',
    'alice@example.com',
    '@example.com',
    'exa mple.com',
    'https://example.com',
    'a..b',
    '.example.com',
    'example.*',
    'a/b',
  ])('do not include %j', (text) => {
    expect(compilePeopleDomains(['example.com', text, 'example.org'])).toEqual({ invalidAt: 1 });
    expect(compilePeopleDomains([text, text])).toEqual({ invalidAt: 0 });
  });

  it('are told as they were written', () => {
    expect(compiled('Example.com', '*.example.org').description).toBe('Example.com, *.example.org');
  });

  it('let in no address of another domain', () => {
    const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
    const domain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(domain, domain, (one, other) => {
        expect(compiled(one).accepts(`alice@${other}`)).toBe(one === other);
        const [, ...rest] = other.split('.');
        expect(compiled(`*.${one}`).accepts(`alice@${other}`)).toBe(rest.join('.') === one);
      }),
    );
  });
});
