import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyException } from './exception.ts';
import { ADMISSION_REASON_CODES, type AdmissionReasonCode } from './reason.ts';

const RULE = {
  ...{ digest: `sha256:${'a'.repeat(64)}`, owner: 'ops', reason: 'fire' },
  ...{ from: '2026-11-21T11:00:00Z', until: '2026-11-21T13:00:00Z' },
};
const excuses = (...codes: readonly AdmissionReasonCode[]) =>
  applyException(
    RULE,
    codes.map((code) => ({ code, message: 'x' })),
  )?.excuses;

/** What the page of codes says: its third column is where a code is seen, and whether an exception excuses it. */
const PAGE = readFileSync(new URL('reason.codes.md', import.meta.url), 'utf8');
const documented = new Set(
  PAGE.split('\n')
    .map((line) => line.split(' | '))
    .filter(([, , place = '']) => place.includes('an exception excuses it'))
    .map(([name = '']) => name.replace(/[| `]/g, '')),
);

test.each(ADMISSION_REASON_CODES)('%s is excused where its page says so, and not otherwise', (code) => {
  expect(excuses(code)).toEqual(documented.has(code) ? [code] : undefined);
});

test('a code that nobody placed is not excused', () => {
  expect(excuses('admission.of_tomorrow' as AdmissionReasonCode)).toBeUndefined();
});

test('nothing is excused beside something that is not', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ADMISSION_REASON_CODES), { minLength: 1 }), (codes) => {
      const isExcused = codes.every((code) => documented.has(code));
      expect(excuses(...codes)).toEqual(isExcused ? [...new Set(codes)] : undefined);
    }),
  );
});

test('a no, a substitution and what a certificate denies are never excused', () => {
  const said = ADMISSION_REASON_CODES.filter((code) =>
    /rejected$|not_approved$|failed$|substituted|contradict|_mismatch$|internal|_invalid$|covered/.test(code),
  );
  const excused = said.filter((code) => excuses(code) !== undefined);
  // Whom or what the policy does not list, a verification and a condition that fail.
  expect(excused).toEqual([
    'admission.signature_rejected',
    'admission.agent_not_approved',
    'admission.human_not_approved',
    'admission.condition_failed',
    'admission.builder_id_mismatch',
  ]);
});
