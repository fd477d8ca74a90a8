import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldedIssuer } from './folded-issuer.ts';

test.each([
  'https://issuer.example/Tenant',
  'https://issuer.example/Tenant/',
  'https://issuer.example/Tenant//',
  'https://issuer.example/Tenant/.',
  'https://issuer.example/a/../Tenant',
  'https://issuer.example:443/Tenant',
  'https://Issuer.EXAMPLE/Tenant',
  'HTTPS://issuer.example/Tenant',
  'https://u:p@issuer.example/Tenant',
  'https://issuer.example/Tenant?',
  'https://issuer.example/Tenant/?#',
])('%s is one issuer', (spelling) => expect(foldedIssuer(spelling)).toBe('https://issuer.example/Tenant'));

test.each([
  'http://issuer.example',
  'https://issuer.example',
  'https://issuer.example:8443',
  'https://issuer.example/tenant',
  'https://issuer.example//Tenant',
  'https://issuer.example/Tenant?a',
  'https://issuer.example/Tenant#a',
  'https://*.issuer.example/Tenant/*',
])('%s is another', (issuer) => expect(foldedIssuer(issuer)).toBe(issuer));

test.each(['', 'no address', 'accounts.google.com', 'accounts.google.com:443', 'urn:Issuer', 'https://', '/'])(
  'what has no host stays as it is: %j',
  (issuer) => expect(foldedIssuer(issuer)).toBe(issuer),
);

test('the host of any scheme is folded', () => {
  expect(foldedIssuer('SPIFFE://Acme.Example/Tenant/')).toBe('spiffe://acme.example/Tenant');
});

test('what is folded folds to itself, and nothing that anybody writes throws', () => {
  const part = fc.constantFrom('/', '.', '..', '%2E', 'a', 'A', '?', '#', '@', ':443', ':', '*', 'é', ' ');
  const start = fc.constantFrom('', 'https:', 'HTTP://B.example', 'https://b.example/', 'x://B');
  fc.assert(
    fc.property(start, fc.array(part), fc.string(), (address, parts, text) => {
      const folded = foldedIssuer(address + parts.join(''));
      expect(foldedIssuer(folded)).toBe(folded);
      foldedIssuer(text);
    }),
  );
});
