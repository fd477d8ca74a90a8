import { TARGETS } from '@colophon/admission/generate';
import { having, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon admission generate`. */
export const admissionGenerateResult = resultOf('a policy in the language of another program', {
  policy: string('name of the policy'),
  to: oneOf('the other program', TARGETS),
  folder: string('where the files lie'),
  files: listOf('what was written', having('a file', { name: string('its name'), what: string('what it is for') })),
  not_expressible: listOf(
    'what the other program does not do that colophon admit does; first what lets more images pass',
    having('one difference', {
      key: string('the key of the policy, with dots, or the name of a rule that every policy has'),
      effect: oneOf(
        'admits: what colophon admit refuses may pass there. refuses: what it admits may be refused there',
        ['admits', 'refuses'],
      ),
      what: string('the difference, for people'),
    }),
  ),
  trusted_root: string('file of the trusted root'),
});
export type AdmissionGenerateResult = ResultOf<typeof admissionGenerateResult>;
