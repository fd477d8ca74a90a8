import { expect, test } from 'vitest';
import { driverAddress, hasPassword, publicAddress } from './postgresql-address.ts';

test('a password is seen wherever it stands, and never shown', () => {
  for (const address of ['postgres://dana:canary@db/triage', 'POSTGRES://dana@db/triage?password=canary']) {
    expect(hasPassword(address)).toBe(true);
    expect(publicAddress(address)).not.toContain('canary');
  }
  expect(hasPassword('postgres://dana@db/triage?sslmode=verify-full')).toBe(false);
});

test.each([
  'postgres://dana:12#canary@db/triage',
  'postgres://dana:12/canary@db/triage',
  'postgres://dana:12?canary@db/triage',
  'postgres://dana:12?sslmode=canary@db/triage',
  'postgres://dana:a#canary@db/triage',
  'postgres:/dana:canary@db/triage',
  'postgresql:dana:canary@db/triage',
  'postgres://dana:canary@db:port/triage',
])('an address that is none is refused, and nothing of it repeated: %s', (address) => {
  for (const read of [hasPassword, publicAddress, driverAddress]) {
    let message = '';
    try {
      read(address);
    } catch (error) {
      const { code, message: said } = error as { code: string; message: string };
      message = `${code}: ${said}`;
    }
    expect(message).toMatch(/^store\.address_invalid: /);
    expect(message).not.toContain('canary');
  }
});

test('a parameter that is none is named, unless it is no word', () => {
  expect(() => driverAddress('postgres://db/triage?tcp_user_timeout=1')).toThrow('tcp_user_timeout');
  expect(() => driverAddress('postgres://db/triage?can%20ary')).toThrow(/^[^:]*not supported$/);
});
