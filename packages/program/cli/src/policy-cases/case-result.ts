import {
  alsoHaving,
  count,
  having,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';

const DECISIONS = ['admitted', 'refused'] as const;
const codes = (description: string) => listOf(description, string('of docs/errors.md'));
const valid_until = { ...timestamp, description: 'until when the admission holds' } as const;

const caseResult = alsoHaving(
  having('one case', {
    case: string('its name: the path below the folder'),
    standing: oneOf('whether it was decided as expected', ['as-expected', 'different', 'unreadable']),
    problems: listOf('how it differs, or why it cannot be read', issue),
  }),
  {
    expected: alsoHaving(
      having('what the case expects; absent where it cannot be read', {
        decision: oneOf('about the image', DECISIONS),
        reasons: codes('the whole set, sorted'),
      }),
      { warnings: codes('the whole set; absent where any will do'), valid_until },
    ),
    decided: alsoHaving(
      having('what was decided; absent where nothing was', {
        decision: oneOf('about the image', DECISIONS),
        reasons: codes('each once, sorted'),
        warnings: codes('each once, sorted'),
      }),
      { valid_until },
    ),
  },
);
export type CaseResult = ResultOf<typeof caseResult>;

/** `colophon admission test`. */
export const admissionTestResult = resultOf('what is decided about cases of policies', {
  folder: string('as it was given'),
  cases: listOf('each case, in the order of names', caseResult),
  summary: having('how many there are', { case_count: count, different_count: count, unreadable_count: count }),
});
export type AdmissionTestResult = ResultOf<typeof admissionTestResult>;
