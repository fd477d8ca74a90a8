import { compareVersions, fixStanding, hasVersionOrder } from '@colophon/notation';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const number = fc.oneof(
  { weight: 4, arbitrary: fc.nat(12).map(String) },
  fc.constantFrom('00', '01', '20240101', '9'.repeat(18)),
);
const dotted = fc.array(number, { minLength: 1, maxLength: 4 }).map((numbers) => numbers.join('.'));
const three = fc.array(fc.nat(3).map(String), { minLength: 3, maxLength: 3 }).map((numbers) => numbers.join('.'));
const label = fc.constantFrom('alpha', 'beta', 'rc', 'a', 'b', 'pre', 'dev', 'RC', 'x', '1e5');
const numbered = fc.tuple(label, fc.constantFrom('', '1', '.1', '.10', '2')).map((parts) => parts.join(''));
const optional = (before: string, part: fc.Arbitrary<string>) =>
  fc.option(part, { nil: undefined }).map((text) => (text === undefined ? '' : `${before}${text}`));
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''));
const from = (...texts: string[]) => fc.constantFrom(...texts);

const semantic = joined(three, optional('-', numbered), optional('+', numbered));

/** Texts of which most are versions of the type, close to each other. */
const SHAPES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  apk: joined(
    dotted,
    from('', 'a', 'b'),
    from('', '_alpha', '_rc1', '_p', '_p2', '_git20240101', '_alpha_p1'),
    from('', '~0a', '~b'),
    from('', '-r0', '-r1'),
  ),
  cargo: semantic,
  composer: joined(
    from('', 'v'),
    dotted,
    from('', '-', '.', '_'),
    from('', 'alpha', 'b2', 'RC1', 'rc.2', 'p1', 'stable', 'beta-dev', 'dev'),
  ),
  deb: joined(
    from('', '0:', '1:'),
    dotted,
    from('', '~', '~rc1', '+dfsg', 'a', '~~', '.'),
    from('', '-0', '-1', '-1+b1', '-1~bpo', '-0ubuntu1'),
  ),
  gem: joined(dotted, optional('.', numbered), optional('-', number)),
  golang: fc.oneof(semantic, joined(from('v', 'go', ''), from('1', '1.2', '1.2rc1', '1.2.0', '2.0.0+incompatible'))),
  hex: semantic,
  maven: joined(
    dotted,
    from('', '-', '.'),
    from('', 'SNAPSHOT', 'Final', 'ga', 'RC1', 'M2', 'alpha-1', 'b2', 'sp', 'jre', 'android', '1'),
  ),
  npm: semantic,
  nuget: joined(dotted, optional('-', numbered), optional('+', numbered)),
  pub: semantic,
  pypi: joined(
    from('', '0!', '1!', 'v'),
    dotted,
    from('', 'a1', 'b', 'rc2', '.c2'),
    from('', '.post', '-1', '.post2'),
    from('', '.dev1', 'dev'),
    from('', '+1', '+a', '+1e5', '+1.a'),
  ),
  rpm: joined(
    from('', '0:', '1:'),
    dotted,
    from('', '~', '~rc1', '^', '^git1', 'a', '.', '_1'),
    from('', '-1', '-1.el8', '-1.el8_1', '-01'),
  ),
  swift: semantic,
};

const PERMUTATIONS = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

const RUNS = { numRuns: 500, seed: 20261122 };

describe.each(Object.entries(SHAPES))('the order of %s', (type, shape) => {
  const order = (left: string, right: string) => compareVersions(type, left, right);
  const any = fc.oneof({ weight: 9, arbitrary: shape }, fc.string({ maxLength: 12 }));

  test('is the other way round the other way round, and equal for the same', () => {
    fc.assert(
      fc.property(any, any, (left, right) => {
        const [there, back] = [order(left, right), order(right, left)];
        return order(left, left) === 0 && (there === undefined ? back === undefined : there + (back ?? 9) === 0);
      }),
      RUNS,
    );
  });

  test('goes on: what is at most a second, which is at most a third, is at most the third', () => {
    let decided = 0;
    fc.assert(
      fc.property(any, any, any, (...texts) => {
        if (texts.some((text) => order(text, '1.0.0') === undefined)) return true;
        decided += 1;
        return PERMUTATIONS.every((places) => {
          const [a, b, c] = places.map((place) => texts[place]) as [string, string, string];
          const [ab, bc] = [order(a, b) as number, order(b, c) as number];
          return ab > 0 || bc > 0 || order(a, c) === Math.min(ab, bc);
        });
      }),
      RUNS,
    );
    expect(decided).toBeGreaterThan(RUNS.numRuns / 10);
  });

  test('makes a version fixed by one fix where it is equal or newer', () => {
    fc.assert(
      fc.property(any, any, (version, fix) => {
        const sign = order(version, fix);
        const expected = version === '' || sign === undefined ? 'unknown' : sign < 0 ? 'not_fixed' : 'fixed';
        return fixStanding(type, version, [fix]) === expected;
      }),
      RUNS,
    );
  });

  test('makes nothing fixed that is older than every fix, whatever their sequence', () => {
    fc.assert(
      fc.property(any, fc.array(any, { maxLength: 5 }), (version, fixes) => {
        const signs = fixes.map((fix) => order(version, fix));
        const standing = fixStanding(type, version, fixes);
        return (
          standing === fixStanding(type, version, fixes.toReversed()) &&
          (standing !== 'fixed' || signs.some((sign) => sign !== undefined && sign >= 0))
        );
      }),
      RUNS,
    );
  });
});

test('no other type has one', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (type, left, right) => {
      fc.pre(!(type in SHAPES));
      expect(hasVersionOrder(type)).toBe(false);
      expect(compareVersions(type, left, right)).toBe(left === right ? 0 : undefined);
    }),
  );
});
