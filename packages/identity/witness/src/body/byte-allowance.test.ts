import { expect, it } from 'vitest';
import { ByteAllowance, keptBytes } from './byte-allowance.ts';

it('gives what it has, and again what was released', () => {
  const allowance = new ByteAllowance(10);
  expect(allowance.take(6)).toBe(true);
  expect(allowance.take(5)).toBe(false);
  expect(allowance.take(4)).toBe(true);
  expect(allowance.take(1)).toBe(false);
  allowance.release(6);
  expect(allowance.take(6)).toBe(true);
});

it('a chunk takes more than its bytes, so that many small ones are no way round the limit', () => {
  expect(keptBytes(new Uint8Array(1))).toBeGreaterThan(100);
  expect(keptBytes(new Uint8Array(1000))).toBeLessThan(1200);
});

it('within another one takes from both, gives back to both, and never more than either has', () => {
  const all = new ByteAllowance(10);
  const [one, other] = [new ByteAllowance(6, all), new ByteAllowance(6, all)];
  expect(one.take(7)).toBe(false);
  expect(one.take(6)).toBe(true);
  expect(other.take(5)).toBe(false);
  expect(other.take(4)).toBe(true);
  expect(all.take(1)).toBe(false);
  one.release(6);
  expect(all.take(6)).toBe(true);
  expect(one.take(1)).toBe(false);
  all.release(6);
  expect(one.take(6)).toBe(true);
});
