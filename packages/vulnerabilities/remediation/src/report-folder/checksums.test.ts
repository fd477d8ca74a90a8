import { expect, test } from 'vitest';
import { formatChecksums, parseChecksums } from './checksums.ts';

const LINES = [
  { name: 'b.json', digest: `sha256:${'1'.repeat(64)}` },
  { name: 'A.json', digest: `sha256:${'2'.repeat(64)}` },
];

test('is written sorted, as sha256sum writes it, and read back', () => {
  const text = `${'2'.repeat(64)}  A.json\n${'1'.repeat(64)}  b.json\n`;
  expect(formatChecksums(LINES)).toBe(text);
  expect(parseChecksums(text)).toEqual(LINES.toReversed());
  expect(parseChecksums(text.replaceAll('  ', ' *'))).toEqual(LINES.toReversed());
  expect(parseChecksums('')).toEqual([]);
});

const HEX = '1'.repeat(64);
test.each([
  `${HEX}  a.json`,
  `${HEX}  ../a.json\n`,
  `${HEX}  /etc/passwd\n`,
  `${HEX}  .hidden\n`,
  `${HEX}  -a\n`,
  `${HEX} a.json\n`,
  `${'A'.repeat(64)}  a.json\n`,
  `${HEX}  a.json\n${HEX}  a.json\n`,
  `${HEX}  a.json\n\n`,
  `\\${HEX}  a\\nb\n`,
  `${HEX}  a.json\r\n`,
])('%j is refused as a whole', (text) => expect(parseChecksums(text)).toBeUndefined());
