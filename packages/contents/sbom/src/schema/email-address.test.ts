import { Ajv } from 'ajv';
import addDraft2019Formats from 'ajv-formats-draft2019';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInternationalEmail } from './email-address.ts';

const ajv = new Ajv();
addDraft2019Formats(ajv, { formats: ['idn-email'] });
const byLibrary = ajv.compile({ type: 'string', format: 'idn-email' });

test.each([
  ['dana@example.com', true],
  ['dana.o@example.com', true],
  ['dänä@exämple.com', true],
  ['"dana o\\""@example.com', true],
  ['dana@[192.0.2.1]', true],
  ['dana@[192.0.2.256]', false],
  ['dana@[192.0.2]', false],
  ['dana@[tag:value]', true],
  ['dana@example', false],
  ['dana@example.c', false],
  ['dana@-example.com', false],
  ['dana@example-.com', false],
  ['dana@@example.com', false],
  ['.dana@example.com', false],
  ['dana..o@example.com', false],
  ['dana@example.com.', false],
  ['dana', false],
  ['@example.com', false],
  ['', false],
  ['dana example@example.com', false],
  [`dana@${'a'.repeat(64)}.com`, false],
  [`dana@${'a'.repeat(63)}.com`, true],
  [`${'a'.repeat(974)}@example.com`, true],
  [`${'a'.repeat(975)}@example.com`, false],
  [`dana@${'abc.'.repeat(63)}de`, false],
])('%s: %s, as the library decides', (address, isValid) => {
  expect(isInternationalEmail(address)).toBe(isValid);
  expect(byLibrary(address)).toBe(isValid);
});

test('it decides as the library does', () => {
  const letters = fc.constantFrom('a', 'b', '-', '.', '"', '\\', ' ', 'é', '[', ']', '1', '@', '%', ':', '(', '\u0001');
  const part = fc.string({ unit: letters, maxLength: 6 });
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const address = `${local}@${domain}`;
      expect([address, isInternationalEmail(address)]).toEqual([address, byLibrary(address)]);
    }),
    { numRuns: 3_000 },
  );
});
