import { type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon env`. */
export const envResult = resultOf('the variables to export', {
  variables: { type: 'object', description: 'by their names', additionalProperties: string('the value') },
});
export type EnvResult = ResultOf<typeof envResult>;
