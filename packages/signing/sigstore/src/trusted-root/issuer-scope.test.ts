import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { compileIssuerScope, type IssuerScope, rootsOfIssuer } from './issuer-scope.ts';

const OURS = 'https://agents.acme.example';
type Root = { readonly name: string; readonly scope?: IssuerScope };
const scoped = (name: string, ...issuers: string[]): Root => ({ name, scope: compileIssuerScope(issuers) });
const open: Root = { name: 'open' };
const namesOf = (issuer: string, ...roots: Root[]) => rootsOfIssuer(issuer, roots).map(({ name }) => name);

describe('an issuer belongs', () => {
  it('to the roots that name it, and to no other', () => {
    const roots = [
      scoped('own', OURS),
      scoped('spare', 'https://*.acme.example'),
      scoped('partner', 'https://b.example'),
    ];
    expect(namesOf(OURS, ...roots, open)).toEqual(['own', 'spare']);
    expect(namesOf('https://b.example', ...roots, open)).toEqual(['partner']);
  });

  it('to the root that names none, where no other names it', () => {
    expect(namesOf('https://c.example', scoped('own', OURS), open)).toEqual(['open']);
    expect(namesOf('https://c.example', open)).toEqual(['open']);
  });

  it('to none where all name others', () => {
    expect(namesOf('https://c.example', scoped('own', OURS), scoped('partner', 'https://b.example'))).toEqual([]);
  });

  it.each([
    ['with a slash', `${OURS}/`],
    ['with two', `${OURS}//`],
    ['with a dot segment', `${OURS}/.`],
    ['with its port', `${OURS}:443`],
    ['with a user', 'https://u@agents.acme.example'],
    ['with an empty query', `${OURS}/?`],
    ['with an empty fragment', `${OURS}/#`],
    ['with a host in another case', 'https://agents.ACME.example'],
    ['with a scheme in another case', 'HTTPS://agents.acme.example'],
  ])('to no root in a spelling that nobody names: %s', (_title, spelling) => {
    for (const named of [OURS, 'https://*.acme.example', 'https://*.Acme.example:443/']) {
      expect(namesOf(spelling, scoped('own', named), open)).toEqual([]);
      expect(namesOf(spelling, open, scoped('partner', 'https://b.example'), scoped('own', named))).toEqual([]);
    }
  });

  it('in another spelling to the root that names that one', () => {
    const roots = [scoped('slash', `${OURS}/`), open];
    expect(namesOf(`${OURS}/`, ...roots)).toEqual(['slash']);
    expect(namesOf(OURS, ...roots)).toEqual([]);
    expect(namesOf(OURS, ...roots, scoped('own', OURS))).toEqual(['own']);
    expect(namesOf('accounts.google.com/', scoped('own', 'accounts.google.com'), open)).toEqual(['open']);
  });

  test('to the same roots in whatever order they are, and another root takes away no more than it names', () => {
    const issuer = fc.constantFrom(OURS, 'https://b.example', 'https://c.example');
    const roots = fc.array(fc.uniqueArray(issuer, { minLength: 1 }), { maxLength: 4 });
    fc.assert(
      fc.property(
        issuer,
        roots,
        fc.boolean(),
        fc.uniqueArray(issuer, { minLength: 1 }),
        (asked, all, hasOpen, more) => {
          const pinned = [...all.map((issuers, index) => scoped(`${index}`, ...issuers)), ...(hasOpen ? [open] : [])];
          const before = namesOf(asked, ...pinned);
          expect(namesOf(asked, ...pinned.toReversed()).toSorted()).toEqual(before.toSorted());
          const after = namesOf(asked, ...pinned, scoped('new', ...more));
          const isNamed = all.some((issuers) => issuers.includes(asked));
          if (!more.includes(asked)) expect(after).toEqual(before);
          else expect(after).toEqual(isNamed ? [...before, 'new'] : ['new']);
        },
      ),
    );
  });
});

it('issuers that are none are the caller’s mistake', () => {
  for (const issuers of [[], ['*'], [OURS, ''], Array.from({ length: 1001 }, () => OURS)]) {
    expect(() => compileIssuerScope(issuers)).toThrow(TypeError);
  }
  expect(compileIssuerScope(Array.from({ length: 1000 }, () => OURS)).issuers).toHaveLength(1000);
});
