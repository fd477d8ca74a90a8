import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isIssuerPattern, matchesIssuer } from './issuer-pattern.ts';

const GITHUB = 'https://token.actions.githubusercontent.com';

describe('what names issuers', () => {
  it.each([
    'https://agents.acme.example',
    'http://localhost:7080',
    'https://*.acme.example',
    'https://oidc.eks.*.amazonaws.com/id/*',
    'https://*.*.acme.example:8443/a/*/b',
    'https://localhost/*',
    'spiffe://acme.example',
    'accounts.google.com',
  ])('%s', (text) => expect(isIssuerPattern(text)).toBe(true));

  it.each([
    ['nothing', ''],
    ['a star alone', '*'],
    ['every host', 'https://*'],
    ['every host of a top-level domain', 'https://*.com'],
    ['a star in the last two labels', 'https://agents.*.example'],
    ['a port of any number', 'https://agents.acme.example:*'],
    ['every host with a port', 'https://*:443'],
    ['a part of a label', 'https://agents-*.acme.example'],
    ['a part of a segment', 'https://acme.example/a*'],
    ['two stars', 'https://acme.example/**'],
    ['a scheme', '*://acme.example'],
    ['a star in the scheme', 'http*://acme.example'],
    ['a scheme that begins with a digit', '9https://*.acme.example'],
    ['a star without address', 'acme.example/*'],
    ['an empty label', 'https://a..acme.example/*'],
    ['a query', 'https://acme.example/*?a=b'],
    ['a fragment', 'https://acme.example/*#a'],
    ['another host before it', 'https://acme.example@*.b.example'],
    ['a blank', 'https://acme.example /'],
    ['a line', 'https://acme.example\nhttps://b.example'],
    ['a mark that nobody sees', 'https://acme.exam\u200bple'],
    ['a book', `https://acme.example/${'a'.repeat(2048)}`],
  ])('not %s', (_title, text) => expect(isIssuerPattern(text)).toBe(false));

  it('up to 2,048 characters', () => {
    const start = 'https://acme.example/';
    expect(isIssuerPattern(start + 'a'.repeat(2048 - start.length))).toBe(true);
    expect(isIssuerPattern(start + 'a'.repeat(2049 - start.length))).toBe(false);
  });
});

describe('an issuer is', () => {
  it.each([
    [GITHUB, GITHUB],
    ['https://*.acme.example', 'https://agents.acme.example'],
    ['https://*.acme.example', 'https://xn--a_b-c.acme.example'],
    ['https://oidc.eks.*.amazonaws.com/id/*', 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B'],
    ['https://*.*.acme.example', 'https://a.b.acme.example'],
    ['https://acme.example/*', 'https://acme.example/realm.one~2'],
  ])('of %s: %s', (pattern, issuer) => expect(matchesIssuer(pattern, issuer)).toBe(true));

  it.each([
    [GITHUB, `${GITHUB}/`],
    [GITHUB, `${GITHUB}/acme`],
    [GITHUB, 'https://TOKEN.actions.githubusercontent.com'],
    ['https://*.acme.example', 'https://acme.example'],
    ['https://*.acme.example', 'https://a.b.acme.example'],
    ['https://*.acme.example', 'https://.acme.example'],
    ['https://*.acme.example', 'https://a.acme.example.evil.example'],
    ['https://*.acme.example', 'https://a.acme.example:443'],
    ['https://*.acme.example', 'http://a.acme.example'],
    ['https://*.acme.example', 'https://a.acme.example/'],
    ['https://*.acme.example', 'https://evil.example#.acme.example'],
    ['https://*.acme.example', 'https://evil.example?.acme.example'],
    ['https://*.acme.example', 'https://a@b.acme.example'],
    ['https://*.acme.example', 'https://a:b.acme.example'],
    ['https://*.acme.example', 'no address'],
    ['https://acme.example/*', 'https://acme.example/'],
    ['https://acme.example/*', 'https://acme.example/a/b'],
    ['https://acme.example/*', 'https://acme.example/..'],
    ['https://acme.example/*', 'https://acme.example/.'],
    ['https://acme.example/*', 'https://acme.example/a%2Fb'],
    ['https://acme.example/*', 'https://acme.example/a b'],
    ['https://acme.example/*/b', 'https://acme.example/a/c'],
  ])('not of %s: %s', (pattern, issuer) => expect(matchesIssuer(pattern, issuer)).toBe(false));

  test('of a pattern only where what stands before and after the star is the same', () => {
    const label = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,8}$/);
    fc.assert(
      fc.property(label, label, label, (one, other, domain) => {
        const pattern = `https://*.${domain}.example`;
        expect(matchesIssuer(pattern, `https://${one}.${domain}.example`)).toBe(true);
        expect(matchesIssuer(pattern, `https://${one}.${other}.${domain}.example`)).toBe(false);
        expect(matchesIssuer(pattern, `https://${one}.${other}.example`)).toBe(other === domain);
      }),
    );
  });

  test('exact where there is no star, and nothing that anybody writes throws', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (pattern, issuer) => {
        isIssuerPattern(pattern);
        expect(matchesIssuer(pattern.replaceAll('*', ''), issuer)).toBe(pattern.replaceAll('*', '') === issuer);
        matchesIssuer(`https://*.${pattern}`, issuer);
      }),
    );
  });
});
