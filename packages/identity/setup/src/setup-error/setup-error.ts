import { declareErrors } from '@colophon/fault';
import type { SetupIssue } from './setup-issue.ts';

const KINDS = {
  'setup.service_unreachable': 'peer',
  'setup.incomplete': 'usage',
} as const;

/** The files for a company's services cannot be written; every reason is in `issues`. */
export const SetupError = declareErrors<
  typeof KINDS,
  { readonly issues: readonly SetupIssue[] },
  { readonly facts: { readonly issues: readonly SetupIssue[] } }
>('SetupError', KINDS, (facts) => ({ facts }));
export type SetupError = InstanceType<typeof SetupError>;
