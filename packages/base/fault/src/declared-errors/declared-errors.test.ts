import { describe, expect, test } from 'vitest';
import { KINDS } from '../kind/kind.ts';
import { declareErrors, kindOf } from './declared-errors.ts';

const ShelfError = declareErrors(
  'ShelfError',
  { 'shelf.empty': 'nothing', 'shelf.locked': { kind: 'unauthorized', httpStatus: 403 } },
  ({ shelf }: { readonly shelf?: number }) => ({ shelf }),
);

describe('an error', () => {
  test('has the kind that its code is declared with, its class’s name, and what was given', () => {
    const cause = new Error('the door');
    const error = new ShelfError('shelf.locked', 'no key', { shelf: 3, cause });
    expect(error).toBeInstanceOf(ShelfError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'ShelfError', code: 'shelf.locked', kind: 'unauthorized', message: 'no key' });
    expect([error.shelf, error.cause]).toEqual([3, cause]);
  });

  test('without details has its fields too, and no cause', () => {
    const error = new ShelfError('shelf.empty', 'no book');
    expect(Object.keys(error).sort()).toEqual(['code', 'kind', 'name', 'shelf']);
    expect('cause' in error).toBe(false);
  });

  test('may be given another kind where it is made', () => {
    expect(new ShelfError('shelf.empty', 'no book', { kind: 'machine' }).kind).toBe('machine');
  });

  test('is no error of another class that is declared alike', () => {
    const Other = declareErrors('ShelfError', { 'shelf.empty': 'nothing' });
    expect(new Other('shelf.empty', '')).not.toBeInstanceOf(ShelfError);
  });
});

test('a class lists its codes, and says what each is and how it is answered', () => {
  expect(ShelfError.codes).toEqual(['shelf.empty', 'shelf.locked']);
  expect(ShelfError.codes.map(ShelfError.kindOf)).toEqual(['nothing', 'unauthorized']);
  expect(ShelfError.codes.map(ShelfError.statusOf)).toEqual([404, 403]);
});

test('every kind has a status that is no success', () => {
  const table = Object.fromEntries(KINDS.map((kind) => [`test.${kind}`, kind]));
  const { codes, statusOf } = declareErrors('TestError', table);
  for (const code of codes) expect(statusOf(code)).toBeGreaterThanOrEqual(400);
});

test.each([
  [new ShelfError('shelf.empty', ''), 'nothing'],
  [Object.assign(new Error('x'), { kind: 'peer' }), 'peer'],
  [Object.assign(new Error('x'), { kind: 'constructor' }), undefined],
  [new Error('x'), undefined],
  [undefined, undefined],
  [null, undefined],
  ['peer', undefined],
])('the kind of %s is %s', (error, kind) => {
  expect(kindOf(error)).toBe(kind);
});
