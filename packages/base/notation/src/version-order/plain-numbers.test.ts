import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FixStanding } from './fix-standing.ts';
import { plainFixStanding } from './plain-numbers.ts';

test.each<[FixStanding, version: string, ...fixed: string[]]>([
  ['not_fixed', '7.0.0-3', '7.0.5'],
  ['not_fixed', '7.0.0', '7.0.5-1'],
  ['fixed', '7.0.5-0', '7.0.5'],
  ['fixed', '7.0.5', '7.0.5-2'],
  ['not_fixed', '7.0.0-3', '7.0.0-5'],
  ['fixed', '7.0.0-r5', '7.0.0-5'],
  ['not_fixed', '7.0.0-r3', '7.0.0-r10'],
  ['not_fixed', '2024-05-20', '2024-06-01'],
  ['not_fixed', '7.0.0-9', '7.0.5-2'],
  ['fixed', '7.0.5-2', '7.0.0-9'],
  ['not_fixed', '1.0-2.1', '1.0-2.2'],
  ['fixed', '1.0_7', '1.0_7'],
  ['fixed', '1.0+7', '1.0+3'],
  ['not_fixed', 'v4', '4.1.3'],
  ['fixed', 'V4.1.3', '4.1.3'],
  ['not_fixed', 'release-1.9', 'v1.10'],
  ['not_fixed', 'rel_1.9', '1.10'],
  ['not_fixed', '01.2', '1.10'],
  ['fixed', '2', '1.10'],
  // Letters behind the numbers say nothing here.
  ['not_fixed', '1.1.0z', '1.1.1a'],
  ['fixed', '1.1.1a', '1.1.1k'],
  ['fixed', '1.2-rc1', '1.2'],
  ['fixed', '1.2-3x', '1.2-9'],
  // Of branches, as by any order.
  ['not_fixed', '7.0.0', '6.2.7', '7.0.5'],
  ['fixed', '6.2.9', '6.2.7', '7.0.5'],
  ['unknown', '7.0.0', '6.2.7', '8.0.1'],
  // No numbers.
  ['unknown', 'stable', '1.2'],
  ['unknown', 'cci.20240101', '1.2'],
  ['unknown', '1.0', 'main'],
  ['not_fixed', '1.0', 'main', '1.2'],
  ['unknown', '1e5a7b3c9d', '4.1.3'],
  ['unknown', '0A1B2C3', '4.1.3'],
  ['fixed', '20240101', '4.1.3'],
  ['not_fixed', '1e5', '4.1.3'],
  ['unknown', '1:2.0', '4.1.3'],
  ['unknown', '1.2', '1:2.0'],
  ['unknown', `0.${'1'.repeat(300)}`, '4.1.3'],
  ['not_fixed', `0.${'1'.repeat(254)}`, '4.1.3'],
  ['unknown', '', '1.0'],
  ['unknown', '1.0'],
])('%s: %s, fixed in %s %s', (standing, version, ...fixed) => {
  expect(plainFixStanding(version, fixed)).toBe(standing);
});

const numbers = fc.array(fc.nat(99), { minLength: 1, maxLength: 4 });

test('what begins with the numbers of a fix, or with greater ones than every fix, is never below it', () => {
  fc.assert(
    fc.property(
      numbers,
      fc.array(numbers, { maxLength: 3 }),
      fc.stringMatching(/^(?:|[-+_][a-z0-9]{1,5})$/),
      (own, others, rest) => {
        const fixed = [own, ...others].map((one) => one.join('.'));
        expect(plainFixStanding(`${own.join('.')}${rest}`, [own.join('.')])).toBe('fixed');
        expect(plainFixStanding(`100.${own.join('.')}`, fixed)).toBe('fixed');
      },
    ),
  );
});

test('of any texts it says something, in time that grows with their length alone', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 400, unit: 'binary' }),
      fc.array(fc.string({ maxLength: 40 })),
      (version, fixed) => {
        expect(['fixed', 'not_fixed', 'unknown']).toContain(plainFixStanding(version, fixed));
      },
    ),
  );
  expect(plainFixStanding(`1${'-1'.repeat(127)}!`, ['1.0'])).toBe('fixed');
});
