import { describe, expect, it } from 'vitest';
import type { Caller } from './caller.ts';
import { claimText, compileCallers } from './caller-book.ts';

const ISSUER = 'https://sso.example.com';
const caller = (name: string, where?: Record<string, readonly string[]>): Caller => ({
  name,
  apiKey: where === undefined,
  may: { agents: [name] },
  token: where && {
    kind: 'oidc',
    issuer: ISSUER,
    where: Object.entries(where).map(([claim, values]) => ({ path: [claim], values })),
    singleUse: false,
    confirms: {},
  },
});

describe('the value of a claim', () => {
  it.each<[unknown, readonly string[], string | undefined]>([
    [{ a: 'x' }, ['a'], 'x'],
    [{ a: 7 }, ['a'], '7'],
    [{ a: true }, ['a'], 'true'],
    [{ a: false }, ['a'], 'false'],
    [{ a: { b: 'x' } }, ['a', 'b'], 'x'],
    [{ a: 1.5 }, ['a'], undefined],
    [{ a: null }, ['a'], undefined],
    [{ a: null }, ['a', 'b'], undefined],
    [{ a: 'x' }, ['a', 'length'], undefined],
    [{ a: ['x'] }, ['a', '0'], undefined],
    [{ a: ['x'] }, ['a', 'length'], undefined],
    [{ a: {} }, ['a', 'toString', 'name'], undefined],
    [{}, ['constructor', 'name'], undefined],
    [undefined, ['a'], undefined],
    [{ a: { b: {} } }, ['a', 'b'], undefined],
  ])('of %j at %j is %j', (claims, path, text) => {
    expect(claimText(claims, path)).toBe(text);
  });
});

describe('the callers of a configuration', () => {
  const names = (callers: readonly Caller[], claims: Record<string, unknown>, issuer = ISSUER) =>
    compileCallers(callers)
      .candidates(issuer, claims)
      .map(({ name }) => name);

  it('are found by name, and nobody else is', () => {
    const book = compileCallers([caller('one'), caller('two', { sub: ['x'] })]);
    expect(book.byName('one')?.name).toBe('one');
    expect(book.byName('two')?.rights.agents('two')).toBe(true);
    expect(book.byName('three')).toBeUndefined();
  });

  it('are candidates for tokens of their issuer alone; one with API keys is for none', () => {
    const callers = [caller('one'), caller('two', { sub: ['x'] })];
    expect(names(callers, { sub: 'x' })).toEqual(['two']);
    expect(names(callers, { sub: 'x' }, `${ISSUER}/`)).toEqual([]);
    expect(names([caller('one')], { sub: 'x' })).toEqual([]);
  });

  it('that have no condition are candidates always', () => {
    expect(names([caller('any', {})], { sub: 'x' })).toEqual(['any']);
    expect(names([caller('any', {}), caller('one', { sub: ['y'] })], { sub: 'x' })).toEqual(['any']);
  });

  it('are looked up by the claim with the most values, whatever its place', () => {
    const many = ['a', 'b', 'c'].map((value) => caller(value, { hd: ['example.com'], sub: [value, value] }));
    expect(names(many, { hd: 'example.com', sub: 'b' })).toEqual(['b']);
    expect(names(many, { hd: 'example.com', sub: 'z' })).toEqual([]);
    expect(names(many, { hd: 'example.com' })).toEqual([]);
    // Of equally telling claims the first.
    const pair = [caller('one', { hd: ['x'], sub: ['1'] }), caller('two', { hd: ['y'], sub: ['2'] })];
    expect(names(pair, { hd: 'x', sub: '2' })).toEqual(['one']);
    expect(names([...many, caller('wide', { hd: ['example.com'] })], { sub: 'c' })).toEqual(['wide', 'c']);
  });
});
