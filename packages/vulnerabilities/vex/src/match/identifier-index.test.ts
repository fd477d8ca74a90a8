import { expect, test } from 'vitest';
import { IdentifierIndex, PackageUrls, Visits } from './identifier-index.ts';

const KEYS = Array.from({ length: 10 }, (_, bit) => `k${bit}`);
/** Qualifiers by the bits of a number. */
const qualifiers = (bits: number) => KEYS.filter((_, bit) => (bits >> bit) & 1).map((key) => `${key}=1`);
const ALL = (1 << KEYS.length) - 1;

/** Members of one package that differ in the version alone. */
function index(members: number, visits: Visits): IdentifierIndex<never> {
  const made = new IdentifierIndex<never>(new PackageUrls(), visits);
  for (let at = 0; at < members; at += 1) made.add(at, [`pkg:npm/a@${at}?${qualifiers(ALL).join('&')}`]);
  return made;
}

test('finds among any number of versions by looking at those alone that may be meant', () => {
  const made = index(1_000, new Visits(3 * ALL));
  for (let bits = 1; bits <= ALL; bits += 1) {
    const [found] = made.find({ purl: `pkg:npm/a@7?${qualifiers(bits).join('&')}` });
    expect(found?.members).toEqual([7]);
  }
});

test('what nothing has is found nowhere without looking', () => {
  const made = index(1_000, new Visits(500));
  for (let at = 0; at < 500; at += 1) expect(made.find({ purl: `pkg:npm/a?q${at}=1` })).toEqual([]);
});

test('the same asked again is looked up once', () => {
  const made = index(1_000, new Visits(1_500));
  for (let at = 0; at < 500; at += 1) expect(made.find({ purl: 'pkg:npm/a?k1=1' })[0]?.members).toHaveLength(1_000);
});

test('ends what was made to be endless', () => {
  const made = index(1_000, new Visits(100_000));
  const ask = () => {
    for (let bits = 1; bits <= ALL; bits += 1) made.find({ purl: `pkg:npm/a?${qualifiers(bits).join('&')}` });
  };
  expect(ask).toThrow(expect.objectContaining({ code: 'vex.too_many_comparisons' }));
});
