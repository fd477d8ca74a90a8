import { count, documentIssue, having, listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon admission lint`: a policy that does not load is an error, as for `colophon admit`. */
export const admissionLintResult = resultOf('what admission policies admit, and what to know of them', {
  policies: listOf(
    'each policy, in the order in which it was given',
    having('one policy', {
      file: string('its path'),
      policy: string('its name, as reasons have it'),
      sentences: listOf('what has to hold', string('for people')),
      warnings: listOf('what a careful reader should know, by line', documentIssue),
    }),
  ),
  summary: having('how many there are', { policy_count: count, warning_count: count, note_count: count }),
});
export type AdmissionLintResult = ResultOf<typeof admissionLintResult>;
