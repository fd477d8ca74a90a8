import { describe, expect, it } from 'vitest';
import { parseChallenge } from './challenge.ts';

describe('a challenge (RFC 9110 §11.6.1)', () => {
  it.each([
    ['Basic realm="x"', { scheme: 'basic' }],
    ['basic', { scheme: 'basic' }],
    [
      'Bearer realm="https://a.example/t",service="s",scope="repository:a:pull,push"',
      { scheme: 'bearer', realm: 'https://a.example/t', service: 's', scope: 'repository:a:pull,push' },
    ],
    ['bearer Realm="https://a.example/t"', { scheme: 'bearer', realm: 'https://a.example/t' }],
    ['Negotiate, Basic realm="x"', { scheme: 'basic' }],
    ['Bearer service="s"', undefined],
    ['Negotiate', undefined],
    [null, undefined],
    [`Bearer realm="${'x'.repeat(5000)}"`, undefined],
  ])('number %# is read or left', (header, expected) => {
    expect(parseChallenge(header)).toEqual(expected);
  });
});
