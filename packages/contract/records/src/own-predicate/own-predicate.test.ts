import { expect, test } from 'vitest';
import { DEFAULT_PREDICATE_BASE } from '../namespace/namespace.ts';
import { OWN_PREDICATES, predicateParsers } from './own-predicate.ts';

const BASE = 'https://acme.example/predicates';

test('a type under the own base and under the placeholder is read; under another base it is none of ours', () => {
  const parsers = predicateParsers(BASE);
  for (const { typeOf } of Object.values(OWN_PREDICATES)) {
    expect(parsers[typeOf(BASE)]?.({})).toMatchObject({ ok: false });
    expect(parsers[typeOf(DEFAULT_PREDICATE_BASE)]?.({})).toMatchObject({ ok: false });
    expect(parsers[typeOf('https://other.example/predicates')]).toBeUndefined();
  }
});

test.each(['constructor', '__proto__', 'toString'])('a type called %s has no parser', (type) => {
  expect(predicateParsers(BASE)[type]).toBeUndefined();
});
