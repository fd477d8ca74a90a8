import { expect, test } from 'vitest';
import { KINDS, readCannots, signatures } from '../../interop/matrix-cells.ts';
import { matrixTable } from './matrix-page.ts';

const UNSIGNED = { signer: 'sigstore-js', kind: 'statement', log: 'Rekor v2', error: 'no such kind' } as const;

test('a cell that is not named says that all verify', () => {
  expect(matrixTable([])).toContain('| colophon | blob | all | all | all |\n');
  expect(matrixTable([]).match(/all/g)).toHaveLength(36);
});

test('what cannot be signed, and who cannot verify, stands there with the reason', () => {
  const table = matrixTable([UNSIGNED, { ...UNSIGNED, signer: 'cosign', log: 'embedded', verifier: 'colophon' }]);
  expect(table).toContain('| sigstore-js | statement | all | all | not signed (1) |\n');
  expect(table).toContain('| cosign | statement | not colophon (2), cosign, sigstore-js | all | all |\n');
  expect(table).toMatch(/\n- \(1\) sigstore-js: `no such kind`\n- \(2\) colophon: `no such kind`\n$/);
});

test.each([
  ['an unknown signer', { ...UNSIGNED, signer: 'gpg' }],
  ['an unknown log', { ...UNSIGNED, log: 'Rekor v3' }],
  ['an unknown verifier', { ...UNSIGNED, verifier: 'gpg' }],
  ['no error', { ...UNSIGNED, error: '' }],
])('a cell with %s is refused', (_title, cell) => {
  expect(() => readCannots(JSON.stringify({ cannot: [cell] }))).toThrow('names no cell');
});

test('a cell is named once', () => {
  expect(readCannots(JSON.stringify({ cannot: [UNSIGNED] }))).toEqual([UNSIGNED]);
  expect(() => readCannots(JSON.stringify({ cannot: [UNSIGNED, UNSIGNED] }))).toThrow('twice');
});

test('the short run has each signer and log once, all kinds, and what cannot be signed besides', () => {
  expect(signatures('full')).toHaveLength(36);
  const short = signatures('short');
  expect(new Set(short.map(({ signer, log }) => `${signer} ${log}`)).size).toBe(9);
  expect(short).toHaveLength(9);
  expect(new Set(short.map(({ kind }) => kind)).size).toBe(KINDS.length);
  expect(signatures('short', [UNSIGNED])).toHaveLength(10);
  expect(
    short.some((one) => one.kind === UNSIGNED.kind && one.log === UNSIGNED.log && one.signer === UNSIGNED.signer),
  ).toBe(false);
});
