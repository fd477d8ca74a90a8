import { rootHash } from '@colophon/merkle';
import { describe, expect, test } from 'vitest';
import { SignedLog } from '../../test/signed-log.ts';
import { readSignedCheckpoint } from '../signed-checkpoint/signed-checkpoint.ts';
import { assertOwnHistory } from './own-history.ts';

const log = new SignedLog().add('a', 'b', 'c', 'd');
const other = new SignedLog('log.example', log).add('a', 'b', 'x', 'd');
const signed = (size: number, of = log, origin?: string) => readSignedCheckpoint(of.note(size, origin), of.publicKey);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The first entries of the log, as a whole tree that is at hand. */
const own = (size: number, next?: string) => ({
  ...{ origin: 'log.example', size, ...(next !== undefined && { next }) },
  root: (first: number) => rootHash(first, log.read),
});

describe('a tree that is at hand', () => {
  test.each([1, 3, 4])('continues what was signed over %i of its four entries', (size) => {
    expect(() => assertOwnHistory(own(4), signed(size))).not.toThrow();
  });

  test('has fewer entries than were signed: an older copy', () => {
    const found = signed(4);
    expect(() => assertOwnHistory(own(3, 'restore it'), found)).toThrow(
      expect.objectContaining({
        code: 'pin.history_smaller',
        message: expect.stringContaining('"log.example" has 3 entries, and 4 were signed before'),
        facts: {
          checked: `log.example, key ${found.keyId}`,
          next: 'restore it',
          expected: `4 entries of "log.example", root ${hex(found.root)}`,
          found: '3 of "log.example"',
        },
      }),
    );
  });

  test('has the name of another log of the same key, however many entries it has', () => {
    expect(() => assertOwnHistory(own(4), signed(2, log, 'old.example'))).toThrow(
      expect.objectContaining({ code: 'pin.history_smaller' }),
    );
  });

  test('has others among its entries than were signed: a fork', () => {
    const found = signed(3, other);
    expect(() => assertOwnHistory(own(4), found)).toThrow(
      expect.objectContaining({
        code: 'pin.fork',
        message: '"log.example" has others among its first 3 entries than were signed',
        facts: {
          checked: `log.example, key ${found.keyId}`,
          expected: `root ${hex(found.root)}`,
          found: `root ${hex(rootHash(3, log.read))}`,
        },
      }),
    );
  });
});
