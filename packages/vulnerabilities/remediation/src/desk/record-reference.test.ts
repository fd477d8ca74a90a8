import type { RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import { unknownRecord } from './record-reference.ts';

const KNOWN = ['CVE-2024-1243', 'CVE-2024-1235', 'CVE-2024-12345', 'CVE-2024-9999', 'CVE-2021-44228'];
const records = KNOWN.map((cve, index) => ({
  ...({ component: 'left', product: 'shop' } as RemediationRecord),
  id: `${index}bcdef0123456789`,
  cve,
}));

test.each([
  ['CVE-2024-1234', ['CVE-2024-1243', 'CVE-2024-1235', 'CVE-2024-12345']],
  ['cve-2021-4428', ['CVE-2021-44228']],
  ['4bcdf', ['CVE-2021-44228']],
  ['CVE-2024-5678', []],
  ['zzzz', []],
])('near %s are ids with one slip, not all of the year: %j', (reference, near) => {
  const { found = '' } = unknownRecord(reference, records).facts;
  expect(KNOWN.filter((cve) => found.includes(`(${cve} in`))).toEqual(near);
  if (near.length === 0) expect(found).toBe('5 other records');
});
