import type { AdmissionDecisionRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import { Readiness } from '../operations/readiness.ts';
import { AdmissionMeter } from './admission-meter.ts';

const EXCEPTION = { owner: 'ops', reason: 'hotfix', until: '2026-11-21T22:00:00Z' };

const decided = (reasons: readonly string[], warnings: readonly string[]) => {
  const withCode = (code: string) => ({ code, message: 'why' });
  const image = {
    admitted: reasons.length === 0,
    cached: false,
    reasons: reasons.map(withCode),
    warnings: warnings.map(withCode),
    ...(warnings.includes('admission.exception') && { exception: EXCEPTION }),
  };
  return { images: [image] } as unknown as AdmissionDecisionRecord;
};

test('counts what was refused, and apart from it what came in by an exception', async () => {
  const meter = new AdmissionMeter(new Readiness(), '1.0.0');
  meter.decided(decided(['admission.no_signature'], []));
  meter.decided(decided([], ['admission.no_signature']));
  meter.decided(decided([], ['admission.exception']));
  meter.decided(decided(['admission.no_signature'], ['admission.exception']));
  const lines = (await meter.page()).split('\n').filter((line) => /^colophon_admission_(?:rea|exc|ima)/.test(line));
  expect(lines).toEqual([
    'colophon_admission_images_total{result="refused",cached="false"} 2',
    'colophon_admission_images_total{result="admitted",cached="false"} 2',
    'colophon_admission_reasons_total{code="admission.no_signature"} 3',
    'colophon_admission_exceptions_total 1',
  ]);
});
