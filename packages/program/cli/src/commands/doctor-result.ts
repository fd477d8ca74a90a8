import { alsoHaving, having, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';
import { DOCTOR_CODES, PROBES } from '@colophon/setup';

/** `colophon doctor`; `ok` is false where something is wrong. */
export const doctorResult = resultOf('what is wrong with services and the files of their clients', {
  issuer: string('iss of the tokens'),
  findings: listOf(
    'what each probe found, in its order',
    alsoHaving(
      having('a finding', {
        probe: oneOf('what was looked at', PROBES),
        state: oneOf('how it stands', ['ok', 'fault', 'not-tried']),
        message: string('one sentence'),
      }),
      {
        code: oneOf('of a fault', DOCTOR_CODES),
        refusal: string('code of the error that a command ends with where this is wrong'),
        expected: string('what should be'),
        found: string('what is'),
        file: string('the file to change'),
        advice: string('what to do'),
      },
    ),
  ),
});
export type DoctorResult = ResultOf<typeof doctorResult>;
